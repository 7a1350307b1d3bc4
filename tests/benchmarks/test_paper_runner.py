"""Outcomes of cells: resuming, time limit, failures, missing data."""

import io
import json
from dataclasses import asdict
from functools import partial

import numpy as np
import pytest
from fairspectral_benchmarks.paper import runner, worker
from fairspectral_benchmarks.paper.engine import reproduce
from fairspectral_benchmarks.paper.runner import run_cells
from fairspectral_benchmarks.paper.spec import Cell, grid
from fairspectral_benchmarks.paper.store import Record, Store
from fairspectral_benchmarks.process import Lines, MissingDataError, serve

CELLS = grid(["randlaplace-120x2"], ["ours", "s-fsc"], [2, 3], 2)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def outcomes(store, cells=CELLS):
    return [store.read(cell).outcome for cell in cells]


@pytest.mark.parametrize("isolated", [True, False])
def test_after_an_interruption_finished_cells_are_not_computed_again(store, isolated):
    seen = []

    def interrupt(record):
        seen.append(record.cell)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_cells(CELLS, store, limit=600, isolated=isolated, listener=interrupt)
    first = list(seen)
    assert len(first) == 3
    run_cells(CELLS, store, limit=600, isolated=isolated, listener=lambda r: seen.append(r.cell))
    assert len(seen) == len(set(seen)) == len(CELLS)
    assert outcomes(store) == ["done"] * len(CELLS)
    run_cells(CELLS, store, limit=600, isolated=isolated, listener=lambda r: pytest.fail("again"))


def test_a_process_of_its_own_gives_the_same_numbers_and_fails_in_words(tmp_path):
    stores = [Store(tmp_path / "child"), Store(tmp_path / "here")]
    cells = [Cell("randlaplace-120x2", "ours", k, 0) for k in (2, 500)]
    for store, isolated in zip(stores, (True, False), strict=True):
        run_cells(cells, store, limit=600, isolated=isolated)
        assert outcomes(store, cells) == ["done", "failed"]
        assert "500" in store.read(cells[1]).note
    child, here = (store.read(cells[0]) for store in stores)
    assert child.values["objective"] == pytest.approx(here.values["objective"], abs=1e-4)
    assert set(child.values) == set(here.values)
    assert child.context["versions"] == here.context["versions"]


@pytest.mark.parametrize("isolated", [True, False])
def test_over_the_limit(store, isolated):
    cells = grid(["randlaplace-120x2"], ["s-fsc"], [2, 3], 2)
    run_cells(cells, store, limit=1e-5, isolated=isolated)
    assert outcomes(store, cells) == ["over time"] * 4
    # One trial was run; the others, and a larger k of a method that grows, were not tried.
    notes = [store.read(cell).note for cell in cells]
    assert not notes[0].startswith("not run")
    assert all(note.startswith("not run: randlaplace-120x2/s-fsc/k2/trial0") for note in notes[1:])
    run_cells(cells, store, limit=1e-6, isolated=isolated, listener=lambda r: pytest.fail("again"))
    # With a larger limit it is tried again.
    run_cells(cells, store, limit=600, isolated=isolated)
    assert outcomes(store, cells) == ["done"] * 4


def test_an_overrun_stands_for_larger_graphs_only_where_that_follows(store):
    small, large = Cell("randlaplace-120x2", "ours", 2, 0), Cell("randlaplace-160x2", "ours", 2, 0)
    store.write(Record(small, "over time", limit=600.0))
    run_cells([small, large], store, limit=600, isolated=False)
    assert outcomes(store, [small, large]) == ["over time", "done"]


def test_a_stored_overrun_is_remembered(store):
    small, large = (Cell(f"randlaplace-{n}x2", "o-fsc", 2, 0) for n in (120, 160))
    store.write(Record(small, "over time", limit=600.0))
    run_cells([small, large], store, limit=600)
    assert outcomes(store, [small, large]) == ["over time", "over time"]


def test_what_does_not_fit_into_memory_is_not_tried(store):
    cell = Cell("census", "o-fsc", 25, 0)
    run_cells([cell], store, limit=600)
    record = store.read(cell)
    assert record.outcome == "over memory"
    assert "n=32561" in record.note


