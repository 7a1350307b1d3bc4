"""The comparison of affinities, and the page that shows it."""

from pathlib import Path

import numpy as np
import pytest
from fairspectral_benchmarks.affinities import main_table, taken
from fairspectral_benchmarks.affinities.compare import auto, gower, gower_graph, graph, rbf, score
from fairspectral_benchmarks.affinities.tables import (
    as_numbers,
    generated,
    mixed_clusters,
    of_scikit_learn,
    with_random_category,
)

from fairspectral.affinity.automatic import FAR, TWO_VALUED
from fairspectral.affinity.neighbours import NEIGHBOURS

PAGE = (Path(__file__).parents[2] / "docs" / "affinity.md").read_text(encoding="utf-8")


def small(table):
    """A few rows of a table."""
    rows = np.arange(150)
    classes = None if table.classes is None else table.classes[rows]
    return type(table)(table.name, table.rows(rows), table.k, classes, table.groups[rows])


@pytest.fixture
def moons():
    return small(next(generated()))


@pytest.mark.parametrize("method", [rbf, auto, gower(), gower(0.5), gower_graph, graph(10)])
def test_a_score_has_all_its_parts(moons, method):
    found = score(moons, method)
    assert -1 <= found.agreement <= 1
    assert -1 <= found.stability <= 1
    assert 0.5 <= found.largest <= 1
    assert 0 <= found.at_floor <= 2


def test_without_classes_there_is_no_agreement(moons):
    unknown = type(moons)("unknown", moons.X, 2, None, moons.groups)
    assert score(unknown, rbf).agreement is None


def test_a_mixed_table_is_clustered_by_gower_and_encoded_for_rbf():
    table = small(mixed_clusters())
    assert table.mixed
    assert np.isfinite(as_numbers(table.X)).all()
    assert taken(score(table, auto)) == "gower"
    assert score(table, rbf).largest < 1


def test_a_random_category_is_one_more_column(moons):
    assert with_random_category(moons).X.shape == (150, 3)


def test_the_table_ends_with_means_and_a_tally(moons):
    lines = main_table([moons], "one").splitlines()
    assert lines[2].startswith("| moons | rbf |")
    assert lines[-3].startswith("|  | gower |")
    assert lines[-1].startswith("`auto`, agreement with the classes: better")


def test_the_page_has_every_table_and_the_thresholds_of_the_code():
    for table in (*of_scikit_learn(), *generated()):
        assert f"| {table.name} | rbf |" in PAGE
    for name in ("Census", "Thyroid", "4area"):
        assert f"| {name} | rbf |" in PAGE
    assert f"at more than {FAR:.0%} of the median distance" in PAGE
    assert f"more than {TWO_VALUED:.0%} of its variance" in PAGE
    assert f"joins everyone with the {NEIGHBOURS} nearest others" in PAGE
