"""Tables in the pages of the documentation."""

from pathlib import Path

import pytest
from fairspectral_benchmarks.pages import fill_in, markdown_table, marks
from fairspectral_benchmarks.rounding.report import TABLES

DOCS = Path(__file__).parents[2] / "docs"


def test_a_table_has_names_to_the_left_and_numbers_to_the_right():
    assert markdown_table(["data", "k", "method"], [["a", 2, "b"]]) == (
        "| data | k | method |\n| --- | ---: | --- |\n| a | 2 | b |"
    )


def test_only_what_is_between_the_marks_changes(tmp_path):
    page = tmp_path / "page.md"
    begin, end = marks("one")
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    fill_in(page, {"one": "new\n"})
    fill_in(page, {"one": "newer\n"})
    assert page.read_text() == f"before\n{begin}\nnewer\n{end}\nafter\n"
    with pytest.raises(ValueError, match="no place for the table 'two'"):
        fill_in(page, {"two": ""})


@pytest.mark.parametrize(
    ("page", "tables"),
    [
        ("benchmarks", ["summary"]),
        ("benchmarks-tables", ["solvers"]),
        ("cut", ["summary"]),
        ("cut-tables", ["cut"]),
        ("fair-rounding-measured", TABLES),
        ("diagnosis-tables", ["findings"]),
        ("affinity", ["affinities"]),
        ("affinity-tables", ["fresh", "rules", "neighbours", "widths"]),
    ],
)
def test_the_pages_have_places_for_what_is_measured(page, tables):
    text = (DOCS / f"{page}.md").read_text("utf-8")
    for name in tables:
        for mark in marks(name):
            assert text.count(mark) == 1, mark


def test_fair_rounding_has_one_line_for_each_data_set():
    found = {"cut": 1.0, "cells": 4, "cells_outside": 0, "smallest": 9, "clusters": 2}
    kmeans = found | {"cells_outside": 3, "smallest": 1}
    rows = [
        {"data": data, "k": k, "fair": found | {"floor": 2}, "plain": found | {"cut": 2.0}}
        | {"kmeans": kmeans | {"clusters": k}, "tol": tol}
        for data in ("Thyroid", "Census")
        for k in (2,)
        for tol in (0.0, 0.2)
    ]
    lines = TABLES["clusterings"](rows).splitlines()
    assert lines[2] == "| Thyroid | 0 of 8 | 6 of 8 | 9 | 1 | 0.50 |"
    assert lines[3].startswith("| Census | ")
    assert lines[5].startswith("In all: 4 clusterings of the fair embedding have 0 of 16 cells")


def test_peers_are_compared_in_one_line():
    scores = {"k-means": 2.0, "Bera et al.": 4.0, "ours, no floor": 3.0}
    rows = [
        {"data": "Census", "k": 5, "method": method, "persons_outside": 0.5, "cost": cost}
        | {"clusters": 5, "seconds": 1.0}
        for method, cost in scores.items()
    ]
    line = TABLES["peers"](rows).splitlines()[2]
    assert line == "| Census | 5 | 0.50 | 0.50 | 0.50 | 0.75 | 5 | 5 | 1.00 | 1.00 |"
