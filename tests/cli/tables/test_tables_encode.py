from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairspectral.cli.tables import Table, encode_features


def table(**columns):
    return Table(Path("people.csv"), pd.DataFrame(columns))


def notes_of(features):
    return " ".join(features.notes)


def test_every_column_weighs_the_same():
    rng = np.random.default_rng(0)
    features = encode_features(
        table(
            age=[str(x) for x in rng.integers(18, 90, 200)],
            city=rng.choice(["Rome", "Oslo", "Bonn"], 200, p=[0.9, 0.08, 0.02]).tolist(),
        )
    )
    assert features.names == ("age", "city=Bonn", "city=Oslo", "city=Rome")
    assert (features.numeric, features.categorical) == (("age",), ("city",))
    np.testing.assert_allclose(features.X.mean(axis=0), 0, atol=1e-12)
    variances = features.X.var(axis=0)
    assert variances[0] == pytest.approx(1, abs=1e-9)
    assert variances[1:].sum() == pytest.approx(1, abs=1e-9)
    assert features.notes == ()


def test_the_largest_numbers_are_standardised_too():
    features = encode_features(table(x=[1e308, -1e308, 1e308, 1e308], y=[1.0, 2.0, 5.0, 3.0]))
    np.testing.assert_allclose(features.X.std(axis=0), 1, rtol=0, atol=1e-9)


def test_constants_ids_and_names_are_dropped_with_a_note():
    n = 30
    features = encode_features(
        table(
            id=[str(i) for i in range(1, n + 1)],
            name=[f"person {i}" for i in range(n)],
            remark=[f"text {i // 2 if i < 10 else i}" for i in range(n)],
            one=["7"] * n,
            same=["x"] * n,
            void=[""] * n,
            x=[str(i % 4) for i in range(n)],
        )
    )
    assert features.names == ("x",)
    said = notes_of(features)
    assert "'id': it counts the rows; --keep id uses it" in said
    assert "'name': it has a different value in every row" in said
    assert "'remark': it has mostly distinct text" in said
    assert "'one': it has the same value in every row" in said
    assert "'same': it has the same value in every row" in said
    assert "'void': it has no value at all" in said


def test_keep_uses_them():
    data = table(id=["1", "2", "3", "4"], name=["a", "b", "c", "d"])
    features = encode_features(data, keep=["id", "name"])
    assert features.names == ("id", "name=a", "name=b", "name=c", "name=d")


def test_missing_values_are_filled_with_a_note():
    features = encode_features(table(x=["1", "", "5", "5"], c=["a", "NA", "a", "a"]))
    assert features.names == ("x", "c=(missing)", "c=a")
    assert "Filled 1 missing value(s) of 'x' with the median, 5." in features.notes
    assert "1 missing value(s) of 'c' a category of their own" in notes_of(features)
    assert features.X[1, 0] == features.X[2, 0]


def test_rare_categories_are_pooled():
    values = [f"v{i % 150:03d}" for i in range(300)] + ["v000"] * 50
    features = encode_features(table(c=values))
    assert features.X.shape == (350, 100)
    assert "c=(other)" in features.names
    assert "Pooled the 51 rarest of the 150 values of 'c'" in notes_of(features)


def test_only_the_requested_columns():
    data = table(x=["1", "3", "9"], y=["4", "6", "5"])
    assert encode_features(data, ["y"]).names == ("y",)


def test_nothing_left_to_compare():
    with pytest.raises(ValueError, match=r"no column to compare.*'x': it has the same value"):
        encode_features(table(x=["1", "1"]))
    with pytest.raises(ValueError, match="because all of them are sensitive or dropped"):
        encode_features(table(x=["1", "2"]), [])
