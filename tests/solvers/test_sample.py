"""The random first block tells whether Ritz vectors are single eigenvectors."""

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


def test_vectors_that_know_nothing_of_the_sample_are_resolved():
    vectors = np.linalg.qr(np.random.default_rng(0).standard_normal((N, 10)))[0]
    view = sample().view([vectors[:150], vectors[150:]])
    assert view.resolved == 10
    assert view.width == 16


@pytest.mark.parametrize("width", [15, 16])
def test_mixtures_of_all_that_the_sample_has_in_a_cluster_are_not(width):
    # An eigenspace of 64 dimensions, of which the space holds the sample's directions.
    inside = np.linalg.qr(np.random.default_rng(1).standard_normal((N, 64)))[0]
    mixtures = np.linalg.qr(inside @ (inside.T @ sample(width).draw()))[0]
    assert sample(width).view([mixtures[:7], mixtures[7:]]).resolved == 0


def test_vectors_before_the_mixtures_may_be_resolved():
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((N, 94)))[0]
    single, inside = Q[:, :30], Q[:, 30:]
    mixtures = np.linalg.qr(inside @ (inside.T @ sample().draw()))[0]
    assert 28 <= sample().view([np.hstack([single, mixtures])]).resolved <= 31
    assert sample().view([np.hstack([mixtures, single])]).resolved <= 1


def test_the_numbers_have_mean_0_and_variance_1():
    drawn = sample(64).draw()
    assert abs(drawn.mean()) < 0.02
    assert abs(drawn.var() - 1.0) < 0.02


def test_columns_that_were_replaced_tell_nothing():
    drawn = sample()
    drawn.replaced = 16
    assert drawn.view([np.linalg.qr(drawn.draw())[0]]).resolved == 16
