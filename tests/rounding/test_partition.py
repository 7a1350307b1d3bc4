"""The search for a low cut: bounds held, exact cuts, never worse than a start, one result."""

import signal
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from rounding_cases import STORAGES, make_block_graph, store
from threadpoolctl import threadpool_limits

from fairspectral import FairSpectralClustering
from fairspectral.affinity import AffinityOperator, make_operator
from fairspectral.constraints import encode_groups
from fairspectral.cut import CutState
from fairspectral.datasets import make_msbm
from fairspectral.rounding import follow
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.flow import load_kernels
from fairspectral.rounding.partition import door, evolve, graph, large, partition, search
from fairspectral.rounding.partition.coarsen import contract
from fairspectral.rounding.partition.evolve import EFFORTS
from fairspectral.rounding.partition.graph import cut_of, make_band, make_graph, make_state
from fairspectral.rounding.partition.search import Effort
from fairspectral.rounding.partition.watch import Watch
from fairspectral.rounding.plan import plan_rounding

# Enough to move everybody, quick enough for a test.
LITTLE = Effort(steps=2000, per_node=5, members=2, generations=1)


def make_plan(groups, k, **request):
    return plan_rounding(encode_groups(groups, len(groups), "marginal"), k, **request)


def is_fair(labels, plan):
    """Recounted person by person, from the definition of the bounds."""
    k, n = plan.n_clusters, len(labels)
    sizes = [sum(1 for label in labels if label == cluster) for cluster in range(k)]
    for rule in plan.rules:
        for group, (low, high) in enumerate(zip(rule.lower, rule.upper, strict=True)):
            members = rule.attribute.codes == group
            for cluster, size in enumerate(sizes):
                persons = int(np.sum(members & (labels == cluster)))
                share = int(members.sum()) / n
                least = min(np.ceil(low * size - 1e-9), np.floor(share * size + 1e-9))
                most = max(np.floor(high * size + 1e-9), np.ceil(share * size - 1e-9))
                if not least <= persons <= most:
                    return False
    return min(sizes) >= plan.smallest


def cut_by_hand(W, labels, k):
    total = 0.0
    for cluster in range(k):
        inside = labels == cluster
        total += W[np.ix_(inside, ~inside)].sum() / W[inside].sum()
    return total


def random_graph(rng, n, density=0.4):
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    ring = 0.1 * np.roll(np.eye(n), 1, axis=0)
    return upper + upper.T + ring + ring.T


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("tolerance", [0.0, 0.2, None])
def test_labels_are_within_the_bounds_and_their_cut_is_exact(storage, tolerance):
    W, groups, clusters = make_block_graph()
    plan = make_plan(groups, 4, fairness_tol=tolerance)
    start = np.random.default_rng(1).integers(0, 4, len(W))
    found = partition(store(W, storage), [("s", start)], plan, np.random.default_rng(0), LITTLE)
    assert found.fair
    assert is_fair(found.labels, plan)
    # float32 keeps weights of 0 and 1 exactly, and degrees to 1e-7 of their size.
    assert found.cut == pytest.approx(cut_by_hand(W, found.labels, 4), abs=1e-5)
    assert found.cut < cut_by_hand(W, clusters, 4) + 0.01


@pytest.mark.parametrize("effort", ["fast", "default"])
def test_two_attributes_with_small_groups(effort):
    rng = np.random.default_rng(3)
    n, k = 60, 5
    groups = np.stack([rng.integers(0, 2, n), np.arange(n) < 3], axis=1).astype(str)
    W = random_graph(rng, n)
    with pytest.warns(UserWarning, match="has 3 person"):
        plan = make_plan(groups, k)
    start = np.arange(n) % k
    found = partition(store(W, "sparse"), [("s", start)], plan, np.random.default_rng(0), effort)
    assert found.fair
    assert is_fair(found.labels, plan)


