"""Several numbers of clusters and tolerances side by side, on the command line."""

import numpy as np
import pandas as pd
import pytest

from fairspectral import audit
from fairspectral.cli.compare import read_numbers


def test_numbers_and_ranges():
    assert read_numbers("3,5") == [3, 5]
    assert read_numbers("2-4, 3,7") == [2, 3, 4, 7]
    for wrong in ("", "a", "3,,4", "0", "3-", "-3", "2-x", "99999"):
        with pytest.raises(ValueError, match="write for example 3,4,5 or 3-5"):
            read_numbers(wrong)
    with pytest.raises(ValueError, match="range '5-3' the wrong way round"):
        read_numbers("5-3")


def test_each_is_a_row_of_the_table_and_of_the_report(call, people, tmp_path):
    page = tmp_path / "side.html"
    words = ("compare", people, "-s", "sex", "-k", "2-3", "--tolerances", "0.1,0.4")
    words = (*words, "--effort", "fast", "--stability", "2")
    done = call(*words, "--report", page)
    assert done.status == 0, done.err
    names = [f"{k} clusters, tolerance {t}%" for k in (2, 3) for t in (10, 40)]
    text = page.read_text(encoding="utf-8")
    for name in names:
        assert name in done.out
        assert name in text
    assert "come back best on resamples" in " ".join(done.out.split())
    assert f"Report: {page}" in done.out
    assert "people.csv, side by side" in text

    runs = call(*words, "--json").json["runs"]
    assert [run["name"] for run in runs] == names
    groups = pd.read_csv(people)["sex"]
    for run in runs:
        found = audit(run["labels"], groups)
        assert run["sizes"] == found.sizes.tolist()
        assert run["fair"]
        low, high = run["shares_of_everyones"]
        assert low == pytest.approx(found.attributes[0].representation_ratio, abs=1e-9)
        assert high >= 1
        assert run["stability"]["resamples"] == 2
    prices = np.array([run["price"] for run in runs])
    assert prices[0] >= prices[1] - 1e-9  # tighter is dearer
    assert prices[2] >= prices[3] - 1e-9
    assert (prices >= -1e-9).all()


def test_without_resamples_there_is_no_stability(call, people):
    words = ("compare", people, "-s", "sex", "-k", "2", "--effort", "fast", "--stability", "0")
    done = call(*words, "--json")
    assert done.json["runs"][0]["stability"] is None
    assert done.json["runs"][0]["tolerance"] == 0.2
    assert done.json["report"] is None


def test_mistakes_are_said_before_anything_is_read(call, people, tmp_path):
    done = call("compare", tmp_path / "nothing.csv", "-s", "sex", "-k", "two")
    assert done.status == 2
    assert "--clusters has 'two'" in done.err
    done = call("compare", people, "-s", "sex", "-k", "2", "--report", tmp_path / "page.pdf")
    assert done.status == 2
    done = call("compare", people, "-s", "sex", "-k", "2", "--tolerances", "much")
    assert "--tolerances has 'much'" in done.err
    done = call("compare", people, "-s", "sex", "-k", "500", "--stability", "0")
    assert done.status == 2
    assert "500" in done.err
