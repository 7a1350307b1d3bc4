import re
from itertools import pairwise

import numpy as np
import pytest

from fairspectral.palette import (
    MARKERS,
    assign_markers,
    cluster_colour,
    group_colours,
    ink_on,
)


def channels(colour):
    assert re.fullmatch("#[0-9A-F]{6}", colour)
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])


def test_cluster_colours_are_distinct_for_21_clusters_and_go_on():
    colours = [cluster_colour(i) for i in range(21)]
    assert len(set(colours)) == 21
    assert cluster_colour(21) == colours[0]


@pytest.mark.parametrize("n_groups", [1, 2, 5, 7, 9, 10, 12, 20, 30])
def test_neighbouring_groups_differ_visibly(n_groups):
    colours = [channels(c) for c in group_colours(n_groups)]
    assert len(colours) == n_groups
    assert all(np.abs(a - b).max() >= 20 for a, b in pairwise(colours))


@pytest.mark.parametrize("colour", [*group_colours(20), *(cluster_colour(i) for i in range(21))])
def test_ink_is_legible(colour):
    def luminance(c):
        linear = channels(c) / 255
        linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    dark, light = sorted([luminance(colour), luminance(ink_on(colour))])
    assert (light + 0.05) / (dark + 0.05) >= 3.9


def test_every_group_has_its_own_shape_while_they_last():
    assert assign_markers(np.ones(8)).tolist() == list(range(8))


def test_the_largest_of_many_groups_keep_a_shape():
    counts = np.array([1, 90, 80, 70, 60, 50, 40, 30, 2, 3])
    markers = assign_markers(counts)
    last = len(MARKERS) - 1
    assert markers[[0, 8, 9]].tolist() == [last] * 3
    assert sorted(markers[1:8]) == list(range(last))
