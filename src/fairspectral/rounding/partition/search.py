"""One clustering from another, or from nothing: annealed on coarse graphs, then on finer ones.

On a coarse graph one step moves many persons, so that a good division into large parts is found
there, and each finer level corrects its borders (multilevel search: Karypis and Kumar 1998,
doi 10.1137/S1064827595287997). Two clusterings are combined by putting only persons together
that are together in both (Sanders and Schulz 2012, doi 10.1137/1.9781611972924.2), beginning with
the better one, or with the best clusters of both (`inherit`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairspectral.rounding.flow import load_kernels
from fairspectral.rounding.partition.coarsen import Level, coarsen, project_to_coarsest
from fairspectral.rounding.partition.graph import cut_of, make_state
from fairspectral.rounding.partition.inherit import inherit_clusters
from fairspectral.rounding.partition.watch import Watch

# Nodes of the coarsest graph for each cluster. A small graph must be coarsened too: two clusterings
# are combined there, and with 40 nodes 250 people in ten clusters ended 5 % higher.
_NODES_PER_CLUSTER = 10
# No node stands for more than this share of a mean cluster, or sizes could not be varied.
_LARGEST_NODE = 0.25
# Steps on one level for each of its nodes, at most: a small graph is annealed to its end sooner.
_MOST_PER_NODE = 1000
# Nodes up to which three times the members and generations take a few seconds; the 1,797 of
# `benchmarks/cut.py --only digits` end 5 % lower with a larger population.
_SMALL = 3000
# Nodes up to which several populations evolve (`apart`), of climbs that have so many steps for each
# node on a level. With half the steps one seed in eight ends up to 0.8 % higher on 80 people; such
# populations on larger graphs take three times as long or more, and end 0.1 to 0.6 % lower
# (`benchmarks/cut.py --only lfr`).
TINY, _TINY_STEPS = 200, 80
# Nodes up to which an effort without generations has six times the members: no generation makes
# good what they miss, and they take a fraction of a second. With less, graphs of 30 to 260 people
# end 2.7 % higher in the mean (`benchmarks/cut.py --only lfr --effort fast`).
_FEW_NODES = 500
# Clusters beyond which the steps on a level grow with their number: the coarsest graph does too.
# With 10 in place of 6, LastFMNet in 10 and 25 clusters (`benchmarks/cut.py --only lastfm`) ends
# 1 % higher, in two thirds of the time.
_FEW_CLUSTERS = 6
# Work between two looks at the watch: about a tenth of a second.
_LOOK = 250_000
# Random moves from which the typical change of the cut is taken.
_TRIES = 10_000
# Temperatures are counted in this many typical changes of the cut.
_SPREAD = 3.0
# Gains below this are floating-point error.
_GAIN = 1e-9
# A descent ends when a sweep lowers the cut by less than this part of it: what is left is for the
# next generation, which begins with an annealing anyway.
_ENOUGH = 1e-4
# Nodes from which a descent only looks at those on the border, and ends as soon as that: further
# sweeps would take as long as all the rest of the search (benchmarks/scaling.py).
_MANY = 60_000
# Prices are full for clusterings whose clusters cost at least one part in so many of the cut's
# maximum, and lower in proportion for others: where clusters of outliers cost next to nothing, at
# full prices two of them never exchange anybody, and a kernel of 161 people ended 60 % too high.
# A clustering that costs nothing has prices all the same, since they rise by factors.
_FULL_PRICE, _LEAST_PRICE = 5.0, 1e-3
# What the share of a cluster outside its bounds costs when clusterings are compared.
_OUTSIDE = 10.0


@dataclass(frozen=True)
class Effort:
    """How much work a search does.

    Attributes
    ----------
    steps : int
        Steps of the annealing on each level.
    per_node : int
        Steps for each node, where a level has so many that this is more.
    members : int
        Clusterings that are kept.
    generations : int
        How many times each of them is combined with another.
    quick : bool
        Whether it is meant to be as quick as it can be: then it has no more steps for many
        clusters, and generations on graphs of some thousand nodes only, where they end 10 % lower
        and still sooner than scikit-learn (`benchmarks/cut.py --beside`).
    """

    steps: int
    per_node: int
    members: int
    generations: int
    quick: bool = False

    def scaled(self, part: float) -> Effort:
        """A part of the steps; none leaves the descent from the starts only."""
        if part == 0:
            return replace(self, steps=0, per_node=0, members=0, generations=0)
        return replace(
            self, steps=max(1, int(part * self.steps)), per_node=int(part * self.per_node)
        )

    def suited_to(self, nodes: int, k: int) -> Effort:
        """More members and generations for a small graph, more steps for many clusters."""
        if nodes > _SMALL:
            if self.quick:
                return replace(self, generations=0) if nodes > _MANY else self
            return replace(self, steps=int(max(1.0, k / _FEW_CLUSTERS) * self.steps))
        if self.quick or not self.generations:
            members = (6 if nodes <= _FEW_NODES else 3) * self.members
            return replace(self, members=members, generations=0)
        if nodes > TINY:
            return replace(self, members=3 * self.members, generations=3 * self.generations)
        return replace(
            self,
            steps=min(self.steps, _TINY_STEPS * nodes),
            members=4 * self.members,
            generations=3 * self.generations,
        )


@dataclass(frozen=True)
class Schedule:
    """Temperatures and prices of one way up through the levels.

    Temperatures are in units of the change of the cut by a typical move, prices in units of the
    cut for a whole cluster outside its bounds.
    """

    hot: float  # at the beginning on the coarsest level
    warm: float  # at the beginning on the others
    cold: float  # at the end of each
    cheap: float  # price at the beginning of each level
    fair: float  # price at the end of each, and at the beginning of the finest
    dear: float  # price at its end


# From random labels: hot enough to forget them, and at first hardly any bounds.
FRESH = Schedule(hot=1.0, warm=0.2, cold=0.02, cheap=0.1, fair=1.0, dear=3.0)
# From a good clustering: what is good in it must survive.
IMPROVE = Schedule(hot=0.2, warm=0.2, cold=0.02, cheap=0.3, fair=1.0, dear=3.0)
# From one outside the bounds, into them at any cost: no cut is worth the price at the end.
INSIST = Schedule(hot=0.2, warm=0.2, cold=0.02, cheap=1.0, fair=1.0, dear=1e4)


@dataclass(frozen=True)
class Member:
    """A clustering of the finest level: its labels, its cut, and its share outside the bounds.

    `start` is its number in the first generation, -1 for one that was combined from several.
    """

    labels: np.ndarray
    cut: float
    outside: float
    start: int = -1

    @property
    def worth(self) -> float:
        """What members are compared by; lower is better."""
        return self.cut + _OUTSIDE * self.outside


class Search:
    """Searches for clusterings of one graph within the bounds.

    Parameters
    ----------
    finest : Level
        The graph.
    band : Band
        The bounds.
    k : int
        Number of clusters.
    kinds : ndarray of shape (m,) or None
        The combination of groups of each node, for swaps that leave all cells as they are; -1 for
        those that are like no other, None where nothing is swapped.
    effort : Effort
        Steps on each level.
    watch : Watch
        Tells when to stop.
    """

    def __init__(
        self,
        finest: Level,
        band: Any,
        k: int,
        kinds: np.ndarray | None,
        effort: Effort,
        watch: Watch,
    ) -> None:
        self.finest, self.k = finest, k
        self._band, self._watch = band, watch
        self._kinds, self._effort = kinds, effort
        self._wanted = _NODES_PER_CLUSTER * k
        self._most = max(1, int(_LARGEST_NODE * band.everybody / k))
        # Change of the cut by a typical move, in units of the mean share of a node in a cluster.
        self._contrast = 1.0

    def calibrate(self, labels: np.ndarray, rng: np.random.Generator) -> None:
        """Take the unit of temperature from the moves that a clustering offers.

        Where a person's links go to one or two clusters, a move changes the cut by the person's
        share of a cluster. Where they go to all, it changes less.
        """
        state = self.state(labels)
        typical = load_kernels("partition.anneal_kernels").typical_gain(
            self.finest.graph, state, _seed(rng), _TRIES
        )
        if typical > 0:
            self._contrast = min(1.0, _SPREAD * typical * self.finest.size / self.k)

    def state(self, labels: np.ndarray) -> Any:
        """The state of a clustering of the finest level."""
        return make_state(self.finest.graph, self._band, labels, self.k)

    def measure(self, labels: np.ndarray) -> Member:
        """A clustering as it is."""
        return _member(self.state(labels))

    def fresh(self, rng: np.random.Generator) -> Member:
        """A clustering from random labels of the coarsest level."""
        levels = self.coarsen(np.zeros(self.finest.size, dtype=np.int64), rng)
        # Shuffled equal parts: random labels could leave a cluster empty.
        labels = rng.permutation(np.arange(levels[-1].size) % self.k)
        return self.climb(levels, labels, FRESH, rng)

    def improve(self, labels: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> Member:
        """A clustering from a good one, with the parts in which another one agrees kept whole."""
        same = labels.astype(np.int64) * self.k + other
        return self._improve(labels, same, rng)

    def inherit(self, labels: np.ndarray, other: np.ndarray, rng: np.random.Generator) -> Member:
        """A clustering from the best clusters of two; as `improve` where they overlap too much."""
        child = inherit_clusters(self.finest.graph, (self.state(labels), self.state(other)))
        if child is None:
            return self.improve(labels, other, rng)
        same = (labels.astype(np.int64) * self.k + other) * self.k + child
        return self._improve(child, same, rng)

    def _improve(self, labels: np.ndarray, same: np.ndarray, rng: np.random.Generator) -> Member:
        levels = self.coarsen(same, rng)
        return self.climb(levels, project_to_coarsest(labels, levels), IMPROVE, rng)

    def steps_of(self, nodes: int) -> int:
        """Steps on a level of so many nodes."""
        steps = min(self._effort.steps, _MOST_PER_NODE * nodes)
        return max(steps, self._effort.per_node * nodes)

    def coarsen(
        self, same: np.ndarray, rng: np.random.Generator, wanted: int | None = None
    ) -> list[Level]:
        """Levels down to `wanted` nodes; None: as few as suit k clusters."""
        # Those who must be apart from somebody stay nodes of their own.
        alone = np.flatnonzero(np.diff(self.finest.graph.rivals_from))
        if len(alone):
            same = same.copy()
            same[alone] = -1 - np.arange(len(alone))
        return coarsen(self.finest, same, wanted or self._wanted, self._most, rng)

    def on(self, level: Level) -> Search:
        """The same search for clusterings of a coarser level."""
        return Search(level, self._band, self.k, None, self._effort, self._watch)

    def climb(
        self, levels: list[Level], labels: np.ndarray, schedule: Schedule, rng: np.random.Generator
    ) -> Member:
        """Anneal on each level, from the coarsest to the finest, and descend there."""
        price = None
        for level in reversed(levels):
            state = make_state(level.graph, self._band, labels, self.k)
            if price is None:
                price = min(1.0, max(_LEAST_PRICE, _FULL_PRICE * _worth(state) / self.k))
            rising = (schedule.cheap, schedule.fair)
            if level is levels[0]:
                rising = (schedule.fair, schedule.dear)
            prices = (price * rising[0], price * rising[1])
            hot = schedule.hot if level is levels[-1] else schedule.warm
            self._anneal(level, state, (hot, schedule.cold), prices, rng)
            labels = state.labels if level.into is None else state.labels[level.into]
        self.settle(state, rng)
        return _member(state)

    def _anneal(
        self,
        level: Level,
        state: Any,
        temperatures: tuple[float, float],
        prices: tuple[float, float],
        rng: np.random.Generator,
    ) -> None:
        anneal = load_kernels("partition.anneal_kernels").anneal
        unit = self._contrast * self.k / level.size
        hot, cold = (unit * temperature for temperature in temperatures)
        at, steps, random = 0, self.steps_of(level.size), _seed(rng)
        while at < steps:
            before = at
            at = anneal(
                level.graph, self._band, state, at, steps, hot, cold, *prices, random, _LOOK
            )
            if self._watch.stopped(at - before):
                break

    def insist(self, labels: np.ndarray, rng: np.random.Generator) -> Member:
        """A clustering from one outside the bounds, annealed into them at whatever cut it takes."""
        return self.climb([self.finest], labels, INSIST, rng)

    def finish(self, member: Member, rng: np.random.Generator) -> Member:
        """A member after a descent to its end, where no move of one node lowers the cut.

        On graphs of more than `_MANY` nodes it ends where little is left to gain.
        """
        state = self.state(member.labels)
        self.settle(state, rng, enough=0.0)
        return _member(state)

    def settle(self, state: Any, rng: np.random.Generator, enough: float = _ENOUGH) -> None:
        """Moves and swaps of the finest level, until they lower the cut no more."""
        kernels, graph = load_kernels("partition.settle_kernels"), self.finest.graph
        many = self.finest.size > _MANY
        while True:
            before, border = _worth(state), np.arange(self.finest.size)
            # Without links elsewhere nothing is gained there, but for the loop of a lone node.
            if not state.outside.any():
                border = np.sort(state.border[: state.length[0]]).astype(border.dtype)
            kernels.sweep(graph, self._band, state, rng.permutation(border), _GAIN)
            if self._kinds is not None:
                n_kinds = int(self._kinds.max()) + 1
                # It may lose a little, though, and let somebody of its kind come in its place.
                nodes = border if many else np.arange(self.finest.size)
                kernels.swap_round(graph, state, nodes, self._kinds, n_kinds, _GAIN)
            # Gains that do not add up are floating-point errors; stop, or it may never end.
            least = max(enough, _ENOUGH) if many else enough
            if before - _worth(state) <= max(_GAIN, least * before) or self._watch.stopped():
                break


def _worth(state: Any) -> float:
    return cut_of(state) + _OUTSIDE * float(state.outside.sum())


def _member(state: Any) -> Member:
    return Member(state.labels.copy(), cut_of(state), float(state.outside.sum()))


def _seed(rng: np.random.Generator) -> np.ndarray:
    """A state of the kernels' generator, which must not be zero."""
    return np.array([rng.integers(1, 2**63)], dtype=np.uint64)
