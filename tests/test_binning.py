import numpy as np
import pandas as pd
import pytest

from fairspectral import FairSpectralClustering, bin_numeric


def test_ranges_of_about_equal_size():
    rng = np.random.default_rng(0)
    ages = rng.integers(18, 90, 1000)
    groups = bin_numeric(ages, 5)
    names, counts = np.unique(groups, return_counts=True)
    assert len(names) == 5
    assert counts.min() > 170
    for name in names:
        low, high = map(int, name.split(" to "))
        members = ages[groups == name]
        assert (members.min(), members.max()) == (low, high)
        assert ((ages >= low) & (ages <= high) == (groups == name)).all()


def test_equal_numbers_stay_together():
    assert bin_numeric([0] * 8 + [3, 7]).tolist() == ["0"] * 8 + ["3", "7"]
    many_zeros = bin_numeric([0] * 80 + list(range(1, 21)), 5)
    assert set(many_zeros) == {"0", "1 to 20"}
    many_at_the_top = bin_numeric([6] * 85 + list(range(6)) * 3, 4)
    assert set(many_at_the_top) == {"0 to 5", "6"}
    assert bin_numeric([5, 5, 5]).tolist() == ["5"] * 3


def test_names_distinguish_close_numbers():
    values = 1e6 + np.arange(10) / 1000
    assert len(set(bin_numeric(values, 5))) == 5
    assert set(bin_numeric([0.25, 0.5, 1.75, 2.0], 2)) == {"0.25 to 0.5", "1.75 to 2"}


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1, 2, 3, 9], dtype="Int64"),
        pd.Series([1.0, 2.0, 3.0, 9.0]),
        [1, 2, 3, 9],
        np.ma.masked_array([1, 2, 3, 9], mask=[0, 0, 0, 0]),
    ],
)
def test_kinds_of_numbers(values):
    assert bin_numeric(values, 2).tolist() == ["1 to 2", "1 to 2", "3 to 9", "3 to 9"]


BAD = {
    "text": (["1", "2"], "must be numbers"),
    "missing": ([1.0, np.nan, 3.0], "no finite number at row 1"),
    "masked": (np.ma.masked_array([1, 2, 3], mask=[0, 0, 1]), "no finite number at row 2"),
    "nullable": (pd.Series([1, None], dtype="Int64"), "must be numbers|no finite number at row 1"),
    "dates": (np.array(["2020-01-01"], dtype="datetime64[D]"), "must be numbers"),
    "table": ([[1.0, 2.0]], r"shape \(1, 2\)"),
    "nothing": ([], r"shape \(0,\)"),
}


@pytest.mark.parametrize("kind", BAD)
def test_values_that_cannot_be_binned(kind):
    values, words = BAD[kind]
    with pytest.raises(ValueError, match=words):
        bin_numeric(values)


@pytest.mark.parametrize("n_bins", [1, 2.5, True, "5"])
def test_a_wrong_number_of_bins(n_bins):
    with pytest.raises(ValueError, match=r"n_bins=.* must be a whole number of at least 2"):
        bin_numeric([1, 2, 3], n_bins)


def test_the_groups_serve_the_estimator():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    groups = bin_numeric(rng.integers(18, 90, 60), 3)
    model = FairSpectralClustering(2, random_state=0).fit(X, sensitive_features=groups)
    assert len(model.audit_.attributes[0].groups) == 3
