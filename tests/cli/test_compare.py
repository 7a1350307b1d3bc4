"""Several numbers of clusters and tolerances side by side, on the command line."""

import numpy as np
import pandas as pd
import pytest
from helpers import press_in_embedding, press_in_search

from fairspectral import audit, estimator
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


@pytest.fixture
def small_minority(tmp_path):
    """120 people, of whom six are a minority: fewer than clusters, so shares are coarse."""
    rng = np.random.default_rng(0)
    path = tmp_path / "minority.csv"
    frame = pd.DataFrame(rng.standard_normal((120, 2)), columns=["x", "y"])
    frame.assign(group=["minor"] * 6 + ["major"] * 114).to_csv(path, index=False)
    return path


def test_fair_up_to_a_person_is_not_called_fair_without_that(call, small_minority):
    words = (small_minority, "-s", "group", "--effort", "fast", "--stability", "0")
    done = call("compare", *words, "-k", "8", "--affinity", "auto")
    assert "up to a person" in done.out
    said = " ".join(done.out.split())
    assert "fair within their bounds up to whole persons; in 1 a share is beyond" in said
    assert "affinity='auto' took" in said
    chosen = call("choose-k", *words, "--min-clusters", "7", "--max-clusters", "8", "--json")
    assert [one["whole_persons"] for one in chosen.json["candidates"]] == [True, True]
    table = call("choose-k", *words, "--min-clusters", "7", "--max-clusters", "8").out
    assert table.count("up to a person") == 2


def test_people_who_were_set_aside_are_named(call, tmp_path):
    # Two cliques of 30, joined by an edge, and a pair that hangs on nobody.
    edges = [(a, b) for a in range(60) for b in range(a) if a // 30 == b // 30]
    edges += [(0, 59), (60, 61)]
    path, groups = tmp_path / "g.csv", tmp_path / "groups.csv"
    path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in edges))
    groups.write_text("node,sex\n" + "".join(f"{a},{'fm'[a % 2]}\n" for a in range(62)))
    words = ("compare", path, "--graph", "--groups", groups, "-s", "sex", "-k", "2")
    done = call(*words, "--effort", "fast", "--stability", "0", "--json")
    assert done.status == 0, done.err
    assert any("2 people in 1 component(s)" in one for one in done.json["summary"])


def test_too_many_clusters_are_refused_before_any_work(call, people):
    done = call("compare", people, "-s", "sex", "-k", "2-4,300")
    assert done.status == 2
    assert "--clusters has 300, but there are 80 rows; choose fewer." in done.err


def test_ctrl_c_leaves_out_what_was_not_searched(call, people, tmp_path, monkeypatch):
    page = tmp_path / "side.html"
    words = ("compare", people, "-s", "sex", "-k", "2-4", "--tolerances", "0.1,0.4,none")
    words = (*words, "--effort", "fast", "--report", page)
    press_in_search(monkeypatch, 2)
    done = call(*words)
    assert done.status == 0, done.err
    said = " ".join(done.out.split())
    assert "2 clusters, tolerance 40%" in said
    assert "search stopped early" in said
    assert (
        "Ctrl-C came before: 2 clusters without bounds, so that no price of fairness is known; 3 "
        "clusters; 4 clusters."
    ) in said
    assert "Ctrl-C came before: 2 clusters" in page.read_text(encoding="utf-8")
    press_in_search(monkeypatch, 2)
    runs = call(*words, "--json").json["runs"]
    assert [run["price"] for run in runs] == [None, None]
    assert [run["stability"] for run in runs] == [None, None]


def test_a_number_of_clusters_that_was_finished_keeps_its_price(call, people, monkeypatch):
    words = ("compare", people, "-s", "sex", "--tolerances", "0.4", "--effort", "fast")
    words = (*words, "--stability", "0", "--json")
    searches = count_searches(monkeypatch)
    alone = call(*words, "-k", "2").json["runs"]
    press_in_search(monkeypatch, len(searches) + 1)
    result = call(*words, "-k", "2-4").json
    assert [run["price"] for run in result["runs"]] == [run["price"] for run in alone]
    assert result["summary"][-1] == "Ctrl-C came before: 3 clusters; 4 clusters."


def test_ctrl_c_gives_up_the_embedding_of_a_later_number(call, people, monkeypatch):
    words = ("compare", people, "-s", "sex", "-k", "2-4", "--effort", "fast", "--stability", "0")
    ended = press_in_embedding(monkeypatch, estimator, 2)
    result = call(*words, "--json").json
    assert ended == [1]
    assert [run["clusters"] for run in result["runs"]] == [2]
    assert result["summary"][-1] == "Ctrl-C came before: 3 clusters; 4 clusters."


def count_searches(monkeypatch):
    """A list that grows with every search."""
    from fairspectral import rounder

    begun, search = [], rounder.follow_plan

    def follow_plan(*args, **kwargs):
        begun.append(1)
        return search(*args, **kwargs)

    monkeypatch.setattr(rounder, "follow_plan", follow_plan)
    return begun
