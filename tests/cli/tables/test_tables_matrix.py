import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from fairspectral.cli.tables import read_graph

TRIANGLE = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0.0]])


def save_csr(path, shape=(3, 3), indices=(1, 2, 0), indptr=(0, 1, 2, 3), **others):
    """What scipy.sparse.save_npz would write, right or wrong."""
    arrays = {"format": b"csr", "shape": np.array(shape), "data": np.ones(len(indices))}
    arrays |= {"indices": np.array(indices), "indptr": np.array(indptr)}
    np.savez(path, **(arrays | others))
    return path


BROKEN = {
    "an index too large": ({"indices": (1, 2, 10**9)}, "the index 1000000000 but only 3 columns"),
    "a negative index": ({"indices": (1, -5, 0)}, "the index -5 but only 3 columns"),
    "columns": ({"format": b"csc", "indices": (1, 2, 7)}, "the index 7 but only 3 rows"),
    "pointers that go back": ({"indptr": (0, 3, 1, 3)}, "row pointers are not in order"),
    "pointers all the way back": ({"indptr": (0, 3, 3, 0)}, "row pointers are not in order"),
    "pointers past the end": ({"indptr": (0, 1, 2, 99)}, "is not a sparse matrix"),
    "too few pointers": ({"indptr": (0, 1)}, "is not a sparse matrix"),
    "indices that are no integers": ({"indices": (0.5, 1.5, 2.0)}, "indices are not integers"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_structure_is_refused(tmp_path, kind):
    changes, words = BROKEN[kind]
    with pytest.raises(ValueError, match=words) as refused:
        read_graph(save_csr(tmp_path / "g.npz", **changes))
    assert "g.npz is not a sparse matrix of scipy" in str(refused.value)


def test_formats_of_a_sparse_matrix(tmp_path):
    assert read_graph(save_csr(tmp_path / "g.npz")).weights.nnz == 6
    for name in ("csr", "csc", "coo", "dia", "bsr"):
        path = tmp_path / f"{name}.npz"
        sp.save_npz(path, sp.csr_array(TRIANGLE).asformat(name))
        np.testing.assert_array_equal(read_graph(path).weights.toarray(), TRIANGLE)


HEADER = "%%MatrixMarket matrix coordinate real "
CLAIMS = {
    "nodes": (HEADER + "general\n2000000000 2000000000 1\n1 2 1.0\n", "claims 2,000,000,000 nodes"),
    "symmetric": (
        HEADER + "symmetric\n2000000000 2000000000 1\n2 1 1.0\n",
        "000,000 nodes but has",
    ),
    "entries": (HEADER + "general\n3 3 900000000000\n1 2 1.0\n", "claims 900,000,000,000 entries"),
    "dense": (
        "%%MatrixMarket matrix array real general\n1000000 1000000\n1.0\n",
        "claims 1,000,000,000,000 entries but has only",
    ),
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_sizes_that_cannot_be_are_refused(tmp_path, kind):
    text, words = CLAIMS[kind]
    path = tmp_path / "g.mtx"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        read_graph(path)


def test_nodes_without_edges_are_not_allocated(tmp_path):
    path = tmp_path / "g.npz"
    shape = np.array([2 * 10**9, 2 * 10**9])
    np.savez(path, format=b"coo", shape=shape, data=[1.0], row=np.array([0]), col=np.array([1]))
    with pytest.raises(ValueError, match=r"claims 2,000,000,000 nodes but has 1 entries"):
        read_graph(path)


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("dense", [False, True])
def test_small_files_are_not_refused(tmp_path, symmetry, dense):
    matrix = TRIANGLE if dense else sp.coo_array(TRIANGLE)
    scipy.io.mmwrite(tmp_path / "g.mtx", matrix, symmetry=symmetry, field="integer", precision=1)
    np.testing.assert_array_equal(read_graph(tmp_path / "g.mtx").weights.toarray(), TRIANGLE)
    packed = tmp_path / "g.mtx.gz"
    packed.write_bytes(gzip.compress((tmp_path / "g.mtx").read_bytes()))
    np.testing.assert_array_equal(read_graph(packed).weights.toarray(), TRIANGLE)


def test_imaginary_parts_are_not_dropped(tmp_path):
    path = tmp_path / "g.mtx"
    scipy.io.mmwrite(path, sp.coo_array(TRIANGLE * (1 + 2j)))
    with pytest.raises(ValueError, match="has complex weights"):
        read_graph(path)
    sp.save_npz(tmp_path / "g.npz", sp.csr_array(TRIANGLE * 1j))
    with pytest.raises(ValueError, match="has complex weights"):
        read_graph(tmp_path / "g.npz")
    sp.save_npz(tmp_path / "real.npz", sp.csr_array(TRIANGLE + 0j))
    np.testing.assert_array_equal(read_graph(tmp_path / "real.npz").weights.toarray(), TRIANGLE)


def test_a_file_of_one_line(tmp_path):
    path = tmp_path / "g.mtx"
    path.write_text(HEADER)
    with pytest.raises(ValueError, match="is not a Matrix Market file"):
        read_graph(path)
