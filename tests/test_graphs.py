"""Graphs of other packages, and edge lists: the same clusters as their matrix."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairspectral import (
    FairSpectralClustering,
    FairSpectralWarning,
    audit,
    fair_assignment,
    fair_spectral_embedding,
    fairness_frontier,
    metrics,
)
from fairspectral.baselines import PlainSpectral
from fairspectral.graphs import from_edges, from_igraph, from_networkx, from_pyg
from fairspectral.graphs.door import as_graph
from fairspectral.report.collect import snippet

nx = pytest.importorskip("networkx", reason="networkx is not installed: pip install networkx")

N = 40


@pytest.fixture
def club():
    """Two rings with chords, weighted, nodes in an order of their own, two attributes."""
    graph = nx.Graph()
    rng = np.random.default_rng(0)
    for i in rng.permutation(N).tolist():
        graph.add_node(f"v{i}", club="ab"[i % 2], floor=i // 4 % 2)
    for ring in (0, 1):
        for i in range(N // 2):
            for step, weight in ((1, 2.0), (2, 1.5)):
                ends = (f"v{ring * N // 2 + j % (N // 2)}" for j in (i, i + step))
                graph.add_edge(*ends, weight=weight)
    graph.add_edge("v0", f"v{N - 1}", weight=0.5)
    return graph


def values(graph, name):
    return [graph.nodes[node][name] for node in graph]


def fit(X, groups=None, **params):
    model = FairSpectralClustering(2, effort="fast", random_state=0, **params)
    return model.fit(X, sensitive_features=groups)


def of_matrix(graph, groups=None):
    """The fit of the graph's matrix, whose nodes are in the same order."""
    W = nx.to_scipy_sparse_array(graph, dtype=np.float64)
    return fit(W, groups, affinity="precomputed")


# --- networkx -----------------------------------------------------------------------------


