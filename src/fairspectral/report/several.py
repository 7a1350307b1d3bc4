"""Several clusterings of the same people side by side: the numbers of each, and two charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairspectral.metrics import normalized_cut, ratios_of
from fairspectral.palette import cluster_colour, ink_on
from fairspectral.prices import negligible_cut, relative_price
from fairspectral.report.charts import Bar, Bars, LineChart, Segment, Series, line_chart
from fairspectral.report.collect import Judgement, check_unchanged, judge
from fairspectral.report.comparison import without_bounds
from fairspectral.report.words import percent, signed
from fairspectral.resampling.result import Stability

_HEADER = ["clusters", "tolerance", "fair", "sizes", "shares, of everyone’s", "normalised cut",
           "cut / k", "price of fairness", "stability", "weakest cluster", "doubts"]  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One of several clusterings.

    Attributes
    ----------
    name : str
        In words.
    model : FairSpectralClustering
        Fitted.
    price : float or None
        How much larger its cut is than without bounds on the shares, relatively; None where it
        has no bounds, they were not those of a search, Ctrl-C came before the one without, or
        that one found a cut of zero.
    stability : Stability or None
        Which of its clusters come back.
    rough : bool
        Whether the search without bounds, on which the price rests, was stopped early.
    """

    name: str
    model: Any
    price: float | None
    stability: Stability | None
    rough: bool = False

    @property
    def k(self) -> int:
        """Its number of clusters."""
        return int(self.model._asked["n_clusters"])

    @property
    def cut(self) -> float:
        """Its normalised cut."""
        return float(self.model.audit_.normalized_cut)

    @property
    def judgement(self) -> Judgement | None:
        """Whether its shares are within their bounds."""
        return judge(self.model)

    def summary(self) -> dict[str, Any]:
        """Its numbers, for JSON."""
        audit, judgement = self.model.audit_, self.judgement
        return {
            "name": self.name,
            "clusters": self.k,
            "tolerance": self.model.fairness_tol if judgement else None,
            "fair": None if judgement is None else judgement.fair,
            "sizes": audit.sizes,
            "shares_of_everyones": _ratio_range(audit),
            "normalized_cut": self.cut,
            "price": self.price,
            "stability": None if self.stability is None else self.stability.summary(),
            "diagnosis": [finding.kind for finding in self.model.diagnosis_],
        }

    @property
    def doubts(self) -> list[str]:
        """Why its clusters may mean little: the diagnosis, the search, what does not come back."""
        found = [finding.kind for finding in self.model.diagnosis_]
        fair = self.model.fair_assignment_
        if fair is not None and fair.stopped:
            found.append("search stopped early")
        again = () if self.stability is None else self.stability.clusters
        lost = sum(cluster.verdict == "unstable" for cluster in again)
        return [*found, f"{lost} unstable cluster{'s'[: lost > 1]}"] if lost else found

    def cells(self) -> list[str]:
        """Its row of the table, without its name."""
        audit, judgement = self.model.audit_, self.judgement
        low, high = audit.sizes.min(), audit.sizes.max()
        ratios = _ratio_range(audit)
        fair = "–"
        if judgement is not None:
            yes = "✓ up to a person" if judgement.whole_persons else "✓ yes"
            fair = yes if judgement.fair else "✕ no"
        return [
            str(self.k),
            tolerance_name(self.model),
            fair,
            f"{low:,}" if low == high else f"{low:,} to {high:,}",
            "–" if ratios is None else f"{ratios[0]:.0%} to {ratios[1]:.0%}",
            f"{self.cut:.4g}",
            f"{self.cut / self.k:.3f}",
            "–" if self.price is None else signed(self.price),
            "–" if self.stability is None else f"{self.stability.agreement:.2f}",
            "–" if self.stability is None else f"{self.stability.weakest:.0%}",
            ", ".join(self.doubts) or "none",
        ]


def check_models(models: Iterable[Any]) -> list[Any]:
    """Refuse what cannot be compared: no models, unfitted ones, other people."""
    models = list(models)
    if not models:
        raise ValueError("there is no model to report on; pass at least one fitted model.")
    for model in models:
        check_is_fitted(model, "labels_")
        check_unchanged(model)
    numbers = sorted({len(model.labels_) for model in models})
    if len(numbers) > 1:
        raise ValueError(
            f"the models are of {numbers[0]} and of {numbers[1]} samples; side by side only "
            "clusterings of the same samples can be compared."
        )
    return models


def name_runs(models: Sequence[Any], names: Sequence[str] | None) -> list[str]:
    """The names that were given, or number of clusters and tolerance of each."""
    if names is not None:
        names = [str(name) for name in names]
        if len(names) != len(models):
            raise ValueError(
                f"there are {len(names)} names for {len(models)} models; pass one for each."
            )
        return names
    found = [_usual_name(model) for model in models]
    seen: Counter[str] = Counter()
    for i, name in enumerate(found):
        seen[name] += 1
        if seen[name] > 1:
            found[i] = f"{name} ({seen[name]})"
    return found


def _usual_name(model: Any) -> str:
    name = f"{model.n_clusters} clusters"
    return f"{name}, tolerance {tolerance_name(model)}" if model.audit_.attributes else name


def tolerance_name(model: Any) -> str:
    """The tolerance in percent, or what stands in its place."""
    judgement = judge(model)
    if judgement is None:
        return "–"
    if judgement.custom:
        return "own bounds"
    return percent(model.fairness_tol) if judgement.asked else "none"


