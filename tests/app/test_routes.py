"""The whole way by requests: table, run, slider, cluster, exports; errors in sentences."""

import io
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from app_pages import HOSTILE, Page, file_name, wait_until
from typer.testing import CliRunner

from fairspectral.cli.app import app

STEPS = range(9)


def labels_of(content):
    return pd.read_csv(io.BytesIO(content))["cluster"].to_numpy()


def test_the_columns_are_shown_as_text(page, people):
    answer = page.upload(people)
    assert answer.status == 200
    assert "people.csv: 80 rows, 6 columns" in answer.text
    assert "it counts the rows" in answer.text
    assert HOSTILE not in answer.text
    assert "&lt;script&gt;" in answer.text


def test_hostile_names_are_text_everywhere(page, people):
    attack = '"><img src=x onerror=alert(1)>'
    # Quoted, the name of a column may hold quotes too.
    header, rows = people.split(b"\n", 1)
    quoted = f'"{attack}"'.replace(attack, attack.replace('"', '""')).encode()
    page.upload(header.replace(b"sex", quoted) + b"\n" + rows, f"{attack}.csv")
    page.run()
    texts = [page.wait().text, page.request("GET", "/").text]
    texts += [page.get("/view").text, page.get("/cluster", cluster=0).text]
    for text in texts:
        assert "<img" not in text
        assert HOSTILE not in text
    assert "&lt;img" in texts[0]


def test_the_affinities_are_those_of_the_command(page, people):
    from fairspectral.cli.options import MethodOptions, affinity_names

    text = page.upload(people).text
    offered = re.search(r'name="affinity">(.*?)</select>', text)[1]
    assert re.findall(r"<option[^>]*>(\w+)</option>", offered) == list(affinity_names())
    assert f"<option selected>{MethodOptions().affinity}</option>" in offered


def test_the_slider_moves_shares_sizes_and_price_together(finished):
    result = finished.session.result()
    for step in (0, 4, 8):
        text = finished.get("/view", step=step).text
        found = result.frontier.assignments[step]
        sizes = np.bincount(found.labels)
        assert f"{sizes.min()}–{sizes.max()}" in text
        assert f"<dd>{found.normalized_cut:.4g} " in text
        rows = re.findall(r'<th scope="row">([^<]*)</th><td>([\d.]+)</td>', text)
        cuts = {name: float(cut) for name, cut in rows if not name.isdecimal()}
        assert cuts["fair (this run)"] == pytest.approx(found.normalized_cut, rel=1e-3)
        loosest = result.frontier.assignments[-1].normalized_cut
        assert cuts["without bounds on the shares"] == pytest.approx(loosest, rel=1e-3)
        assert "plain k-means" in cuts
        for size in sizes:
            assert f"<small>{size}</small></button>" in text


def test_a_cluster_in_words_with_the_people_who_moved(finished):
    result = finished.session.result()
    text = finished.get("/cluster", step=0, cluster=1).text
    described = result.description(0).clusters[1]
    assert described.head in text
    assert described.differences[0].what in text
    moved = result.view(0).moved
    came = np.flatnonzero(moved.there == 1)
    assert len(came)
    assert f"{len(came)} from cluster 0" in text
    assert f'<th scope="row">{moved.rows[came[0]] + 1}</th>' in text
    # Without bounds nobody moves.
    assert "Nobody" in finished.get("/cluster", step=8, cluster=1).text


def test_labels_are_the_table_with_the_clusters(finished, people):
    answer = finished.get("/labels", step=5)
    assert file_name(answer.headers) == "labels.csv"
    lines = answer.text.splitlines()
    given = people.decode().splitlines()
    assert lines[0] == f"{given[0]},cluster"
    assert all(line.startswith(f"{row},") for line, row in zip(lines, given, strict=True))
    expected = finished.session.result().frontier.at(0.2).labels
    assert np.array_equal(labels_of(answer.content), expected)


@pytest.mark.parametrize("step", [0, 5, 8])
def test_the_command_repeats_the_labels(finished, people, tmp_path, monkeypatch, step):
    text = finished.get("/view", step=step).text
    shown = re.search(r'<code id="command">(.*?)</code>', text)[1].replace("&#39;", "'")
    program, *words = shlex.split(shown)
    assert program == "fairspectral"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_bytes(people)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    written = (tmp_path / "labels.csv").read_bytes()
    assert written == finished.get("/labels", step=step).content


def test_the_report(finished):
    answer = finished.get("/report", step=4)
    assert file_name(answer.headers) == "report.html"
    assert answer.text.startswith("<!doctype html>")
    assert "Fair clusters of people.csv" in answer.text
    assert "Fair within 10%" in answer.text
    assert "--at 0.1 --output labels.csv" in answer.text
    assert HOSTILE not in answer.text


