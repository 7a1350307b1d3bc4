"""A search ends when its time is up or at the first Ctrl-C; the second one interrupts."""

import signal
import threading

import pytest

from fairspectral.anytime import (
    Deadline,
    check_time_budget,
    searching,
    stop_on_interrupt,
    stop_when,
    takes_interrupt,
    taking_interrupts,
    within,
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


def test_one_interrupt_ends_all_that_is_nested_and_the_second_raises():
    before = signal.getsignal(signal.SIGINT)
    with searching() as whole:
        with searching() as part:
            signal.raise_signal(signal.SIGINT)
        assert part.interrupted
        assert whole.interrupted
        with searching() as later:
            assert later.interrupted
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    with searching() as other:
        assert not other.interrupted


def test_work_that_does_not_listen_knows_the_interrupt_of_its_parts():
    whole = Deadline()
    with within(whole):
        with searching():
            signal.raise_signal(signal.SIGINT)
        assert whole.interrupted
        with searching() as later:
            assert later.passed
            assert not takes_interrupt()  # so the next Ctrl-C is the second one


def test_a_part_has_no_more_time_than_the_whole():
    with searching(0.0), searching(1000.0) as part:
        assert part.passed
        assert not part.interrupted
        assert part.seconds_left == 0.0
    with searching(1000.0), searching() as part:
        assert not part.passed
        assert part.seconds_left <= 1000.0


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
    with pytest.raises(ValueError, match="must be a positive, finite number of seconds, or None"):
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