def test_never_worse_than_a_fair_start():
    """The planted clusters are the optimum; a search of no steps must not lose them."""
    W, groups, clusters = make_block_graph()
    plan = make_plan(groups, 4)
    nothing = Effort(steps=1, per_node=0, members=1, generations=0)
    known = partition(store(W, "sparse"), [("a", clusters)], plan, np.random.default_rng(0))
    for seed in range(5):
        found = partition(
            store(W, "sparse"),
            [("other", np.arange(200) % 4), ("best", known.labels)],
            plan,
            np.random.default_rng(seed),
            nothing,
        )
        assert found.fair
        assert found.cut <= known.cut + 1e-9


@pytest.mark.parametrize("storage", STORAGES)
def test_one_result_for_a_seed_whatever_the_threads(storage):
    W, groups, _ = make_block_graph()
    plan, operator = make_plan(groups, 4), store(W, storage)
    start = np.arange(len(W)) % 4
    results = []
    for threads in (1, 2, 2):
        with threadpool_limits(threads, user_api="blas"):
            results.append(
                partition(operator, [("s", start)], plan, np.random.default_rng(7), LITTLE)
            )
    assert is_fair(results[0].labels, plan)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].labels, other.labels)


def optimum(W, plan):
    """The lowest cut of all fair clusterings into two or three clusters."""
    k, n = plan.n_clusters, len(W)
    best = np.inf
    for rest in product(range(k), repeat=n - 1):
        labels = np.array((0, *rest))
        if len(set(rest) | {0}) == k and is_fair(labels, plan):
            best = min(best, cut_by_hand(W, labels, k))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_small_graphs_are_solved_to_the_optimum(seed):
    rng = np.random.default_rng(seed)
    n, k = (10, 2) if seed % 2 else (7, 3)
    W = random_graph(rng, n, 0.6)
    plan = make_plan(np.arange(n) % 2, k)
    found = partition(store(W, "sparse"), [], plan, rng)
    assert found.fair
    assert found.cut == pytest.approx(optimum(W, plan), rel=5e-3)


@pytest.mark.filterwarnings("ignore:group 0 has 3 person")
@pytest.mark.parametrize("k", [1, 2, 3, 5, 6])
def test_tiny_graphs(k):
    W = random_graph(np.random.default_rng(0), 6)
    plan = make_plan(np.arange(6) % 2, k, fairness_tol=0.5)
    found = partition(store(W, "sparse"), [], plan, np.random.default_rng(0), "fast")
    assert found.fair
    assert sorted(set(found.labels)) == list(range(k))


@pytest.mark.filterwarnings("ignore:the affinity graph has 3 connected")
@pytest.mark.parametrize("effort", ["fast", "default"])
@pytest.mark.parametrize("tolerance", [0.0, 0.2, None])
@pytest.mark.parametrize("mixed", [True, False])
def test_components_that_cost_nothing_to_cut_off(effort, tolerance, mixed):
    """Three cliques are three clusters, unless each is a group of its own and shares count."""
    cliques, n = np.repeat(np.arange(3), 10), 30
    groups = np.arange(n) % 3 if mixed else cliques
    W = (cliques[:, None] == cliques) - np.eye(n)
    model = FairSpectralClustering(
        3, affinity="precomputed", fairness_tol=tolerance, effort=effort, random_state=0
    ).fit(sp.csr_array(W), sensitive_features=groups)
    found = model.fair_assignment_
    assert found.certified
    free = len(np.unique(np.stack([cliques, model.labels_]), axis=1).T) == 3
    assert free == (mixed or tolerance is None)
    assert (found.normalized_cut == 0.0) == free


def test_a_star_with_detached_pairs():
    """Heaps stop growing at leaves and pairs; clusters may consist of several components."""
    n = 60
    star = np.zeros((n, n))
    star[0, 1:40] = star[1:40, 0] = 1.0
    for i in range(40, n, 2):
        star[i, i + 1] = star[i + 1, i] = 1.0
    plan = make_plan(np.arange(n) % 3, 4)
    operator = make_operator(sp.csr_array(star), "precomputed")
    found = partition(operator, [], plan, np.random.default_rng(0), LITTLE)
    assert found.fair
    assert is_fair(found.labels, plan)