def test_a_failure_stops_nothing_and_is_tried_again(store, monkeypatch):
    true = runner.compute_cell

    def breaks(instance, cell):
        if cell.method == "ours":
            raise np.linalg.LinAlgError("no")
        return true(instance, cell)

    monkeypatch.setattr(runner, "compute_cell", breaks)
    run_cells(CELLS, store, limit=600, isolated=False)
    assert outcomes(store) == ["failed"] * 4 + ["done"] * 4
    assert store.read(CELLS[0]).note == "LinAlgError: no"
    monkeypatch.setattr(runner, "compute_cell", true)
    again = []
    run_cells(CELLS, store, limit=600, isolated=False, listener=again.append)
    assert {record.cell.method for record in again} == {"ours"}
    assert outcomes(store) == ["done"] * 8


def test_a_process_that_breaks_down():
    cell = Cell("nothing-1x1", "ours", 2, 0)
    with runner.child_of(cell.problem) as child:
        outcome, facts = child.ask(asdict(cell), 60)
    assert outcome == "failed"
    assert "status 1" in facts["note"]
    assert "KeyError" in facts["note"]


def test_missing_data_leave_the_others_done(store, monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRSPECTRAL_DATA", str(tmp_path / "nowhere"))
    cells = [Cell("facebook", "ours", 2, 0), Cell("randlaplace-120x2", "ours", 2, 0)]
    missing = run_cells(cells, store, limit=600, isolated=False)
    assert [type(error) for error in missing] == [MissingDataError]
    assert "is not a folder" in str(missing[0])
    assert store.read(cells[0]) is None
    assert store.read(cells[1]).outcome == "done"


def test_the_worker_answers_line_by_line():
    cell = {"problem": "randlaplace-120x2", "method": "ours", "k": 2, "trial": 0}
    requests = io.StringIO("".join(json.dumps({**cell, "k": k}) + "\n" for k in (2, 500)))
    answers = io.StringIO()
    serve(partial(worker.load, "randlaplace-120x2"), requests, answers)
    lines = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert [line["event"] for line in lines] == [
        "loaded", "clock", "stopped", "done", "clock", "failed"
    ]  # fmt: skip


def test_the_worker_ends_with_its_input(monkeypatch):
    ended = []
    monkeypatch.setattr("os._exit", ended.append)
    lines = Lines(io.StringIO("a\nb\n"))
    assert [next(iter(lines)) for _ in range(2)] == ["a\n", "b\n"]
    lines.thread.join()
    assert ended == [0]


def test_the_worker_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRSPECTRAL_DATA", str(tmp_path / "nowhere"))
    answers = io.StringIO()
    serve(partial(worker.load, "facebook"), io.StringIO(), answers)
    assert json.loads(answers.getvalue())["event"] == "missing"


def test_reproduce_ends_with_the_loaders_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRSPECTRAL_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        reproduce("facebook", scale="quick", out=tmp_path / "out", isolated=False)
    assert "| 25 | ours |" in (tmp_path / "out" / "facebook.md").read_text()


def test_only_some_cells_and_fewer_trials(tmp_path):
    seen = []
    options = {"scale": "tiny", "out": tmp_path, "isolated": False}
    reproduce("table1", only="/ours/", trials=1, listener=seen.append, **options)
    assert {record.cell.key for record in seen} == {
        "msbm-160x4/ours/k4/trial0", "msbm-200x4/ours/k4/trial0"
    }  # fmt: skip
    assert "| 160 | o-FSC | – | – |" in (tmp_path / "table1.md").read_text()


def test_a_key_that_no_cell_has_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match=r"no cell has 'our/' in its key.*'msbm-160x4/o-fsc/k4"):
        reproduce("table1", scale="tiny", out=tmp_path / "new", only="our/")
    assert not list(tmp_path.iterdir())


def test_an_unknown_item_gets_a_suggestion(tmp_path):
    with pytest.raises(ValueError, match="did you mean 'table1'"):
        reproduce("tabel1", out=tmp_path)
