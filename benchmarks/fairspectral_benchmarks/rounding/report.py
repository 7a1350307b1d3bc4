"""From the results of the rounding benchmark to the tables of the document."""

from __future__ import annotations

import math

from fairspectral_benchmarks.files import ROOT
from fairspectral_benchmarks.pages import fill_in, markdown_table

DOCUMENT = ROOT / "docs" / "fair-rounding-measured.md"
ORDER = ("LastFMNet", "FacebookNet", "Thyroid", "Census", "4area")


def write_report(results):
    """Replace the text between the marks of each table that was measured.

    The choice of defaults has no table on the page: it is printed.
    """
    found = {part: sorted(rows, key=_place) for part, rows in results.items()}
    fill_in(DOCUMENT, {name: table(found[name]) for name, table in TABLES.items() if name in found})
    if "defaults" in found:
        print(defaults(found["defaults"]))


def _place(row):
    data = row.get("data", "")
    at = ORDER.index(data) if data in ORDER else len(ORDER)
    return at, row.get("k", 0), row.get("tol", 0)


def clusterings(rows):
    """One line for each data set, with fair rounding beside k-means, and the sum in words."""
    sizes = list(dict.fromkeys(row["k"] for row in rows))
    lines = []
    for data in dict.fromkeys(row["data"] for row in rows):
        found = [row for row in rows if row["data"] == data]
        fair, kmeans = (
            [_checked(row[way], row["k"]) for row in found] for way in ("fair", "kmeans")
        )
        outside = [
            f"{sum(one['cells_outside'] for one in way)} of {sum(one['cells'] for one in way)}"
            for way in (fair, kmeans)
        ]
        smallest = [min(one["smallest"] for one in way) for way in (fair, kmeans)]
        ratios = [f"{_ratio([row for row in found if row['k'] == k]):.2f}" for k in sizes]
        lines.append([data, *outside, *smallest, *ratios])
    header = ["data", "cells outside: fair", "k-means", "smallest cluster: fair", "k-means",
              *(f"cut, fair : plain, k = {k}" for k in sizes)]  # fmt: skip
    return f"{markdown_table(header, lines)}\n\n{_summary(rows)}"


def _checked(found, k):
    assert found["clusters"] == k or "floor" not in found, "a cluster is missing"
    assert found["smallest"] >= found.get("floor", 0), "a cluster is below the floor"
    return found


def _ratio(rows):
    """The cut from the fair embedding over that from the plain one, in the geometric mean."""
    logarithms = [math.log(row["fair"]["cut"] / row["plain"]["cut"]) for row in rows]
    return math.exp(sum(logarithms) / len(rows))


def _summary(rows):
    """The summary of all clusterings, as a sentence."""
    ways = {way: [row[way] for row in rows] for way in ("fair", "plain", "kmeans")}
    cells, outside, broken = (
        {way: count(found) for way, found in ways.items()}
        for count in (
            lambda found: sum(one["cells"] for one in found),
            lambda found: sum(one["cells_outside"] for one in found),
            lambda found: sum(one["cells_outside"] > 0 for one in found),
        )
    )
    lower = sum(row["fair"]["cut"] < 0.999 * row["plain"]["cut"] for row in rows)
    higher = sum(row["plain"]["cut"] < 0.999 * row["fair"]["cut"] for row in rows)
    return (
        f"In all: {len(rows)} clusterings of the fair embedding have {outside['fair']} of "
        f"{cells['fair']:,} cells outside their bounds, those of the plain embedding "
        f"{outside['plain']}; k-means has {outside['kmeans']:,}, in {broken['kmeans']} of "
        f"{len(rows)} clusterings. All fair roundings have k clusters, none below the floor. "
        f"The cut is lower from the fair embedding in {lower} cases, from the plain one in "
        f"{higher}, and within a thousandth in {len(rows) - lower - higher}; the geometric mean "
        f"of their ratio (fair : plain) is {_ratio(rows):.3f}.\n"
    )


def defaults(rows):
    names = {
        "row_scaling": "rows {}",
        "min_cluster_size": "floor {} n/k",
        "refine_rounds": "{} rounds",
    }
    columns = list(dict.fromkeys((row["argument"], row["value"]) for row in rows))
    columns.sort(key=lambda column: list(names).index(column[0]))
    header = ["data", "k"] + [names[argument].format(value) for argument, value in columns]
    lines = []
    for data, k in dict.fromkeys((row["data"], row["k"]) for row in rows):
        found = {
            (row["argument"], row["value"]): row
            for row in rows
            if (row["data"], row["k"]) == (data, k)
        }
        line = [data, k]
        for column in columns:
            row = found.get(column)
            seconds = f" ({row['seconds']:.0f} s)" if row and column[0] == "refine_rounds" else ""
            line.append(f"{row['cut']:.3f}{seconds}" if row else "")
        lines.append(line)
    return markdown_table(header, lines)


def peers(rows):
    """One line for each data set and k: the linear program of Bera et al. beside ours."""
    lines = []
    for data, k in dict.fromkeys((row["data"], row["k"]) for row in rows):
        found = {row["method"]: row for row in rows if (row["data"], row["k"]) == (data, k)}
        kmeans, theirs, ours = (
            found[name] for name in ("k-means", "Bera et al.", "ours, no floor")
        )
        outside = [f"{one['persons_outside']:.2f}" for one in (kmeans, theirs, ours)]
        cost = f"{ours['cost'] / theirs['cost']:.2f}"
        counts = [one["clusters"] for one in (theirs, ours)]
        seconds = [f"{one['seconds']:.2f}" for one in (theirs, ours)]
        lines.append([data, k, *outside, cost, *counts, *seconds])
    header = ["data", "k", "persons outside: k-means", "Bera et al.", "ours", "cost, ours : theirs",
              "clusters: Bera et al.", "ours", "s: Bera et al.", "ours"]  # fmt: skip
    return markdown_table(header, lines)


def scale(rows):
    rows = sorted(rows, key=lambda row: row["n"])
    header = ["n", "seconds", "peak memory, GB", "growth exponent from the first row"]
    lines = []
    for row in rows:
        exponent = ""
        if row is not rows[0]:
            ratio = math.log(row["seconds"] / rows[0]["seconds"])
            exponent = f"{ratio / math.log(row['n'] / rows[0]['n']):.2f}"
        lines.append([f"{row['n']:,}", f"{row['seconds']:.1f}", f"{row['peak_gb']:.2f}", exponent])
    return markdown_table(header, lines)


TABLES = {"clusterings": clusterings, "peers": peers, "scale": scale}
