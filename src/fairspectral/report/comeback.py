"""Which clusters come back, in the report: when it is computed, and the bars."""

from __future__ import annotations

from typing import Any

from fairspectral.anytime import Deadline
from fairspectral.palette import ink_on
from fairspectral.report.charts import Bar, Bars, Segment
from fairspectral.resampling.fitted import stability
from fairspectral.resampling.one_cluster import COLOURS
from fairspectral.resampling.result import Stability
from fairspectral.rounding.rows import can_search

# Up to this many samples a dozen quick clusterings take seconds.
MOST_SAMPLES = 5_000


def compute_stability(model: Any, wanted: Stability | bool | None) -> Stability | None:
    """The stability to show; None where it is not wanted.

    `wanted` None means: if it takes seconds, and nobody pressed Ctrl-C, now or during the fit.
    """
    if isinstance(wanted, Stability):
        return wanted
    if wanted is None:
        fair = model.fair_assignment_
        interrupted = fair is not None and fair.stopped and model.time_budget is None
        if interrupted or not takes_seconds(model) or Deadline().interrupted:
            return None
        try:
            return stability(model)
        except ValueError:  # too few people, or a graph of which a part falls into single nodes
            return None
    return stability(model) if wanted else None


def takes_seconds(model: Any) -> bool:
    """Whether resamples are clustered so quickly that a report has them without being asked."""
    return len(model.labels_) <= MOST_SAMPLES and can_search(model.affinity_operator_)


def comeback_bars(found: Stability) -> Bars:
    """A bar for each cluster: in how many resamples it comes back, is changed, and dissolves."""
    bars = []
    for cluster in found.clusters:
        segments = [
            Segment(
                width=100 * count / cluster.n_resamples,
                colour=COLOURS[name],
                ink=ink_on(COLOURS[name]),
                label=str(count),
                tip=f"cluster {cluster.cluster}: {name} in {count} of {cluster.n_resamples}\n"
                f"overlap {cluster.overlap:.0%} on average, by chance {cluster.chance:.0%}",
            )
            for name, count in cluster.counts.items()
            if count
        ]
        bars.append(Bar(f"cluster {cluster.cluster}", cluster.size, tuple(segments)))
    return Bars(tuple(bars), (), tuple(COLOURS.items()))
