"""Every table and figure once, at the tiny scale, through the engine."""

import json

import pytest
from fairspectral_benchmarks.paper.catalogue import SPECS
from fairspectral_benchmarks.paper.engine import reproduce
from fairspectral_benchmarks.paper.items import ITEMS
from fairspectral_benchmarks.paper.methods import get_method
from fairspectral_benchmarks.paper.spec import SCALES, Cell
from fairspectral_benchmarks.problems import read_name


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """One folder for all specs, so that shared cells are computed once."""
    return tmp_path_factory.mktemp("reproduction")


def test_the_list_of_items_is_complete():
    assert list(SPECS) == list(ITEMS)


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_at_the_tiny_scale(name, out):
    spec = SPECS[name]
    written = reproduce(name, scale="tiny", out=out, isolated=False)
    kinds = ["json", "md"] + (["png", "svg"] if spec.figure else [])
    assert [path.name for path in written] == [f"{name}.{kind}" for kind in kinds]

    content = json.loads((out / f"{name}.json").read_text())
    assert content["title"] == ITEMS[name]
    assert len(content["records"]) == len(spec.cells("tiny"))
    for record in content["records"]:
        assert record["outcome"] == "done", record["note"]
        assert record["context"]["seed"] == record["cell"]["trial"]
        assert record["context"]["machine"]["cores"] >= 1
        assert record["context"]["versions"]["numpy"]
        assert 0 <= record["values"]["seconds"] <= record["values"]["seconds_total"]
        assert -1e-9 <= record["values"]["gap"] < 1

    text = (out / f"{name}.md").read_text()
    assert text.startswith(f"# {ITEMS[name]}\n")
    assert "Scale: tiny" in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("| ---")}
    assert widths
    for figure in written[2:]:
        assert figure.stat().st_size > 1000


@pytest.mark.parametrize("scale", SCALES)
def test_every_cell_can_be_resolved(scale):
    for spec in SPECS.values():
        cells = spec.cells(scale)
        assert len(set(cells)) == len(cells)
        for cell in cells:
            assert read_name(cell.problem).n >= 100
            assert get_method(cell.method).title


def test_the_papers_numbers_stand_in_the_paper_scale_tables():
    expected = {
        "table1": "495.70", "table2": "166.92", "table3": "0.3884", "table4": "285174.39",
        "table5": "25.98", "randlaplace": "508.63", "min-balance": "0.1582",
        "facebook": "37.084", "scalability": "508.63",
    }  # fmt: skip
    for name, number in expected.items():
        assert number in SPECS[name].table({}, "paper")


def test_tables_share_cells():
    shared = {Cell("4area", "s-fsc", 25, 0)}
    for name in ("table2", "table3", "min-balance", "curves"):
        assert shared < set(SPECS[name].cells("paper"))
    assert SPECS["randlaplace"].cells("paper") == SPECS["scalability"].cells("paper")
