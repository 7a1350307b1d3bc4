"""The table of the runs, what they say in a few lines, and the picture."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral_benchmarks.cut.instances import INSTANCES, Instance
from fairspectral_benchmarks.cut.known import BestKnown
from fairspectral_benchmarks.cut.methods import BEFORE, EFFORTS
from fairspectral_benchmarks.figures import new_figure, save_figure, style
from fairspectral_benchmarks.pages import markdown_table

OURS = (BEFORE, *EFFORTS)
# Differences of cuts below this are floating-point errors.
EQUAL = 1e-9
# Where nothing has to be cut, per cent of the cut mean nothing: they are taken of this.
LEAST = 1e-3

Runs = dict[tuple[str, str], list[dict[str, Any]]]  # by instance and method


class Results:
    """Runs beside the best known cuts.

    Parameters
    ----------
    rows : list of dict
        The runs.
    known : BestKnown
        The best known cuts; a lower one among the runs counts too.
    """

    def __init__(self, rows: list[dict[str, Any]], known: BestKnown) -> None:
        self._runs: Runs = defaultdict(list)
        for row in rows:
            self._runs[row["instance"], row["method"]].append(row)
        self.methods = tuple(dict.fromkeys(row["method"] for row in rows))
        self.ours = tuple(name for name in OURS if name in self.methods)
        self.instances = [
            i for i in INSTANCES if any((i.name, m) in self._runs for m in self.methods)
        ]
        self._known = known

    def by_seed(self, instance: Instance, method: str) -> dict[int, float]:
        """The cut of each seed whose run is valid."""
        ordered = sorted(self._valid(instance, method), key=lambda row: row["seed"])
        return {row["seed"]: row["cut"] for row in ordered}

    def _valid(self, instance: Instance, method: str) -> list[dict[str, Any]]:
        return [row for row in self._runs.get((instance.name, method), []) if row.get("valid")]

    def cuts(self, instance: Instance, method: str) -> np.ndarray:
        """Cuts of the valid runs, ordered by seed."""
        return np.array(list(self.by_seed(instance, method).values()))

    def best(self, instance: Instance) -> float:
        """The lowest cut that is known."""
        known = self._known.cut(instance.name)
        found = [self.cuts(instance, method) for method in self.methods]
        return float(np.min(np.concatenate([*found, [np.inf if known is None else known]])))

    def above(self, instance: Instance, method: str) -> np.ndarray:
        """By how many per cent each seed is above the lowest cut known."""
        best = self.best(instance)
        return 100 * (self.cuts(instance, method) - best) / max(best, LEAST)

    def table(self) -> str:
        """One line for each instance and method."""
        header = ["instance", "best known", "method", "median above", "worst above", "spread"]
        lines = [row for instance in self.instances for row in self._lines(instance)]
        return markdown_table([*header, "CPU s", "seeds"], lines)

    def _lines(self, instance: Instance) -> Iterator[list[str]]:
        first = [instance.name, f"{self.best(instance):.4f}"]
        for method in self.methods:
            runs, above = self._runs.get((instance.name, method)), self.above(instance, method)
            if runs is None:
                continue
            numbers = ["out of time", "", "", ""]
            if len(above):
                valid = self._valid(instance, method)
                seconds = np.median([row["processor_seconds"] for row in valid])
                numbers = [f"{x:.1f} %" for x in (np.median(above), above.max(), np.ptp(above))]
                numbers.append(f"{seconds:.2f}")
            yield [*first, method, *numbers, str(len(above))]
            first = ["", ""]

    def summary(self) -> str:
        """A list with the answers to what must be true."""
        lines = [self._sources(), *map(self._closeness, self.ours), *map(self._plain, self.ours)]
        lines += [*map(self._tolerances, self.ours), *map(self._shares, self.ours)]
        if BEFORE in self.methods:
            beside = (self._beside_before(name) for name in self.ours if name != BEFORE)
            lines += [line for line in beside if line]
        return "\n".join(f"- {line}" for line in lines)

    def _sources(self) -> str:
        """Who found the best known cuts: a method is not far from a cut that is its own."""
        by = Counter(self._known.by(i.name) for i in self.instances if self._known.cut(i.name))
        found = ", ".join(f"{name} {count}" for name, count in by.most_common())
        seeds = sorted({len(part) for (_, m), part in self._runs.items() if m in self.ours}) or [0]
        shown = " to ".join(map(str, dict.fromkeys([seeds[0], seeds[-1]])))
        return (
            f"{shown} seed(s) of ours on {len(self.instances)} instances. The best known cuts were "
            f"found by {found or 'these runs'}; where it was the method itself that is judged, "
            "being close to it proves little."
        )

    def _closeness(self, method: str) -> str:
        above = [x for i in self.instances if len(x := self.above(i, method))]
        median = sum(np.median(x) <= 2 for x in above)
        worst = sum(x.max() <= 5 for x in above)
        return (
            f"**{method}**: the median is within 2 % of the best known on {median} of {len(above)} "
            f"instances, the worst seed within 5 % on {worst}."
        )

    def _plain(self, method: str) -> str:
        beaten, seeds, above = [], 0, 0
        peers = [name for name in self.methods if name not in OURS]
        for instance in self.instances:
            mine = self.cuts(instance, method)
            if instance.tolerance is not None or not len(mine):
                continue
            valid = {peer: cuts for peer in peers if len(cuts := self.cuts(instance, peer))}
            for peer, theirs in valid.items():
                if np.median(mine) > np.median(theirs) * (1 + EQUAL):
                    more = 100 * (np.median(mine) / np.median(theirs) - 1)
                    beaten.append(f"{instance.name} ({peer}, {more:.1f} %)")
            if valid:
                best = min(theirs.min() for theirs in valid.values())
                seeds, above = seeds + len(mine), above + int(np.sum(mine > best * (1 + EQUAL)))
        return (
            f"**{method}**, no bound: comparisons with a peer's lower median: {_listed(beaten)}; "
            f"{above} of {seeds} runs are above the best seed of any peer."
        )

    def _tolerances(self, method: str) -> str:
        rises = []
        for one, other in combinations(self.instances, 2):
            tight, loose = (one, other) if other.at_least_as_loose_as(one) else (other, one)
            if not loose.at_least_as_loose_as(tight):
                continue
            below, above = self.by_seed(tight, method), self.by_seed(loose, method)
            if any(above[seed] > below[seed] * (1 + EQUAL) for seed in below.keys() & above):
                rises.append(f"{tight.name} to {loose.name}")
        return (
            f"**{method}**: a higher cut at a looser tolerance, at any seed, on {_listed(rises)}."
        )

    def _beside_before(self, method: str) -> str:
        """Medians of the cuts and of the seconds against those of the library without efforts.

        Empty where no instance has valid runs of both.
        """
        rises, times = {}, []
        for instance in self.instances:
            medians = [
                np.median([(row["cut"], row["seconds"]) for row in valid], axis=0)
                for name in (method, BEFORE)
                if (valid := self._valid(instance, name))
            ]
            if len(medians) == 2:
                (cut, seconds), (old_cut, old_seconds) = medians
                rises[instance.name] = 100 * (cut - old_cut) / max(old_cut, LEAST)
                times.append(seconds / old_seconds)
        if not rises:
            return ""
        higher = [f"{name} ({rise:.1f} %)" for name, rise in rises.items() if rise > 5]
        typical = np.median(list(rises.values()))
        return (
            f"**{method}** beside *{BEFORE}*: the cut differs by {typical:+.1f} % in the median of "
            f"{len(rises)} instances, and is more than 5 % higher on {_listed(higher)}; the time "
            f"is {np.median(times):.1f} times as long in the median, and longer on "
            f"{sum(time > 1 for time in times)}."
        )

    def _shares(self, method: str) -> str:
        runs = [row for (_, name), part in self._runs.items() if name == method for row in part]
        cells = sum(row["outside"] for row in runs)
        wrong = sum(not row["valid"] for row in runs)
        return (
            f"**{method}**: {cells} cells outside their bounds in {len(runs)} runs, "
            f"{wrong} invalid."
        )

    def plot(self, path: Path) -> None:
        """How many instances are within how many per cent of the best known, by effort."""
        drawing, panels = new_figure(1, 2, sharey=True)
        titles: dict[str, Callable[[np.ndarray], float]] = {
            "median of the seeds": np.median,
            "worst seed": np.max,
        }
        for axes, (title, of_seeds) in zip(panels[0], titles.items(), strict=True):
            for place, method in enumerate(self.ours):
                above = [of_seeds(x) for i in self.instances if len(x := self.above(i, method))]
                shares = 100 * np.arange(1, len(above) + 1) / len(above)
                look = {"color": style(place)["color"], "linestyle": style(place)["linestyle"]}
                axes.step(np.sort(above), shares, where="post", label=method, **look)
            axes.set(title=title, xlabel="at most this far above the best known (%)")
            axes.set_xscale("symlog", linthresh=1)
            axes.set(xlim=(0, 100), ylim=(0, 102))
        panels[0, 0].set_ylabel("instances (%)")
        panels[0, 0].legend()
        save_figure(drawing, path, made_by="python benchmarks/cut.py --report")


def _listed(names: list[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "none"