def test_clusters_at_the_floor_exchange_members():
    """Nobody can leave a cluster of the least size, but two can change places."""
    truth = np.repeat([0, 1], 5)
    W = (truth[:, None] == truth) + 0.01
    plan = make_plan(np.arange(10) % 2, 2, fairness_tol=None, min_cluster_size=5)
    nodes, band = make_graph(store(W, "dense"), plan.rules), make_band(plan)
    state = make_state(nodes, band, np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 0]), 2)
    seed = np.array([1], dtype=np.uint64)
    load_kernels("partition.anneal_kernels").anneal(
        nodes, band, state, 0, 2000, 0.1, 0.001, 1.0, 1.0, seed, 10_000
    )
    assert cut_of(state) == pytest.approx(cut_by_hand(W, truth, 2))
    assert sorted(state.sizes) == [5, 5]


def test_generations_end_when_all_agree(monkeypatch):
    """Where everybody found the same clustering, nothing is left to combine."""
    W, groups, clusters = make_block_graph()
    generations = []
    original = evolve.run_all
    monkeypatch.setattr(
        evolve, "run_all", lambda jobs, watch: generations.append(jobs) or original(jobs, watch)
    )
    effort = Effort(steps=35_000, per_node=8, members=2, generations=100)
    found = partition(
        store(W, "sparse"),
        [("s", clusters)],
        make_plan(groups, 4),
        np.random.default_rng(0),
        effort,
    )
    assert len(generations) < 100
    assert found.cut < cut_by_hand(W, clusters, 4) + 0.01


def test_a_clustering_within_the_bounds_outlives_lower_children_outside(monkeypatch):
    labels = np.zeros(1, dtype=np.int32)
    fair, other = search.Member(labels, 5.0, 0.0), search.Member(labels, 5.2, 0.1)
    child = search.Member(labels, 3.0, 0.1)
    monkeypatch.setattr(evolve, "run_all", lambda jobs, watch: [child] * len(jobs))
    rng, parent = np.random.default_rng(0), SimpleNamespace(improve=None, inherit=None)
    best = evolve.evolve_on(parent, [fair, other], 3, rng, Watch(1.0))
    assert best is fair


def test_what_each_start_gave_is_in_the_result():
    W, groups, clusters = make_block_graph()
    plan, operator = make_plan(groups, 4), store(W, "sparse")
    unfair = np.where(groups == 1, 0, 1 + np.arange(200) % 3)
    starts = [("planted", clusters), ("unfair", unfair)]
    found = partition(operator, starts, plan, np.random.default_rng(0), LITTLE)
    planted, unfair_one = found.sources[:2]
    assert (planted.name, planted.fair, unfair_one.fair) == ("planted", True, False)
    assert planted.given == pytest.approx(CutState.measure(operator, clusters, 4).cut, abs=1e-9)
    assert all(one.found is None or one.found >= found.cut - 1e-9 for one in found.sources)


def test_a_start_from_which_alone_the_labels_come_has_won():
    W, groups, clusters = make_block_graph()
    plan, operator = make_plan(groups, 4), store(W, "sparse")
    starts = [("random", np.arange(200) % 4), ("planted", clusters)]
    effort = LITTLE.scaled(0)  # nothing is combined
    found = partition(operator, starts, plan, np.random.default_rng(0), effort)
    assert [one.won for one in found.sources] == [False, True]


