"""The random first block shows whether Ritz vectors are single eigenvectors."""

import numpy as np
import pytest
from helpers import make_problem, random_affinity

from fairspectral.solvers.sample import RandomSample

N = 400


def sample(width=16):
    problem = make_problem(random_affinity(N, 0), np.arange(N) % 2, 4)
    return RandomSample(problem, width, seed=3)


def test_the_same_block_every_time():
    drawn = sample().draw()
    assert drawn.shape == (N, 16)
    np.testing.assert_array_equal(drawn, sample().draw())


def test_the_numbers_have_mean_0_and_variance_1():
    drawn = sample(64).draw()
    assert abs(drawn.mean()) < 0.02
    assert abs(drawn.var() - 1.0) < 0.02


def test_vectors_that_are_independent_of_the_sample_are_no_mixtures():
    vectors = np.linalg.qr(np.random.default_rng(0).standard_normal((N, 10)))[0]
    assert sample().mixture(vectors) < 0.1


@pytest.mark.parametrize(("dimensions", "expected"), [(64, 1.0), (24, 0.4)])
def test_mixtures_of_all_that_the_sample_has_in_a_cluster_are_found(dimensions, expected):
    # An eigenspace, of which a space of 16 dimensions holds the sample's directions.
    inside = np.linalg.qr(np.random.default_rng(1).standard_normal((N, dimensions)))[0]
    mixtures = np.linalg.qr(inside @ (inside.T @ sample().draw()))[0]
    assert sample().mixture(mixtures) == pytest.approx(expected, abs=0.2)


def test_a_long_sample_is_drawn_in_strips():
    n = 30000
    problem = make_problem(random_affinity(50, 0), np.arange(50) % 2, 4)
    drawn = RandomSample(problem, 16, seed=3)
    rng = np.random.default_rng(3)
    vectors = drawn._numbers(n, rng)  # parallel to the sample itself: as much of it as there can be
    assert drawn.mixture(vectors / np.linalg.norm(vectors, axis=0)) == 1.0


def test_columns_that_were_replaced_do_not_count():
    drawn = sample(width=60)
    drawn.replaced = 12
    vectors = np.linalg.qr(drawn.draw()[:, :12])[0]
    assert drawn.mixture(vectors) < 0.2
    drawn.replaced = 0
    assert drawn.mixture(vectors) == 1.0  # a tenth of the columns lie in these twelve dimensions
