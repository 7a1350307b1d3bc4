"""Refinement of a fair clustering on the normalised cut itself.

Two methods, both of which keep every cell within its bounds:

* `flow_steps`: the exact flow with the costs of weighted kernel k-means (Dhillon, Guan and Kulis
  2007, doi 10.1109/TPAMI.2007.1115), computed from ``M`` times the indicator. It needs nothing
  but products with ``M``, and is for affinities whose rows are not in memory.
* `local_search`: moves and swaps of single persons with their exact effect on the cut, repeated
  after random perturbations. It needs the rows of ``W`` in memory, or computed quickly.

Neither ever returns a larger cut than it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from fairspectral.checkpoint import section
from fairspectral.cut import CutState, kept_within
from fairspectral.linalg.threads import allowed_threads, in_threads
from fairspectral.progress import ROUNDING, note, report
from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.flow import load_kernels
from fairspectral.rounding.rows import can_move, rows_of
from fairspectral.rounding.start import Assign

# The kernel ``sigma D^-1 + D^-1 W D^-1`` is positive definite from sigma = 1 on, and then a step
# cannot raise the cut. Smaller shifts make bolder steps, which are tried first and undone if
# they fail; on an indefinite graph they succeed for most of the way.
SHIFTS = (-0.5, 0.0, 0.5, 1.0)

# Random swaps that perturb a local optimum, as a share of all persons: between these two,
# uniformly on a logarithmic scale.
_WEAKEST_SHAKE, _STRONGEST_SHAKE = 0.02, 0.4

# Perturbations of the same optimum, of which the best counts: as many as small machines have
# cores. More of them find less each, and another number would give other labels.
_TOGETHER = 2

# Default number of perturbations, and the work (affinities and cells visited) that they may
# take: some seconds.
_FEWEST_ROUNDS, _MOST_ROUNDS = 5, 100
_WORK = 3.5e9

# Gains below this are floating-point error.
LEAST_GAIN = 1e-9

# A step with all persons, which costs a pass, is worth another one of its kind if the cut has
# fallen by this part of it.
WORTH_A_PASS = 1e-4


def kernel_costs(state: CutState, degrees: np.ndarray, shift: float) -> np.ndarray:
    """Weighted kernel k-means costs of each person in each cluster, shape (n, k).

    The squared distance to the mean of cluster l in the feature space of the kernel
    ``shift D^-1 + D^-1 W D^-1``, times the weight ``d_i``; terms independent of l are left out.
    """
    n = len(state.labels)
    costs = state.links * (-2.0 / state.volumes)
    costs += degrees[:, None] * (state.within / state.volumes**2 + shift / state.volumes)
    own = 2.0 * shift * degrees / state.volumes[state.labels]
    costs[np.arange(n), state.labels] -= own
    return costs


def flow_steps(
    affinity: Any,
    state: CutState,
    assign: Assign,
    *,
    max_passes: int = 20,
) -> CutState:
    """Kernel k-means by the flow, as long as the cut falls.

    Parameters
    ----------
    affinity : AffinityOperator
        Applies ``M``.
    state : CutState
        The start, already fair.
    assign : Assign
        The flow for clusters of the sizes that the start has.
    max_passes : int
        Largest number of products with ``M``.
    """
    shifts = list(SHIFTS)
    potentials = None
    while shifts and max_passes > 0:
        flow = assign(kernel_costs(state, affinity.degrees, shifts[0]), potentials)
        if np.array_equal(flow.labels, state.labels):
            shifts.pop(0)
            continue
        max_passes -= 1
        trial = CutState.measure(affinity, flow.labels, len(state.volumes))
        fall = state.cut - trial.cut
        if fall > LEAST_GAIN:
            state, potentials = trial, flow.potentials
        if fall <= WORTH_A_PASS * state.cut:
            shifts.pop(0)
    return state


def tighten(affinity: Any, state: CutState, assign: Assign) -> CutState:
    """The clustering nearest to a given one, in the kernel's feature space, within new bounds."""
    # Without a shift, which would only keep people where they are: larger ones ended no lower.
    flow = assign(kernel_costs(state, affinity.degrees, 0.0))
    return CutState.measure(affinity, flow.labels, len(state.volumes))


def local_search(
    affinity: Any,
    state: CutState,
    rules: Sequence[FairnessRule],
    kinds: np.ndarray,
    *,
    smallest: int,
    largest: int | None = None,
    rounds: int,
    rng: np.random.Generator,
    progress: tuple[float, float] = (0.0, 1.0),
    stopped: Callable[[], bool] = lambda: False,
) -> CutState:
    """Moves and swaps of single persons, repeated after random perturbations.

    Parameters
    ----------
    affinity : AffinityOperator
        If it neither holds rows of ``W`` nor computes single ones quickly, nothing is done.
    state : CutState
        The start, already fair.
    rules : sequence of FairnessRule
        One for each attribute; every move keeps all of them.
    kinds : ndarray of shape (n,)
        Persons of one kind belong to the same groups of all attributes.
    smallest : int
        No cluster may become smaller.
    largest : int or None
        No cluster may become larger; None is no ceiling.
    rounds : int
        How many times a local optimum is perturbed by random swaps; the best one is kept.
    rng : numpy Generator
        For the orders and the perturbations; the result does not depend on the number of threads.
    progress : tuple of two floats
        Fractions of the whole rounding at which this search begins and ends.
    stopped : callable
        Asked before every perturbation; a true answer ends the search.
    """
    if not can_move(affinity) or len(state.volumes) == 1:
        return state
    search = _Descents(affinity, rules, kinds, smallest, largest)
    best, k = make_partition(state, rules), len(state.volumes)
    saved, done = section("moves"), 0
    if (before := saved.finished() or saved.under_way()) is not None:
        best, value, done = type(best)(*before["best"]), before["value"], before["done"]
        rng.spawn(done)  # the streams of the rounds before
        rng.bit_generator.state = before["rng"]
    else:
        value = search.descend(best, rng)
    begin, end = progress
    while done < rounds and not stopped():
        report(ROUNDING, begin + (end - begin) * done / rounds)
        note(ROUNDING, f"cut {k - value:.4g}")
        together = min(_TOGETHER, rounds - done)
        trials = search.shake_and_descend(best, rng.spawn(together))
        trial_value, trial = max(trials, key=lambda one: one[0])
        if trial_value > value:
            best, value = trial, trial_value
        done += together
        saved.advance(partial(_progress, best, value, done, rng))
    saved.finish(_progress(best, value, done, rng))
    final = CutState(best.labels, best.links.T, best.within, best.volumes)
    return final if final.cut < state.cut else state


