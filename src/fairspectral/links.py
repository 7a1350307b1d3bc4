"""Who must be in one cluster and who must not: pairs of persons, read and validated.

People who must be together become one node, in the embedding and in the search for a low cut, so
no step can part them. Pairs that must be apart are kept by the search, with the price that it puts
on everything outside the bounds; pairs that it could not keep are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from fairspectral.tensors import on_host

# Pairs that are named one by one in a sentence.
_NAMED = 3


@dataclass(frozen=True)
class Links:
    """People who are together, and pairs who are apart.

    Attributes
    ----------
    nodes : int64 ndarray of shape (n,)
        The node of each person, numbered from 0; people of one node must be together.
    apart : int64 ndarray of shape (p, 2)
        Pairs of persons who must not be together.
    names : sequence of length n
        The persons by name, for sentences.
    """

    nodes: np.ndarray
    apart: np.ndarray
    names: Sequence[Any]

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return int(self.nodes.max()) + 1

    def together(self, labels: np.ndarray, k: int) -> np.ndarray:
        """The labels with everybody where most people of their node are, shape (n,)."""
        return self.of_nodes(labels, k)[self.nodes]

    def of_nodes(self, labels: np.ndarray, k: int) -> np.ndarray:
        """The cluster of each node: that of most of its people, shape (number of nodes,)."""
        cells = np.bincount(self.nodes * k + labels, minlength=self.n_nodes * k)
        return cells.reshape(-1, k).argmax(axis=1).astype(np.int32)

    def joined(self, labels: np.ndarray) -> np.ndarray:
        """The pairs who must be apart and are not, shape (q, 2)."""
        first, second = self.apart.T
        return self.apart[labels[first] == labels[second]]

    def parted(self, labels: np.ndarray) -> int:
        """How many nodes have people in several clusters."""
        pairs = np.unique(np.stack([self.nodes, labels]), axis=1)
        return pairs.shape[1] - self.n_nodes

    def kept(self, labels: np.ndarray) -> bool:
        """Whether all links are kept."""
        return not len(self.joined(labels)) and not self.parted(labels)

    def sentence(self, labels: np.ndarray) -> str:
        """How many links were kept, and the first pairs that were not, by name."""
        joined, some = self.joined(labels), len(self.nodes) - self.n_nodes
        parts = []
        if some:
            parts.append(f"all {some} must-link(s) are kept")
        if len(joined):
            parts.append(
                f"{len(joined)} of {len(self.apart)} cannot-link pair(s) are together: "
                f"{self._named(joined)}"
            )
        elif len(self.apart):
            parts.append(f"all {len(self.apart)} cannot-link pair(s) are apart")
        return f"Links: {', and '.join(parts)}."

    def _named(self, pairs: np.ndarray) -> str:
        named = [f"{self.names[i]} and {self.names[j]}" for i, j in pairs[:_NAMED]]
        more = len(pairs) - _NAMED
        return ", ".join(named) + (f", and {more} more" if more > 0 else "")


def read_links(must_link: Any, cannot_link: Any, names: Sequence[Any], k: int) -> Links | None:
    """Pairs by name as links; impossible ones are refused. None where there is no pair.

    Parameters
    ----------
    must_link, cannot_link : sequence of pairs, array or table of shape (m, 2), or None
        Each pair has two of the names. The command, which has names of its own for the rows, passes
        `Links` as `must_link`.
    names : sequence of length n
        The names of the persons, or ``range(n)`` where they have none.
    k : int
        Number of clusters.
    """
    if isinstance(must_link, Links):
        return must_link
    place: Mapping[Any, int] = {name: i for i, name in enumerate(names)}
    if len(place) < len(names) and (must_link is not None or cannot_link is not None):
        twice = next(name for i, name in enumerate(names) if place[name] != i)
        raise ValueError(
            f"two rows of X have the name {twice!r}, so links cannot name one of them; give every "
            "row a name of its own, or reset the index and pass positions."
        )
    together = _read_pairs(must_link, place, "must_link")
    apart = _read_pairs(cannot_link, place, "cannot_link")
    if not len(together) and not len(apart):
        return None
    n = len(names)
    ties = sp.coo_array((np.ones(len(together)), tuple(together.T)), shape=(n, n))
    count, nodes = connected_components(ties, directed=False)
    links = Links(nodes.astype(np.int64), apart, names)
    if count < k:
        raise ValueError(
            f"must_link leaves {count} node(s), fewer than n_clusters={k}; ask for fewer clusters, "
            "or leave some pairs out."
        )
    inside = nodes[apart[:, 0]] == nodes[apart[:, 1]]
    if inside.any():
        i, j = (names[person] for person in apart[int(np.argmax(inside))])
        raise ValueError(
            f"cannot_link has the pair {i!r} and {j!r}, whom must_link puts together; leave one of "
            "these links out."
        )
    _refuse_clique(links, k)
    return links


def _read_pairs(given: Any, place: Mapping[Any, int], name: str) -> np.ndarray:
    """Positions of the persons of each pair, the smaller one first, without repetition."""
    given = on_host(given)
    if given is None:
        return np.empty((0, 2), dtype=np.int64)
    if isinstance(given, str | Mapping) or not hasattr(given, "__len__"):
        raise TypeError(f"{name} is a {type(given).__name__}; pass a list of pairs.")
    found = []
    for pair in given.to_numpy().tolist() if hasattr(given, "to_numpy") else list(given):
        pair = pair.tolist() if isinstance(pair, np.ndarray) else pair
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"{name} has {pair!r}; every link is a pair of two persons.")
        for person in pair:
            if isinstance(person, list | dict | set | bool) or person not in place:
                raise ValueError(
                    f"{name} has the pair {tuple(pair)!r}, but there is no person {person!r}; "
                    "name the rows of X by their index, nodes by their names, and otherwise by "
                    f"their positions, 0 to {len(place) - 1}."
                )
        i, j = place[pair[0]], place[pair[1]]
        if i == j:
            raise ValueError(f"{name} has the pair {tuple(pair)!r}, which is one person twice.")
        found.append((min(i, j), max(i, j)))
    return np.array(sorted(set(found)), dtype=np.int64).reshape(-1, 2)


def _refuse_clique(links: Links, k: int) -> None:
    """Refuse more than k people who are all apart from each other.

    From each node the clique is built greedily, so a rare one may be missed; the search then
    says which pairs it could not keep.
    """
    member = dict(zip(links.nodes[::-1].tolist(), range(len(links.nodes) - 1, -1, -1), strict=True))
    foes: dict[int, set[int]] = {}
    for i, j in links.nodes[links.apart].tolist():
        foes.setdefault(i, set()).add(j)
        foes.setdefault(j, set()).add(i)
    most_first = sorted(foes, key=lambda node: -len(foes[node]))
    for node in most_first:
        if len(foes[node]) < k:
            break  # it and all that follow have too few to be in such a clique
        clique = [node]
        for other in sorted(foes[node], key=lambda one: -len(foes[one])):
            if all(other in foes[one] for one in clique):
                clique.append(other)
        if len(clique) > k:
            some = ", ".join(repr(links.names[member[one]]) for one in clique[: k + 1])
            raise ValueError(
                f"cannot_link keeps {len(clique)} people apart from each other ({some}), but there "
                f"are only {k} clusters; ask for more clusters, or leave some pairs out."
            )