def test_a_graph_gives_the_labels_of_its_matrix_in_the_order_of_its_nodes(club):
    model, expected = fit(club, "club"), of_matrix(club, values(club, "club"))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert [a.name for a in model.audit_.attributes] == ["club"]
    cluster = dict(zip(club, model.labels_, strict=True))
    assert len({cluster[f"v{i}"] for i in range(N // 2)}) == 1


def test_several_attributes_by_name(club):
    model = fit(club, ["club", "floor"])
    assert [a.name for a in model.audit_.attributes] == ["club", "floor"]
    groups = {name: values(club, name) for name in ("club", "floor")}
    np.testing.assert_array_equal(model.labels_, of_matrix(club, groups).labels_)


def test_values_may_still_be_given(club):
    named = fit(club, "club").labels_
    by_node = nx.get_node_attributes(club, "club")
    backwards = dict(reversed(by_node.items()))
    for groups in (
        values(club, "club"),
        tuple(values(club, "club")),
        backwards,
        {"club": values(club, "club")},
        pd.Series(values(club, "club")),
        pd.Series(by_node),
    ):
        np.testing.assert_array_equal(fit(club, groups).labels_, named)


def test_row_labels_that_are_nodes_in_another_order_are_refused(club):
    with pytest.raises(ValueError, match="not in the graph's order"):
        fit(club, pd.Series(nx.get_node_attributes(club, "club"))[::-1])
    numbered = nx.convert_node_labels_to_integers(club)
    shuffled = nx.Graph()
    shuffled.add_nodes_from(reversed(list(numbered)))
    shuffled.add_edges_from(numbered.edges)
    with pytest.raises(ValueError, match="not in the graph's order"):
        fit(shuffled, pd.Series(values(club, "club")))


def test_plain_clustering_of_a_graph(club):
    np.testing.assert_array_equal(fit(club).labels_, of_matrix(club).labels_)


def test_parallel_edges_add_up_whatever_their_direction():
    graph = nx.MultiGraph([(0, 1), (1, 0), (1, 2)])
    expected = [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    np.testing.assert_array_equal(from_networkx(graph).weights.toarray(), expected)


def test_of_two_directions_the_larger_counts():
    one_way = nx.DiGraph([(0, 1), (1, 2), (2, 1)])
    expected = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    np.testing.assert_array_equal(from_networkx(one_way).weights.toarray(), expected)
    one_way[1][2]["weight"] = 5.0
    with pytest.warns(FairSpectralWarning, match="two directions differ"):
        weights = from_networkx(one_way).weights.toarray()
    np.testing.assert_array_equal(weights, [[0, 1, 0], [1, 0, 5], [0, 5, 0]])


def test_weights_are_used_where_they_are(club):
    first = ("v0", f"v{N - 1}")
    del club.edges[first]["weight"]
    graph = from_networkx(club)
    at = [list(club).index(node) for node in first]
    assert graph.weights[at[0], at[1]] == 1.0
    assert set(from_networkx(club, weight=None).weights.data) == {1.0}
    nx.set_edge_attributes(club, 3.0, "calls")
    assert set(from_networkx(club, weight="calls").weights.data) == {3.0}


def test_a_self_loop_is_one_entry_of_the_diagonal(club):
    club.add_edge("v3", "v3", weight=4.0)
    W = nx.to_scipy_sparse_array(club, dtype=np.float64)
    assert (from_networkx(club).weights != W).nnz == 0
    np.testing.assert_array_equal(
        fit(club, "club").labels_, of_matrix(club, values(club, "club")).labels_
    )


def test_other_functions_take_graphs(club):
    groups = values(club, "club")
    W = nx.to_scipy_sparse_array(club, dtype=np.float64)
    embedding = fair_spectral_embedding(club, "club", n_components=2, random_state=0)
    expected = fair_spectral_embedding(
        W, groups, n_components=2, affinity="precomputed", random_state=0
    )
    np.testing.assert_array_equal(embedding, expected)
    options = {"effort": "fast", "random_state": 0}
    fair = fair_assignment(embedding, "club", 2, affinity=club, **options)
    plain = fair_assignment(embedding, groups, 2, affinity=W, **options)
    np.testing.assert_array_equal(fair.labels, plain.labels)
    found = fairness_frontier(embedding, "club", 2, tolerances=[0.2], affinity=club, **options)
    assert found.normalized_cut[0] == pytest.approx(fair.normalized_cut, abs=1e-12)
    audited = audit(fair.labels, "club", club)
    assert audited.attributes[0].name == "club"
    assert audited.normalized_cut == metrics.normalized_cut(fair.labels, W)


def test_baselines_take_graphs(club):
    model = PlainSpectral(2, random_state=0).fit(club, sensitive_features="club")
    W = nx.to_scipy_sparse_array(club, dtype=np.float64)
    expected = PlainSpectral(2, affinity="precomputed", random_state=0).fit(W)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.audit_.attributes[0].name == "club"


def test_the_report_says_that_it_was_a_graph(club):
    assert f"# X: the graph, {N} nodes" in snippet(fit(club, "club"))
    assert f"# X: the affinities, {N} × {N}" in snippet(of_matrix(club, values(club, "club")))


def test_a_graph_shows_itself(club):
    shown = repr(from_networkx(club))
    assert shown == f"<Graph of {N} nodes and 81 edges; node attributes: 'club', 'floor'>"
    assert list(from_networkx(club)) == list(club)


def test_a_subclass_is_a_graph_and_its_parts_are_not(club):
    class Network(nx.Graph):
        pass

    assert as_graph(Network(club)) is not None
    with pytest.raises(TypeError, match=r"part of a networkx graph \(EdgeView\)"):
        as_graph(club.edges)
    assert as_graph(np.eye(3)) is None
    assert as_graph(pd.DataFrame({"edge_index": [1], "num_nodes": [2]})) is None


def test_nodes_may_be_tuples():
    grid = nx.grid_2d_graph(4, 6)
    nx.set_node_attributes(grid, {node: sum(node) % 2 for node in grid}, "colour")
    labels = fit(grid, "colour").labels_
    np.testing.assert_array_equal(labels, of_matrix(grid, values(grid, "colour")).labels_)
    assert from_edges(list(grid.edges)).nodes == sorted(grid)
    del grid.nodes[1, 2]["colour"]
    with pytest.raises(ValueError, match=r"missing on 1 node\(s\) \(\(1, 2\)\)"):
        fit(grid, "colour")


def test_nodes_may_be_numbers_of_numpy():
    graph = nx.path_graph(6)
    numbered = nx.relabel_nodes(graph, {i: np.int64(i) for i in graph})
    numbered.add_node(np.int64(9))
    with pytest.raises(ValueError, match=r"without any edge \(9\)"):
        from_networkx(numbered)


# --- igraph -------------------------------------------------------------------------------


def test_igraph_gives_the_same_labels(club):
    igraph = pytest.importorskip("igraph", reason="igraph is not installed: pip install igraph")
    graph = igraph.Graph.from_networkx(club)
    assert graph.vs["club"] == values(club, "club")
    np.testing.assert_array_equal(fit(graph, "club").labels_, fit(club, "club").labels_)
    assert list(from_igraph(graph)) == list(range(N))
    graph.vs["name"] = list(club)
    assert list(from_igraph(graph)) == list(club)


def test_igraph_directed_parallel_unweighted_and_incomplete():
    igraph = pytest.importorskip("igraph", reason="igraph is not installed: pip install igraph")
    expected = [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    parallel = igraph.Graph([(0, 1), (1, 0), (1, 2)])
    np.testing.assert_array_equal(from_igraph(parallel).weights.toarray(), expected)
    directed = igraph.Graph([(0, 1), (1, 0), (1, 2)], directed=True)
    assert set(from_igraph(directed).weights.data) == {1.0}
    directed.es["weight"] = [1.0, 1.0, None]
    with pytest.raises(ValueError, match=r"the edge \(1, 2\) has no weight"):
        from_igraph(directed)
    with pytest.raises(ValueError, match=r"no edge of the graph has the attribute 'wieght' \(did"):
        from_igraph(directed, weight="wieght")
    directed.vs["sex"] = ["f", None, None]
    with pytest.raises(ValueError, match=r"'sex' is missing on 2 node\(s\) \(1, 2\)"):
        fit(from_igraph(directed, weight=None), "sex")


# --- PyTorch Geometric ----------------------------------------------------------------------


class Tensor:
    """What is used of a tensor of torch: its length, and numpy's array behind it."""

    def __init__(self, values):
        self.array = np.asarray(values)

    def __len__(self):
        return len(self.array)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.array


class Data:
    """What is used of `torch_geometric.data.Data`."""

    def __init__(self, num_nodes, **stored):
        self.num_nodes, self.stored = num_nodes, stored
        self.edge_index = stored.get("edge_index")

    def to_dict(self):
        return dict(self.stored)


def parts_of(graph):
    """Edges in both directions, their weights and the codes of the clubs, as arrays."""
    at = {node: i for i, node in enumerate(graph)}
    ends = np.array([(at[one], at[two]) for one, two in graph.edges]).T
    weights = np.array([data["weight"] for *_, data in graph.edges(data=True)], dtype=np.float32)
    both = np.concatenate([ends, ends[::-1]], axis=1)
    codes = (np.array(values(graph, "club")) == "b").astype(np.int64)
    return both, np.concatenate([weights, weights]), codes


def test_an_object_with_the_interface_of_pyg(club):
    index, weights, codes = parts_of(club)
    data = Data(
        N, edge_index=Tensor(index), edge_weight=Tensor(weights), club=Tensor(codes),
        x=Tensor(np.ones((N, 3))), name="rings",
    )  # fmt: skip
    graph = from_pyg(data)
    assert set(graph.attributes) == {"club", "x"}
    expected = of_matrix(club, codes)
    np.testing.assert_array_equal(fit(data, "club").labels_, expected.labels_)
    np.testing.assert_array_equal(fit(data, Tensor(codes)).labels_, expected.labels_)
    assert set(from_pyg(data, weight=None).weights.data) == {1.0}
    with pytest.raises(ValueError, match="'x' has 3 values for each node; pass one column"):
        fit(data, "x")
    with pytest.raises(ValueError, match="edge_attr"):
        from_pyg(data, weight="edge_attr")


def test_what_is_wrong_with_an_edge_index(club):
    index, weights, _ = parts_of(club)
    with pytest.raises(ValueError, match=r"has 7 nodes, but its edge_index names node \d+"):
        from_pyg(Data(7, edge_index=Tensor(index)))
    with pytest.raises(ValueError, match="has no edge_index"):
        from_pyg(Data(N, edge_index=None))
    with pytest.raises(ValueError, match=r"edge_weight has shape \(3,\), but the graph has"):
        from_pyg(Data(N, edge_index=Tensor(index), edge_weight=Tensor(weights[:3])))


def test_pyg_gives_the_same_labels(club):
    reason = "PyTorch Geometric is not installed: pip install torch torch_geometric"
    torch = pytest.importorskip("torch", reason=reason)
    pyg = pytest.importorskip("torch_geometric.data", reason=reason)
    index, weights, codes = map(torch.from_numpy, parts_of(club))
    data = pyg.Data(edge_index=index, edge_weight=weights, club=codes, num_nodes=N)
    expected = of_matrix(club, codes.numpy())
    np.testing.assert_array_equal(fit(data, "club").labels_, expected.labels_)
    np.testing.assert_array_equal(fit(data, codes).labels_, expected.labels_)
    with pytest.raises(TypeError, match="HeteroData of PyTorch Geometric, which is not one graph"):
        fit(pyg.HeteroData())
    with pytest.raises(ValueError, match=r"like an edge index.*from_edges\(X\.T\)"):
        fit(index, codes)


# --- edge lists -----------------------------------------------------------------------------


def frames(graph):
    """The edges, and the nodes with their attributes, as a person may have them."""
    rows = [(one, two, data["weight"]) for one, two, data in graph.edges(data=True)]
    edges = pd.DataFrame(rows, columns=["source", "target", "weight"])
    nodes = pd.DataFrame({"name": list(graph), "club": values(graph, "club")})
    return edges, nodes


def test_an_edge_list_and_a_table_of_nodes(club):
    edges, nodes = frames(club)
    graph = from_edges(edges, nodes=nodes)
    assert list(graph) == list(club)
    np.testing.assert_array_equal(fit(graph, "club").labels_, fit(club, "club").labels_)


def test_columns_have_other_names(club):
    edges, nodes = frames(club)
    renamed = edges.rename(columns={"source": "from", "target": "to", "weight": "calls"})
    graph = from_edges(renamed, source="from", target="to", weight="calls", nodes=nodes)
    assert (graph.weights != from_edges(edges, nodes=nodes).weights).nnz == 0
    unweighted = from_edges(renamed, source="from", target="to")
    assert set(unweighted.weights.data) == {1.0}


def test_without_nodes_they_are_those_that_occur_sorted(club):
    edges, _ = frames(club)
    assert from_edges(edges).nodes == sorted(club)
    numbered = from_edges(np.array([[10, 2], [2, 9]]))
    assert numbered.nodes == [2, 9, 10]
    assert from_edges([(10, 2, 0.5), (2, 9, 2.5)]).weights[0, 1] == 2.5


def test_edges_of_polars(club):
    polars = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    edges, nodes = frames(club)
    graph = from_edges(
        polars.DataFrame(edges.to_dict("list")), nodes=polars.DataFrame(nodes.to_dict("list"))
    )
    assert (graph.weights != from_edges(edges, nodes=nodes).weights).nnz == 0
    np.testing.assert_array_equal(fit(graph, "club").labels_, fit(club, "club").labels_)


# --- edges passed as a table ------------------------------------------------------------------


def test_points_with_two_whole_numbers_are_not_taken_for_edges(rng):
    X = rng.integers(0, 12, (60, 2))  # such a table has equal rows
    X[30:] += 40
    model = fit(X, np.arange(60) % 2)
    assert len(model.labels_) == 60
    fit(X)


def test_edges_clustered_as_points_without_groups_give_a_warning(club):
    pairs = parts_of(club)[0].T
    with pytest.warns(FairSpectralWarning, match=f"look like the edges of {N} nodes"):
        fit(pairs)