def price_of(model: Any) -> tuple[float | None, bool]:
    """How much larger the cut is than that of the same search without bounds, relatively.

    And whether that search was stopped early; without it, or over a cut of zero, there is no price.
    """
    if model.fair_assignment_ is None or model.fairness_tol is None:
        return None, False
    found = without_bounds(model, None)
    cut = normalized_cut(found.labels, model.affinity_operator_)
    price = relative_price(model.audit_.normalized_cut, cut, negligible_cut(model.n_clusters))
    if not found.searched or np.isnan(price):
        return None, False
    return price - 1, found.stopped


def table_of(runs: Sequence[Run]) -> tuple[list[str], list[list[str]]]:
    """Header and a row for each run; columns that say nothing of any of them are left out."""
    rows = [run.cells() for run in runs]
    told = [any(row[j] != "–" for row in rows) for j in range(len(_HEADER))]
    if all(run.name == _usual_name(run.model) for run in runs):
        told[:2] = False, False  # the names have these
    header = [name for name, keep in zip(_HEADER, told, strict=True) if keep]
    body = [
        [run.name, *(cell for cell, keep in zip(row, told, strict=True) if keep)]
        for run, row in zip(runs, rows, strict=True)
    ]
    return header, body


def headline(runs: Sequence[Run]) -> list[str]:
    """What the table shows, in a few sentences."""
    judged = [run.judgement for run in runs if run.judgement is not None]
    bounded = [judgement for judgement in judged if judgement.asked or judgement.custom]
    said = []
    if bounded:
        fair = sum(judgement.fair for judgement in bounded)
        number = "All" if fair == len(bounded) else f"{fair} of {len(bounded)}"
        who = "" if len(bounded) == len(runs) else " with a tolerance"
        said.append(f"{number}{who} are fair within their bounds.")
        loose = sum(judgement.whole_persons for judgement in bounded)
        if loose:
            said[-1] = (
                f"{number}{who} are fair within their bounds up to whole persons; in {loose} a "
                "share is beyond the tolerance, by less than one person."
            )
    priced = [(run.price, run.name) for run in runs if run.price is not None]
    if len(priced) > 1:
        (low, cheapest), (high, dearest) = min(priced), max(priced)
        said.append(
            f"Fairness costs between {signed(low)} ({cheapest}) and {signed(high)} ({dearest}) of "
            "the cut."
        )
    rough = sum(run.rough for run in runs)
    if rough:
        said.append(
            f"The search without bounds was stopped early for {rough} of them, so their price may "
            "be higher."
        )
    steady = [(run.stability.agreement, run.name) for run in runs if run.stability is not None]
    if len(steady) > 1:
        agreement, best = max(steady)
        said.append(
            f"The clusters of “{best}” come back best on resamples (agreement {agreement:.2f}; 1 "
            "is the same clusters, 0 chance)."
        )
    short = [run.stability for run in runs if run.stability and run.stability.asked is not None]
    if short:
        fewest = min(one.n_resamples for one in short)
        said.append(
            f"Time or Ctrl-C ended the resampling of {len(short)} of them; one had {fewest} "
            "resample(s) only."
        )
    doubted = sum(bool(run.doubts) for run in runs)
    if doubted:
        said.append(f"There are doubts about {doubted} of them; see the column “doubts”.")
    # The affinity that was chosen, and who was set aside, once where the runs agree.
    models = [run.model for run in runs]
    said += dict.fromkeys(filter(None, (one.affinity_operator_.choice for one in models)))
    said += dict.fromkeys(f"{one.set_aside_.people}." for one in models if one.set_aside_)
    said += dict.fromkeys(f"{one.set_aside_.trees}." for one in models if one.set_aside_.trees)
    return said


def size_bars(runs: Sequence[Run]) -> Bars:
    """A bar for each run, divided by the sizes of its clusters."""
    bars = []
    for run in runs:
        sizes, n = run.model.audit_.sizes, len(run.model.labels_)
        segments = []
        for i, size in enumerate(sizes.tolist()):
            colour, share = cluster_colour(i), size / n
            label = f"{size:,}" if share >= 0.06 else ""
            tip = f"{run.name}\ncluster {i}: {size:,} of {n:,} ({share:.1%})"
            segments.append(Segment(100 * share, colour, ink_on(colour), label, tip))
        bars.append(Bar(run.name, n, tuple(segments)))
    return Bars(tuple(bars), (), ())


def price_lines(runs: Sequence[Run]) -> LineChart | None:
    """Cut against tolerance, a line for each number of clusters; None where no line has two."""
    bounded = [r for r in runs if r.judgement is not None and not r.judgement.custom]
    key = {run.name: np.inf if run.model.fairness_tol is None else run.model.fairness_tol
           for run in bounded}  # fmt: skip
    places = {tolerance: i for i, tolerance in enumerate(sorted(set(key.values())))}
    if len(places) < 2:
        return None
    series = []
    for k in sorted({run.k for run in bounded}):
        own = sorted((run for run in bounded if run.k == k), key=lambda run: key[run.name])
        tips = [
            f"{run.name}\nnormalised cut {run.cut:.4g}\ncut / k {run.cut / k:.3f}" for run in own
        ]
        x = np.array([places[key[run.name]] for run in own])
        series.append(Series(f"{k} clusters", x, np.array([run.cut / k for run in own]), tips))
    names = ["none" if np.isinf(t) else percent(t) for t in places]
    return line_chart(
        "Cut against tolerance for each number of clusters",
        "tolerance",
        "normalised cut / k, on an axis that does not begin at zero",
        series,
        x_names=names,
    )


def _ratio_range(audit: Any) -> tuple[float, float] | None:
    """The smallest and the largest share of a group in a cluster over its share of everyone."""
    if not audit.attributes:
        return None
    ratios = [ratios_of(attribute.counts) for attribute in audit.attributes]
    return float(min(r.min() for r in ratios)), float(max(r.max() for r in ratios))
