"""Affinities side by side; see benchmarks/affinities.py."""

import sys
from collections.abc import Iterable

import numpy as np

from fairspectral.affinity.automatic import (
    common_units,
    evenness_of,
    neighbour_distance,
    two_valued_share,
)
from fairspectral_benchmarks.affinities.compare import (
    Score,
    auto,
    gower,
    gower_graph,
    graph,
    rbf,
    score,
)
from fairspectral_benchmarks.affinities.tables import (
    Table,
    all_tables,
    as_numbers,
    generated,
    in_their_own_units,
    mixed_clusters,
    noisy_blobs,
    of_scikit_learn,
    of_the_paper,
    standardised,
    with_random_category,
)
from fairspectral_benchmarks.files import ROOT
from fairspectral_benchmarks.pages import fill_in, markdown_table

PAGE = ROOT / "docs" / "affinity.md"
DETAILS = ROOT / "docs" / "affinity-tables.md"
# Seed of tables that were drawn after the rules were fixed, and never used to choose them.
FRESH = 200


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-0.00", "0.00")


def cells(found: Score) -> list[str]:
    return [
        number(found.agreement),
        f"{found.largest:.0%}",
        f"{found.at_floor:.1f}",
        number(found.stability),
    ]


def taken(found: Score) -> str:
    """What ``"auto"`` took, in a word."""
    words = {"took a connected graph": "graph", "took the rbf": "rbf", "took Gower": "gower"}
    return next(short for long, short in words.items() if long in found.choice)


def main_table(tables: Iterable[Table], title: str) -> str:
    """Every table by rbf, auto and gower, and the means."""
    print(title, file=sys.stderr)
    header = ["table", "method", "ARI", "largest", "at floor", "stability"]
    lines, found = [], []
    for table in tables:
        scores = {"rbf": score(table, rbf), "auto": score(table, auto)}
        chosen = taken(scores["auto"])
        scores["gower"] = scores["auto"] if chosen == "gower" else score(table, gower())
        found.append(scores)
        print(table.name, file=sys.stderr)
        lines.append([table.name, "rbf", *cells(scores["rbf"])])
        lines.append(["", f"auto: {chosen}", *cells(scores["auto"])])
        if chosen != "gower":
            lines.append(["", "gower", *cells(scores["gower"])])
    for method in ("rbf", "auto", "gower"):
        name = "mean" if method == "rbf" else ""
        lines.append([name, method, *cells(mean([scores[method] for scores in found]))])
    return f"{markdown_table(header, lines)}\n\n{tally(found)}"


def mean(scores: list[Score]) -> Score:
    return Score(
        float(np.mean([s.agreement for s in scores if s.agreement is not None])),
        float(np.mean([s.largest for s in scores])),
        float(np.mean([s.at_floor for s in scores])),
        float(np.mean([s.stability for s in scores])),
        "",
    )


def tally(found: list[dict[str, Score]]) -> str:
    """On how many tables `auto` is clearly better and worse than rbf."""
    parts = []
    for name, words in (("agreement", "agreement with the classes"), ("stability", "stability")):
        pairs = [(getattr(s["auto"], name), getattr(s["rbf"], name)) for s in found]
        gaps = [a - b for a, b in pairs if a is not None]
        better, worse = sum(g > 0.05 for g in gaps), sum(g < -0.05 for g in gaps)
        parts.append(
            f"{words}: better than `rbf` by more than 0.05 on {better} of {len(gaps)} tables, "
            f"worse on {worse}"
        )
    return f"`auto`, {'; '.join(parts)}."


def rule_table() -> str:
    """The two numbers that the rules look at, with the agreement by the kernel and the graph."""
    header = ["table", "last neighbour", "two-valued", "rbf", "graph", "gower"]
    tables = [noisy_blobs(extra, seed) for extra in (0, 4, 8, 16, 32) for seed in (0, 1, 2)]
    plain = [t for t in (*of_scikit_learn(), *generated()) if t.classes is not None and not t.mixed]
    lines = []
    for table in (*tables, *(with_random_category(t) for t in plain)):
        X = as_numbers(table.X)
        by = [score(table, method).agreement for method in (rbf, graph(), gower())]
        seen = [f"{neighbour_distance(X):.0%}", f"{two_valued_share(X):.0%}"]
        lines.append([table.name, *seen, *map(number, by)])
        print(table.name, file=sys.stderr)
    return markdown_table(header, lines)


def unit_table() -> str:
    """Agreement and stability of the graph on columns as measured and standardised."""
    header = ["table", "evenness", "as measured", "standardised", "auto takes"]
    lines = []
    for table in in_their_own_units():
        scaled = Table(table.name, standardised(table.X), table.k, table.classes, table.groups)
        found = [score(t, graph()) for t in (table, scaled)]
        deviations = table.X.std(axis=0)
        lines.append(
            [
                table.name,
                number(evenness_of(deviations[deviations > 0])),
                *(f"{number(s.agreement)} / {number(s.stability)}" for s in found),
                "standardised" if common_units(table.X)[1] else "as measured",
            ]
        )
    return markdown_table(header, lines)


def neighbour_table() -> str:
    """Agreement and stability by the number of neighbours of the graph."""
    numbers = (10, 20, 30, 40)
    header = ["table", *(f"{m} neighbours" for m in numbers)]
    lines = []
    for table in (*of_scikit_learn(), *of_the_paper(), *generated()):
        if not table.mixed:
            found = [score(table, graph(m)) for m in numbers]
            lines.append([table.name, *(f"{number(s.agreement)} / {number(s.stability)}"
                                        for s in found)])  # fmt: skip
    return markdown_table(header, lines)


def width_table() -> str:
    """Agreement, largest cluster and stability by the width of Gower's kernel, and by a graph."""
    widths = (1.0, 0.5, 0.25)
    header = ["table", *(f"width {w:g}" for w in widths), "neighbours"]
    breast_cancer = next(t for t in of_scikit_learn() if t.name == "breast cancer")
    mixed = [t for t in of_the_paper() if t.mixed] + [mixed_clusters(seed) for seed in (0, 1, 2)]
    lines = []
    for table in (*mixed, with_random_category(breast_cancer)):
        found = [score(table, method) for method in (*map(gower, widths), gower_graph)]
        lines.append([table.name, *(f"{number(s.agreement)} / {s.largest:.0%} / "
                                    f"{number(s.stability)}" for s in found)])  # fmt: skip
    return markdown_table(header, lines)


def main() -> int:
    """Print the tables, and write them with --write."""
    tables = {
        "affinities": main_table(all_tables(), "The tables of the page"),
        "fresh": main_table(generated(FRESH), "Fresh tables"),
        "rules": rule_table(),
        "units": unit_table(),
        "neighbours": neighbour_table(),
        "widths": width_table(),
    }
    for name, text in tables.items():
        print(f"### {name}\n\n{text}\n")
    if "--write" in sys.argv[1:]:
        fill_in(PAGE, {"affinities": tables.pop("affinities")})
        fill_in(DETAILS, tables)
    return 0
