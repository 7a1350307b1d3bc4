"""Clusters that are there come back on resamples; those that are not, do not."""

import signal
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from fairspectral import FairSpectralClustering, stability
from fairspectral.progress import listening
from fairspectral.resampling.fitted import plan_for
from fairspectral.resampling.measure import draw
from fairspectral.rounding.plan import plan_rounding


def blobs(n=90, apart=6.0):
    """Three blobs in the plane, with two groups that have nothing to do with them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)) + apart * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(n) % 3]
    return X, np.where(np.arange(n) // 3 % 5 < 2, "f", "m")


def fitted(k=3, apart=6.0, **params):
    X, groups = blobs(apart=apart)
    model = FairSpectralClustering(k, gamma=0.5, effort="fast", random_state=0, **params)
    return model.fit(X, sensitive_features=groups)


@pytest.fixture(scope="module")
def model():
    return fitted()


def test_real_clusters_come_back(model):
    found = stability(model, n_resamples=4, n_seeds=2)
    assert (found.n_resamples, found.n_seeds) == (4, 2)
    assert [c.verdict for c in found.clusters] == ["stable"] * 3
    assert found.agreement > 0.9
    assert found.seed_overlap.min() > 0.9
    np.testing.assert_array_equal(found.sizes, model.audit_.sizes)


def test_clusters_that_are_not_there_do_not():
    # On a circle any division into arcs is as good as any other.
    angle = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    model = FairSpectralClustering(4, gamma=2.0, effort="fast", random_state=0)
    model.fit(
        np.stack([np.cos(angle), np.sin(angle)], axis=1), sensitive_features=np.arange(120) % 2
    )
    found = model.stability(6, n_seeds=0)
    assert found.agreement < 0.8
    assert "stable" not in [c.verdict for c in found.clusters]


def test_a_seed_repeats_it_and_more_resamples_keep_the_first(model):
    one, again = (stability(model, 3, n_seeds=1, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.overlap, again.overlap)
    np.testing.assert_array_equal(one.seed_ari, again.seed_ari)
    more = stability(model, 4, n_seeds=1, random_state=5)
    np.testing.assert_array_equal(more.overlap[:3], one.overlap)
    # Asking changes nothing of the model.
    np.testing.assert_array_equal(model.labels_, fitted().labels_)


def test_graphs_lose_nodes_and_who_is_left_alone_is_left_out():
    rng = np.random.default_rng(1)
    block = np.repeat([0, 1], 40)
    W = np.triu(rng.random((80, 80)) < np.where(block[:, None] == block, 0.3, 0.01), 1)
    W[np.arange(79), np.arange(1, 80)] = True
    # Ten people with one acquaintance each: some lose it.
    W = np.pad(W, (0, 10))
    W[np.arange(10), 80 + np.arange(10)] = True
    W = sp.csr_array((W | W.T).astype(float))
    model = FairSpectralClustering(2, affinity="precomputed", effort="fast", random_state=0)
    model.fit(W, sensitive_features=np.arange(90) % 2)
    found = model.stability(3, n_seeds=1)
    assert [c.verdict for c in found.clusters] == ["stable"] * 2


@pytest.mark.parametrize(
    "params",
    [
        {"assign_labels": "kmeans"},
        {"affinity": "nearest_neighbors", "n_neighbors": 35},
        {"fairness_tol": 0.0},
        {"memory_budget": 1000},
        {"rounding_params": {"min_cluster_size": 30}},
        {"rounding_params": {"lower": {"f": 0.35}, "target_proportions": {"f": 0.4, "m": 0.6}}},
        {"n_components": 4},
    ],
    ids=str,
)
def test_every_request_can_be_repeated_on_resamples(params):
    model = fitted(**params)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.stability(2, n_seeds=1)
    assert found.overlap.shape == (2, 3)
    assert found.agreement > 0.5


def test_without_groups_too():
    model = FairSpectralClustering(3, gamma=0.5, random_state=0).fit(blobs()[0])
    assert model.stability(2, n_seeds=0).agreement > 0.9


def test_groups_smaller_than_the_clusters_warn_once_and_not_again():
    X, groups = blobs()
    groups = groups.astype(object)
    groups[:2] = "x"
    model = FairSpectralClustering(3, gamma=0.5, effort="fast", random_state=0)
    with pytest.warns(UserWarning, match="2 person"):
        model.fit(X, sensitive_features=groups)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.stability(1, n_seeds=0)


def test_a_resample_has_its_part_of_every_group_and_nobody_twice():
    kinds = np.repeat([0, 1, 2], [100, 20, 1])
    people = draw(kinds, 0.8, np.random.RandomState(0))
    assert (np.diff(people) > 0).all()
    np.testing.assert_array_equal(np.bincount(kinds[people]), [80, 16, 1])


def test_the_request_to_a_part_is_the_one_to_all(model):
    plan = plan_rounding(model._attributes, 3, fairness_tol=0.1, min_cluster_size=20)
    people = np.arange(0, 90, 3)
    part = plan_for(plan, people, 1.5)
    assert part.smallest == 20 * 30 // 90
    assert part.time_budget == 1.5
    rule, own = plan.rules[0], part.rules[0]
    np.testing.assert_array_equal(own.attribute.codes, rule.attribute.codes[people])
    assert (own.lower <= rule.lower).all()
    assert (own.upper >= rule.upper).all()
    alone = np.flatnonzero(model._attributes[0].codes == 0)
    assert plan_for(plan, alone, None) is None


def test_progress_is_told_as_one_stage(model):
    heard = []
    with listening(lambda stage, done: heard.append((stage, done))):
        stability(model, 3, n_seeds=1)
    assert {stage for stage, _ in heard} == {"stability"}
    assert [done for _, done in heard] == [0, 0.25, 0.5, 0.75, 1]


def test_ctrl_c_ends_it_with_what_there_is(model):
    def press(stage, done):
        if done == 0.25:
            signal.raise_signal(signal.SIGINT)

    with listening(press):
        found = stability(model, 4, n_seeds=0)
    # The second one, whose search was stopped, does not count.
    assert found.n_resamples == 1
    assert found.asked == (4, 0)
    assert "Ctrl-C ended it after 1 of 4 resamples." in found.words


def test_a_time_budget_ends_it_after_one_resample_at_least(model):
    found = stability(model, 5, time_budget=1e-9)
    assert found.n_resamples == 1
    assert found.asked == (5, 3)
    assert "The time budget ended it after 1 of 5 resamples and 0 of 3 seeds." in found.words


def test_wrong_arguments_are_named(model):
    with pytest.raises(NotFittedError):
        stability(FairSpectralClustering(3))
    with pytest.raises(ValueError, match="n_resamples=0 must be at least 1"):
        stability(model, 0)
    with pytest.raises(TypeError, match="n_seeds=True is not a whole number"):
        stability(model, n_seeds=True)
    for wrong in (0, 1, 1.5, "0.8", True, float("nan")):
        with pytest.raises(ValueError, match="is not a part of the people"):
            stability(model, fraction=wrong)
    with pytest.raises(ValueError, match=r"fraction=0\.05 of 90 people is too few for 3 clusters"):
        stability(model, fraction=0.05)
    with pytest.raises(ValueError, match="effort='quick' is unknown"):
        stability(model, effort="quick")
    with pytest.raises(ValueError, match="time_budget=-1"):
        stability(model, time_budget=-1)