@pytest.mark.parametrize("seed", range(4))
def test_a_combination_is_lower_than_every_start_alone(seed):
    """And where it is not, one of them has won."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((60, 60)) < 0.2, 1).astype(float)
    W = W + W.T + np.eye(60)
    starts = [(str(at), rng.integers(0, 5, 60)) for at in range(3)]
    effort = Effort(steps=2_000, per_node=0, members=4, generations=4)
    plan = make_plan(np.arange(60) % 2, 5)
    found = partition(store(W, "sparse"), starts, plan, rng, effort)
    winners = [one for one in found.sources if one.won]
    alone = min(one.found for one in found.sources if one.found is not None)
    assert len(winners) <= 1
    if winners:
        assert winners[0].found == alone
    else:
        assert found.cut < alone


def test_a_report_can_end_the_search():
    W, groups, clusters = make_block_graph()
    plan, seen = make_plan(groups, 4), []

    def stop(done, cut):
        seen.append((done, cut))
        return True

    found = partition(
        store(W, "sparse"), [("p", clusters)], plan, np.random.default_rng(0), report=stop
    )
    assert found.interrupted
    assert found.fair
    assert len(seen) == 1
    assert found.cut <= cut_by_hand(W, clusters, 4) + 1e-9


def test_the_first_interruption_takes_the_best_so_far():
    W, groups, clusters = make_block_graph()

    def press(done, cut):
        signal.raise_signal(signal.SIGINT)

    plan = make_plan(groups, 4)
    found = partition(
        store(W, "sparse"), [("p", clusters)], plan, np.random.default_rng(0), report=press
    )
    assert found.interrupted
    assert found.cut <= cut_by_hand(W, clusters, 4) + 1e-9


def test_a_time_budget_ends_the_search():
    W, groups, clusters = make_block_graph()
    found = partition(
        store(W, "sparse"),
        [("p", clusters)],
        make_plan(groups, 4),
        np.random.default_rng(0),
        "thorough",
        time_budget=0.0,
    )
    assert found.interrupted
    assert found.fair


class Given(AffinityOperator):
    """A given matrix with degrees of one."""

    def __init__(self, W):
        self.stored_weights, self.degrees = W, np.ones(len(W))
        self.shape, self.dtype = W.shape, W.dtype

    def matmat(self, block):
        return self.stored_weights @ block


def test_gains_from_floating_point_error_do_not_go_on_forever():
    rng = np.random.default_rng(0)
    rows = rng.choice([2e4, 3.5e4, 5e4], (200, 1))
    W = rows @ rows.T  # in units in which floating-point error exceeds the smallest accepted gain
    groups, start = np.arange(200) % 2, np.arange(200) // 2 % 8
    plan = make_plan(groups, 8)
    found = partition(Given(W), [("s", start)], plan, rng, LITTLE.scaled(0))
    assert found.cut < CutState.measure(Given(W), start, 8).cut


def test_no_effort_makes_a_local_optimum_of_the_start():
    W, groups, clusters = make_block_graph()
    start = clusters.copy()
    start[[0, 60]] = start[[60, 0]]  # both of one group
    plan = make_plan(groups, 4)
    found = partition(
        store(W, "sparse"), [("s", start)], plan, np.random.default_rng(0), LITTLE.scaled(0)
    )
    assert found.cut <= cut_by_hand(W, clusters, 4) + 1e-9
    assert [one.found for one in found.sources] == [pytest.approx(found.cut)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tolerance", [0.0, 0.2, None])
def test_a_tiny_dense_problem_is_solved_to_its_optimum(seed, tolerance):
    rng, n, k = np.random.default_rng(seed), 9, 2
    points = rng.standard_normal((n, 2))
    W = np.exp(-((points[:, None] - points) ** 2).sum(axis=2))
    groups = rng.permutation(np.arange(n) % 3)
    plan = make_plan(groups, k, fairness_tol=tolerance)
    allowed = (np.array((0, *rest)) for rest in product(range(k), repeat=n - 1))
    best = min(cut_by_hand(W, labels, k) for labels in allowed if is_fair(labels, plan))
    found = fair_assignment(points, groups, k, fairness_tol=tolerance, affinity=W, random_state=0)
    assert found.certified
    assert found.normalized_cut == pytest.approx(best, rel=0, abs=1e-9)


@pytest.fixture
def large_from_400(monkeypatch):
    """Graphs of more than 400 nodes count as large, and their population lives on about 150."""
    monkeypatch.setattr(door, "LARGE", 400)
    monkeypatch.setattr(large, "POPULATED", 150)
    monkeypatch.setattr(search, "_MANY", 400)


@pytest.mark.usefixtures("large_from_400")
def test_the_winner_among_the_starts_of_a_large_graph_is_known_after_the_way_up():
    people = make_msbm(1500, 4, n_groups=3, scale=0.2, random_state=0)
    plan = make_plan(people.sensitive_features, 4, fairness_tol=None)
    effort = replace(LITTLE, generations=0)  # nothing is combined
    affinity = make_operator(people.graph, "precomputed")
    starts = [("blocks", people.clusters)]
    found = partition(affinity, starts, plan, np.random.default_rng(0), effort)
    (winner,) = [one for one in found.sources if one.won]
    assert winner.found == min(one.found for one in found.sources if one.found is not None)


@pytest.mark.usefixtures("large_from_400")
@pytest.mark.parametrize("tolerance", [0.0, 0.2, None])
def test_a_large_graph_is_searched_on_a_coarser_one(tolerance):
    people = make_msbm(1500, 4, n_groups=3, scale=0.2, random_state=0)
    affinity = make_operator(people.graph, "precomputed")
    plan = make_plan(people.sensitive_features, 4, fairness_tol=tolerance)
    # Two starts that disagree nearly everywhere leave little to coarsen; one is far off.
    start = np.random.default_rng(1).integers(0, 4, 1500)
    starts = [("random", start), ("blocks", (people.clusters + (start == 0)) % 4)]
    for given in ([], starts):
        found = partition(affinity, given, plan, np.random.default_rng(0), LITTLE)
        assert found.fair
        assert is_fair(found.labels, plan)
        W = people.graph.toarray() if sp.issparse(people.graph) else people.graph
        assert found.cut == pytest.approx(cut_by_hand(W, found.labels, 4), abs=1e-5)
        assert found.cut < cut_by_hand(W, people.clusters, 4) + 0.02


@pytest.mark.usefixtures("large_from_400")
def test_a_large_graph_has_one_result_whatever_the_threads():
    people = make_msbm(1500, 4, n_groups=2, scale=0.2, random_state=1)
    affinity = make_operator(people.graph, "precomputed")
    plan = make_plan(people.sensitive_features, 4)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(partition(affinity, [], plan, np.random.default_rng(0), LITTLE).labels)
    np.testing.assert_array_equal(*found)


@pytest.mark.usefixtures("large_from_400")
def test_a_fair_start_of_a_large_graph_is_never_made_worse():
    people = make_msbm(1500, 4, n_groups=2, scale=0.2, random_state=2)
    affinity = make_operator(people.graph, "precomputed")
    plan = make_plan(people.sensitive_features, 4)
    known = partition(affinity, [], plan, np.random.default_rng(0), LITTLE)
    hasty = LITTLE.scaled(0.01)
    again = partition(affinity, [("known", known.labels)], plan, np.random.default_rng(1), hasty)
    assert again.fair
    assert again.cut <= known.cut + 1e-9


@pytest.mark.parametrize("zeros", [0.0, 0.3])
def test_levels_of_a_complete_graph_are_those_of_its_sparse_form(zeros):
    rng = np.random.default_rng(3)
    W = rng.random((40, 40)) * (rng.random((40, 40)) >= zeros / 2)
    W = W + W.T
    rules = make_plan(np.arange(40) % 3, 2).rules
    forms = (make_operator(form, "precomputed") for form in (W, sp.csr_array(W)))
    dense, sparse = (make_graph(form, rules) for form in forms)
    assert len(dense.weights) == 40**2
    into = np.arange(40) % 7
    levels = [contract(graph, into, 7) for graph in (dense, sparse)]
    for name in ("indptr", "indices", "weights", "loops", "degrees", "persons", "groups"):
        np.testing.assert_allclose(*(getattr(level, name) for level in levels), err_msg=name)


def test_more_entries_than_the_search_can_count_are_refused(monkeypatch):
    rules = make_plan(np.arange(40) % 3, 2).rules
    operator = make_operator(np.ones((40, 40)), "precomputed")
    monkeypatch.setattr(graph, "_MOST_ENTRIES", 40**2 - 1)
    with pytest.raises(ValueError, match=r"1,600 entries.*nearest_neighbors"):
        make_graph(operator, rules)


def test_with_weights_a_large_dense_affinity_is_searched_with_less_effort(monkeypatch):
    rng, efforts = np.random.default_rng(0), []

    def watch(affinity, starts, plan, rng, effort, **named):
        efforts.append(effort)
        return partition(affinity, starts, plan, rng, effort, **named)

    monkeypatch.setattr(follow, "partition", watch)
    monkeypatch.setattr(follow, "_MANY_DENSE", 99)
    X, groups, weights = rng.random((100, 2)), np.arange(100) % 2, rng.integers(1, 4, 100)
    for n in (99, 100):
        model = FairSpectralClustering(2, affinity="rbf", random_state=0)
        model.fit(X[:n], sensitive_features=groups[:n], sample_weight=weights[:n])
        assert model.fair_assignment_.certified
    assert efforts == [EFFORTS["default"], EFFORTS["fast"]]


def test_people_kept_apart_are_brought_into_exact_sizes():
    """Two components of eight are free to cut, but two people of one of them must part."""
    blocks = sp.csr_array(sp.block_diag([np.ones((8, 8)) - np.eye(8)] * 2))
    model = FairSpectralClustering(
        2,
        affinity="precomputed",
        fairness_tol=None,
        effort="fast",
        rounding_params={"min_cluster_size": 8},
        random_state=0,
    )
    with pytest.warns(UserWarning, match="2 connected components"):
        model.fit(blocks, sensitive_features=np.arange(16) % 2, cannot_link=[(1, 4)])
    assert model.labels_[1] != model.labels_[4]
    assert np.bincount(model.labels_).tolist() == [8, 8]
    # Each component gives one person to the other's cluster, or sends one of the two there.
    assert cut_by_hand(blocks.toarray(), model.labels_, 2) == pytest.approx(0.5)


def test_clusterings_of_no_cut_agree_but_not_with_one_outside_the_bounds():
    labels = np.zeros(4, dtype=np.int32)
    free, error = search.Member(labels, -4e-16, 0.0), search.Member(labels, 3e-16, 0.0)
    assert evolve.is_as_low(free, free)
    assert evolve.is_as_low(error, free)
    assert not evolve.is_as_low(search.Member(labels, -1.0, 0.1), free)
    assert not evolve.is_as_low(search.Member(labels, 1e-6, 0.0), free)


def test_jobs_begin_in_their_order():
    """So an interruption leaves out the last ones, whatever the number of threads."""
    watch = Watch(1.0)

    def make(at):
        def job():
            watch.interrupted = watch.interrupted or at == 3
            return search.Member(np.zeros(1, dtype=np.int32), float(at), 0.0)

        return job

    for threads in (1, 2):
        watch.interrupted = False
        with threadpool_limits(threads, user_api="blas"):
            done = [one is not None for one in evolve.run_all([make(at) for at in range(9)], watch)]
        assert done[:4] == [True] * 4
        assert not any(done[4 + threads :])


def test_a_quick_effort_has_more_work_where_that_is_quick():
    fast, default = EFFORTS["fast"], EFFORTS["default"]
    members = [fast.suited_to(nodes, 5).members for nodes in (100, 400, 2000, 5000)]
    assert members == sorted(members, reverse=True)
    assert members[0] > 3 * fast.members
    assert default.suited_to(100, 5).generations > default.generations
    # Small graphs get the members in place of generations, very many nodes neither.
    generations = [fast.suited_to(nodes, 25).generations for nodes in (2000, 10_000, 100_000)]
    assert generations == [0, fast.generations, 0]
    assert fast.suited_to(10_000, 25).steps == fast.steps < default.suited_to(10_000, 25).steps
