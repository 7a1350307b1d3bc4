"""The k-means cost as a cut."""

import numpy as np
import pytest

from fairspectral.rounding.gram import GramOperator
from fairspectral.rounding.refine import CutState
from fairspectral.rounding.start import WeightedRows


def test_cut_of_the_gram_operator_is_the_kmeans_cost_up_to_a_constant():
    rng = np.random.default_rng(0)
    points = WeightedRows(rng.standard_normal((40, 3)), rng.random(40) + 0.5)
    gram = GramOperator(points)
    constant = np.sum(points.weights * np.sum(points.rows**2, axis=1)) - 4
    for seed in range(3):
        labels = np.random.default_rng(seed).permutation(40) % 4
        cut = CutState.measure(gram, labels, 4).cut
        assert constant + cut == pytest.approx(points.cost(labels, points.centroids(labels, 4)))
