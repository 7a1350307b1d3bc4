"""The options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

INPUT, FEATURES, METHOD = "Input", "Features", "Method"
_WIDTHS = ("scale", "auto")
_LARGEST_SEED = 2**32 - 1


def bin_option(panel: str | None = None) -> Any:
    """The option ``--bin``, for all commands that read sensitive columns."""
    return typer.Option(
        "--bin", metavar="COLUMN=N", show_default=False, rich_help_panel=panel,
        help="Put a numeric sensitive column, such as an age, into N groups of about equal size; "
        "may be repeated.",
    )  # fmt: skip


class AttributeMode(StrEnum):
    """How several sensitive attributes are constrained."""

    marginal = "marginal"
    intersection = "intersection"


class Effort(StrEnum):
    """How long to search for a low cut."""

    fast = "fast"
    default = "default"
    thorough = "thorough"


class MissingSensitive(StrEnum):
    """How rows without a group are treated."""

    error = "error"
    category = "category"


@dataclass(frozen=True)
class InputOptions:
    """The files with rows and groups, and the columns that are compared."""

    input: Annotated[
        Path,
        typer.Argument(
            help="CSV, TSV, Parquet, .npy or .npz; with --graph an edge list (two nodes and "
            "perhaps a weight per line), a Matrix Market file or a sparse .npz; - is standard "
            "input, for text.",
            metavar="FILE",
            show_default=False,
        ),
    ]
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            "--sensitive", "-s", metavar="COLUMN", show_default=False, rich_help_panel=INPUT,
            help="Sensitive column, whose groups get their share of every cluster; may be "
            "repeated.",
        ),
    ] = None  # fmt: skip
    graph: Annotated[
        bool, typer.Option("--graph", rich_help_panel=INPUT, help="The input is a graph.")
    ] = False
    groups: Annotated[
        Path | None,
        typer.Option(
            "--groups", metavar="FILE", rich_help_panel=INPUT,
            help="Table with the sensitive columns: for a graph a row for each node, named in "
            "the first column; for a table a row for each of its rows.",
        ),
    ] = None  # fmt: skip
    missing_sensitive: Annotated[
        MissingSensitive,
        typer.Option(
            help="Missing sensitive values: an error, or a group of their own.",
            rich_help_panel=INPUT,
        ),
    ] = MissingSensitive.error
    bin: Annotated[list[str] | None, bin_option(INPUT)] = None
    encoding: Annotated[
        str | None,
        typer.Option(help="Of text files, for example latin-1.", show_default="utf-8",
                     rich_help_panel=INPUT),
    ] = None  # fmt: skip
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header", rich_help_panel=INPUT,
            help="The first line is data; the columns are called 'column 1', 'column 2', ...",
        ),
    ] = False  # fmt: skip
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop", metavar="COLUMN", show_default=False, rich_help_panel=FEATURES,
            help="Column to leave out of the comparison, such as an id; may be repeated.",
        ),
    ] = None  # fmt: skip
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", metavar="COLUMN", show_default=False, rich_help_panel=FEATURES,
            help="Use this column although it looks like a row number or a name; may be repeated.",
        ),
    ] = None  # fmt: skip
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            "--categorical", metavar="COLUMN", show_default=False, rich_help_panel=FEATURES,
            help="Read this column as names of categories, even if they look like numbers; may "
            "be repeated.",
        ),
    ] = None  # fmt: skip
    use_sensitive: Annotated[
        bool,
        typer.Option(
            "--use-sensitive", rich_help_panel=FEATURES,
            help="Compare the rows by the sensitive columns too.",
        ),
    ] = False  # fmt: skip


@dataclass(frozen=True)
class MethodOptions:
    """How the rows are compared and the embedding computed."""

    affinity: Annotated[
        str,
        typer.Option(
            rich_help_panel=METHOD,
            help="How rows are compared: auto (chosen by the table, and said), rbf, "
            "nearest_neighbors, gower (for numbers, categories and missing values), or a kernel "
            "of scikit-learn.",
        ),
    ] = "auto"
    gamma: Annotated[
        str,
        typer.Option(help="Width of the kernel: a number, scale or auto.", rich_help_panel=METHOD),
    ] = "scale"
    neighbors: Annotated[
        int,
        typer.Option(min=1, help="For --affinity nearest_neighbors.", rich_help_panel=METHOD),
    ] = 10
    attribute_mode: Annotated[
        AttributeMode,
        typer.Option(
            rich_help_panel=METHOD,
            help="Several sensitive columns: shares of each, or of every combination.",
        ),
    ] = AttributeMode.marginal
    solver: Annotated[
        str,
        typer.Option(help="auto, krylov, admm, lanczos or nullspace.", rich_help_panel=METHOD),
    ] = "auto"
    effort: Annotated[
        Effort,
        typer.Option(
            rich_help_panel=METHOD,
            help="How long to search for a low cut; each takes several times as long as the one "
            "before.",
        ),
    ] = Effort.default
    time_budget: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", rich_help_panel=METHOD, show_default="no limit",
            help="For each search, from the end of the embedding, but for its first start: then it "
            "takes the best so far, as it does when Ctrl-C is pressed once. With cluster --report "
            "the other tolerances of the chart share one more. A small one goes further at "
            "--effort default than at thorough, whose starts take longer to prepare.",
        ),
    ] = None  # fmt: skip
    seed: Annotated[
        int, typer.Option(help="Makes the result repeatable.", rich_help_panel=METHOD)
    ] = 0
    memory_budget: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", rich_help_panel=METHOD, show_default="half of the machine's memory",
            help="For the affinities, such as 4GB; beyond it they are recomputed in every pass.",
        ),
    ] = None  # fmt: skip
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", rich_help_panel=METHOD, show_default="cpu",
            help="Where to compute: cpu, cuda for a GPU, cuda:1 for the second one, or auto for a "
            "GPU if there is one.",
        ),
    ] = None  # fmt: skip
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="At most.", show_default="all cores", rich_help_panel=METHOD),
    ] = None

    def check(self) -> None:
        """Refuse invalid options before any file is read, rather than later in the library."""
        from fairspectral.parameters import check_choice, did_you_mean, parse_memory_budget
        from fairspectral.solvers.registry import SOLVER_NAMES
        from fairspectral.tensors import choose_place

        check_choice(self.solver, SOLVER_NAMES, "--solver")
        check_choice(self.affinity, affinity_names(), "--affinity")
        width = self.width()
        named = width in _WIDTHS
        if not named and (isinstance(width, str) or not 0 < width < math.inf):
            raise ValueError(
                f"--gamma {self.gamma!r} is not a width{did_you_mean(self.gamma, _WIDTHS)}; pass a "
                "positive number, scale or auto."
            )
        if not 0 <= self.seed <= _LARGEST_SEED:
            raise ValueError(f"--seed {self.seed} must lie between 0 and {_LARGEST_SEED}.")
        parse_memory_budget(self.memory_budget)
        choose_place(self.device)
        if self.time_budget is not None and not 0 < self.time_budget < math.inf:
            raise ValueError(
                f"--time-budget {self.time_budget:g} must be a positive, finite number of seconds."
            )

    def width(self) -> float | str:
        """`gamma` as the estimator takes it."""
        try:
            return float(self.gamma)
        except ValueError:
            return self.gamma


def affinity_names() -> tuple[str, ...]:
    """What ``--affinity`` takes."""
    from fairspectral.affinity.kernel import KERNEL_NAMES

    return ("auto", "nearest_neighbors", "gower", *KERNEL_NAMES)


def read_bins(words: Sequence[str] | None, names: Sequence[str]) -> dict[str, int]:
    """``"age=5"`` as a column and its number of groups; `names` are the sensitive columns."""
    bins = {}
    for word in words or ():
        name, _, number = word.rpartition("=")
        if not name or not number.strip().isdecimal() or int(number) < 2:
            raise ValueError(
                f"--bin has {word!r}; write a sensitive column and a number of groups of at least "
                "2, such as age=5."
            )
        if name not in names:
            raise ValueError(
                f"--bin {word} names a column that is not sensitive; pass --sensitive {name} too, "
                "or correct the name."
            )
        bins[name] = int(number)
    return bins


def check_tolerance(tolerance: float, option: str = "--tolerance") -> None:
    """Refuse a tolerance that is not a number, negative or infinite."""
    if not 0 <= tolerance < math.inf:
        raise ValueError(
            f"{option} has {tolerance:g}; a tolerance is a finite number of at least 0, such as "
            "0.2 for the four-fifths rule."
        )
