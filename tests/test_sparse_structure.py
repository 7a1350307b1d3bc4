"""Index arrays are checked before compiled code uses them."""

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral import (
    FairSpectralClustering,
    audit,
    fair_assignment,
    fair_spectral_embedding,
    metrics,
)
from fairspectral.affinity import SparseOperator, make_operator
from fairspectral.baselines import PlainSpectral
from fairspectral.sparse_structure import check_sparse_structure


def ring(n=12):
    step = np.roll(np.eye(n), 1, axis=1)
    return step + step.T


def broken(form, attribute, at, value):
    """A matrix in a format, with one number of one of its arrays replaced after it was built."""
    matrix = sp.csr_array(ring()).asformat(form, copy=True)
    array = getattr(matrix, attribute).copy()
    array[at] = value
    setattr(matrix, attribute, array)
    return matrix


BROKEN = [
    (broken("csr", "indices", 3, 10**6), "index 1000000, outside 0 .. 11"),
    (broken("csr", "indices", 3, -1), "index -1, outside"),
    (broken("csc", "indices", 5, 12), "index 12, outside"),
    (broken("bsr", "indices", 2, 99), "index 99, outside"),
    (broken("coo", "row", 0, 12), "row holds the index 12"),
    (broken("coo", "col", 0, -3), "col holds the index -3"),
    (broken("csr", "indptr", 4, 10**6), "indptr"),
    (broken("csr", "indptr", 4, -1), "indptr does not rise"),
    (broken("csc", "indptr", 0, 2), "indptr does not rise"),
    (broken("csr", "indptr", -1, 10**6), "indptr ends at 1000000, but only 24 values"),
]


def shortened(form, attribute):
    matrix = sp.csr_array(ring()).asformat(form, copy=True)
    setattr(matrix, attribute, getattr(matrix, attribute)[:-1])
    return matrix


def other_formats():
    lil = sp.lil_array(ring())
    lil.rows[0] = [1, 99]
    uneven = sp.lil_array(ring())
    uneven.rows[0] = [1]
    dia = sp.dia_array(ring())
    dia.offsets = dia.offsets[:1]
    floating = sp.csr_array(ring())
    floating.indices = floating.indices.astype(float)
    return [
        (shortened("csr", "indptr"), "indptr has 12"),
        (shortened("csr", "data"), "only 23 values"),
        (shortened("coo", "data"), "lengths 23, 24"),
        (lil, "index 99, outside"),
        (uneven, "more columns than values"),
        (dia, "offsets do not fit"),
        (floating, "float64 values instead of integers"),
    ]


@pytest.mark.parametrize(("matrix", "words"), BROKEN + other_formats())
def test_broken_arrays_are_named(matrix, words):
    with pytest.raises(ValueError, match=rf"W is a broken [A-Z]+ matrix: .*{words}") as caught:
        check_sparse_structure(matrix, "W")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
@pytest.mark.parametrize("build", [sp.csr_array, sp.csr_matrix])
def test_sound_ones_pass(form, build):
    matrix = build(ring()).asformat(form)
    check_sparse_structure(matrix)
    check_sparse_structure(build((4, 4)).asformat(form))
    assert make_operator(matrix, "precomputed").shape == (12, 12)


def test_room_after_the_last_value_is_allowed():
    matrix = sp.csr_array(ring())
    matrix.data = np.append(matrix.data, 0.0)
    matrix.indices = np.append(matrix.indices, 77)
    check_sparse_structure(matrix)


GROUPS = np.arange(12) % 2
WAYS_IN = {
    "fit": lambda W: FairSpectralClustering(2, affinity="precomputed").fit(W),
    "features": lambda W: FairSpectralClustering(2).fit(W, sensitive_features=GROUPS),
    "neighbours": lambda W: FairSpectralClustering(2, affinity="nearest_neighbors").fit(W),
    "float32": lambda W: make_operator(W, "precomputed", dtype="float32"),
    "baseline": lambda W: PlainSpectral(2, affinity="precomputed").fit(W),
    "embedding": lambda W: fair_spectral_embedding(W, affinity="precomputed", n_components=2),
    "assignment": lambda W: fair_assignment(np.eye(12), GROUPS, 2, affinity=W),
    "cut": lambda W: metrics.normalized_cut(GROUPS, W),
    "audit": lambda W: audit(GROUPS, affinity=W),
    "operator": SparseOperator,
}


@pytest.mark.parametrize("call", WAYS_IN.values(), ids=WAYS_IN)
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_every_way_in_is_guarded(call, form):
    attribute = "row" if form == "coo" else "indices"
    with pytest.raises(ValueError, match="X is a broken"):
        call(broken(form, attribute, 3, 10**8))
