"""A search ends when its time is up or at the first Ctrl-C; the second one interrupts."""

import signal
import threading

import pytest

from fairspectral.anytime import (
    Deadline,
    check_time_budget,
    stop_on_interrupt,
    stop_when,
    takes_interrupt,
    taking_interrupts,
)


def test_without_a_limit_it_never_passes():
    deadline = Deadline()
    assert not deadline.passed
    assert deadline.seconds_left == float("inf")


def test_it_passes_when_the_seconds_are_over():
    assert Deadline(0.0).passed
    assert Deadline(0.0).seconds_left == 0.0
    assert not Deadline(1000.0).passed


def test_the_first_interrupt_stops_and_the_second_raises():
    before = signal.getsignal(signal.SIGINT)
    deadline = Deadline()
    with stop_on_interrupt(deadline):
        assert takes_interrupt()
        signal.raise_signal(signal.SIGINT)
        assert deadline.passed
        assert deadline.interrupted
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert not takes_interrupt()
    assert signal.getsignal(signal.SIGINT) is before


def test_the_handler_is_restored_where_nothing_happened():
    before = signal.getsignal(signal.SIGINT)
    with stop_on_interrupt(Deadline()):
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_a_handler_of_somebody_else_is_left_alone():
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        deadline = Deadline()
        with stop_on_interrupt(deadline):
            assert not takes_interrupt()
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [1]
    assert not deadline.interrupted


def test_other_threads_do_not_touch_signals():
    problems = []

    def work():
        try:
            with stop_on_interrupt(Deadline()):
                problems.append(takes_interrupt())
        except ValueError as error:
            problems.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert problems == [False]


@pytest.mark.parametrize("wrong", [0, -1.0, float("nan"), float("inf"), True, "10"])
def test_a_wrong_budget_is_refused(wrong):
    with pytest.raises(ValueError, match="must be a positive number of seconds, or None"):
        check_time_budget(wrong)


@pytest.mark.parametrize("right", [None, 1, 0.5])
def test_a_right_budget_is_accepted(right):
    check_time_budget(right)


def test_somebody_else_can_stop_the_searches_of_a_block():
    asked = threading.Event()
    before = Deadline()
    with stop_when(asked):
        inside = Deadline()
        assert not inside.passed
        asked.set()
        assert inside.passed
        assert Deadline().passed  # one that begins later as well
    assert not before.passed
    assert not Deadline().passed


def test_a_block_may_deal_with_the_interrupt_itself():
    with taking_interrupts():
        assert takes_interrupt()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert not takes_interrupt()
