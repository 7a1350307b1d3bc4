"""The random graphs and the graphs of scikit-learn's data; the same call gives the same graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import datasets
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

Graph = tuple[Any, np.ndarray]  # the affinities, shape (n, n), and the groups, shape (n,)


def communities(n: int, mixing: float, n_groups: int, smallest: int, degree: float) -> Graph:
    """A graph after Lancichinetti, Fortunato and Radicchi (2008, doi 10.1103/PhysRevE.78.046110).

    Sizes of communities fall like ``size^-1.5`` and degrees like ``degree^-2.5``. Each end of an
    edge meets a random one of the same community, or with probability `mixing` of the whole graph.
    As people keep to their like, two of three persons are in the favourite group of their
    community; the others are in any.
    """
    rng = np.random.default_rng(0)
    sizes: list[int] = []
    while sum(sizes) < n:
        sizes.append(int(min(smallest * rng.random() ** -2, n / 4)))
    member = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)[:n])
    stubs = np.minimum(degree / 3 * rng.random(n) ** (-1 / 1.5), n / 8)
    ends = np.repeat(np.arange(n), np.maximum(1, np.rint(stubs)).astype(int))
    inside = rng.random(len(ends)) >= mixing
    rows, columns = [], []
    for part in [ends[inside & (member[ends] == c)] for c in range(len(sizes))] + [ends[~inside]]:
        shuffled = rng.permutation(part)
        half = len(shuffled) // 2
        rows.append(shuffled[:half])
        columns.append(shuffled[half : 2 * half])
    W = _simple_graph(np.concatenate(rows), np.concatenate(columns), n, rng)
    favourite = rng.integers(0, n_groups, len(sizes))
    groups = np.where(rng.random(n) < 2 / 3, favourite[member], rng.integers(0, n_groups, n))
    return W, groups


def heavy_tails(n: int) -> Graph:
    """A Gaussian kernel of people of whom some are far from all others (Student's t, 3 features).

    The groups go with one of the features.
    """
    X = np.random.default_rng(7).standard_t(3, size=(n, 3))
    return rbf_kernel(X, gamma=1.0), (X[:, 1] > 0.3).astype(int)


def blocks(draw: int, pairs: int) -> Graph:
    """Four blocks of 100 nodes (edges 0.15 within, 0.01 between), four groups; and `pairs` pairs
    of nodes that have no edge but the one to each other. Each draw is another graph.
    """
    rng = np.random.default_rng(draw)
    member = np.repeat(np.arange(4), 100)
    groups = rng.integers(0, 4, 400)
    chance = np.where(member[:, None] == member, 0.15, 0.01)
    rows, columns = np.nonzero(np.triu(rng.random((400, 400)) < chance, 1))
    first = 400 + 2 * np.arange(pairs)
    rows, columns = np.r_[rows, first], np.r_[columns, first + 1]
    groups = np.r_[groups, rng.integers(0, 4, 2 * pairs)]
    return _simple_graph(rows, columns, 400 + 2 * pairs, rng), groups


def _simple_graph(rows: np.ndarray, columns: np.ndarray, n: int, rng: Any) -> sp.csr_array:
    """Edges once and without loops; a node without any gets a random one."""
    W = _symmetric(rows, columns, n)
    W.setdiag(0)
    lonely = np.flatnonzero(W.sum(axis=1) == 0)
    others = [(node + rng.integers(1, n)) % n for node in lonely]
    W = sp.csr_array(W.maximum(_symmetric(lonely, np.array(others, dtype=lonely.dtype), n)))
    W.eliminate_zeros()
    return W


def _symmetric(rows: np.ndarray, columns: np.ndarray, n: int) -> sp.csr_array:
    W = sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, n)).tocsr()
    return sp.csr_array(W.maximum(W.T))


# A column of each table that says into which groups its rows fall: below or above the median, or
# into the values that it has.
TABLES: dict[str, tuple[Callable[[], Any], Callable[[np.ndarray], np.ndarray]]] = {
    "digits": (datasets.load_digits, lambda X: X.sum(axis=1)),  # much ink or little
    "wine": (datasets.load_wine, lambda X: X[:, 0]),  # alcohol
    "cancer": (datasets.load_breast_cancer, lambda X: X[:, 1]),  # texture
    "diabetes": (datasets.load_diabetes, lambda X: X[:, 1]),  # sex
}


def _table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Standardised features and two groups."""
    load, column = TABLES[name]
    X = load().data
    values = column(X)
    return StandardScaler().fit_transform(X), (values > np.median(values)).astype(int)


def neighbours(name: str) -> Graph:
    """The graph of the ten nearest neighbours, each direction half an edge."""
    X, groups = _table(name)
    W = kneighbors_graph(X, 10)
    return sp.csr_array((W + W.T) / 2), groups


def kernel(name: str, rows: int) -> Graph:
    """The RBF kernel of the first rows, with gamma = 1 / number of features."""
    X, groups = _table(name)
    return rbf_kernel(X[:rows], gamma=1 / X.shape[1]), groups[:rows]
