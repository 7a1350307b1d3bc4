from itertools import pairwise

import pytest

from fairspectral.progress import GapMeter, compilation, listening, note, report, unheard


def test_without_a_listener_nothing_happens():
    assert report("affinity", 0.5) is None


def test_listeners_are_called_in_order_and_only_inside():
    heard = []
    with listening(lambda *said: heard.append(("outer", *said))):
        report("affinity")
        with listening(lambda *said: heard.append(("inner", *said))):
            report("embedding", 0.5)
        report("rounding", 1.0)
    report("rounding", 0.0)
    assert heard == [
        ("outer", "affinity", None),
        ("outer", "embedding", 0.5),
        ("inner", "embedding", 0.5),
        ("outer", "rounding", 1.0),
    ]


def test_a_listener_goes_when_the_work_fails():
    heard = []
    with pytest.raises(KeyError), listening(lambda *said: heard.append(said)):
        raise KeyError("work")
    report("affinity")
    assert heard == []


def test_gaps_on_a_line_give_even_steps():
    meter = GapMeter(tol=1e-4)
    assert meter.read(None) is None
    assert meter.read(float("inf")) is None
    done = [meter.read(10.0**-i) for i in range(5)]
    steps = [b - a for a, b in pairwise(done)]
    assert steps == pytest.approx([steps[0]] * 4, abs=1e-9)
    assert 0 < done[0] < 0.2
    assert done[-1] == pytest.approx(1.0, abs=1e-9)


def test_a_gap_that_rises_or_vanishes():
    meter = GapMeter(tol=1e-3)
    high = meter.read(1e-2)
    assert meter.read(1e-1) == high
    assert meter.read(0.0) == 1.0
    assert meter.read(None) == 1.0


def test_nested_compilation_is_reported_once():
    import numba

    @numba.njit
    def inner(x):
        return x + 1

    @numba.njit
    def outer(x):
        return inner(x) + 1

    heard = []
    with compilation(heard.append):
        assert outer(1) == 3
        assert heard == [True, False]
        outer(2)  # compiled already
    outer(1.5)  # no listener
    assert heard == [True, False]


def test_the_steps_of_a_longer_work_are_not_heard():
    heard, noted = [], []
    with listening(lambda *given: heard.append(given), lambda *given: noted.append(given)):
        report("all", 0.5)
        with unheard():
            report("one", 0.1)
            note("one", "words")
        note("all", "words")
    assert heard == [("all", 0.5)]
    assert noted == [("all", "words")]
