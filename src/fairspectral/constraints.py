"""From groups to the fairness constraint: ``F``, an orthonormal basis of its range, projection."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import array_api_compat
import numpy as np
import scipy.linalg

from fairspectral.covariates import Covariate, centred_matrix
from fairspectral.parameters import check_choice
from fairspectral.validation import Attribute, check_sensitive_features
from fairspectral.weighting import Weights

ATTRIBUTE_MODES = ("marginal", "intersection")


def encode_groups(
    sensitive_features: Any,
    n_samples: int,
    attribute_mode: str = "marginal",
    *,
    rows: Any = None,
    rows_name: str = "X",
    weights: Weights | None = None,
) -> tuple[Attribute, ...]:
    """The attributes whose shares are constrained.

    ``"marginal"`` keeps each attribute (groups overlap: every woman, every migrant);
    ``"intersection"`` makes one attribute of all the combinations that occur. `rows` is the data
    that they belong to; if both have row labels, these must agree. `weights` is how much each
    sample counts.
    """
    check_choice(attribute_mode, ATTRIBUTE_MODES, "attribute_mode")
    attributes = check_sensitive_features(
        sensitive_features, n_samples, rows=rows, rows_name=rows_name
    )
    if attribute_mode == "marginal" or len(attributes) == 1:
        return tuple(attribute.weighted(weights) for attribute in attributes)
    combined = np.stack([attribute.codes for attribute in attributes], axis=1)
    present, codes = np.unique(combined, axis=0, return_inverse=True)
    categories = tuple(
        " × ".join(str(a.categories[c]) for a, c in zip(attributes, row, strict=True))
        for row in present
    )
    name = " × ".join(attribute.name for attribute in attributes)
    return (Attribute(name, codes.reshape(-1), categories).weighted(weights),)


def attributes_of(attributes: tuple[Attribute, ...], kept: np.ndarray) -> tuple[Attribute, ...]:
    """The groups of some people, without attributes in which all of them agree."""
    if attributes and len(kept) == len(attributes[0].codes):
        return attributes
    found = []
    for attribute in attributes:
        present, codes = np.unique(attribute.codes[kept], return_inverse=True)
        if len(present) > 1:
            categories = tuple(attribute.categories[i] for i in present)
            weights = None if attribute.weights is None else attribute.weights.of(kept)
            found.append(Attribute(attribute.name, codes.reshape(-1), categories, weights))
    return tuple(found)


@dataclass(frozen=True)
class FairnessConstraints:
    """The linear constraint ``F^T H = 0`` through an orthonormal basis ``Q`` of range(F).

    Attributes
    ----------
    basis : ndarray of shape (n, r)
        ``Q``; r is the rank of ``F`` (h - 1 for one attribute of h groups, 0 for none).
    coordinates : ndarray of shape (r, c)
        ``Q^T F``, so that ``F^T H = coordinates^T Q^T H``.
    attributes : tuple of Attribute
        The groups that it came from.
    """

    basis: np.ndarray
    coordinates: np.ndarray
    attributes: tuple[Attribute, ...] = ()
    _cast: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def none(cls, n_samples: int) -> FairnessConstraints:
        """No constraint: plain spectral clustering."""
        return cls(np.zeros((n_samples, 0)), np.zeros((0, 0)))

    @classmethod
    def from_attributes(
        cls,
        attributes: tuple[Attribute, ...],
        degrees: np.ndarray,
        nodes: np.ndarray | None = None,
        covariates: tuple[Covariate, ...] = (),
    ) -> FairnessConstraints:
        """``F = D^-1/2 (G - 1 z^T)`` for each attribute, less its last column, and ``D^-1/2 C``.

        With `nodes`, the node of each person, shape (n,), the rows of ``G - 1 z^T`` are summed
        over the people of each node, and `degrees` are those of the nodes.

        The last column of each attribute is minus the sum of the others. Attributes that
        determine each other leave ``F`` rank-deficient still, so the basis is cut at the
        numerical rank.
        """
        F = fairness_matrix(attributes, covariates)
        if nodes is not None:
            F = np.stack([np.bincount(nodes, column) for column in F.T], axis=1)
        F = F / np.sqrt(degrees)[:, None]
        # Columns of unit length: the rank must not depend on the size of a group. Where every
        # node has the shares of everyone there is nothing to constrain.
        unit = F / np.maximum(np.linalg.norm(F, axis=0), np.finfo(np.float64).tiny)
        U, singular, _ = scipy.linalg.svd(unit, full_matrices=False, check_finite=False)
        rank = int(np.sum(singular > singular[0] * max(F.shape) * np.finfo(np.float64).eps))
        Q = U[:, :rank]
        return cls(Q, Q.T @ F, attributes)

    @cached_property
    def rank(self) -> int:
        """Number of independent constraints."""
        return self.basis.shape[1]

    def project(self, block: Any) -> Any:
        """``(I - Q Q^T) block``, in the block's namespace, dtype and device."""
        if not self.rank:
            return block
        Q = self._basis_like(block)
        return block - Q @ (Q.T @ block)

    def _basis_like(self, block: Any) -> Any:
        """``Q`` where the block is; kept for the next one."""
        place = block.dtype, array_api_compat.device(block)
        if place not in self._cast:
            xp = array_api_compat.array_namespace(block)
            self._cast[place] = xp.asarray(self.basis, dtype=place[0], device=place[1])
        return self._cast[place]

    def fairness(self, vectors: np.ndarray) -> float:
        """``||F^T H||_F``, the paper's residual."""
        return float(np.linalg.norm(self.coordinates.T @ (self.basis.T @ vectors)))

    def residual(self, vectors: np.ndarray) -> float:
        """``||Q^T H||_F``, which does not depend on the scale of the degrees."""
        return float(np.linalg.norm(self.basis.T @ vectors))


def fairness_matrix(
    attributes: tuple[Attribute, ...], covariates: tuple[Covariate, ...] = ()
) -> np.ndarray:
    """``F0 = G - 1 z^T`` of every attribute, each without its last column, side by side.

    With weights ``z`` is the groups' shares of the weight, and each row is multiplied with its
    person's, so that a clustering is orthogonal to ``F0`` if its shares of the weight are ``z``.
    After the attributes come the covariates, centred.
    """
    blocks = []
    for attribute in attributes:
        n, h = len(attribute.codes), len(attribute.categories)
        G = np.zeros((n, h))
        G[np.arange(n), attribute.codes] = 1.0
        if attribute.weights is None:
            F = G - G.mean(axis=0)
        else:
            units = attribute.weights.units
            F = (G - np.average(G, axis=0, weights=units)) * (units / units.mean())[:, None]
        blocks.append(F[:, : h - 1])
    if covariates:
        blocks.append(centred_matrix(covariates))
    return np.hstack(blocks)
