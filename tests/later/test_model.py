"""`predict`, `assign` and a stream of batches on a fitted model."""

import re

import numpy as np
import pytest

import fairspectral
from fairspectral import FairSpectralClustering, FairSpectralWarning, audit
from fairspectral.cells import judge_by_tolerance
from fairspectral.datasets import load_diabetes_patients

OLD = 300


def make(k, **params):
    """A model without the long search for a low cut, which has its own tests."""
    return FairSpectralClustering(k, effort="fast", random_state=0, **params)


@pytest.fixture(scope="module")
def patients():
    found = load_diabetes_patients()
    return found.X, np.asarray(found.sensitive_features)


def fitted(patients, **params):
    X, sex = patients
    return make(4, **params).fit(X[:OLD], sensitive_features=sex[:OLD])


def test_old_and_new_people_together_keep_the_bounds(patients):
    X, sex = patients
    model = fitted(patients)
    placed = model.assign(X[OLD:], sensitive_features=sex[OLD:])
    together = np.r_[model.labels_, placed.labels]
    cells = judge_by_tolerance(audit(together, sex).attributes[0].counts.T, 0.2)
    assert placed.within_bounds
    assert cells.n_outside == 0
    np.testing.assert_array_equal(placed.table, cells.table)
    np.testing.assert_array_equal(placed.lower, cells.lower)
    np.testing.assert_array_equal(placed.similar, model.predict(X[OLD:]))
    assert not model.arrivals_[0].any()
    found = model.predict(X[OLD:], sensitive_features=sex[OLD:])
    np.testing.assert_array_equal(found, placed.labels)


def test_a_stream_keeps_the_shares(patients):
    X, sex = patients
    model = fitted(patients, fairness_tol=0.1)
    labels = [model.labels_]
    for batch in np.array_split(np.arange(OLD, len(X)), 12):
        placed = model.assign(X[batch], sensitive_features=sex[batch], update=True)
        assert placed.within_bounds, str(placed)
        labels.append(placed.labels)
    counts = audit(np.concatenate(labels), sex).attributes[0].counts
    np.testing.assert_array_equal(placed.table, counts.T)
    assert judge_by_tolerance(counts.T, 0.1).n_outside == 0
    assert sum(table.sum() for table in model.arrivals_) == len(X) - OLD
    model.fit(X[:OLD], sensitive_features=sex[:OLD])
    assert not model.arrivals_[0].any()


@pytest.mark.parametrize("mode", ["marginal", "intersection"])
def test_several_attributes(patients, mode):
    pandas = pytest.importorskip("pandas", reason="the table needs: pip install pandas")
    X, sex = patients
    groups = pandas.DataFrame({"sex": sex, "older": X[:, 0] > 0})
    model = make(3, attribute_mode=mode, fairness_tol=0.4)
    model.fit(X[:OLD], sensitive_features=groups[:OLD])
    placed = model.assign(X[OLD:], sensitive_features=groups[OLD:])
    assert placed.within_bounds
    assert len(placed.groups) == 4
    assert placed.table.sum() == len(X) * (2 if mode == "marginal" else 1)
    other = model.assign(X[OLD:], sensitive_features=groups[OLD:][["sex", "older"]].to_numpy())
    np.testing.assert_array_equal(other.labels, placed.labels)
    if mode == "marginal":  # columns go by their names
        swapped = groups[OLD:][["older", "sex"]]
        np.testing.assert_array_equal(
            model.assign(X[OLD:], sensitive_features=swapped).labels, placed.labels
        )


def test_predict_warns_where_the_bounds_cannot_hold():
    X = np.r_[np.zeros((20, 1)), np.ones((20, 1))] + np.linspace(0, 0.01, 40)[:, None]
    groups = np.arange(40) % 2
    model = make(2, fairness_tol=0.0)
    model.fit(X, sensitive_features=groups)
    model.arrivals_ = (np.array([[9, 0], [0, 0]]),)  # nine of one group came to one cluster
    with pytest.warns(FairSpectralWarning, match=r"cells are outside .* the fewest possible"):
        model.predict(X[:1], sensitive_features=[1])


