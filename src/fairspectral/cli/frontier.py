"""``fairspectral frontier``: the price of fairness, cut against tolerance."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairspectral.cli.command import Json, command
from fairspectral.cli.options import InputOptions, MethodOptions, check_tolerance

if TYPE_CHECKING:
    from fairspectral.frontier import FairnessFrontier

_PICTURES = ("png", "svg", "pdf")


@command
def frontier(
    source: InputOptions,
    method: MethodOptions,
    clusters: Annotated[int, typer.Option("--clusters", "-k", min=1, help="How many clusters.")],
    tolerances: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", show_default="0 to 0.5, and none",
            help="Tolerances between commas, such as 0,0.1,0.2,none.",
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw it, as .png, .svg or .pdf.")
    ] = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Show the price of fairness: how the cut rises as the tolerance gets tighter.

    [bold]Example:[/bold] fairspectral frontier people.csv --sensitive sex -k 5 --plot price.png
    """
    from fairspectral.cli.bars import progress_bars
    from fairspectral.cli.display import print_json, print_lines, print_table, solver_summary
    from fairspectral.cli.embedding import limit_threads
    from fairspectral.cli.inputs import prepare
    from fairspectral.cli.model import make_model, stop_where_interrupted
    from fairspectral.cli.tables import check_kind, check_output
    from fairspectral.frontier import TOLERANCES, fairness_frontier

    wanted = TOLERANCES if tolerances is None else read_tolerances(tolerances)
    if plot is not None:
        check_kind(plot, _PICTURES)
        if importlib.util.find_spec("matplotlib") is None:
            raise ImportError(
                "--plot needs matplotlib; install it with pip install 'fairspectral[plot]'."
            )
    prepared = prepare(source, method)
    if plot is not None:
        check_output(plot, prepared.inputs)
    with limit_threads(method.threads, prepared.n), progress_bars():
        # The model's own search is one of the frontier's.
        tightest = min(wanted, key=lambda t: math.inf if t is None else t)
        model = make_model(prepared, method, clusters, tightest)
        model.fit(prepared.X, sensitive_features=prepared.sensitive)
        stop_where_interrupted(model)
        found = fairness_frontier(model, tolerances=wanted)
    if plot is not None:
        _draw(found, plot)
    rows = found.rows()
    if json:
        print_json(
            {
                "clusters": clusters,
                "affinity_choice": model.affinity_choice_,
                "frontier": rows,
                "solver": solver_summary(model.solve_result_),
                "set_aside": model.set_aside_.summary(),
                "plot": plot and str(plot),
            }
        )
        return
    if model.affinity_operator_.choice:
        print_lines(model.affinity_choice_)
    print_table(
        ["tolerance", "normalised cut", "price", "largest deviation", "certified"],
        [
            [
                "none" if row["fairness_tol"] is None else f"{row['fairness_tol']:g}",
                f"{row['normalized_cut']:.4f}",
                f"{row['price'] - 1:+.1%}",
                f"{row['achieved_tol']:.1%}",
                "yes" if row["certified"] else "no",
            ]
            for row in rows
        ],
    )
    if model.set_aside_:
        print_lines(f"{model.set_aside_.people}.")
    print_lines("Price: how much larger the cut is than at the loosest tolerance shown.")
    if plot is not None:
        print_lines(f"Plot: {plot}")


def read_tolerances(text: str) -> list[float | None]:
    """``"0,0.1,none"`` as numbers and None."""
    tolerances: list[float | None] = []
    for word in text.replace(" ", "").split(","):
        try:
            tolerance = None if word.lower() == "none" else float(word)
        except ValueError:
            raise ValueError(
                f"--tolerances has {word!r}, which is not a number; write for example "
                "0,0.1,0.2,none."
            ) from None
        if tolerance is not None:
            check_tolerance(tolerance, "--tolerances")
        tolerances.append(tolerance)
    return tolerances


def _draw(found: FairnessFrontier, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from fairspectral.cli.tables import kind_of
    from fairspectral.files import replacing

    axes = found.plot()
    try:
        with replacing(path) as attempt:
            axes.figure.savefig(attempt, dpi=150, format=kind_of(path))
    finally:
        pyplot.close(axes.figure)
