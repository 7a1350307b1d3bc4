"""Signs that a clustering means little even if its shares are fair, each with numbers and advice.

The certificate counts people; it does not say whether the clusters are meaningful. This module
checks a sample of rows of the affinities, and what the fit has computed already: sizes, the cut
and the eigenvalues. `benchmarks/diagnosis.py` shows which data the thresholds flag and which
they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from fairspectral.affinity import AffinityOperator
from fairspectral.auditing import Audit
from fairspectral.rounding.plan import default_floor
from fairspectral.rounding.result import FairAssignment

if TYPE_CHECKING:
    from fairspectral.solvers.result import SolveResult

# Rows of the affinities in the sample: 2016 pairs of people, enough for medians and ranks.
_ROWS, _FEWEST_ROWS = 64, 8
# Largest number of values in those rows (32 MB), except that a few rows are always used.
_NUMBERS = 2**22
# One cluster is giant if the others hold a quarter of everyone at most, and each of them an
# eighth on average: a clear split in two, such as 80% and 20%, does not count.
_GIANT, _CRUMB = 0.75, 0.125
# From half on, the typical person is more like themselves than like all others together.
_OWN = 0.5
# Affinities whose standard deviation is below a twentieth of their mean hardly separate people.
_SPREAD = 0.05
# Rank correlation between two people's affinity and the similarity of their rows: -0.8 or less for
# distances in the benchmark, 0.8 or more for kernels, and about 0 for random weights.
_REVERSED = -0.25
# With fewer pairs the correlation may be as low by chance.
_PAIRS = 100
# Cuts above 95% of that of random labels; the hardest good data of the benchmark reach 94%.
_NEAR_MAXIMUM = 0.95
# Drop between two eigenvalues: noise has 4% at most in the benchmark, good data 15% at least.
_DROP = 0.05


@dataclass(frozen=True)
class Finding:
    """One sign: its kind, what was found, and what to try."""

    kind: str
    what: str
    advice: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what} {self.advice}"


@dataclass(frozen=True)
class Diagnosis:
    """Signs against a clustering; true if there are any, and printed as a list.

    Attributes
    ----------
    findings : tuple of Finding
        Each has a ``kind`` of two or three words, ``what`` was found and ``advice``.
    """

    findings: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the findings, in order."""
        return tuple(finding.kind for finding in self.findings)

    def caution(self, claim: str = "") -> str:
        """The caution to show beside a claim such as "Certified"; empty if nothing was found."""
        if not self.findings:
            return ""
        about = f"{claim} is about shares only; see" if claim else "See"
        return f"{about} the diagnosis: {', '.join(self.kinds)}."

    def add_to(self, assignment: FairAssignment | None) -> FairAssignment | None:
        """The assignment with the caution as the last line of its certificate."""
        if assignment is None or not self.findings:
            return assignment
        caution = self.caution("Certified" if assignment.certified else "The certificate")
        return replace(assignment, certificate=f"{assignment.certificate}\n{caution}")

    def __str__(self) -> str:
        if not self.findings:
            return "Diagnosis: nothing found that speaks against the clustering."
        return "\n".join(["Diagnosis:", *(f"- {finding}" for finding in self.findings)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not self.findings:
            return f"<div>{escape(str(self))}</div>"
        rows = "".join(
            f"<li><b>{escape(f.kind)}</b>: {escape(f.what)} <i>{escape(f.advice)}</i></li>"
            for f in self.findings
        )
        return f"<div>Diagnosis:<ul>{rows}</ul></div>"


def diagnose(
    operator: AffinityOperator,
    audit: Audit,
    result: SolveResult,
    assignment: FairAssignment | None = None,
    embedded: AffinityOperator | None = None,
) -> Diagnosis:
    """Diagnose a fit.

    Bad affinities cannot give a low cut or a gap, so those two are checked only where the
    affinities are good, and the gap only where there are not many components.

    Parameters
    ----------
    operator : AffinityOperator
        The affinities.
    audit : Audit
        Sizes and the normalised cut.
    result : SolveResult
        The eigenvalues, and ``details["next_eigenvalue"]`` if the solver computed it.
    assignment : FairAssignment or None
        The floor of the sizes; None takes the default floor.
    embedded : AffinityOperator or None
        The affinities of those who were embedded, where small components were set aside.
    """
    k, sample = len(audit.sizes), Sample.of(operator)
    affinity = look_at_affinities(sample)
    apart = look_at_components((embedded or operator).component_sizes(), k)
    findings = [affinity, apart]
    if affinity is None and audit.normalized_cut is not None:
        findings.append(look_at_cut(audit.normalized_cut, k, sample.own_volume))
    if affinity is None and apart is None:
        following = result.details.get("next_eigenvalue")
        findings.append(look_at_spectrum(result.eigenvalues, following, k))
    floor = None if assignment is None else assignment.min_cluster_size
    findings += look_at_sizes(audit.sizes, floor)
    return Diagnosis(tuple(finding for finding in findings if finding is not None))


@dataclass(frozen=True)
class Sample:
    """Some rows of the affinities.

    Attributes
    ----------
    indices : ndarray of shape (m,)
        Indices of these rows.
    rows : ndarray of shape (m, n), float64
        Their affinities.
    own_shares : ndarray
        The part of people's affinity that is with themselves: of everyone where the affinities
        are stored, else of the sample.
    own_volume : float
        The same of all affinity together.
    """

    indices: np.ndarray
    rows: np.ndarray
    own_shares: np.ndarray
    own_volume: float

    @classmethod
    def of(cls, operator: AffinityOperator) -> Sample:
        """Take the sample."""
        n = operator.shape[0]
        m = min(n, _ROWS, max(_FEWEST_ROWS, _NUMBERS // n))
        # The same people each time: a fit's own random numbers are not touched.
        indices = np.sort(np.random.default_rng(0).choice(n, size=m, replace=False))
        rows = operator.rows(indices).astype(np.float64, copy=False)
        W = operator.stored_weights
        if W is None:
            own, degrees = rows[np.arange(m), indices], operator.degrees[indices]
        else:
            own, degrees = W.diagonal().astype(np.float64), operator.degrees
        return cls(indices, rows, own / degrees, float(own.sum() / degrees.sum()))

    @property
    def own(self) -> np.ndarray:
        """Each person's affinity with themselves, shape (m,)."""
        return self.rows[np.arange(len(self.indices)), self.indices]

    @cached_property
    def others(self) -> np.ndarray:
        """Affinities of different people, shape (m, n - 1)."""
        m, n = self.rows.shape
        kept = np.ones((m, n), dtype=bool)
        kept[np.arange(m), self.indices] = False
        return self.rows[kept].reshape(m, n - 1)

    @property
    def spread(self) -> float:
        """Standard deviation of the affinities of different people over their mean."""
        mean = self.others.mean()
        return float(np.std(self.others / mean)) if mean > 0 else np.inf

    @property
    def agreement(self) -> float | None:
        """Rank correlation of two people's affinity with the similarity (cosine) of their rows.

        Positive where similar people have a large affinity, negative for distances. The entries
        of the two with each other and themselves are left out of their rows, and only directions
        are compared, since rows of outliers are short. None where it is undefined.
        """
        rows = self.rows / self.rows.max(axis=1, keepdims=True)  # squares must not overflow
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        mutual, own = rows[:, self.indices], rows[np.arange(len(self.indices)), self.indices]
        gram = rows @ rows.T - own[:, None] * mutual.T - mutual * own[None, :]
        left = np.maximum(1 - own[:, None] ** 2 - mutual**2, 1e-12)
        likeness = gram / np.sqrt(left * left.T)
        pairs = np.triu_indices(len(self.indices), 1)
        ranks = [rankdata(values[pairs]) for values in ((mutual + mutual.T) / 2, likeness)]
        if len(pairs[0]) < _PAIRS or min(float(np.ptp(rank)) for rank in ranks) == 0:
            return None
        return float(np.corrcoef(*ranks)[0, 1])


def look_at_affinities(sample: Sample) -> Finding | None:
    """Distances, nearly the identity, or nearly constant: the first that applies."""
    if sample.rows.shape[1] < 3:
        return None
    # Graphs have an empty diagonal too, but few edges; distances are zero between copies only.
    full = np.count_nonzero(sample.others) > sample.others.size / 2
    if full and (sample.own <= 0.01 * sample.others.mean()).all():
        agreement = sample.agreement
        if agreement is not None and agreement < _REVERSED:
            return Finding(
                "distances as affinities",
                "People have no affinity with themselves, and those who are alike have the "
                f"smallest affinities (rank correlation {agreement:.2f}), as in a matrix of "
                "distances.",
                "If X holds distances, turn them into affinities first, for example "
                "exp(-D**2 / (2 * median(D)**2)).",
            )
    own = float(np.median(sample.own_shares))
    if own > _OWN:
        return Finding(
            "nearly the identity",
            f"The typical person has {own:.0%} of all affinity with themselves, and little with "
            "others.",
            "Try a wider kernel (a smaller gamma), or a graph of nearest neighbours.",
        )
    if sample.spread < _SPREAD:
        seen = f"differ by {sample.spread:.2g} of their mean"
        return Finding(
            "nearly constant affinities",
            f"The affinities {seen if sample.spread > 1e-6 else 'are all equal'}, so they hardly "
            "tell one person from another.",
            "Check that the data are not constant, standardise them, and try a narrower kernel "
            "(a larger gamma).",
        )
    return None


def look_at_components(sizes: np.ndarray | None, k: int) -> Finding | None:
    """More connected components than clusters; `sizes` is None where they are not known."""
    if sizes is None or len(sizes) <= k:
        return None
    n, outside = int(sizes.sum()), int(sizes.sum() - sizes.max())
    return Finding(
        "more components than clusters",
        f"The affinities fall into {len(sizes):,} unconnected components for {k} cluster(s), with "
        f"{outside:,} of {n:,} people outside the largest; which of them share a cluster is "
        "arbitrary.",
        "Connect them with more neighbours or a wider kernel, or cluster the largest component "
        "alone.",
    )


def look_at_cut(cut: float, k: int, own_volume: float) -> Finding | None:
    """A cut near that of random labels.

    Random labels keep in a cluster of volume share p the share p of the affinity between
    different people, and all of that with oneself. The sum over the clusters of what they lose,
    ``(1 - p)(1 - own_volume)``, is ``(k - 1)(1 - own_volume)`` whatever the sizes.
    """
    random = (k - 1) * (1 - own_volume)
    if k < 2 or cut < _NEAR_MAXIMUM * random:
        return None
    return Finding(
        "cut near its maximum",
        f"The normalised cut is {cut:.4g}, and random labels would have about {random:.4g}: "
        "people have hardly more affinity within the clusters than between them.",
        "Try a narrower kernel (a larger gamma), a graph of nearest neighbours, or other features.",
    )


def look_at_spectrum(eigenvalues: np.ndarray, following: float | None, k: int) -> Finding | None:
    """No drop after any of the 2nd to the k-th eigenvalue; `following` is the (k+1)-th.

    A k beyond the last drop may be chosen for good reasons, so one drop is enough.
    """
    if following is None or len(eigenvalues) != k or k < 2:
        return None
    if largest_drop(eigenvalues, following) >= _DROP:
        return None
    last = f"{eigenvalues[-1]:.3g} to {following:.3g}"
    return Finding(
        "no gap in the spectrum",
        f"None of the eigenvalues 2 to {k + 1} drops below the one before by "
        f"{_DROP:.0%} (the last from {last}), as for data without clusters.",
        "Compare numbers of clusters (the command choose-k), or try another affinity or features.",
    )


def largest_drop(eigenvalues: np.ndarray, following: float) -> float:
    """The largest relative drop from the 2nd eigenvalue on to the `following` one.

    A drop from ``a`` to ``b`` is measured against ``a``, since noise gives many equal small ones,
    and against ``1 - b``, since nearly separate clusters give several close to 1.
    """
    a = np.maximum(eigenvalues[1:], 0.0)
    b = np.minimum(np.append(eigenvalues[2:], following), a)
    scale = np.minimum(a, 1 - b)
    return float(np.divide(a - b, scale, out=np.zeros_like(a), where=scale > 1e-12).max())


def look_at_sizes(sizes: np.ndarray, floor: int | None = None) -> list[Finding]:
    """One giant cluster, and clusters at the floor; `floor` is None where there was none."""
    n, k = int(sizes.sum()), len(sizes)
    findings: list[Finding] = []
    if k < 2:
        return findings
    share = sizes.max() / n
    if share >= _GIANT and (1 - share) / (k - 1) <= _CRUMB:
        findings.append(
            Finding(
                "one giant cluster",
                f"One of the {k} clusters holds {share:.0%} of everyone ({sizes.max():,} of "
                f"{n:,}), and the others the rest.",
                "Look for outliers, and try affinity='auto', a graph of nearest neighbours or "
                "fewer clusters.",
            )
        )
    least = default_floor(n, k) if floor is None else floor
    low = int(np.sum(sizes <= least))
    # If clusters of about equal size are requested, they are near the floor for that reason.
    if low and least <= n / (2 * k):
        bound = "at most a tenth of the mean size" if floor is None else "the fewest allowed"
        findings.append(
            Finding(
                "clusters at the floor",
                f"{low} of the {k} clusters have {least:,} people or fewer, {bound}: only the "
                "floor, if anything, kept them from being smaller.",
                "Try fewer clusters, or look for outliers.",
            )
        )
    return findings
