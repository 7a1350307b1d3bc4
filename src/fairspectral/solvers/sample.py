"""The random block that a solve starts from, and what it tells later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.linalg.blocks import strips, to_host
from fairspectral.problem import FairCutProblem

# Random columns beyond the wanted directions. With four, the part of the block along any wanted
# direction is at worst some thousand times smaller than along the others, but for a probability
# below 1e-10 (Chen and Dongarra 2005, doi 10.1137/040616413, x = 640); a few steps make up for it.
OVERSAMPLING = 4


@dataclass
class RandomSample:
    """Random columns, drawn again from their seed rather than kept.

    Attributes
    ----------
    problem : FairCutProblem
        Gives n, and the namespace, dtype and device of blocks.
    width : int
        Number of columns.
    seed : int
        Of the generator.
    replaced : int
        Leading columns that the solve did not start from, because others were given.
    """

    problem: FairCutProblem
    width: int
    seed: int
    replaced: int = 0

    def draw(self) -> Any:
        """The block, of shape (n, width)."""
        generator = np.random.default_rng(self.seed)
        return self.problem.asarray(self._numbers(self.problem.n_samples, generator))

    def _numbers(self, rows: int, generator: np.random.Generator) -> np.ndarray:
        # Uniform with variance 1: as good as normal numbers here, and quicker to draw.
        numbers = generator.random((rows, self.width), dtype=np.float32)
        numbers -= 0.5
        numbers *= 12**0.5
        return numbers

    def mixture(self, vectors: Any) -> float:
        """How many eigenvectors more than one a Ritz vector stands for, on average; at most one.

        A column of the sample has a part of mean square length 1 along every eigenvector, and
        so along a Ritz vector that is one of them. Where eigenvectors are too many, or too
        close together, for the space to tell apart, a Ritz vector is a mixture of them that
        holds all their parts: more than its share.

        Parameters
        ----------
        vectors : array of shape (n, k)
            Orthonormal Ritz vectors of a space that the sample began.
        """
        generator, parts = np.random.default_rng(self.seed), np.zeros(1)
        for rows in strips(vectors, self.width):
            numbers = self.problem.asarray(self._numbers(vectors[rows, :].shape[0], generator))
            parts = parts + to_host(numbers[:, self.replaced :].T @ vectors[rows, :])
        deviation = (2.0 / parts.size) ** 0.5  # of the mean of squares, were they normal
        return float(np.clip(np.mean(parts**2) - 1.0 - deviation, 0.0, 1.0))
