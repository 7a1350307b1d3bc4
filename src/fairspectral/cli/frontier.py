"""``fairspectral frontier``: the price of fairness, cut against tolerance."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairspectral.cli.bounds import BoundOptions
from fairspectral.cli.command import Json, command
from fairspectral.cli.options import InputOptions, MethodOptions, check_tolerance
from fairspectral.cli.people import PeopleOptions

if TYPE_CHECKING:
    from fairspectral.clustering import FairSpectralClustering
    from fairspectral.frontier import FairnessFrontier

_PICTURES = ("png", "svg", "pdf")


@command
def frontier(
    source: InputOptions,
    method: MethodOptions,
    clusters: Annotated[int, typer.Option("--clusters", "-k", min=1, help="How many clusters.")],
    bounds: BoundOptions,
    people: PeopleOptions,
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
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TOLERANCE", show_default=False,
            help="The tolerance, one of those searched, whose clusters --output writes.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE",
            help="With --at, the input's rows with their cluster at that tolerance, as in cluster.",
        ),
    ] = None,
    label_column: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the column with the cluster.")
    ] = "cluster",
    json: Json = False,
) -> None:  # fmt: skip
    """Show the price of fairness: how the cut rises as the tolerance gets tighter.

    Ctrl-C, pressed once, ends all searches; tolerances that were not searched have no price.

    [bold]Example:[/bold] fairspectral frontier people.csv --sensitive sex -k 5 --plot price.png
    """
    from fairspectral.cli.bars import progress_bars
    from fairspectral.cli.display import print_json, solver_summary
    from fairspectral.cli.inputs import prepare
    from fairspectral.cli.model import fit_frontier
    from fairspectral.cli.outputs import check_names, check_outputs
    from fairspectral.cli.tables import check_kind, check_output, is_standard, write_table
    from fairspectral.frontier import TOLERANCES

    wanted = TOLERANCES if tolerances is None else read_tolerances(tolerances)
    chosen = _read_place(at, output, wanted)
    check_names(output, None, label_column, json)
    if plot is not None:
        check_kind(plot, _PICTURES)
        if importlib.util.find_spec("matplotlib") is None:
            raise ImportError(
                "--plot needs matplotlib; install it with pip install 'fairspectral[plot]'."
            )
    people.refuse("--balance", bounds.balance)
    prepared = prepare(source, method, balance=bounds.balance, people=people)
    if plot is not None:
        check_output(plot, prepared.inputs)
    check_outputs(prepared, output, None, label_column)
    with progress_bars():
        model, found = fit_frontier(prepared, method, clusters, wanted, bounds)
    if plot is not None:
        _draw(found, plot)
    if output is not None:
        write_table(prepared.table, output, label_column, found.at(chosen).labels)
    remark = "" if output is None else unsearched_in_words(chosen, found)
    if json:
        print_json(
            {
                "clusters": clusters,
                "affinity_choice": model.affinity_choice_,
                "frontier": found.rows(),
                "caution": " ".join(filter(None, [found.caution, remark])),
                "solver": solver_summary(model.solve_result_),
                "set_aside": model.set_aside_.summary(),
                "plot": plot and str(plot),
                "output": output and str(output),
                "output_searched": None if output is None else found.at(chosen).searched,
            }
        )
    elif not is_standard(output):  # where the labels are on standard output, nothing else is
        _print(found, model, plot, output, remark)
    elif remark:
        typer.echo(remark, err=True)


def _print(
    found: FairnessFrontier,
    model: FairSpectralClustering,
    plot: Path | None,
    output: Path | None,
    remark: str,
) -> None:
    from fairspectral.cli.display import print_lines, print_table
    from fairspectral.prices import point_in_words

    if model.affinity_operator_.choice:
        print_lines(model.affinity_choice_)
    print_table(
        ["tolerance", "normalised cut", "price", "largest deviation", "certified"],
        [
            [
                _name(row["fairness_tol"]),
                *point_in_words(row, f"{cut:.4f}"),
            ]
            for row, cut in zip(found.rows(), found.cost, strict=True)
        ],
    )
    if model.set_aside_:
        print_lines(f"{model.set_aside_.people}.")
    print_lines(*dict.fromkeys(f"{one.trees}." for one in found.set_aside if one.trees))
    if found.loosest_is_zero:
        print_lines("At the loosest tolerance shown the cut is 0, so no price is relative to it.")
    elif found.searched[-1]:
        print_lines("Price: how much larger the cut is than at the loosest tolerance shown.")
    print_lines(*filter(None, [found.caution]))
    if plot is not None:
        print_lines(f"Plot: {plot}")
    if output is not None:
        print_lines(" ".join(filter(None, [f"Labels: {output}", remark and f"({remark})"])))


def unsearched_in_words(tolerance: float | None, found: FairnessFrontier) -> str:
    """What the labels at a tolerance are that Ctrl-C left without a search; empty if it did not."""
    from fairspectral.prices import tolerance_in_words

    chosen = found.at(tolerance)
    if chosen.searched:
        return ""
    named = f"Tolerance {tolerance_in_words(tolerance)}"
    if not chosen.certified:
        return f"{named} was not searched: these labels are of no search, and not certified."
    return (
        f"{named} was not searched: these are the best labels within it that other searches found."
    )


def _name(tolerance: float | None) -> str:
    return "none" if tolerance is None else f"{tolerance:g}"


def _read_place(
    at: str | None, output: Path | None, tolerances: Sequence[float | None]
) -> float | None:
    """The tolerance whose labels are written; None where that is none, or nothing is written."""
    if (at is None) != (output is None):
        raise ValueError(
            "--at and --output go together: the clusters at one tolerance are written; pass both, "
            "such as --at 0.2 -o labels.csv."
        )
    if at is None:
        return None
    chosen = read_tolerances(at, "--at")
    if len(chosen) > 1 or chosen[0] not in tolerances:
        known = ", ".join(map(_name, tolerances))
        raise ValueError(
            f"--at {at} is not among the tolerances that are searched ({known}); add it to "
            "--tolerances."
        )
    return chosen[0]


def read_tolerances(text: str, option: str = "--tolerances") -> list[float | None]:
    """``"0,0.1,none"`` as numbers and None."""
    tolerances: list[float | None] = []
    for word in text.replace(" ", "").split(","):
        try:
            tolerance = None if word.lower() == "none" else float(word)
        except ValueError:
            if "=" in word:
                raise ValueError(
                    f"{option} has {word!r}, but its numbers are for all attributes alike; write "
                    "for example 0,0.1,0.2,none, or use fairness_frontier in Python."
                ) from None
            raise ValueError(
                f"{option} has {word!r}, which is not a number; write for example 0,0.1,0.2,none."
            ) from None
        if tolerance is not None:
            check_tolerance(tolerance, option)
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