def _progress(best: Any, value: float, done: int, rng: np.random.Generator) -> dict[str, Any]:
    """All that a later process needs to go on after so many perturbations."""
    return {"best": list(best), "value": value, "done": done, "rng": rng.bit_generator.state}


class _Descents:
    """Moves and swaps on one affinity, within the bounds, as long as they lower the cut."""

    def __init__(
        self,
        affinity: Any,
        rules: Sequence[FairnessRule],
        kinds: np.ndarray,
        smallest: int,
        largest: int | None,
    ) -> None:
        self._kernels = load_kernels("refine_kernels")
        self._rows, self._band = rows_of(affinity), make_band(rules, smallest, largest)
        self._kinds, self._n_kinds = kinds.astype(np.int64), int(kinds.max()) + 1

    def descend(self, partition: Any, rng: np.random.Generator) -> float:
        """Change a partition into a local optimum; what it keeps within the clusters."""
        rows, band, kernels = self._rows, self._band, self._kernels
        value = kept_within(partition.within, partition.volumes)
        while True:
            before, order = value, rng.permutation(len(partition.labels))
            changes = kernels.sweep(rows, partition, band, order, LEAST_GAIN)
            value = kept_within(partition.within, partition.volumes)
            changed = np.ones(len(partition.sizes), dtype=bool)
            while swaps := kernels.swap_round(
                rows, partition, band, self._kinds, self._n_kinds, LEAST_GAIN, changed
            ):
                changes += swaps
                unswapped, value = value, kept_within(partition.within, partition.volumes)
                if value <= unswapped:
                    break
            # Gains that do not add up are floating-point errors; stop, or it may never end.
            if not changes or value <= before:
                return value

    def shake_and_descend(
        self, best: Any, streams: Sequence[np.random.Generator]
    ) -> list[tuple[float, Any]]:
        """A local optimum near another one for each random stream, in threads."""

        def work(first: int, last: int) -> list[tuple[float, Any]]:
            return [self._shake_and_descend(best, rng) for rng in streams[first:last]]

        bounds = np.linspace(0, len(streams), allowed_threads() + 1).astype(int)
        return [trial for part in in_threads(work, bounds) for trial in part]

    def _shake_and_descend(self, best: Any, rng: np.random.Generator) -> tuple[float, Any]:
        trial, n = type(best)(*(part.copy() for part in best)), len(best.labels)
        strength = _WEAKEST_SHAKE * (_STRONGEST_SHAKE / _WEAKEST_SHAKE) ** rng.random()
        pairs = rng.integers(0, n, (max(1, int(strength * n)), 2))
        self._kernels.perturb(self._rows, trial, self._band, self._kinds, pairs)
        return self.descend(trial, rng), trial


def affordable_rounds(affinity: Any, n_clusters: int) -> int:
    """Default rounds of the local search: 100, down to 5 where one takes seconds.

    A round rewrites many rows of links, and goes through all persons and clusters several
    times; the weight between the two was measured.
    """
    n = affinity.shape[0]
    work = affinity.density * n**2 + 100.0 * n * n_clusters
    return int(np.clip(_WORK / work, _FEWEST_ROUNDS, _MOST_ROUNDS))


def make_partition(state: CutState, rules: Sequence[FairnessRule]) -> Any:
    """A copy of a state, in the form for the compiled code that changes it."""
    k = len(state.volumes)
    tables = [rule.count(state.labels, k) for rule in rules]
    return load_kernels("refine_kernels").Partition(
        state.labels.astype(np.int32),
        np.array(state.links.T, order="C"),  # a copy: the search changes it
        state.within.copy(),
        state.volumes.copy(),
        np.concatenate(tables),
        np.bincount(state.labels, minlength=k).astype(np.int64),
    )


def make_band(rules: Sequence[FairnessRule], smallest: int, largest: int | None = None) -> Any:
    """What every cluster must satisfy, in the form for the compiled code."""
    offsets = np.cumsum([0] + [len(rule.target) for rule in rules[:-1]])
    memberships = [
        rule.attribute.codes + offset for rule, offset in zip(rules, offsets, strict=True)
    ]
    return load_kernels("refine_kernels").Band(
        np.stack(memberships).astype(np.int64),
        np.concatenate([rule.attribute.counts for rule in rules]).astype(np.int64),
        np.concatenate([rule.lower for rule in rules]),
        np.concatenate([rule.upper for rule in rules]),
        smallest,
        len(memberships[0]) if largest is None else largest,
    )
