"""Gower's distance and its kernel, and how mixed tables are read."""

import numpy as np
import pandas as pd
import pytest
from helpers import assert_close

from fairspectral.affinity import DenseOperator, KernelOperator, make_operator
from fairspectral.affinity.gower import WIDTH, distances, make_gower_kernel, typical_distance
from fairspectral.affinity.mixed import is_mixed, read_mixed

RANKS = ["low", "mid", "high"]


def people(n=40, seed=0):
    """Numbers, categories and ranks, with gaps."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "income": np.exp(rng.standard_normal(n)),
            "city": rng.choice(["Rome", "Oslo", "Bonn"], n).astype(object),
            "retired": rng.random(n) < 0.3,
            "school": pd.Categorical(rng.choice(RANKS, n), RANKS, ordered=True),
        }
    )
    for column in ("income", "city", "school"):
        table.loc[rng.random(n) < 0.2, column] = None
    return table


def slow_distance(table, i, j):
    """The definition, for two rows."""
    parts = []
    for name in table:
        a, b = table[name].iloc[i], table[name].iloc[j]
        if pd.isna(a) or pd.isna(b):
            continue
        if name == "school":
            parts.append(abs(RANKS.index(a) - RANKS.index(b)) / 2)
        elif name in ("city", "retired"):
            parts.append(float(a != b))
        else:
            parts.append(abs(a - b) / (table[name].max() - table[name].min()))
    return np.mean(parts) if parts else 1.0


def test_distances_are_those_of_the_definition():
    table = people()
    mixed = read_mixed(table)
    found = distances(mixed.values, mixed.values, mixed.categorical)
    expected = [[slow_distance(table, i, j) for j in range(40)] for i in range(40)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_rows_without_a_common_column_are_as_far_as_can_be():
    mixed = read_mixed([[1.0, None], [None, "a"], [2.0, "b"], [1.0, "a"]])
    found = distances(mixed.values, mixed.values, mixed.categorical)
    assert found[0, 1] == 1.0
    assert found[0, 3] == 0.0


def test_units_do_not_matter():
    table = people()
    other = table.assign(age=table["age"] * 1e300 - 5e301, income=table["income"] * 1e-290)
    assert_close(
        make_operator(read_mixed(other), "gower").degrees,
        make_operator(read_mixed(table), "gower").degrees,
        dtype=np.float32,
    )


def test_columns_that_do_not_differ_change_nothing():
    table = people()
    wider = table.assign(planet="Earth", empty=np.nan, one=1.0)
    np.testing.assert_array_equal(read_mixed(wider).values, read_mixed(table).values)


def test_the_width_is_half_the_median_distance():
    mixed = read_mixed(people())
    found = distances(mixed.values, mixed.values, mixed.categorical)
    middle = np.median(found[np.triu_indices(40, 1)])
    assert typical_distance(mixed) == pytest.approx(middle, abs=1e-12)
    assert make_gower_kernel(mixed, "scale", None).gamma == pytest.approx(1 / (WIDTH * middle))


def test_the_width_of_a_table_of_copies_is_not_zero():
    copies = read_mixed([["a"]] * 30 + [["b"]])
    assert 0 < make_gower_kernel(copies, "scale", None).gamma < np.inf


@pytest.mark.parametrize(("gamma", "expected"), [("auto", 1.0), (None, 1.0), (2.5, 2.5)])
def test_the_width_can_be_given(gamma, expected):
    mixed = read_mixed(people())
    assert make_gower_kernel(mixed, gamma, None).gamma == expected
    assert make_gower_kernel(mixed, "scale", {"gamma": gamma}).gamma == expected


def test_beyond_the_memory_budget_it_is_recomputed():
    mixed = read_mixed(people())
    stored = make_operator(mixed, "gower")
    again = make_operator(mixed, "gower", memory_budget=1000)
    assert isinstance(stored, DenseOperator)
    assert isinstance(again, KernelOperator)
    assert_close(again.degrees, stored.degrees, dtype=np.float32)
    block = np.random.default_rng(0).standard_normal((40, 3))
    assert_close(again.matmat(block), stored.matmat(block), dtype=np.float32)


def test_it_says_what_it_compared():
    choice = make_operator(read_mixed(people()), "gower").choice
    assert choice.startswith("Gower's distance, as given. Compared are 3 numeric and 2 categorical")
    assert "of the values are missing" in choice
    assert "missing" not in make_operator(people()[["age", "retired"]], "gower").choice


@pytest.mark.parametrize(
    ("X", "mixed"),
    [
        (np.ones((3, 2)), False),
        ([[1, 2], [3, 4]], False),
        ([[1, "a"], [3, "b"]], True),
        (np.array([["1", "2"], ["3", "4.5"]]), False),  # the kernels read these as numbers
        (np.array([[1.0, np.nan], [1.0, 2.0]]), True),
        (pd.DataFrame({"a": [1, 2], "b": [True, False]}), False),
        (pd.DataFrame({"a": pd.Categorical([1, 2])}), True),
        (pd.DataFrame({"a": ["x", "y"]}), True),
        (np.ones(3), False),
        (None, False),
    ],
)
def test_mixed_tables_are_recognised(X, mixed):
    assert is_mixed(X) is mixed
