import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from fairspectral.parameters import (
    build_params,
    check_choice,
    check_n_jobs,
    parse_memory_budget,
)
from fairspectral.validation import (
    FairSpectralWarning,
    check_n_clusters,
    check_sensitive_features,
    refuse_masked,
)


class TestSensitiveFeatures:
    def test_wrong_length(self):
        with pytest.raises(ValueError, match="has 3 values but the data has 4 samples; pass"):
            check_sensitive_features(["a", "b", "a"], 4)

    @pytest.mark.parametrize(
        "values",
        [
            [1.0, np.nan, 2.0, 1.0],
            ["a", None, "b", "a"],
            pd.Series(["a", pd.NA, "b", "a"], name="sex"),
            pd.Series(["a", None, "b", "a"], dtype="category"),
            np.array(["a", np.nan, "b", "a"]),
            np.ma.array(["a", "x", "b", "a"], mask=[0, 1, 0, 0]),
            np.array(["2020", "NaT", "2021", "2020"], dtype="datetime64[D]"),
        ],
    )
    def test_missing(self, values):
        with pytest.raises(ValueError, match=r"1 missing value\(s\), the first at row 1; fill"):
            check_sensitive_features(values, 4)

    def test_missing_without_pandas(self):
        script = (
            "import sys; sys.modules['pandas'] = None\n"
            "from fairspectral.validation import check_sensitive_features\n"
            "try: check_sensitive_features(['a', None, float('nan'), 'b'], 4)\n"
            "except ValueError as error: print(error)"
        )
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert "2 missing value(s), the first at row 1" in run.stdout

    def test_single_group(self):
        with pytest.raises(ValueError, match="column 'sex' has the single group 'f'"):
            check_sensitive_features(pd.Series(["f", "f"], name="sex"), 2)
        assert check_sensitive_features(["f", "f"], 2, constrain=False)

    def test_continuous_values(self):
        with pytest.raises(ValueError, match="different value for every one of the 5 samples; bin"):
            check_sensitive_features(np.arange(5) / 7, 5)
        (attribute,) = check_sensitive_features(np.arange(5), 5, constrain=False)
        assert attribute.categories == (0, 1, 2, 3, 4)

    @pytest.mark.parametrize("kind", [int, float, object])
    def test_quantities_are_recognised(self, kind):
        ages = pd.Series(18 + np.arange(300) % 60, name="age").astype(kind)
        words = r"'age' has 60 different numbers.*bin_numeric\(values, n_bins=5\).*--bin age=5"
        with pytest.warns(FairSpectralWarning, match=words):
            check_sensitive_features(ages, 300)
        balance = pd.Series(np.arange(300) % 290, name="balance").astype(kind)
        with pytest.raises(ValueError, match=r"fewer than two samples for each; bin .*balance=5"):
            check_sensitive_features(balance, 300)
        with pytest.raises(ValueError, match=r"every one of the 300 samples; bin it .*bin_numeric"):
            check_sensitive_features(np.arange(300) / 7, 300)

    def test_codes_and_names_are_not_quantities(self):
        check_sensitive_features(np.arange(300) % 20, 300)
        check_sensitive_features((np.arange(300) % 60).astype(str), 300)
        check_sensitive_features(np.arange(300) % 2 == 0, 300)
        with pytest.raises(ValueError, match="300 samples; put its values together"):
            check_sensitive_features(np.arange(300).astype(str), 300)
        check_sensitive_features(np.arange(300) % 290, 300, constrain=False)

    def test_mixed_types(self):
        with pytest.raises(TypeError, match=r"cannot be compared \(int, str\); convert"):
            check_sensitive_features([1, "a", 1, "a"], 4)

    @pytest.mark.parametrize("values", [np.ones((2, 2, 2)), np.ones((2, 0)), 3])
    def test_wrong_shape(self, values):
        with pytest.raises(ValueError, match="one value per sample or a table"):
            check_sensitive_features(values, 2)

    def test_empty_frame(self):
        with pytest.raises(ValueError, match="no columns"):
            check_sensitive_features(pd.DataFrame(index=[0, 1]), 2)

    def test_duplicate_column_names(self):
        table = pd.DataFrame([["a", "b"], ["b", "b"]], columns=["x", "x"])
        with pytest.raises(ValueError, match="2 columns called 'x'; give every column a name"):
            check_sensitive_features(table, 2)

    def test_codes_and_categories(self):
        (attribute,) = check_sensitive_features(["b", "a", "b"], 3)
        assert attribute.categories == ("a", "b")
        assert attribute.codes.tolist() == [1, 0, 1]
        assert attribute.counts.tolist() == [1, 2]


def test_number_of_clusters():
    check_n_clusters(6, 10, 4)
    with pytest.raises(ValueError, match=r"n_clusters=7 is larger than 6, the 10 samples minus 4"):
        check_n_clusters(7, 10, 4)
    with pytest.raises(ValueError, match="n_clusters=0 must be at least 1"):
        check_n_clusters(0, 10, 0)
    for wrong in (True, 2.5, "3", None):
        with pytest.raises(TypeError, match=f"n_clusters={wrong!r} is not a whole number"):
            check_n_clusters(wrong, 10, 0)


def test_number_of_threads():
    for n_jobs in (None, 1, -1, np.int64(2)):
        check_n_jobs(n_jobs)
    for wrong in (0, True, "2", 1.5):
        with pytest.raises(ValueError, match=f"n_jobs={wrong!r} is not a number of threads; pass"):
            check_n_jobs(wrong)


def test_masked_arrays():
    refuse_masked(np.ma.array([1.0, 2.0]), "X")
    refuse_masked([1.0, 2.0], "X")
    with pytest.raises(ValueError, match=r"W is a masked array with 2 .*first at \(0, 1\); fill"):
        refuse_masked(np.ma.array(np.ones((2, 2)), mask=[[0, 1], [1, 0]]), "W")


@dataclass
class Params:
    max_iter: int = 3
    tol: float | None = 0.1


def test_params():
    assert build_params(Params, {"max_iter": np.int64(5), "tol": 1}, where="x").max_iter == 5
    assert build_params(Params, {"tol": None}, where="x").tol is None
    for name in ("max_iter", "tol"):
        with pytest.raises(TypeError, match=f"as '{name}', not True"):
            build_params(Params, {name: True}, where="x")
    with pytest.raises(TypeError, match=r"takes a whole number as 'max_iter', not 2\.5"):
        build_params(Params, {"max_iter": 2.5}, where="the solver 'x'")
    with pytest.raises(TypeError, match="takes a number or None as 'tol', not 'a'"):
        build_params(Params, {"tol": "a"}, where="the solver 'x'")
    with pytest.raises(ValueError, match=r"'max_itr' \(did you mean 'max_iter'\?\); it knows max_"):
        build_params(Params, {"max_itr": 5}, where="the solver 'x'")
    with pytest.raises(ValueError, match="mode='zzz' is unknown; choose one of 'a', 'b'"):
        check_choice("zzz", ["a", "b"], "mode")


def test_memory_budget():
    assert parse_memory_budget(1000) == 1000
    assert parse_memory_budget("2GB") == 2 * 10**9
    assert parse_memory_budget("1.5 MiB") == 1.5 * 2**20
    assert parse_memory_budget("512") == 512
    assert parse_memory_budget(None) > 2**20
    for wrong in ("lots", "3XB", -1, 0, float("inf"), float("nan"), True, [1], {}):
        with pytest.raises(ValueError, match="is not an amount of memory"):
            parse_memory_budget(wrong)
