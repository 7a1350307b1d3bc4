"""Work in the background: progress, stopping, giving up, errors."""

import threading

from app_pages import wait_until

from fairspectral.anytime import Deadline
from fairspectral.app.job import Job
from fairspectral.progress import AFFINITY, ROUNDING, note, report
from fairspectral.rounder import FRONTIER


def test_the_result_and_the_progress():
    reached, go_on = threading.Event(), threading.Event()

    def work():
        report(AFFINITY, 0.5)
        report(ROUNDING, 0.0)
        report(ROUNDING, 1.0)
        report(FRONTIER, 0.5)
        report(ROUNDING, 0.5)
        note(ROUNDING, "cut 1.5")
        reached.set()
        go_on.wait(60)
        return "found"

    job = Job(work, searches=4)
    assert job.progress().words == "reading the table"
    assert job.progress().done is None
    job.start()
    assert reached.wait(60)
    shown = job.progress()
    assert shown.words == "search 3 of 4 (cut 1.5)"
    assert shown.done == (2 + 0.5) / 4
    assert shown.left.endswith(" left")
    assert not shown.stopping
    assert job.running
    go_on.set()
    job.wait(60)
    assert job.result == "found"
    assert job.error == ""
    assert not job.running


def test_the_bar_never_goes_back():
    job = Job(lambda: None, searches=2)
    for stage, done in ((ROUNDING, 0.9), (FRONTIER, 0.0), (ROUNDING, 0.1), (FRONTIER, 0.5)):
        job._hear(stage, done)
    assert job.progress().done == 0.45
    job._hear(ROUNDING, 0.2)
    assert job.progress().done == 0.6


def test_stopping_ends_the_searches_with_a_result():
    begun = threading.Event()

    def work():
        deadline = Deadline()
        begun.set()
        wait_until(lambda: deadline.passed)
        return "the best so far"

    job = Job(work, searches=1)
    job.start()
    assert begun.wait(60)
    assert not Deadline().passed  # those of other threads go on
    job.stop()
    assert job.progress().stopping
    job.wait(60)
    assert job.result == "the best so far"
    assert job.stopped


def test_giving_up_ends_without_a_result():
    begun = threading.Event()

    def work():
        begun.set()
        while True:
            report(AFFINITY, 0.1)

    job = Job(work, searches=1)
    job.start()
    assert begun.wait(60)
    job.give_up()
    job.wait(60)
    assert not job.running
    assert job.result is None
    assert job.error == "The run was given up."


def failing(error):
    def work():
        raise error

    job = Job(work, searches=1)
    job.start()
    job.wait(60)
    return job.error


def test_errors_are_sentences(capsys):
    assert failing(ValueError("n_clusters=9 is larger than 8.")) == "--clusters 9 is larger than 8."
    assert "not enough memory" in failing(MemoryError())
    assert capsys.readouterr().err == ""
    assert "Unexpected error (KeyError" in failing(KeyError("x"))
    assert "Traceback" in capsys.readouterr().err
