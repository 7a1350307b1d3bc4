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
