"""The public function: the guarantee in every mode, the recovery, and its error messages."""

import warnings

import numpy as np
import pytest
from rounding_cases import STORAGES, make_block_graph, store
from sklearn.metrics import adjusted_rand_score

from fairspectral.affinity import make_operator
from fairspectral.cells import cell_range
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.cut import CutState
from fairspectral.datasets import make_msbm
from fairspectral.rounding import dense_search
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.flow import solve_flow
from fairspectral.rounding.follow import BATCHES, KMEANS
from fairspectral.rounding.kmeans import kmeans_labels
from fairspectral.rounding.rows import suits_levels
from fairspectral.validation import FairSpectralWarning


@pytest.fixture
def block_graph():
    return make_block_graph()


@pytest.fixture(params=STORAGES)
def operator(request, block_graph):
    return store(block_graph[0], request.param)


@pytest.fixture
def blobs():
    """Three blobs whose groups are anything but balanced in them."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((300, 2)) + np.repeat([[0, 0], [5, 0], [0, 5]], 100, axis=0)
    chance = np.repeat([0.9, 0.2, 0.4], 100)
    return rows, np.where(rng.random(300) < chance, "blue", "red")


def check(result, codes, tol, n):
    """Every cell inside bounds recomputed here from the labels alone."""
    k = len(result.sizes)
    assert set(result.labels) == set(range(k))
    assert (np.bincount(result.labels) == result.sizes).all()
    assert result.sizes.min() >= result.min_cluster_size
    for group, count in enumerate(np.bincount(codes).tolist()):
        for cluster, size in enumerate(result.sizes.tolist()):
            low, high = cell_range((1 - tol) * count / n, (1 + tol) * count / n, count, n, size)
            assert low <= np.sum((codes == group) & (result.labels == cluster)) <= high


@pytest.mark.parametrize("tol", [0.0, 0.05, 0.2, 0.5])
@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_every_cell_is_within_its_bounds(blobs, k, tol):
    rows, colours = blobs
    result = fair_assignment(rows, colours, k, fairness_tol=tol, random_state=0)
    check(result, (colours == "red").astype(int), tol, 300)
    assert result.certified
    assert result.certificate.startswith(f"Certified: all {2 * k} cells (2 groups × {k} clusters)")
    assert result.persons_outside < 1
    assert result.groups == (("group", "blue"), ("group", "red"))
    assert result.normalized_cut is None
    assert (result.lower <= result.table).all()
    assert (result.table <= result.upper).all()


@pytest.mark.parametrize("tol", [0.0, 0.2])
def test_refined_labels_keep_the_guarantee_and_lower_the_cut(block_graph, operator, tol):
    _, groups, clusters = block_graph
    rows = np.eye(4)[clusters] + 0.7 * np.random.default_rng(0).standard_normal((200, 4))
    result = fair_assignment(
        rows, groups, 4, fairness_tol=tol, affinity=operator, refine_rounds=3, random_state=0
    )
    check(result, groups, tol, 200)
    cuts = {stage.name: stage.normalized_cut for stage in result.history}
    if suits_levels(operator):
        assert list(cuts)[1:] == ["fair flow", "cut by search"]
    else:
        assert list(cuts)[1:] == ["fair flow", "from wider bounds", "cut by moves"]
        assert cuts["fair flow"] > cuts["from wider bounds"]
        # One is updated step by step and the other measured, in float32: 1e-7 of 4 clusters.
        assert cuts["cut by moves"] <= cuts["from wider bounds"] + 1e-5
    assert cuts["fair flow"] > list(cuts.values())[-1] == result.normalized_cut
    assert all(stage.seconds >= 0 for stage in result.history)


def test_a_low_cut_outside_the_bounds_is_never_preferred(block_graph, monkeypatch):
    W, groups, clusters = block_graph
    operator = make_operator(W, "precomputed")
    by_group = np.where(groups == 0, clusters % 2, 2 + clusters % 2)
    outside = CutState.measure(operator, by_group.astype(np.int32), 4)
    monkeypatch.setattr(dense_search, "tighten", lambda *_: outside)
    # Nothing else may come near to the cut of what is outside.
    monkeypatch.setattr(CutState, "cut", property(lambda state: float(state is not outside)))
    rows = np.random.default_rng(0).standard_normal((200, 4))
    result = fair_assignment(rows, groups, 4, affinity=operator, refine_rounds=2, random_state=0)
    assert result.certified


def test_bounds_as_wide_as_the_wider_ones_are_searched_at_once(block_graph):
    _, groups, clusters = block_graph
    rows = np.eye(4)[clusters] + 0.7 * np.random.default_rng(0).standard_normal((200, 4))
    kernel = make_operator(rows, "rbf")
    for tolerance in (0.5, None):
        result = fair_assignment(
            rows,
            groups,
            4,
            fairness_tol=tolerance,
            affinity=kernel,
            refine_rounds=2,
            random_state=0,
        )
        names = [stage.name for stage in result.history]
        assert names == [KMEANS, "fair flow", "cut by moves"]


def test_a_kernel_whose_rows_cannot_be_had_gets_batches_of_moves(blobs):
    rows, colours = blobs
    operator = make_operator(rows, "rbf", memory_budget=1)
    result = fair_assignment(rows, colours, 3, affinity=operator, random_state=0)
    assert result.certified
    assert [stage.name for stage in result.history][-2:] == ["cut by flow", BATCHES]


def test_planted_clusters_are_recovered():
    """The fair block model at a signal where plain clustering finds the groups."""
    n = 2000
    data = make_msbm(
        n, 5, 2, probabilities=(0.3, 0.15, 0.12, 0.01), random_state=0, dtype=np.float32
    )
    operator = make_operator(data.graph, "precomputed")
    attributes = encode_groups(data.sensitive_features, n)
    constraints = FairnessConstraints.from_attributes(attributes, operator.degrees)
    embedding = {}
    for name, c in (("fair", constraints), ("plain", FairnessConstraints.none(n))):
        block = np.random.default_rng(0).standard_normal((n, 10))
        for _ in range(60):  # subspace iteration on P (M + I) P
            block = c.project(block)
            block = np.linalg.qr(c.project(operator.matmat(block) + block))[0]
        small = block.T @ operator.matmat(block)
        vectors = block @ np.linalg.eigh(small)[1][:, :-6:-1]
        embedding[name] = vectors / np.sqrt(operator.degrees)[:, None]
    params = {"effort": "fast", "random_state": 0}
    result = fair_assignment(
        embedding["fair"], data.sensitive_features, 5, affinity=operator, **params
    )
    assert adjusted_rand_score(data.clusters, result.labels) > 0.98
    plain = fair_assignment(
        embedding["plain"], data.sensitive_features, 5, fairness_tol=None, random_state=0
    )
    assert adjusted_rand_score(data.clusters, plain.labels) < 0.9
    halves = kmeans_labels(embedding["plain"][:, :2], 2, random_state=0)
    assert adjusted_rand_score(data.sensitive_features, halves) > 0.98


def test_given_centroids_are_used_as_they_are(blobs):
    rows, colours = blobs
    centroids = np.array([[0.0, 0], [5, 0], [0, 5]])
    result = fair_assignment(rows, colours, centroids=centroids)
    check(result, (colours == "red").astype(int), 0.2, 300)
    assert [stage.name for stage in result.history] == ["nearest centroid", "fair flow"]
    # No other fair labels of these sizes are nearer to the given centroids.
    costs = ((rows[:, None] - centroids) ** 2).sum(axis=2)
    codes = (colours == "red").astype(int)
    flow = solve_flow(costs, codes, result.lower, result.upper, result.sizes, result.sizes)
    assert costs[np.arange(300), result.labels].sum() == pytest.approx(flow.cost)


def test_few_rows_are_refined_on_their_own_cost(blobs):
    rows, colours = blobs
    weights = np.random.default_rng(0).random(300) + 0.5
    result = fair_assignment(rows, colours, 3, sample_weight=weights, random_state=0)
    check(result, (colours == "red").astype(int), 0.2, 300)
    assert [stage.name for stage in result.history][1:] == [
        "fair flow",
        "cost by moves",
        "into the band",
    ]
    assert result.embedding_cost < result.history[1].embedding_cost


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**20])
def test_units_do_not_matter(unit):
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.choice([20.0, 35, 50], 150), rng.choice([1.0, 2, 3], 150)])
    groups = rng.integers(0, 3, 150)
    results = [
        fair_assignment(rows, groups, 6, refine_rounds=2, random_state=0)
        for rows in (table, unit * table)
    ]
    assert results[0].history[-2].embedding_cost < results[0].history[-3].embedding_cost
    np.testing.assert_array_equal(results[0].labels, results[1].labels)


def test_initial_labels_that_are_fair_are_only_refined(block_graph):
    W, groups, clusters = block_graph
    operator = make_operator(W, "precomputed")
    rows = np.random.default_rng(0).standard_normal((200, 4))
    result = fair_assignment(rows, groups, 4, initial_labels=clusters, affinity=operator)
    assert [stage.name for stage in result.history] == ["initial labels", "cut by search"]
    assert result.normalized_cut <= result.history[0].normalized_cut


def test_initial_labels_that_are_not_fair_are_made_so(block_graph, blobs):
    rows, colours = blobs
    blob = np.repeat([0, 1, 2], 100)
    result = fair_assignment(rows, colours, 3, initial_labels=blob, fairness_tol=0.1)
    assert result.certified
    for wrong, words in (
        (blob[:5], "300 whole numbers from 0 to 2"),
        (blob + 1, "300 whole numbers"),
        (np.minimum(blob, 1), "has an empty cluster"),
        (np.r_[[2], np.minimum(blob[1:], 1)], r"a cluster of 1 person\(s\), below the floor of 10"),
    ):
        with pytest.raises(ValueError, match=words):
            fair_assignment(rows, colours, 3, initial_labels=wrong)


def test_no_tolerance_is_plain_kmeans_with_a_floor(blobs):
    rows, colours = blobs
    result = fair_assignment(rows, colours, 3, fairness_tol=None, random_state=0)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 100), result.labels) > 0.95


def test_weights_pull_the_centroids(blobs):
    rows, colours = blobs
    weights = np.where(np.arange(300) < 100, 1e6, 1.0)
    light = fair_assignment(rows, colours, 3, fairness_tol=None, random_state=0)
    heavy = fair_assignment(
        rows, colours, 3, fairness_tol=None, sample_weight=weights, random_state=0
    )
    # All three centroids go to the heavy blob.
    assert len(set(heavy.labels[:100])) == 3
    assert len(set(light.labels[:100])) < 3


@pytest.mark.parametrize("mode", ["marginal", "intersection"])
@pytest.mark.parametrize("tol", [0.0, 0.2])
def test_several_attributes(blobs, mode, tol):
    rows, colours = blobs
    ages = np.where(np.random.default_rng(1).random(300) + 0.1 * rows[:, 0] < 0.5, "old", "young")
    table = np.column_stack([colours, ages]).astype(object)
    result = fair_assignment(rows, table, 3, attribute_mode=mode, fairness_tol=tol, random_state=0)
    assert result.certified
    assert len(result.groups) == 4
    if mode == "marginal":
        check(result, (colours == "red").astype(int), tol, 300)
        check(result, (ages == "old").astype(int), tol, 300)


def test_other_targets_and_explicit_shares(blobs):
    rows, colours = blobs
    share = np.mean(colours == "blue")
    result = fair_assignment(rows, colours, 3, bounds="lower", fairness_tol=0.1, random_state=0)
    least = np.minimum(np.ceil(0.9 * share * result.sizes), np.floor(share * result.sizes))
    assert (result.table[0] >= least).all()
    result = fair_assignment(rows, colours, 3, lower={"blue": 0.4}, random_state=0)
    assert (result.table[0] >= np.floor(0.4 * result.sizes)).all()
    result = fair_assignment(
        rows, colours, 3, fairness_tol=0.1, target_proportions=[0.5, 0.5], random_state=0
    )
    assert (np.abs(result.table - 0.5 * result.sizes) < 0.05 * result.sizes + 1).all()


def test_several_attributes_take_shares_by_name(blobs):
    rows, colours = blobs
    table = np.column_stack([colours, np.where(np.arange(300) % 2, "a", "b")]).astype(object)
    result = fair_assignment(rows, table, 3, lower={"attribute 0": {"blue": 0.45}}, random_state=0)
    assert (result.table[0] >= np.floor(0.45 * result.sizes)).all()
    with pytest.raises(ValueError, match=r"must map their names \(attribute 0, attribute 1\)"):
        fair_assignment(rows, table, 3, lower={"blue": 0.45})


def test_same_seed_same_labels(block_graph):
    W, groups, _ = block_graph
    rows = np.random.default_rng(0).standard_normal((200, 4))
    operator = make_operator(W, "precomputed")
    first, second = (
        fair_assignment(rows, groups, 4, affinity=operator, random_state=7) for _ in range(2)
    )
    assert (first.labels == second.labels).all()


def test_a_group_too_small_for_every_cluster_is_reported(blobs):
    rows, _ = blobs
    groups = np.where(np.arange(300) < 3, "few", "many")
    with pytest.warns(FairSpectralWarning, match=r"group 'few' has 3 person\(s\) for 5 clusters"):
        result = fair_assignment(rows, groups, 5, random_state=0)
    assert result.certified
    assert result.notes[0].endswith("n_clusters of at most 3 would give it a share in each.")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fair_assignment(rows, groups, 3, random_state=0).notes == ()


def test_an_impossible_table_is_not_certified():
    """Two attributes that no whole-person table can balance: slack is reported."""
    # Four persons, two clusters of two, groups {01|23} and {02|13}, and a third {03|12}:
    # every pair of persons shares a group, so one of the attributes cannot be balanced.
    rows = np.array([[0.0], [1], [2], [3]])
    groups = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    result = fair_assignment(
        rows, groups, centroids=[[0.0], [3.0]], fairness_tol=0, min_cluster_size=2
    )
    assert not result.certified
    assert result.certificate.startswith("Not certified: 4 of 12 cells")
    assert result.persons_outside == 1.0
    assert result.achieved_tol == 1.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"embedding": np.zeros(5)}, r"embedding has shape \(5,\)"),
        ({"embedding": np.full((300, 2), np.nan)}, "embedding contains NaN"),
        (
            {"n_clusters": 301},
            "n_clusters=301 must be a whole number between 1 and the number of rows, 300",
        ),
        ({"centroids": np.zeros((3, 5))}, "centroids have 5 columns but the embedding has 2"),
        ({"centroids": np.zeros((4, 2))}, "n_clusters=3 but there are 4 centroids"),
        ({"min_cluster_size": 101}, "it must lie between 1 and 100"),
        ({"sample_weight": np.ones(5)}, "sample_weight must be 300 finite numbers"),
        ({"sample_weight": -np.ones(300)}, "at least zero"),
        ({"lower": {"blue": 0.9}}, "the largest possible lower share"),
    ],
)
def test_bad_input_is_named(blobs, change, words):
    rows, colours = blobs
    arguments = {"embedding": rows, "sensitive_features": colours, "n_clusters": 3} | change
    with pytest.raises(ValueError, match=words):
        fair_assignment(**arguments)


def test_missing_numba_is_reported(monkeypatch, blobs):
    import sys

    from fairspectral.rounding.flow import load_kernels

    monkeypatch.setitem(sys.modules, "fairspectral.rounding.flow_kernels", None)
    with pytest.raises(ImportError, match="needs numba, which is not installed"):
        load_kernels("flow_kernels")


def test_affinity_may_be_a_matrix_and_must_fit():
    rng = np.random.default_rng(0)
    rows, groups = rng.random((40, 2)), np.arange(40) % 2
    W = rng.random((40, 40))
    found = fair_assignment(rows, groups, 2, affinity=W + W.T, random_state=0)
    assert found.normalized_cut is not None
    with pytest.raises(ValueError, match="affinity has 39 nodes but the embedding has 40 rows"):
        fair_assignment(rows, groups, 2, affinity=np.ones((39, 39)))


@pytest.mark.parametrize("n_clusters", [0, 2.5, 41])
def test_the_number_of_clusters_must_be_possible(n_clusters):
    with pytest.raises(ValueError, match="must be a whole number between 1 and"):
        fair_assignment(np.ones((40, 2)), np.arange(40) % 2, n_clusters)


@pytest.mark.parametrize("lower", [{0: np.nan}, [np.nan, 0.1]])
def test_a_share_that_is_not_a_number(lower):
    with pytest.raises(ValueError, match="lower"):
        fair_assignment(np.ones((40, 2)), np.arange(40) % 2, 2, lower=lower)


def test_without_bounds_nothing_is_claimed():
    rows, groups = np.random.default_rng(0).random((40, 2)), np.arange(40) % 2
    found = fair_assignment(rows, groups, 2, fairness_tol=None, random_state=0)
    assert found.certificate.startswith("No bounds on shares were asked for")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"fairness_tol": "0.2"}, "fairness_tol='0.2' must be a number of at least 0"),
        ({"fairness_tol": True}, "fairness_tol=True must be a number"),
        ({"n_clusters": True}, "n_clusters=True must be a whole number"),
        ({"n_init": 0}, "n_init=0 must be at least 1"),
        ({"min_cluster_size": True}, "min_cluster_size=True must be a whole number"),
        ({"refine_rounds": True}, "refine_rounds=True must be a whole number"),
        (
            {"sample_weight": np.ma.array(np.ones(20), mask=np.arange(20) == 3)},
            "weight is a masked",
        ),
        ({"embedding": np.full((20, 2), "a")}, "embedding holds text; pass a table"),
    ],
)
def test_one_sentence_for_values_that_are_not_numbers(params, words):
    given = {
        "embedding": np.random.default_rng(0).random((20, 2)),
        "sensitive_features": np.arange(20) % 2,
        "n_clusters": 2,
        **params,
    }
    with pytest.raises(ValueError, match=words):
        fair_assignment(**given)


# --- a ceiling on the sizes ---------------------------------------------------------------


@pytest.fixture
def lopsided():
    """Affinities of 130 people in three blobs of 80, 30 and 20; two groups across them."""
    rng = np.random.default_rng(1)
    places = np.repeat([[0, 0], [6, 0], [0, 6]], [80, 30, 20], axis=0)
    rows = rng.standard_normal((130, 2)) + places
    return rows, np.arange(130) % 2, np.arange(130) // 2 % 3


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("search", ["rows", "kernel", "not stored", "graph", "centroids"])
def test_no_cluster_is_above_the_ceiling(lopsided, search, several):
    rows, groups, others = lopsided
    params = {
        "rows": {},
        "kernel": {"affinity": make_operator(rows, "rbf")},
        "not stored": {"affinity": make_operator(rows, "rbf", memory_budget=1)},
        "graph": {"affinity": make_operator(rows, "nearest_neighbors", n_neighbors=8)},
        "centroids": {"centroids": np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])},
    }[search]
    sensitive = np.column_stack([groups, others]) if several else groups
    for ceiling in (60, 44):
        result = fair_assignment(
            rows, sensitive, 3, max_cluster_size=ceiling, refine_rounds=3, random_state=0, **params
        )
        assert result.sizes.max() <= ceiling == result.max_cluster_size
        assert result.certified
        assert f"the largest {result.sizes.max()} (ceiling {ceiling})" in result.certificate
    free = fair_assignment(rows, sensitive, 3, refine_rounds=3, random_state=0, **params)
    assert free.sizes.max() > 60
    assert free.max_cluster_size is None
    assert "ceiling" not in free.certificate


def test_first_labels_above_the_ceiling_are_refused(blobs):
    rows, colours = blobs
    given = np.repeat([0, 1, 2], [140, 100, 60])
    with pytest.raises(ValueError, match="a cluster of 140 persons, above the ceiling of 120"):
        fair_assignment(rows, colours, 3, max_cluster_size=120, initial_labels=given)
