"""Starts for the search on the cut: clusterings from several embeddings.

How tight the embedding's constraint should be depends on the bounds of the labels, and whether a
regulariser helps depends on the graph; no single choice is best everywhere. Each start is
k-means on the rows of one embedding; the search moves it into the bounds. They are for sparse
graphs: on dense affinities the exactly fair embedding is the one start, and without bounds the
plain one beside it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fairspectral.affinity import AffinityOperator
from fairspectral.affinity.fringe import Fringe, find_fringe, without_fringe
from fairspectral.affinity.wrapped import PenalisedOperator, RegularisedOperator
from fairspectral.anytime import Deadline, Enough, give_up_when
from fairspectral.constraints import FairnessConstraints, attributes_of
from fairspectral.cut import CutState
from fairspectral.parameters import seeded
from fairspectral.problem import FairCutProblem
from fairspectral.rounding.placement import rows_of_all, start_beside_fringe
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.start import WeightedRows, floored_clusters
from fairspectral.solvers.registry import solve
from fairspectral.solvers.result import Callback
from fairspectral.validation import Attribute

# scripts/ablate_starts.py shows what these are worth.
# The regulariser as a part of the mean degree.
_REGULARISER = 0.1
# Gap of the objective at which these solves stop: the cut after the search is the same as at
# 1e-3, in three quarters of the passes.
_GAP = 1e-2
# Rows of unit length, or weighted by degree, are better in most graphs. Rows as they are isolate a
# few people who hang on the rest by an edge, which is best where there are no bounds and the floor
# allows it: then both are tried, with so many runs of k-means each. Within bounds one run will do,
# since the search needs different starts rather than polished ones.
_SCALINGS = ("auto", "none")
_N_INIT = 10


@dataclass(frozen=True)
class Kind:
    """An embedding between the plain and the fair one.

    Attributes
    ----------
    name : str
        In words, for the result.
    strength : float
        ``mu`` of ``M - mu Q Q^T``: 0 is plain, infinity exactly fair.
    regularised : bool
        Whether of ``W + (tau/n) 1 1^T``.
    without_trees : bool
        Whether trees that dangle from the graph are set aside as well.
    """

    name: str
    strength: float
    regularised: bool = False
    without_trees: bool = False


FAIR = Kind("fair embedding", np.inf)
_NEARLY_FAIR = Kind("nearly fair embedding", 1.0)
_HALF_FAIR = Kind("embedding between plain and fair", 0.1)
PLAIN = Kind("plain embedding", 0.0)
_FAIR_REGULARISED = Kind("fair regularised embedding", np.inf, regularised=True)
_PLAIN_REGULARISED = Kind("plain regularised embedding", 0.0, regularised=True)
_FAIR_NO_TREES = Kind("fair embedding without dangling trees", np.inf, without_trees=True)
_PLAIN_NO_TREES = Kind(
    "plain regularised embedding without dangling trees", 0.0, regularised=True, without_trees=True
)

# In the order in which they are worth their time; each effort takes the first few.
_BOUNDED = (FAIR, _FAIR_REGULARISED, _NEARLY_FAIR, PLAIN, _PLAIN_REGULARISED, _HALF_FAIR,
            _FAIR_NO_TREES, _PLAIN_NO_TREES)  # fmt: skip
_UNBOUNDED = (PLAIN, _PLAIN_REGULARISED, FAIR, _NEARLY_FAIR, _HALF_FAIR, _FAIR_REGULARISED,
              _PLAIN_NO_TREES, _FAIR_NO_TREES)  # fmt: skip
_COUNTS = {"fast": 1, "default": 3, "thorough": 8}
# Beyond this many people only a third of them: of a million an embedding takes two thirds of the
# time of the whole search (benchmarks/scaling.py).
_MANY = 200_000


@dataclass(frozen=True)
class StartRows:
    """The rows to cluster for one start: its name, who is set aside, and the seed of k-means."""

    name: str
    rows: np.ndarray
    fringe: Fringe
    seed: int


@dataclass(frozen=True)
class Start:
    """A clustering to search from: its name, and labels of shape (n,), within the bounds or not."""

    name: str
    labels: np.ndarray


def choose_kinds(plan: RoundingPlan, *, dense: bool = False) -> tuple[Kind, ...]:
    """The embeddings that are worth their time at this effort, the best guess first.

    On dense affinities it is the plain one where there are no bounds, beside the fair one.
    """
    if dense:
        return (PLAIN,) if plan.is_free else ()
    count = _COUNTS[plan.effort]
    if len(plan.kinds) > _MANY:
        count = max(1, count // 3)
    return (_UNBOUNDED if plan.is_free else _BOUNDED)[:count]


def without_trees(name: str) -> bool:
    """Whether the start of this name was embedded without the trees that dangle."""
    return name in (_FAIR_NO_TREES.name, _PLAIN_NO_TREES.name)


def make_starts(
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    plan: RoundingPlan,
    rows: np.ndarray,
    *,
    fringe: Fringe | None = None,
    random_state: Any = None,
) -> list[Start]:
    """Clusterings from several embeddings, with the floor on sizes and no other bounds.

    Parameters
    ----------
    operator : AffinityOperator
        The affinities of everybody.
    attributes : tuple of Attribute
        The groups.
    plan : RoundingPlan
        k, bounds, floor, and the effort that says how many.
    rows : ndarray of shape (n, d)
        The fair embedding ``D^-1/2 H`` that is known already; of those who were set aside, any.
    fringe : Fringe or None
        Who was set aside before that embedding.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    list of Start
        Different ones, the best guess first.
    """
    kinds = choose_kinds(plan)
    embeddings = embed_starts(
        kinds, operator, attributes, plan, rows, fringe=fringe, random_state=random_state
    )
    return starts_from(embeddings, operator, plan)


def embed_starts(
    kinds: Sequence[Kind],
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    plan: RoundingPlan,
    rows: np.ndarray,
    *,
    fringe: Fringe | None = None,
    first_needed: bool = True,
    random_state: Any = None,
) -> Embeddings:
    """Embeddings of some kinds, which serve all plans of the same floor; see `make_starts`.

    The first one is computed to its end whatever the time, unless it is not needed either.
    """
    return Embeddings(
        _embed_one_by_one(
            kinds, operator, attributes, plan, rows, fringe, first_needed, random_state
        )
    )


def _embed_one_by_one(
    kinds: Sequence[Kind],
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    plan: RoundingPlan,
    rows: np.ndarray,
    fringe: Fringe | None,
    first_needed: bool,
    random_state: Any,
) -> Iterator[StartRows | None]:
    """The embeddings, each computed when it is asked for, so that none is where the time is over.

    None stands for one that was given up because the time was over before it was ready. Whoever
    asks after that, in a time of their own, gets this one, from the seed that it had.
    """
    fringe = fringe or Fringe.none(operator.shape[0])
    rng = seeded(random_state)
    # An embedding may take long on a large graph, and has nothing to show before its end.
    give_up = give_up_when(lambda: Deadline().passed)
    watch: Callback | None = None if first_needed else give_up
    for kind in kinds:
        own, aside = rows, fringe
        if kind.without_trees:
            aside = find_fringe(operator, plan.smallest, trees=True)
            if len(aside.kept) == len(fringe.kept) or len(aside.kept) < len(rows) / 2:
                continue  # no trees, or little else
        if kind is not FAIR:
            inner = without_fringe(operator, aside) if aside else operator
            groups = attributes_of(attributes, aside.kept)
            embedding, before = None, rng.get_state()
            while embedding is None:
                try:
                    embedding = embed_kind(kind, inner, groups, rows.shape[1], rng, callback=watch)
                except Enough:
                    rng.set_state(before)
                    yield None
            own = rows_of_all(embedding, aside)
        yield StartRows(kind.name, own, aside, rng.randint(2**31 - 1))
        watch = give_up


class Embeddings:
    """Embeddings for several plans: each is computed when the first plan asks for it, and kept.

    One that a plan gave up, for its time was over, is computed when the next plan asks for it.

    Attributes
    ----------
    made : list of StartRows
        Those that were asked for so far.
    """

    def __init__(self, pending: Iterator[StartRows | None]) -> None:
        self._pending, self.made = pending, list[StartRows]()

    def __iter__(self) -> Iterator[StartRows]:
        yield from self.made
        for one in self._pending:
            if one is None:
                return
            self.made.append(one)
            yield one


def starts_from(
    embeddings: Iterable[StartRows],
    operator: AffinityOperator,
    plan: RoundingPlan,
    deadline: Deadline | None = None,
) -> list[Start]:
    """The different clusterings of some embeddings, in their order.

    The first is always made, if it was embedded, and none after the deadline.
    """
    found: list[Start] = []
    deadline = deadline or Deadline()
    for one in embeddings:
        labels = _labels(one.rows, operator, plan, one.fringe, one.seed, deadline)
        if not any(np.array_equal(labels, other.labels) for other in found):
            found.append(Start(one.name, labels))
        if deadline.passed:
            break
    return found


def embed_kind(
    kind: Kind,
    operator: AffinityOperator,
    attributes: tuple[Attribute, ...],
    n_components: int,
    random_state: Any = None,
    tol: float = _GAP,
    callback: Callback | None = None,
) -> np.ndarray:
    """The embedding of one kind, of shape (n, n_components), to a loose tolerance.

    It is never started from the exactly fair vectors: they are nearly invariant under all these
    operators, so a solver stops at once and takes them for the answer.
    """
    if kind.regularised:
        operator = RegularisedOperator(operator, _REGULARISER * float(operator.degrees.mean()))
    none = constraints = FairnessConstraints.none(operator.shape[0])
    if attributes and kind.strength > 0:
        constraints = FairnessConstraints.from_attributes(attributes, operator.degrees)
        if np.isfinite(kind.strength):
            operator = PenalisedOperator(operator, constraints.basis, kind.strength)
            constraints = none
    problem = FairCutProblem(operator, constraints, n_components)
    with warnings.catch_warnings():
        # A start need not be accurate.
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = solve(problem, params={"tol": tol}, callback=callback, random_state=random_state)
    return result.vectors / np.sqrt(operator.degrees)[:, None]


def _labels(
    rows: np.ndarray,
    operator: AffinityOperator,
    plan: RoundingPlan,
    fringe: Fringe,
    seed: int,
    deadline: Deadline,
) -> np.ndarray:
    """k-means with a floor; without bounds, with the scaling of the rows that cuts least."""
    free = plan.is_free
    scalings = _SCALINGS if free and plan.row_scaling == "auto" else (plan.row_scaling,)
    n_init = _N_INIT if free else 1
    found = []
    for scaling in scalings:
        points = WeightedRows.scaled(rows, None, scaling, operator)
        if fringe:
            labels = start_beside_fringe(points, operator, fringe, plan, n_init, seed)[0]
        else:
            labels = floored_clusters(
                points, plan.n_clusters, plan.smallest, n_init, seed, largest=plan.largest
            )
        found.append(labels)
        if deadline.passed:
            break
    if len(found) == 1:
        return found[0]
    return min(found, key=lambda one: CutState.measure(operator, one, plan.n_clusters).cut)
