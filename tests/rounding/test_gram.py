"""The k-means cost as a cut."""

import numpy as np
import pytest

from fairspectral.cut import CutState
from fairspectral.rounding.gram import GramOperator
from fairspectral.rounding.start import WeightedRows


@pytest.mark.parametrize(("scale", "shift"), [(1, 0), (1e5, 0), (1e-7, 0), (1, 1e4)])
def test_the_cut_is_the_share_of_the_variance_within_clusters(scale, shift):
    rng = np.random.default_rng(0)
    points = WeightedRows(scale * rng.standard_normal((40, 3)) + shift, rng.random(40) + 0.5)
    everybody = np.zeros(40, dtype=int)
    variance = points.cost(everybody, points.centroids(everybody, 1))
    gram = GramOperator(points)
    for seed in range(3):
        labels = np.random.default_rng(seed).permutation(40) % 4
        cut = CutState.measure(gram, labels, 4).cut
        cost = points.cost(labels, points.centroids(labels, 4))
        assert cut - 3 == pytest.approx(cost / variance, rel=1e-6)


def test_rows_that_are_all_the_same():
    gram = GramOperator(WeightedRows(np.full((5, 2), 3.0), np.ones(5)))
    assert not gram.stored_weights.any()
