"""``python -m fairspectral.demo``: fair against plain spectral clustering, on embedded data.

Prints one table per data set, and writes a picture (extra ``plot``) and a report (``report``).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes

from fairspectral.auditing import Audit, audit, table_lines
from fairspectral.clustering import FairSpectralClustering
from fairspectral.datasets import load_diabetes_patients, make_msbm
from fairspectral.describing.description import Description
from fairspectral.progress import compilation
from fairspectral.report.plots import plot_shares


@dataclass(frozen=True)
class Comparison:
    """Plain and fair clustering of one data set, and the cut of the same search without bounds."""

    title: str
    plain: Audit
    fair: Audit
    model: FairSpectralClustering
    unbounded_cut: float
    seconds: float
    description: Description | None = None


def main(argv: list[str] | None = None) -> int:
    """Run the demo."""
    parser = argparse.ArgumentParser(prog="python -m fairspectral.demo", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder to write")
    output = parser.parse_args(argv).output
    output.mkdir(parents=True, exist_ok=True)
    compile_first()
    comparisons = [patients(), block_model()]
    for comparison in comparisons:
        print(render(comparison))
    missing = "No {}: {} is missing; install it with pip install 'fairspectral[{}]'."
    try:
        print(f"Picture: {draw(comparisons, output / 'fair-against-plain.png')}")
    except ImportError:
        print(missing.format("picture", "matplotlib", "plot"))
    try:
        first = comparisons[0]
        path = first.model.report(
            output / "report.html", title=first.title, description=first.description
        )
        print(f"Report:  {path}")
    except ImportError:
        print(missing.format("report", "jinja2", "report"))
    return 0


def compile_first() -> None:
    """Compile before anything is timed, and print a line if it was not compiled before."""
    said: list[bool] = []

    def say(busy: bool) -> None:
        if busy and not said:
            said.append(True)
            print("Compiling, which takes a little while and happens once per machine ...")
            sys.stdout.flush()

    data = make_msbm(80, 2, 2, random_state=0)  # more than the few whom every search suits
    rng = np.random.default_rng(0)
    with compilation(say):
        for affinity, X in (("rbf", rng.normal(size=(80, 2))), ("precomputed", data.graph)):
            model = FairSpectralClustering(2, affinity=affinity, random_state=0)
            model.fit(X, sensitive_features=data.sensitive_features)


def patients() -> Comparison:
    """442 real diabetes patients (bundled with scikit-learn); groups are their sex."""
    data = load_diabetes_patients()
    title = "442 diabetes patients in 4 clusters, groups by sex"
    found = compare(title, data.X, {"sex": data.sensitive_features}, 4, affinity="auto")
    # In words they are described in years and the units of the laboratory.
    table = load_diabetes(scaled=False)
    features = [j for j, name in enumerate(table.feature_names) if name != "sex"]
    names = [table.feature_names[j] for j in features]
    description = found.model.describe(table.data[:, features], feature_names=names)
    return replace(found, description=description)


def block_model() -> Comparison:
    """A graph with planted fair clusters, in which separating the groups lowers the cut."""
    data = make_msbm(1000, 5, 2, random_state=0)
    title = "a graph of 1000 people with 5 planted fair clusters and 2 groups"
    groups = np.where(data.sensitive_features == 0, "A", "B")
    return compare(title, data.graph, {"group": groups}, 5, affinity="precomputed")


def compare(title: str, X: Any, groups: dict, k: int, *, affinity: str) -> Comparison:
    """Cluster without the groups, with them, and with them but without bounds."""
    model = FairSpectralClustering(k, affinity=affinity, random_state=0)
    plain = audit(model.fit_predict(X), groups, model.affinity_operator_)
    start = time.perf_counter()
    model.fit(X, sensitive_features=groups)
    seconds = time.perf_counter() - start
    unbounded = FairSpectralClustering(k, affinity=affinity, fairness_tol=None, random_state=0)
    cut = unbounded.fit(X, sensitive_features=groups).audit_.normalized_cut
    assert cut is not None
    return Comparison(title, plain, model.audit_, model, cut, seconds)


def render(comparison: Comparison) -> str:
    """Both clusterings side by side, as text."""
    left, right = (_rows(a) for a in (comparison.plain, comparison.fair))
    width = max(map(len, left))
    lines = ["", comparison.title.capitalize(), "=" * len(comparison.title), ""]
    lines.append(f"{'plain spectral clustering'.ljust(width)}      fair spectral clustering")
    lines += [f"{a.ljust(width)}      {b}" for a, b in zip(left, right, strict=True)]
    lines += [
        "",
        f"{_price(comparison)} It took {comparison.seconds:.2f} s.",
        comparison.fair.certificate,
        "",
    ]
    return "\n".join(lines)


def _price(comparison: Comparison) -> str:
    fair, without = comparison.fair.normalized_cut, comparison.unbounded_cut
    assert fair is not None
    if fair <= without * 1.0005:
        return "Fairness cost nothing: the same search without bounds finds no lower cut."
    return (
        f"Fairness cost {fair / without - 1:.1%}: the same search without bounds finds a "
        f"normalised cut of {without:.3f}."
    )


def _rows(found: Audit) -> list[str]:
    (table,) = found.attributes
    return [
        *table_lines(found, table),
        f"average balance {table.average_balance:.3f}, minimum {table.minimum_balance:.3f}",
        f"normalised cut {found.normalized_cut:.3f}",
    ]


def numbers(comparison: Comparison) -> dict[str, float]:
    """What a picture of the comparison shows, to tell whether it is still true."""
    shown = {}
    for name, found in (("plain", comparison.plain), ("fair", comparison.fair)):
        shown[f"{name} average balance"] = found.attributes[0].average_balance
        shown[f"{name} smallest share of a group"] = float(found.attributes[0].shares.min())
        shown[f"{name} largest cluster"] = found.sizes.max() / found.sizes.sum()
    return shown


def draw(comparisons: list[Comparison], path: Path) -> Path:
    """Stacked bars of group shares by cluster, with the population's share as a line.

    The file's description has the numbers.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(10, 3.6 * len(comparisons)), layout="constrained")
    strips = np.atleast_1d(figure.subfigures(len(comparisons), 1, hspace=0.04))
    for comparison, strip in zip(comparisons, strips, strict=True):
        strip.suptitle(comparison.title, fontsize=12, weight="bold")
        left, right = strip.subplots(1, 2)
        for axis, kind, found in (
            (left, "plain", comparison.plain),
            (right, "fair", comparison.fair),
        ):
            plot_shares(found, axis)
            average = found.attributes[0].average_balance
            axis.set_title(f"{kind}: average balance {average:.2f}", fontsize=11)
            axis.set_xlabel("")
        # Once for both: the groups on the right, the axes on the left and below.
        left.get_legend().remove()
        right.set_ylabel("")
        strip.supxlabel("share of each group (dashed: share of everyone)", fontsize=10)
    about = {comparison.title: numbers(comparison) for comparison in comparisons}
    figure.savefig(path, dpi=130, metadata={"Description": json.dumps(about)})
    pyplot.close(figure)
    return path


if __name__ == "__main__":
    sys.exit(main())
