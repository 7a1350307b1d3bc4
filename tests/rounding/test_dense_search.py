"""The search on dense affinities: what its multilevel search finds, and when it is left out."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from fairspectral import FairSpectralClustering
from fairspectral.affinity import make_operator, tiles
from fairspectral.progress import ROUNDING, listening
from fairspectral.rounding import dense_search
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.sources import COMBINED


def outlying_clusters(seed, crowd=420, outliers=12, clusters=7):
    """A kernel of one crowd and small clusters far from it and from each other."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(clusters, 6))
    centres *= 4 / np.linalg.norm(centres, axis=1, keepdims=True)
    around = [centre + 0.3 * rng.normal(size=(outliers, 6)) for centre in centres]
    X = np.concatenate([0.5 * rng.normal(size=(crowd, 6)), *around])
    planted = np.repeat(np.arange(clusters + 1), [crowd] + [outliers] * clusters)
    groups = rng.permutation(np.arange(len(X)) % 2)
    return rbf_kernel(X, gamma=0.5), groups, planted


def search_from_anywhere(W, groups, k, **options):
    """Labels from a start that has nothing to do with the kernel."""
    start = np.random.default_rng(0).permutation(np.arange(len(W)) % k)
    return fair_assignment(
        np.eye(len(W), k), groups, k, affinity=W, initial_labels=start, random_state=0, **options
    )


def test_small_clusters_of_outliers_are_found_which_moves_cannot_make(monkeypatch):
    W, groups, planted = outlying_clusters(1)
    k = planted.max() + 1
    options = {"fairness_tol": None, "min_cluster_size": 3}

    found = search_from_anywhere(W, groups, k, **options).normalized_cut
    monkeypatch.setattr(dense_search, "_MOST", 0)
    by_moves = search_from_anywhere(W, groups, k, **options).normalized_cut

    # Each outlying cluster that is found takes its cut of almost 1 away.
    assert found < by_moves - 1


# Rounds that are given are all that is searched.
@pytest.mark.parametrize("rounds", [5, None])
@pytest.mark.parametrize("tolerance", [0.1, None])
def test_the_result_says_what_the_search_began_with(rounds, tolerance):
    W, groups, _ = outlying_clusters(2, crowd=150, clusters=3)
    found = search_from_anywhere(W, groups, 4, refine_rounds=rounds, fairness_tol=tolerance)
    names = [one.name for one in found.starts]
    assert names[0] == "fair flow" if tolerance else "initial labels"
    assert found.starts[0].given is not None
    assert ("random through coarser levels" in names) == (rounds is None)
    gave = [one.found for one in found.starts if one.found is not None]
    assert found.normalized_cut <= min(gave) + 1e-9
    assert sum(one.won for one in found.starts) <= 1
    assert found.winner in (*names, COMBINED)
    assert found.winner in found.search or found.winner == COMBINED


@pytest.mark.parametrize("stage", ["before", "within wider bounds"])
def test_after_the_deadline_only_what_the_bounds_need_is_done(monkeypatch, stage):
    def fail(*given, **named):
        raise AssertionError("work after the deadline")

    monkeypatch.setattr(dense_search, "partition", fail)
    monkeypatch.setattr(dense_search, "tighten", fail)
    W, groups, _ = outlying_clusters(2, crowd=150, clusters=3)
    budget, original = 1e-9, dense_search.local_search
    if stage != "before":
        budget = 60.0

        def out_of_time(*given, **named):
            monkeypatch.setattr(dense_search.Deadline, "passed", True)
            return original(*given, **named)

        monkeypatch.setattr(dense_search, "local_search", out_of_time)
    model = FairSpectralClustering(3, affinity="precomputed", random_state=0, time_budget=budget)
    model.fit(W, sensitive_features=groups)
    assert model.fair_assignment_.certified
    assert model.fair_assignment_.stopped


def test_the_progress_never_goes_back():
    W, groups, _ = outlying_clusters(2, crowd=150, clusters=3)
    shown = []
    with listening(lambda stage, done: shown.append(done) if stage == ROUNDING else None):
        search_from_anywhere(W, groups, 4, effort="fast")
    assert len(shown) > 3
    assert shown == sorted(shown)


def test_wider_bounds_are_a_start_of_their_own():
    W, groups, _ = outlying_clusters(2, crowd=150, clusters=3)
    model = FairSpectralClustering(
        3, affinity="precomputed", rounding_params={"refine_rounds": 5}, random_state=0
    )
    model.fit(W, sensitive_features=groups)
    names = [one.name for one in model.fair_assignment_.starts]
    assert names == ["fair flow", "search within wider bounds"]
    assert model.fair_assignment_.winner in names


def test_without_bounds_the_plain_embedding_is_among_the_starts():
    W, groups, _ = outlying_clusters(2, crowd=150, clusters=3)
    model = FairSpectralClustering(
        3,
        affinity="precomputed",
        fairness_tol=None,
        rounding_params={"refine_rounds": 5},
        random_state=0,
    )
    fair = model.fit(W, sensitive_features=groups).fair_assignment_
    assert [one.name for one in fair.starts] == ["fair flow", "plain embedding"]
    assert fair.winner == "plain embedding"


@pytest.mark.parametrize("options", [{"refine_rounds": 5}, {}])
def test_the_multilevel_search_is_for_small_kernels_without_given_rounds(monkeypatch, options):
    def fail(*given, **named):
        raise AssertionError("a multilevel search where none was due")

    monkeypatch.setattr(dense_search, "partition", fail)
    W, groups, planted = outlying_clusters(0)
    if not options:
        monkeypatch.setattr(dense_search, "_MOST", len(W) - 1)

    found = search_from_anywhere(W, groups, planted.max() + 1, **options)

    assert found.certified


def test_a_kernel_that_is_not_in_memory_is_searched_by_moves_alone(monkeypatch):
    monkeypatch.setattr(tiles, "FEWEST_ROWS", 1)
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(510, 3)), rng.integers(0, 2, 510)
    operator = make_operator(X, "rbf", memory_budget=10**6)
    assert operator.stored_weights is None
    assert operator.computed_rows is not None

    found = fair_assignment(X, groups, 3, affinity=operator, random_state=0)

    assert found.certified
    assert found.history[-1].name == "cut by moves"


@pytest.mark.parametrize("seed", [0, 1])
def test_a_kernel_of_few_hundred_people_with_heavy_tails_ends_near_the_best_known(seed):
    X = np.random.default_rng(7).standard_t(3, size=(350, 3))
    W, groups = rbf_kernel(X, gamma=1.0), (X[:, 1] > 0.3).astype(int)
    model = FairSpectralClustering(8, affinity="precomputed", fairness_tol=None, random_state=seed)
    model.fit(W, sensitive_features=groups)
    # By moves alone these seeds end at 0.892 and 0.807.
    assert model.fair_assignment_.normalized_cut < 1.02 * 0.7772
