import math

import numpy as np
import pytest

from fairspectral.linalg.tail import geometric_tail


@pytest.mark.parametrize("ratio", [0.05, 0.5, 0.8])
@pytest.mark.parametrize("terms", [3, 6, 20])
def test_a_geometric_sequence_is_never_underestimated(ratio, terms):
    values = 1.0 - ratio ** np.arange(terms)
    rest = 1.0 - values[-1]
    assert rest <= geometric_tail(list(values))


def test_a_sequence_that_slows_down_is_hardly_underestimated():
    # The error of a Krylov method in a dense spectrum falls like a power at first.
    values = [1.0 - 1.0 / (p + 2) ** 3 for p in range(5)]
    assert 0.9 * (1.0 - values[-1]) <= geometric_tail(values)


def test_uneven_growth_counts_by_its_slowest_span():
    even = [0.0, 1.0, 1.5, 1.75, 1.875]
    uneven = [0.0, 1.0, 1.5, 1.86, 1.875]
    assert geometric_tail(uneven) > 0.1
    assert geometric_tail(even) > geometric_tail(even[:3]) / 4 * 0.99


def test_growth_in_cycles_is_compared_over_whole_ones():
    # Each cycle of four gains half of what is missing, nearly all of it in one step or another.
    within = np.array([0.02, 0.05, 0.9, 1.0])
    ends = 1.0 - 0.5 ** np.arange(7)
    values = [0.0, *(ends[:-1, None] + np.diff(ends)[:, None] * within).ravel()]
    for length in range(9, len(values) + 1):
        rest = 1.0 - values[length - 1]
        assert rest <= geometric_tail(values[:length], 4) <= 3 * rest
    assert geometric_tail(values) > 5 * rest


def test_short_constant_and_accelerating_sequences():
    assert math.isinf(geometric_tail([1.0, 2.0]))
    assert geometric_tail([1.0, 1.0, 1.0]) == 0.0
    assert geometric_tail([0.0, 0.1, 0.5]) > 10
    assert geometric_tail([0.0, 0.0, 0.5]) > 10
