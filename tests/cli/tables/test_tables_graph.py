import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from fairspectral.cli.tables import read_graph

TRIANGLE = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0.0]])


def write(folder, text, name="edges.csv"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nb,c\na,c\n",
        "source,target\na,b\nb,c\nc,a\n",
        "# a comment\na b\nb c\na c\n\n",
        "a\tb\nb\tc\nc\ta\n",
        "a,b\nb,a\nb,c\nc,b\na,c\nc,a\n",
        "x,y,weight\na,b,1\nb,c,1\na,c,1\n",
    ],
    ids=["commas", "header", "blanks", "tabs", "both directions", "weight header"],
)
def test_edge_lists(tmp_path, text):
    graph = read_graph(write(tmp_path, text))
    assert graph.nodes == ("a", "b", "c")
    np.testing.assert_array_equal(graph.weights.toarray(), TRIANGLE)
    assert graph.notes == ()


def test_nodes_in_the_order_given_and_numbers_in_theirs(tmp_path):
    path = write(tmp_path, "id1,id2\n10,9\n9,100\n")
    assert read_graph(path).nodes == ("9", "10", "100")
    graph = read_graph(path, ["100", "10", "9"])
    np.testing.assert_array_equal(graph.weights.toarray(), [[0, 0, 1], [0, 0, 1], [1, 1, 0]])


def test_weights_loops_and_directions_are_noted(tmp_path):
    graph = read_graph(write(tmp_path, "a,b,2\nb,a,3\na,a,9\nb,c,1\n"))
    np.testing.assert_array_equal(graph.weights.toarray(), [[0, 3, 0], [3, 0, 1], [0, 1, 0]])
    assert graph.notes == (
        "Dropped 1 self-loop(s).",
        "Edges whose two directions differ were given the larger weight.",
    )


def test_matrices(tmp_path):
    scipy.io.mmwrite(tmp_path / "g.mtx", sp.coo_array(TRIANGLE), symmetry="symmetric")
    sp.save_npz(tmp_path / "g.npz", sp.csr_array(TRIANGLE))
    for name in ("g.mtx", "g.npz"):
        graph = read_graph(tmp_path / name)
        assert graph.nodes is None
        np.testing.assert_array_equal(graph.weights.toarray(), TRIANGLE)


BAD = {
    "comments only": ("# nothing\n", "has no edges"),
    "header only": ("source,target\n", "has no edges"),
    "one field": ("a\nb\n", "is not an edge list"),
    "four fields": ("a,b,1,2\nb,c,1,2\n", "is not an edge list"),
    "ragged": ("a,b\na,b,c\n", "is not an edge list"),
    "bad weight": ("a,b,1\nb,c,heavy\nc,a,2\n", "the weight 'heavy'"),
    "negative": ("a,b,1\nb,c,-2\nc,a,2\n", "negative"),
    "unknown node": ("a,b\nb,q\n", "an edge of node 'q', which is not in the groups"),
    "unknown header": ("x,y\na,b\nb,c\n", "'x', .*; if the first line is a header, .*source, src"),
    "isolated": ("a,b\n", r"no edge for 1 node\(s\) \(c\)"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_edge_lists(tmp_path, kind):
    text, words = BAD[kind]
    with pytest.raises(ValueError, match=words):
        read_graph(write(tmp_path, text), ["a", "b", "c"])


def test_bad_matrices(tmp_path):
    with pytest.raises(ValueError, match="is not a Matrix Market file"):
        read_graph(write(tmp_path, "1 2\n", "g.mtx"))
    with pytest.raises(ValueError, match="is not a sparse matrix"):
        read_graph(write(tmp_path, "1 2\n", "g.npz"))
    sp.save_npz(tmp_path / "flat.npz", sp.csr_array(np.ones((2, 3))))
    with pytest.raises(ValueError, match="as many rows as columns"):
        read_graph(tmp_path / "flat.npz")
    sp.save_npz(tmp_path / "alone.npz", sp.csr_array((5, 5)))
    with pytest.raises(ValueError, match=r"5 node\(s\) \(1, 2, 3, \.\.\.\)"):
        read_graph(tmp_path / "alone.npz")


# --- edges that must not be lost --------------------------------------------------------------


def test_nodes_that_begin_with_a_comment_sign(tmp_path):
    text = "# all the edges\n#a,%b\n%b,c\n#a,c\n"
    graph = read_graph(write(tmp_path, text), ["#a", "%b", "c"])
    np.testing.assert_array_equal(graph.weights.toarray(), TRIANGLE)
    assert graph.notes == ()
    quoted = '"#a",b\nb,c\n"#a",c\n'
    assert read_graph(write(tmp_path, quoted)).nodes == ("#a", "b", "c")


def test_comments_that_could_be_edges_give_a_note(tmp_path):
    graph = read_graph(write(tmp_path, "a,b\nb,c\n#a,c\n"))
    (note,) = graph.notes
    assert note.startswith("Took 1 line(s) for comments, the first in line 3 ('#a,c')")


@pytest.mark.parametrize("first", ["from,to", "x,1"])
def test_a_first_line_of_two_nodes_is_an_edge(tmp_path, first):
    nodes = [*first.split(","), "2", "3"]
    path = write(tmp_path, f"{first}\n2,3\n3,2\n")
    graph = read_graph(path, nodes)
    assert graph.weights.nnz == 4
    # One node that is known and one that is not are no header either.
    with pytest.raises(ValueError, match="which is not in the groups"):
        read_graph(path, nodes[1:])


def test_a_doubtful_header_gives_a_note(tmp_path):
    graph = read_graph(write(tmp_path, "a,b\n1,2\n2,3\n"))
    assert graph.notes == ("The first line ('a', 'b') was read as a header and not as an edge.",)


def test_a_quote_over_several_lines_hides_no_edges(tmp_path):
    with pytest.raises(ValueError, match="is not an edge list"):
        read_graph(write(tmp_path, 'a,"b\nc,d\ne,f"\n'))
