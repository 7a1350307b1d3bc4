"""Precomputed affinities in Python: what is accepted, and the error messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from bad_input_case import (
    WORKS,
    Fit,
    N,
    broken,
    falling,
    graph,
    kernel,
    pandas,
    plain,
    polars,
    twice,
    two_groups,
    wide,
)


def w(name: str, make: Any, outcome: Any = WORKS, **options: Any) -> Fit:
    """A case about affinities."""
    params = {"affinity": "precomputed", **options.pop("params", {})}
    return Fit(name, make, two_groups, outcome, params=params, **options)


def changed(value: float, *at: tuple[int, int]) -> np.ndarray:
    W = kernel()
    for place in at:
        W[place] = value
    return W


class Operator:
    """M = D^-1/2 W D^-1/2 of the kernel, or something else."""

    dtype = np.dtype(np.float64)
    shape = (N, N)

    def __init__(self, spoil: Any = None, degrees: Any = None) -> None:
        W = kernel()
        self.degrees = W.sum(axis=1) if degrees is None else degrees
        root = np.sqrt(W.sum(axis=1))
        self.M, self.spoil = W / np.outer(root, root), spoil

    def matmat(self, block: np.ndarray) -> Any:
        image = self.M @ block
        return image if self.spoil is None else self.spoil(image)


AFFINITIES = [
    w("dense", kernel),
    *(w(f"dense {t}", lambda t=t: kernel().astype(t)) for t in ("float32", "longdouble", "object")),
    w("dense float16", lambda: kernel().astype(np.float16), same=False),
    *(w(f"graph {t}", lambda t=t: graph().astype(t), same=False) for t in (
        "bool", "int8", "uint64", "int64", "float16")),
    w("complex", lambda: kernel().astype(complex),
      "Complex data not supported; pass real numbers, such as the real and imaginary parts as "
      "two columns."),
    w("a list of lists", lambda: kernel().tolist()),
    w("Fortran order", lambda: np.asfortranarray(kernel())),
    w("negative strides", lambda: np.ascontiguousarray(kernel()[::-1, ::-1])[::-1, ::-1]),
    w("numbers as text", lambda: kernel().astype(object).astype(str)),
    w("text", lambda: np.full((N, N), "near"),
      "X contains text at row 0, column 0 ('near'); encode categories as numbers first (for "
      "example with sklearn.preprocessing.OneHotEncoder)."),
    w("not square", lambda: kernel()[:, :-1],
      "X must be a square matrix of affinities, but it has shape (30, 29); for a table of "
      "features use affinity='rbf' or 'nearest_neighbors'."),
    w("features", plain,
      "X must be a square matrix of affinities, but it has shape (30, 3); for a table of "
      "features use affinity='rbf' or 'nearest_neighbors'."),
    w("not symmetric", lambda: changed(0.5, (2, 5)),
      "X is not symmetric: entry (2, 5) is 0.5 but entry (5, 2) is 0.0330743; use (W + W.T) / 2 "
      "if the direction does not matter."),
    w("negative", lambda: changed(-0.5, (2, 5), (5, 2)),
      "X has the negative weight -0.5 at row 2, column 5; affinities must be at least zero, so "
      "use a non-negative kernel (for example 'rbf') or shift it."),
    w("NaN", lambda: changed(np.nan, (2, 5), (5, 2)),
      "X contains NaN at row 2, column 5; replace it by a finite affinity (zero where there is "
      "no similarity)."),
    w("infinity", lambda: changed(np.inf, (2, 5), (5, 2)),
      "X contains infinity at row 2, column 5; replace it by a finite affinity (zero where there "
      "is no similarity)."),
    w("masked", lambda: np.ma.masked_less(kernel(), 0.1),
      "X is a masked array with 448 masked value(s), the first at (0, 2); fill them with "
      "X.filled(...) or drop those rows."),
    w("identity", lambda: np.eye(N),
      "X gives no affinity between different nodes beyond floating-point error, so there is "
      "nothing to cluster by; check how it was computed, or set its diagonal to zero."),
    w("nearly the identity", lambda: np.eye(N) + 1e-18,
      "X gives no affinity between different nodes beyond floating-point error, so there is "
      "nothing to cluster by; check how it was computed, or set its diagonal to zero."),
    w("zeros", lambda: np.zeros((N, N)),
      "X has 30 isolated node(s) without any affinity (index 0, 1, 2, 3, 4, ...); remove them "
      "(keep the rows and columns where W.sum(axis=1) > 0) or connect them."),
    w("ones", lambda: np.ones((N, N)), same=False),
    w("one isolated node", lambda: changed(0.0, *((3, j) for j in range(N)),
                                           *((j, 3) for j in range(N))),
      "X has 1 isolated node(s) without any affinity (index 3); remove them (keep the rows and "
      "columns where W.sum(axis=1) > 0) or connect them."),
    w("one edge of 1e18", lambda: changed(1e18, (2, 5), (5, 2)),
      "X has affinities that sum to 1e+18 at node 2, beside which those of most nodes, about "
      "14.9, are lost in floating-point error; check the largest affinity of that node, or cap "
      "it."),
    w("scale 1e-200", lambda: kernel() * 1e-200,
      "X has affinities that sum to 1.54e-199 at node 0, too small to compute with; divide all "
      "of them by the largest, which changes no clustering."),
    w("scale 1e200", lambda: kernel() * 1e200,
      "X has affinities that sum to 1.54e+201 at node 0, too large to compute with; divide all "
      "of them by the largest, which changes no clustering."),
    w("scale 1e100", lambda: kernel() * 1e100),
    w("two components", lambda: np.kron(np.eye(2), np.ones((N // 2, N // 2))), same=False,
      warns="2 connected components"),
    *(w(f"sparse {t}", lambda t=t: sp.csr_array(kernel()).asformat(t))
      for t in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")),
    w("sparse with int64 indices", lambda: wide(sp.csr_array(kernel()))),
    w("sparse with duplicates", lambda: twice(kernel())),
    w("sparse with stored zeros", lambda: stored_zeros(), same=False,
      warns="2 connected components"),
    w("sparse bool", lambda: sp.csr_array(graph() > 0), same=False),
    w("sparse complex", lambda: sp.csr_array(kernel().astype(complex)),
      "Complex data not supported; pass real numbers, such as the real and imaginary parts as "
      "two columns."),
    w("sparse with a negative", lambda: sp.csr_array(changed(-0.5, (2, 5), (5, 2))),
      "X has the negative weight -0.5 at row 2, column 5; affinities must be at least zero, so "
      "use a non-negative kernel (for example 'rbf') or shift it."),
    w("sparse with NaN", lambda: sp.csr_array(changed(np.nan, (2, 5), (5, 2))),
      "X contains NaN at row 2, column 5; replace it by a finite affinity (zero where there is "
      "no similarity)."),
    w("sparse not symmetric", lambda: sp.csr_array(changed(0.5, (2, 5))),
      "X is not symmetric: entry (2, 5) is 0.5 but entry (5, 2) is 0.0330743; use (W + W.T) / 2 "
      "if the direction does not matter."),
    w("sparse with an index out of range", lambda: broken(sp.csr_array(kernel())),
      "X is a broken CSR matrix: indices holds the index 1000000, outside 0 .. 29; build it "
      "anew, for example with scipy.sparse.coo_array((values, (rows, columns)), shape=...)."),
    w("sparse with a negative index", lambda: negative(sp.csr_array(kernel())),
      "X is a broken CSR matrix: indices holds the index -1, outside 0 .. 29; build it anew, for "
      "example with scipy.sparse.coo_array((values, (rows, columns)), shape=...)."),
    w("sparse coo out of range", lambda: outside(sp.coo_array(kernel())),
      "X is a broken COO matrix: row holds the index 30, outside 0 .. 29; build it anew, for "
      "example with scipy.sparse.coo_array((values, (rows, columns)), shape=...)."),
    w("sparse pointers that fall", lambda: falling(sp.csr_array(kernel())),
      "X is a broken CSR matrix: indptr does not rise from 0; build it anew, for example with "
      "scipy.sparse.coo_array((values, (rows, columns)), shape=...)."),
    w("sparse without an edge", lambda: sp.csr_array((N, N)),
      "X has 30 isolated node(s) without any affinity (index 0, 1, 2, 3, 4, ...); remove them "
      "(keep the rows and columns where W.sum(axis=1) > 0) or connect them."),
    w("pandas", lambda: pandas().DataFrame(kernel()), needs="pandas"),
    w("pandas with columns in another order",
      lambda: pandas().DataFrame(kernel())[[*range(1, N), 0]],
      "X has the same labels on rows and columns, but in another order; pass X[X.index], or "
      "X.to_numpy() if the order does correspond.", needs="pandas"),
    w("polars", lambda: polars().DataFrame(kernel()), needs="polars"),
    w("operator", Operator),
    w("operator that returns NaN", lambda: Operator(lambda image: image * np.nan),
      "the affinity operator returned products that are NaN or infinite; check how it computes "
      "them."),
    w("operator that returns another shape", lambda: Operator(lambda image: image[:-1]),
      "the affinity operator turned a block of shape (30, 3) into (29, 3); its matmat must keep "
      "the shape."),
    w("operator that returns text", lambda: Operator(lambda image: image.astype(str)),
      "the affinity operator returned products that are not real numbers; it must give an array "
      "of floats."),
    w("operator that returns None", lambda: Operator(lambda image: None),
      "the affinity operator returned products that are not real numbers; it must give an array "
      "of floats."),
    w("operator that applies W", lambda: Operator(lambda image: 3 * image),
      "the affinity operator does not map sqrt(degrees) to itself; its matmat must apply the "
      "normalised D^-1/2 W D^-1/2, and degrees must be the row sums of W."),
    w("operator with a degree too few", lambda: Operator(degrees=np.ones(N - 1)),
      "the affinity operator has degrees of shape (29,); it must give one degree for each of its "
      "30 nodes."),
    w("operator with negative degrees", lambda: Operator(degrees=-np.ones(N)),
      "the affinity operator has 30 isolated node(s) without any affinity (index 0, 1, 2, 3, 4, "
      "...); remove them (keep the rows and columns where W.sum(axis=1) > 0) or connect them."),
    w("operator with degrees of text", lambda: Operator(degrees=["one"] * N),
      "the affinity operator has degrees that are not real numbers; it must give an array of "
      "floats."),
]  # fmt: skip


def negative(matrix: Any) -> Any:
    matrix.indices[5] = -1
    return matrix


def outside(matrix: Any) -> Any:
    matrix.row[7] = N
    return matrix


def stored_zeros() -> Any:
    W = sp.csr_array(kernel())
    W.data[W.data < 0.1] = 0.0
    return W
