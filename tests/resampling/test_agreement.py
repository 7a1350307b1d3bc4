"""Overlap of clusters and agreement of clusterings."""

import numpy as np

from fairspectral.resampling.agreement import agree, best_overlap


def test_overlap_is_people_in_both_over_people_in_either():
    reference = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    found = np.array([5, 5, 5, 2, 2, 2, 2, 2, 2, 2])
    np.testing.assert_allclose(best_overlap(reference, found, 2), [3 / 4, 6 / 7])


def test_the_numbers_of_the_clusters_do_not_matter():
    reference = np.array([0, 0, 1, 1, 2, 2])
    np.testing.assert_array_equal(best_overlap(reference, 2 - reference, 3), [1, 1, 1])


def test_a_cluster_without_people_here_is_not_judged():
    overlap = best_overlap(np.array([0, 0, 2]), np.array([0, 0, 1]), 3)
    assert np.isnan(overlap[1])
    np.testing.assert_array_equal(overlap[[0, 2]], [1, 1])


def test_chance_is_high_for_a_cluster_of_nearly_everybody():
    reference = (np.arange(400) < 20).astype(int)
    found = agree(reference, reference, 2, np.random.RandomState(0))
    np.testing.assert_array_equal(found.overlap, [1, 1])
    assert found.ari == 1.0
    assert found.chance[0] > 0.85
    assert found.chance[1] < 0.3