def refusals():
    X = np.random.default_rng(0).random((30, 3))
    groups = np.where(np.arange(30) % 2, "m", "f")
    model = make(2, affinity="rbf")
    model.fit(X, sensitive_features=groups)
    plain = make(2).fit(X)
    kmeans = make(2, assign_labels="kmeans")
    kmeans.fit(X, sensitive_features=groups)
    graph = make(2, affinity="precomputed")
    graph.fit(np.ones((30, 30)), sensitive_features=groups)
    two = make(2)
    two.fit(X, sensitive_features={"sex": groups, "age": np.arange(30) // 2 % 2})
    return X, model, plain, kmeans, graph, two


CASES = {
    "a group that nobody has": (
        lambda X, model, *_: model.assign(X[:2], sensitive_features=["f", "x"]),
        "sensitive_features column 'group' has the group 'x', which nobody of the fit belongs to; "
        "its groups are 'f', 'm': correct it, or fit again with everyone.",
    ),
    "a missing attribute": (
        lambda X, *models: models[-1].assign(X[:2], sensitive_features={"sex": ["f", "m"]}),
        "sensitive_features has no column 'age'; the fit had 'sex', 'age', so pass these for the "
        "new people too.",
    ),
    "groups of other people": (
        lambda X, model, *_: model.assign(X[:2], sensitive_features=["f"]),
        "sensitive_features has 1 values but the data has 2 samples; pass exactly one value per "
        "sample, in the same order.",
    ),
    "no groups in the fit": (
        lambda X, _, plain, *__: plain.assign(X[:1], sensitive_features=["f"]),
        "the model was fitted without sensitive_features, so there are no shares to keep; use "
        "predict, or fit with sensitive_features.",
    ),
    "sizes without groups": (
        lambda X, *_: (
            make(2, rounding_params={"max_cluster_size": 20})
            .fit(X)
            .assign(X[:1], sensitive_features=["f"])
        ),
        "the model was fitted without sensitive_features, so there are no shares to keep; use "
        "predict, which keeps no sizes, or fit with sensitive_features.",
    ),
    "k-means": (
        lambda X, _, __, kmeans, *___: kmeans.assign(X[:1], sensitive_features=["f"]),
        "the model was fitted with assign_labels='kmeans', which keeps no bounds; use predict, or "
        "fit with assign_labels='fair'.",
    ),
    "other columns": (
        lambda X, model, *_: model.predict(X[:, :2]),
        "X has 2 features, but FairSpectralClustering is expecting 3 features as input.",
    ),
    "one person as a list of numbers": (
        lambda X, model, *_: model.predict(X[0]),
        "X must be a table with one row per new person, but it is one-dimensional; Reshape your "
        "data with X.reshape(1, -1) if it is one person.",
    ),
    "NaN": (
        lambda X, model, *_: model.predict(np.full((1, 3), np.nan)),
        "X contains NaN at row 0, column 0; fill or drop missing values (for example with "
        "sklearn.impute.SimpleImputer) before fitting.",
    ),
    "too few affinities": (
        lambda X, *models: models[3].predict(np.ones((1, 7))),
        "X has 7 features, but FairSpectralClustering is expecting 30 features as input, the "
        "affinities of each new person to each of the people of the fit, in their order.",
    ),
    "negative affinities": (
        lambda X, *models: models[3].predict(-np.ones((1, 30))),
        "X has affinities that are negative, infinite or NaN; pass numbers of at least 0.",
    ),
    "text as affinities": (
        lambda X, *models: models[3].predict(np.full((1, 30), "a")),
        "X holds other values than numbers; pass affinities.",
    ),
    "nobody": (
        lambda X, *models: models[3].predict(np.ones((0, 30))),
        "Found array with 0 sample(s) in X; pass at least one new person.",
    ),
}


@pytest.mark.parametrize("affinity", ["gower", "rbf", "nearest_neighbors"])
def test_nobody_is_refused_with_every_affinity(patients, affinity):
    X, sex = patients
    model = fitted(patients, affinity=affinity)
    for call in (
        lambda: model.predict(X[:0]),
        lambda: model.assign(X[:0], sensitive_features=sex[:0]),
    ):
        with pytest.raises(ValueError, match=r"\b0 sample\(s\)"):
            call()


def test_assign_without_groups_names_predict(patients):
    X, _ = patients
    with pytest.raises(ValueError, match="or use predict, which needs none"):
        fitted(patients).assign(X[:2], sensitive_features=None)


def test_bad_input_is_refused_in_one_sentence():
    models = refusals()
    for name, (call, sentence) in CASES.items():
        with pytest.raises(ValueError) as caught:
            call(*models)
        assert str(caught.value) == sentence, name


def people_with_weights(whole):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((240, 3))
    X[:, 0] += 3 * (np.arange(240) % 2)
    groups = np.where(rng.random(240) < 0.3 + 0.3 * (X[:, 0] > 1.5), "f", "m")
    return X, groups, rng.integers(1, 9, 240) if whole else rng.gamma(2.0, 3.0, 240)


@pytest.mark.parametrize("whole", [True, False])
def test_shares_of_the_weight_of_everyone_are_kept_in_a_stream(tmp_path, whole):
    X, groups, weights = people_with_weights(whole)
    model = make(2, fairness_tol=0.1)
    model.fit(X[:140], sensitive_features=groups[:140], sample_weight=weights[:140])
    model = fairspectral.load(model.save(tmp_path / "model.npz"))
    np.testing.assert_array_equal(model.predict(X[:140]), model.labels_)
    labels = list(model.labels_)
    for start in range(140, 240, 25):
        new = slice(start, start + 25)
        placed = model.assign(X[new], sensitive_features=groups[new], sample_weight=weights[new],
                              update=True)  # fmt: skip
        assert placed.within_bounds, str(placed)
        labels += list(placed.labels)
    # Counted again, from the weights themselves.
    counted = fairspectral.metrics.group_counts(np.array(labels), groups, sample_weight=weights)
    np.testing.assert_allclose(placed.table, counted.T, rtol=1e-6)
    aimed = np.outer(counted.sum(axis=0) / counted.sum(), counted.sum(axis=1))
    assert (np.abs(counted.T - aimed) <= np.maximum(0.1 * aimed, weights.max()) + 1e-6).all()
    assert "weight" in placed.rows()[0]
    assert placed.unit == model._weights.unit


def test_a_heavy_person_who_came_widens_the_bounds_of_later_batches(tmp_path):
    X, groups, weights = people_with_weights(whole=True)
    model = make(3, fairness_tol=0.05)
    model.fit(X[:140], sensitive_features=groups[:140], sample_weight=weights[:140])
    first, later = slice(140, 141), slice(150, 151)
    heavy = model.assign(X[first], sensitive_features=groups[first], sample_weight=[60],
                         update=True)  # fmt: skip
    assert heavy.within_bounds
    loaded = fairspectral.load(model.save(tmp_path / "m.npz"))
    for one in (model, loaded):
        light = one.assign(X[later], sensitive_features=groups[later], sample_weight=[1])
        assert light.within_bounds, light.verdict


def test_weight_that_cannot_be_placed_is_said_in_weight():
    X, groups, weights = people_with_weights(True)
    model = make(2, fairness_tol=0.1)
    model.fit(X[:140], sensitive_features=groups[:140], sample_weight=weights[:140])
    only = np.flatnonzero(groups == "f")[:1]
    heavy = model.assign(X[only], sensitive_features=groups[only], sample_weight=[400])
    assert heavy.within_bounds  # bounds are up to the largest weight
    many = np.repeat(only, 60)
    placed = model.assign(X[many], sensitive_features=groups[many],
                          sample_weight=np.full(60, 9))  # fmt: skip
    assert placed.table.sum() == weights[:140].sum() + 540
    model.set_params(rounding_params={"max_cluster_size": 90})
    model.fit(X[:140], sensitive_features=groups[:140], sample_weight=weights[:140])
    placed = model.assign(X[many], sensitive_features=groups[many],
                          sample_weight=np.full(60, 9))  # fmt: skip
    mean = weights[:140].mean()
    assert placed.ceiling == int(90 * mean)
    assert not placed.within_bounds
    assert f", by a weight of {placed.beyond:.4g} in all" in placed.verdict
    assert f"allowed {placed.ceiling:.0f}" in placed.verdict


@pytest.mark.parametrize(
    ("fitted", "given", "words"),
    [
        (True, None, "fitted with sample_weight, and its shares count weight; pass the weights"),
        (False, [1, 2], "fitted without sample_weight, or with equal weights, and counts heads"),
        (True, [1, 2.5], "sample_weight is 2.5 at row 1, but the fit had whole weights"),
        (True, [1, -2], "sample_weight is -2 at row 1; every weight must be a finite number"),
        (True, [1], "sample_weight has 1 values but the data has 2 samples"),
        (True, [1, 2**32], "more than the units of the fit can count; fit again with everyone"),
    ],
)
def test_weights_of_later_people_that_cannot_be_counted(fitted, given, words):
    X, groups, weights = people_with_weights(True)
    model = make(2)
    model.fit(X, sensitive_features=groups, sample_weight=weights if fitted else None)
    with pytest.raises(ValueError, match=re.escape(words)):
        model.assign(X[:2], sensitive_features=groups[:2], sample_weight=given)


def test_max_cluster_size_holds_for_everyone_together():
    X = np.r_[np.zeros((20, 1)), np.ones((20, 1))] + np.linspace(0, 0.01, 40)[:, None]
    groups = np.arange(40) % 2
    sizes = {"max_cluster_size": 24}
    model = FairSpectralClustering(2, affinity="rbf", rounding_params=sizes, random_state=0)
    model.fit(X, sensitive_features=groups)
    later, theirs = np.full((8, 1), 0.5e-3), np.arange(8) % 2
    placed = model.assign(later, sensitive_features=theirs)
    assert placed.within_bounds
    assert placed.sizes.tolist() == [24, 24]
    with pytest.warns(FairSpectralWarning, match="largest size, by 8 person"):
        model.predict(np.tile(later, (2, 1)), sensitive_features=np.arange(16) % 2)


def test_a_graph_is_not_a_row_of_edges():
    networkx = pytest.importorskip("networkx", reason="the graph needs: pip install networkx")
    club = networkx.karate_club_graph()
    model = make(2).fit(club, sensitive_features="club")
    with pytest.raises(TypeError, match="X is a graph; pass the edges from each new person to the"):
        model.predict(club)
    edges = networkx.to_scipy_sparse_array(club)
    np.testing.assert_array_equal(model.predict(edges), model.labels_)


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        ({"shares": {"sex": {"f": (0.4, 0.62)}}}, "sex 'f' is 80.00% of everyone now, allowed at "
         "most 62.00%; sex 'm' is 20.00% of everyone now, allowed at least 38.00%"),
        ({"upper": {"f": 0.62}}, "sex 'f' is 80.00% of everyone now, allowed at most 62.00%"),
        ({"lower": {"m": 0.4}}, "sex 'm' is 20.00% of everyone now, allowed at least 40.00%"),
        ({"shares": {"sex": {"m": 0.5}}}, "sex 'f' is 80.00% of everyone now, allowed at most "
         "60.00%; sex 'm' is 20.00% of everyone now, allowed at least 40.00%"),
    ],
)  # fmt: skip
def test_quotas_that_the_new_people_exclude(asked, allowed):
    X = np.r_[np.zeros((20, 1)), np.ones((20, 1))] + np.linspace(0, 0.01, 40)[:, None]
    model = make(2, affinity="rbf", rounding_params=asked)
    model.fit(X, sensitive_features={"sex": np.where(np.arange(40) % 2, "m", "f")})
    placed = model.assign(np.full((60, 1), 1e-3), sensitive_features={"sex": ["f"] * 60})
    assert placed.proved
    assert not placed.within_bounds
    assert (placed.lower <= placed.upper).all()
    assert placed.verdict.endswith(
        f" No placement keeps the shares of the fit ({allowed}), so fit again with everyone."
    )
