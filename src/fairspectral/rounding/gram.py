"""Rows as an affinity, so that the local search for the cut also lowers the k-means cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator
from fairspectral.rounding.start import WeightedRows


class GramOperator(AffinityOperator):
    """Weighted inner products of rows used as affinities, and weights used as degrees.

    With ``W = diag(w) X X^T diag(w)`` the k-means cost of a clustering is
    ``sum_i w_i |x_i|^2 - sum_l (y_l^T W y_l) / (y_l^T w)``: up to a constant its normalised cut
    (Dhillon, Guan and Kulis 2007, doi 10.1109/TPAMI.2007.1115). The rows are shifted and scaled
    so that the first term is 1, because the search's smallest gain must not depend on the units.
    ``W`` is n×n and may have negative entries, so use this only for few rows and only with
    `fairspectral.rounding.refine`.
    """

    def __init__(self, points: WeightedRows) -> None:
        rows = points.rows - np.average(points.rows, axis=0, weights=points.weights)
        spread = np.sqrt(points.weights @ np.einsum("ij,ij->i", rows, rows))
        weighted = (rows / spread if spread > 0 else rows) * points.weights[:, None]
        self.stored_weights = weighted @ weighted.T
        self.degrees = points.weights
        self.shape, self.dtype = self.stored_weights.shape, self.stored_weights.dtype

    def matmat(self, block: Any) -> np.ndarray:
        """``D^-1/2 W D^-1/2`` times a block."""
        root = np.sqrt(self.degrees)[:, None]
        return (self.stored_weights @ (block / root)) / root