def test_who_moved_as_a_table(finished):
    answer = finished.get("/moved", step=0)
    assert file_name(answer.headers) == "moved.csv"
    table = pd.read_csv(io.BytesIO(answer.content))
    assert len(table) == len(finished.session.result().view(0).moved.rows)
    assert {"row", "sex", "fair_cluster"} <= set(table.columns)


def test_the_page_can_be_loaded_again(finished):
    text = finished.request("GET", "/").text
    assert 'id="tolerance"' in text
    assert 'id="verdict"' in text


def test_other_columns_groups_and_attributes(page, people):
    page.upload(people)
    two = {"fair": ["3", "5"], "groups-3": "2", "affinity": "nearest_neighbors"}
    assert page.run(compare=["1", "2", "4"], **two).status == 200
    text = page.wait().text
    assert page.session.result().choices.tolerances == (0.0, 0.05, 0.1, 0.2, 0.5, None)
    assert "Shares of age" in text
    assert "Shares of sex" in text
    assert "--bin age=2" in text


def test_the_demo_and_its_table(page):
    assert "442 rows" in page.post("/demo").text
    answer = page.request("GET", "/diabetes-patients.csv")
    assert file_name(answer.headers) == "diabetes-patients.csv"
    assert len(pd.read_csv(io.BytesIO(answer.content))) == 442


WRONG = {
    "no sensitive column": ({"fair": []}, "Tick at least one column under fair shares"),
    "a different value for everyone": ({"fair": ["1"]}, "pass --bin x=5"),
    "more clusters than people": ({"clusters": "50"}, "--clusters"),
    "nothing to compare": ({"compare": []}, "no column to compare the rows by"),
    "numbers that do not suit": ({"affinity": "chi2"}, "chi2"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_of_the_library_are_sentences(page, people, case):
    choices, words = WRONG[case]
    few = b"\n".join(people.splitlines()[:31])  # 30 people
    page.upload(few if "more clusters" in case else people)
    answer = page.run(**choices)
    text = answer.text if answer.status == 422 else page.wait().text
    assert words in text
    assert "Traceback" not in text
    assert 'id="slider"' not in text


def test_a_bad_table_leaves_the_one_before(page, people):
    page.upload(people)
    answer = page.upload(b"x,sex\n1\n")
    assert answer.status == 422
    assert "people.csv has 1 field(s) in line 2" in answer.text
    assert page.session.sheet.n == 80


def test_requests_that_make_no_sense(page, people):
    assert page.run().status == 409  # no table
    assert page.request("POST", "/table", b"", {"Content-Type": "text/plain"}).status == 422
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    assert page.request("POST", "/table", b"nonsense", kind).status in (400, 422)
    page.upload(people)
    for path in ("/view", "/cluster", "/labels", "/moved", "/report"):
        assert page.get(path, cluster=0).status == 409  # no run
        assert page.request("GET", path).status == 400
    assert page.request("GET", "/static/..%2Fguard.py").status == 404
    assert page.request("GET", "/static/guard.py").status == 404
    assert page.request("GET", "/table").status == 405


def test_steps_and_clusters_that_do_not_exist(finished):
    for path, place in (("/view", {"step": 9}), ("/labels", {"step": 99}),
                        ("/cluster", {"cluster": 7})):  # fmt: skip
        answer = finished.get(path, **place)
        assert answer.status == 422
        assert "reload the page" in answer.text
    assert finished.get("/view", step="-1").status == 400


def test_an_older_tab_gets_no_labels_of_a_newer_run(finished):
    number = finished.session.number
    answer = finished.request("GET", f"/labels?run={number - 1}&step=5")
    assert answer.status == 409
    assert "older run" in answer.text


@pytest.fixture
def long_run():
    """A run that takes a minute unless it is stopped."""
    with Page() as page:
        page.post("/demo")
        many = {"clusters": "30", "effort": "thorough", "affinity": "nearest_neighbors"}
        page.run(compare=["0", "2", "3", "4"], fair=["1"], **many)
        yield page


def test_stopping_takes_the_best_so_far(long_run):
    wait_until(lambda: long_run.session.job.progress().done is not None)
    answer = long_run.request("GET", "/progress")
    assert re.search(r"search \d of 9", answer.text)
    assert "hx-retarget" not in answer.headers
    assert "Give up" in long_run.post("/stop").text
    answer = long_run.wait()
    assert answer.headers["hx-retarget"] == "#run"
    assert "stopped early" in answer.text
    result = long_run.session.result()
    assert all(one.certified for one in result.frontier.assignments)
    assert long_run.get("/labels", step=0).status == 200


def test_giving_up_has_no_result(long_run):
    assert long_run.run().status == 409
    assert long_run.post("/demo").status == 409
    long_run.post("/give-up")
    assert "The run was given up" in long_run.wait().text
    assert long_run.get("/labels").status == 409
    assert long_run.run(compare=["0", "2"], fair=["1"]).status == 200  # and then again
    assert 'id="slider"' in long_run.wait().text
