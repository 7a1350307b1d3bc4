"""From the results of the rounding benchmark to the tables of the document."""

from __future__ import annotations

import math

from fairspectral_benchmarks.files import ROOT
from fairspectral_benchmarks.pages import fill_in, markdown_table

DOCUMENT = ROOT / "docs" / "fair-rounding-measured.md"
ORDER = ("LastFMNet", "FacebookNet", "Thyroid", "Census", "4area")


def write_report(results):
    """Replace the text between the marks of each table that was measured."""
    tables = {}
    for part, table in TABLES.items():
        source = "clusterings" if part == "stages" else part
        if source in results:
            tables[part] = table(sorted(results[source], key=_place))
    fill_in(DOCUMENT, tables)


def _place(row):
    data = row.get("data", "")
    at = ORDER.index(data) if data in ORDER else len(ORDER)
    return at, row.get("k", 0), row.get("tol", 0)


def clusterings(rows):
    """One table for each data set, with the three ways side by side."""
    ways = (("fair", "fair"), ("plain", "plain"), ("kmeans", "k-means"))
    measures = ("cut", "balance", "outside", "smallest", "s")
    header = ["k", "tol", *(f"{name}: {measure}" for _, name in ways for measure in measures)]
    text = ""
    for data in dict.fromkeys(row["data"] for row in rows):
        lines = []
        for row in rows:
            if row["data"] == data:
                line = [row["k"], f"{row['tol']:g}"]
                for way, _ in ways:
                    line += _one_way(row[way], row["k"])
                lines.append(line)
        text += f"**{data}**\n\n{markdown_table(header, lines)}\n\n"
    return text + _summary(rows)


def _one_way(found, k):
    assert found["clusters"] == k or "floor" not in found, "a cluster is missing"
    assert found["smallest"] >= found.get("floor", 0), "a cluster is below the floor"
    return [
        f"{found['cut']:.3f}",
        f"{found['balance']:.2f}",
        f"{found['cells_outside']}/{found['cells']}",
        found["smallest"],
        f"{found['seconds']:.1f}",
    ]


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
    ratio = math.exp(
        sum(math.log(row["fair"]["cut"] / row["plain"]["cut"]) for row in rows) / len(rows)
    )
    return (
        f"In all: {len(rows)} clusterings of the fair embedding have {outside['fair']} of "
        f"{cells['fair']:,} cells outside their bounds, those of the plain embedding "
        f"{outside['plain']}; k-means has {outside['kmeans']:,}, in {broken['kmeans']} of "
        f"{len(rows)} clusterings. All fair roundings have k clusters, none below the floor. "
        f"The cut is lower from the fair embedding in {lower} cases, from the plain one in "
        f"{higher}, and within a thousandth in {len(rows) - lower - higher}; the geometric mean "
        f"of their ratio (fair : plain) is {ratio:.3f}.\n"
    )


def stages(rows):
    rows = [row for row in rows if row["tol"] == 0.2]
    names = list(rows[0]["fair"]["stages"])
    lines = []
    for row in rows:
        cuts = row["fair"]["stages"]
        fall = 1 - cuts[names[-1]] / cuts["fair flow"]
        lines.append(
            [row["data"], row["k"], *(f"{cuts[name]:.3f}" for name in names), f"{fall:.0%}"]
        )
    return markdown_table(["data", "k", *names, "fall"], lines)


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
    header = [
        "data", "k", "method", "persons outside", "largest deviation", "cost", "clusters",
        "smallest", "s",
    ]  # fmt: skip
    lines = []
    for row in rows:
        if row["method"].startswith("ours, at") and row["persons_outside"] > 1:
            continue  # the peer's deviation, from a cluster of a few persons, is not a useful bound
        if "cost" in row:
            found = [
                f"{row['persons_outside']:.2f}", f"{row['achieved_tol']:.3f}",
                f"{row['cost']:.5g}", row["clusters"], row["smallest"],
            ]  # fmt: skip
        else:
            found = ["not finished", "", "", "", ""]
        lines.append([row["data"], row["k"], row["method"], *found, f"{row['seconds']:.2f}"])
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


TABLES = {
    "clusterings": clusterings,
    "stages": stages,
    "defaults": defaults,
    "peers": peers,
    "scale": scale,
}
