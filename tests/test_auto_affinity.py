"""``affinity="auto"`` and ``"gower"`` as a user of the estimator meets them."""

import numpy as np
import pandas as pd
import pytest
from helpers import assert_close, weights_count_in_shares
from sklearn.base import clone
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairspectral import (
    FairSpectralClustering,
    fair_spectral_embedding,
    fairness_frontier,
)
from fairspectral.datasets import make_msbm


# Every check passes a y, as pipelines do, and none has groups.
@pytest.mark.filterwarnings("ignore:fit was given y")
@parametrize_with_checks(
    [FairSpectralClustering(affinity="auto"), FairSpectralClustering(affinity="gower")],
    expected_failed_checks=weights_count_in_shares,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def model(k, affinity="auto", **params):
    return FairSpectralClustering(k, affinity=affinity, effort="fast", random_state=0, **params)


@pytest.fixture
def people():
    """90 people of three kinds, told apart by numbers and words together; with gaps."""
    rng = np.random.default_rng(0)
    kind = np.arange(90) % 3
    table = pd.DataFrame(
        {
            "age": 30 + 10 * kind + 3 * rng.standard_normal(90),
            "income": np.exp(rng.standard_normal(90)),
            "job": np.array(["nurse", "pilot", "cook"], dtype=object)[kind],
            "hobby": np.array(["chess", "golf", "opera"], dtype=object)[
                np.where(rng.random(90) < 0.8, kind, 0)
            ],
        }
    )
    table.loc[rng.random(90) < 0.15, "job"] = None
    table.loc[rng.random(90) < 0.15, "age"] = np.nan
    return table, kind, np.where(np.arange(90) % 2, "f", "m")


def test_clusters_of_any_shape_are_found():
    X, rings = make_circles(400, noise=0.05, factor=0.5, random_state=0)
    groups = np.arange(400) % 2
    found = model(2).fit(X, sensitive_features=groups)
    assert adjusted_rand_score(rings, found.labels_) > 0.95
    assert found.affinity_choice_ == found.affinity_operator_.choice
    assert "connected graph" in found.affinity_choice_
    assert found.fair_assignment_.certified


@pytest.mark.parametrize("affinity", ["auto", "gower"])
def test_a_mixed_table_is_clustered_as_it_is(people, affinity):
    table, kind, sex = people
    found = model(3, affinity).fit(table, sensitive_features=sex)
    assert adjusted_rand_score(kind, found.labels_) > 0.55
    assert "Gower's distance" in found.affinity_choice_
    assert found.fair_assignment_.certified
    assert found.n_features_in_ == 4
    assert list(found.feature_names_in_) == list(table.columns)
    assert "job" in str(found.describe(table))


def test_the_same_table_in_another_order_and_spelling(people):
    table, _, sex = people
    labels = model(3, "gower").fit_predict(table, sensitive_features=sex)
    other = table[["job", "hobby", "income", "age"]].astype({"job": "category"})
    other["hobby"] = other["hobby"].str.upper()
    again = model(3, "gower").fit_predict(other, sensitive_features=sex)
    assert adjusted_rand_score(labels, again) > 1 - 1e-9


def test_numbers_alone_by_gower():
    X = np.vstack([np.zeros((20, 2)), np.ones((20, 2))]) + np.arange(40)[:, None] / 400
    labels = model(2, "gower").fit_predict(X, sensitive_features=np.arange(40) % 2)
    assert adjusted_rand_score(np.arange(40) // 20, labels) == 1


def test_gamma_is_the_width_of_gowers_kernel(people):
    table, _, sex = people
    narrow = model(3, "gower", gamma=20.0).fit(table, sensitive_features=sex)
    wide = model(3, "gower", gamma=1.0).fit(table, sensitive_features=sex)
    assert narrow.affinity_operator_.degrees.mean() < wide.affinity_operator_.degrees.mean()
    assert "exp(-d / 0.05)" in narrow.affinity_choice_


def test_without_enough_memory_the_kernel_is_recomputed(people):
    table, _, sex = people
    stored = model(3, "gower").fit(table, sensitive_features=sex)
    budget = model(3, "gower", memory_budget="8KB").fit(table, sensitive_features=sex)
    assert budget.affinity_operator_.stored_weights is None
    degrees = [fitted.affinity_operator_.degrees for fitted in (budget, stored)]
    assert_close(*degrees, dtype=np.float32)


def test_pipelines_clones_frontier_and_plain_clustering(people):
    table, _, sex = people
    pipeline = make_pipeline(FunctionTransformer(), model(3))
    fitted = pipeline.fit(table, fairspectralclustering__sensitive_features=sex)
    assert clone(fitted[-1]).affinity == "auto"
    frontier = fairness_frontier(fitted[-1], tolerances=(0.1, 0.3))
    assert len(frontier.normalized_cut) == 2
    assert model(3).fit(table).labels_.shape == (90,)


def test_the_embedding_alone(people):
    table, _, sex = people
    rows = fair_spectral_embedding(table, sex, n_components=3, affinity="auto", random_state=0)
    assert rows.shape == (90, 3)
    given = fair_spectral_embedding(table, sex, n_components=3, affinity="gower", random_state=0)
    np.testing.assert_allclose(np.abs(rows), np.abs(given), atol=1e-6)


def test_a_graph_has_its_own_affinities():
    pytest.importorskip("networkx", reason="networkx is not installed: pip install it")
    import networkx

    club = networkx.karate_club_graph()
    found = model(2).fit(club, sensitive_features="club")
    assert found.affinity_choice_ == "A graph was passed, so its edges are the affinities."


def test_a_given_affinity_is_said_too():
    block = make_msbm(200, 2, 2, random_state=0)
    found = model(2, "precomputed").fit(block.graph, sensitive_features=block.sensitive_features)
    assert found.affinity_choice_ == "affinity='precomputed', as given."
    again = model(2, found.affinity_operator_)
    again.fit(None, sensitive_features=block.sensitive_features)
    assert again.affinity_choice_ == "DenseOperator, as given."


def test_the_report_says_it(people, tmp_path):
    pytest.importorskip("jinja2", reason="jinja2 is not installed: pip install it")
    table, _, sex = people
    found = model(3).fit(table, sensitive_features=sex)
    path = found.report(tmp_path / "report.html", frontier=False)
    page = path.read_text(encoding="utf-8").replace("&#39;", "'")
    assert f"How the samples were compared: {found.affinity_choice_}" in page
    plain = model(3, "rbf").fit(table[["income"]], sensitive_features=sex)
    page = plain.report(tmp_path / "other.html", frontier=False).read_text(encoding="utf-8")
    assert "How the samples were compared" not in page
