"""The random block that a solve starts from, and what it tells later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fairspectral.linalg.blocks import to_host
from fairspectral.problem import FairCutProblem

# Random directions beyond the wanted ones: with a few of them a random block misses no wanted
# direction (for Gaussian ones Halko, Martinsson and Tropp 2011, doi 10.1137/090771806).
OVERSAMPLING = 4
# Random numbers are made of 16-bit integers from minus this to this.
_HALF = 2**15
# Eigenvectors behind a Ritz vector, on average, up to which it counts as one of them.
_RESOLVED = 1.25
# Ritz vectors that are looked at together where some are not: fewer would leave it to chance.
_WINDOW = 8


class View(NamedTuple):
    """How a space sees the spectrum.

    Attributes
    ----------
    width : int
        Columns of the blocks.
    resolved : int
        Ritz vectors, from the first on, that are single eigenvectors.
    """

    width: int
    resolved: int


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
        return self.problem.asarray(self._numbers(self.problem.n_samples, self._generator()))

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def _numbers(self, rows: int, generator: np.random.Generator) -> np.ndarray:
        # Uniform with variance 1: as good as normal numbers here, in a fifth of the time.
        # The generator makes them in pairs, which must not be torn between two strips of rows.
        even = self.width + self.width % 2
        numbers = generator.integers(-_HALF, _HALF, (rows, even), dtype=np.int16)
        return (numbers[:, : self.width] + np.float32(0.5)) * np.float32(3**0.5 / _HALF)

    def view(self, strips: Iterable[Any]) -> View:
        """What a space that began with the sample has made of it.

        A column of the sample has a part of mean square length 1 along every eigenvector, and
        so along a Ritz vector that is one of them. Where eigenvectors are too many, or too
        close together, for the space to tell apart, a Ritz vector is a mixture of them that
        holds all their parts: more than its share.

        Parameters
        ----------
        strips : iterable of arrays of shape (rows, k)
            Orthonormal Ritz vectors of the space, in strips of rows, so that neither they nor
            the sample are held whole.
        """
        generator, parts = self._generator(), np.zeros(1)
        for vectors in strips:
            numbers = self.problem.asarray(self._numbers(vectors.shape[0], generator))
            parts = parts + to_host(numbers[:, self.replaced :].T @ vectors)
        count = parts.shape[-1]
        resolved = count
        if parts.size and not _single(parts):
            # The first ones may be single all the same, together and up to the last of them.
            while resolved and not (
                _single(parts[:, :resolved])
                and _single(parts[:, max(0, resolved - _WINDOW) : resolved])
            ):
                resolved -= 1
        return View(self.width, resolved)


def _single(parts: np.ndarray) -> bool:
    """Whether the sample's parts along Ritz vectors are those along single eigenvectors."""
    doubt = 3.0 * (2.0 / parts.size) ** 0.5  # three standard deviations of the mean
    return float(np.mean(parts**2)) <= _RESOLVED + doubt
