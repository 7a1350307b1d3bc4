"""Cluster resamples of the people, and the same people with other seeds, and count agreement."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fairspectral.affinity import AffinityOperator
from fairspectral.affinity.induced import induce
from fairspectral.anytime import check_time_budget, searching
from fairspectral.parameters import check_whole_number, is_boolean, seeded
from fairspectral.progress import report, unheard
from fairspectral.resampling.agreement import Agreement, agree
from fairspectral.resampling.result import Stability
from fairspectral.validation import Attribute, FairSpectralWarning

# The stage of these clusterings, for those who show progress.
STABILITY = "stability"

# Clusters some people, given their affinities, their indices, a seed and seconds (None: no limit),
# once for each reference.
Refit = Callable[[AffinityOperator, np.ndarray, int, float | None], list[np.ndarray]]


@dataclass(frozen=True)
class Resampling:
    """How often to cluster again, and whom.

    Attributes
    ----------
    n_resamples : int
        Resamples of the people.
    n_seeds : int
        Further clusterings of everybody, with other seeds.
    fraction : float
        The part of the people in a resample.
    time_budget : float or None
        Seconds for all of it; None is no limit.
    random_state : int, RandomState or None
        Who is in which resample, and the seeds.
    """

    n_resamples: int
    n_seeds: int
    fraction: float
    time_budget: float | None
    random_state: Any

    def check(self) -> None:
        """Refuse invalid values."""
        check_whole_number(self.n_resamples, "n_resamples")
        check_whole_number(self.n_seeds, "n_seeds", least=0)
        part = self.fraction
        if is_boolean(part) or not isinstance(part, Real) or not 0 < part < 1:
            raise ValueError(
                f"fraction={part!r} is not a part of the people; pass a number between 0 and 1, "
                "such as 0.8."
            )
        check_time_budget(self.time_budget)


def measure_stability(
    operator: AffinityOperator,
    kinds: np.ndarray,
    references: Sequence[np.ndarray],
    refit: Refit,
    resampling: Resampling,
    *,
    effort: str,
) -> list[Stability]:
    """The stability of each reference, a clustering of everybody.

    Parameters
    ----------
    operator : AffinityOperator
        The affinities of everybody.
    kinds : integer ndarray of shape (n,)
        The combination of groups that each person belongs to.
    references : sequence of integer ndarray of shape (n,)
        The clusterings, numbered from 0.
    refit : callable
        Clusters again, once for each reference.
    resampling : Resampling
        How often.
    effort : str
        How long `refit` searches, to be said.
    """
    resampling.check()
    everybody = np.arange(operator.shape[0])
    rng = seeded(resampling.random_state)
    # Two lists, so that more resamples keep those there were.
    lists = [np.random.RandomState(rng.randint(2**31 - 1)) for _ in range(2)]
    seeds = [("resample", s) for s in lists[0].randint(2**31 - 1, size=resampling.n_resamples)]
    seeds += [("seed", s) for s in lists[1].randint(2**31 - 1, size=resampling.n_seeds)]
    found: dict[str, list[list[Agreement]]] = {"resample": [], "seed": []}
    with searching(resampling.time_budget) as deadline, warnings.catch_warnings():
        # What is to be said of the affinities and groups was said of everybody.
        warnings.simplefilter("ignore", FairSpectralWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        for at, (kind, seed) in enumerate(seeds):
            if at and deadline.passed:
                break
            report(STABILITY, at / len(seeds))
            left = None if resampling.time_budget is None else deadline.seconds_left
            own = np.random.RandomState(seed)
            part, people = operator, everybody
            if kind == "resample":
                part, people = induce(operator, draw(kinds, resampling.fraction, own))
            with unheard():
                seconds = None if left is None else max(left / (len(seeds) - at), 1e-3)
                again = refit(part, people, own.randint(2**31 - 1), seconds)
            if at and deadline.interrupted:
                break  # the search in it was stopped early
            pairs = zip(references, again, strict=True)
            found[kind].append([agree(r[people], a, int(r.max()) + 1, own) for r, a in pairs])
    report(STABILITY, 1.0)
    stopped = sum(map(len, found.values())) < len(seeds)
    ended_by = ""
    if stopped and (deadline.interrupted or resampling.time_budget is not None):
        ended_by = "Ctrl-C" if deadline.interrupted else "The time budget"
    return [
        Stability.of(
            reference,
            [agreements[i] for agreements in found["resample"]],
            [agreements[i] for agreements in found["seed"]],
            fraction=float(resampling.fraction),
            effort=effort,
            asked=(resampling.n_resamples, resampling.n_seeds) if stopped else None,
            ended_by=ended_by,
        )
        for i, reference in enumerate(references)
    ]


def kinds_of(attributes: tuple[Attribute, ...], n: int) -> np.ndarray:
    """The combination of groups that each of n people belongs to, numbered from 0."""
    if not attributes:
        return np.zeros(n, dtype=np.intp)
    codes = np.stack([attribute.codes for attribute in attributes], axis=1)
    return np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)


def draw(kinds: np.ndarray, fraction: float, rng: np.random.RandomState) -> np.ndarray:
    """Indices of a part of the people, ascending; at least one of each kind.

    The same part of each combination of groups is drawn, so that everyone's shares, and with them
    the bounds of a fair clustering, stay the same up to whole persons. Nobody is drawn twice:
    copies of a person have the largest affinity there is, and would be clusters of their own.
    """
    drawn = []
    for kind in np.unique(kinds):
        members = np.flatnonzero(kinds == kind)
        size = max(1, round(fraction * len(members)))
        drawn.append(rng.choice(members, size=size, replace=False))
    return np.sort(np.concatenate(drawn))
