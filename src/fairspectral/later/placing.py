"""The cluster that a later person is most similar to.

A person belongs where the normalised cut of all would be lowest: joining cluster l, with affinity
``w_l`` to its members and ``d`` to everyone, changes ``within_l / volume_l`` to
``(within_l + 2 w_l) / (volume_l + d)``. To first order this is the nearest centre of the weighted
kernel k-means whose cost the normalised cut is. ``benchmarks/later.py`` compares it with the
Nystroem extension of the embedding: it agrees better with a fit on everyone, and its cut is lower.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairspectral.cut import CutState
from fairspectral.later.recognising import fingerprints, recognise
from fairspectral.later.training import Training
from fairspectral.validation import FairSpectralWarning

# How much better their own cluster is for a row of the fit than the best other one, as a part of
# the range of its costs: the bounds may still move such a person.
_OWN = 0.01


@dataclass(frozen=True)
class ClusterTerms:
    """The terms of the normalised cut of a clustering, both of shape (k,)."""

    within: np.ndarray
    volumes: np.ndarray

    @classmethod
    def of(cls, state: CutState) -> ClusterTerms:
        """Of a clustering whose cut was measured."""
        return cls(state.within, state.volumes)


@dataclass(frozen=True)
class Placing:
    """Where later people belong.

    Attributes
    ----------
    labels : ndarray of shape (m,), int32
        The most similar cluster; of a row of the fit, the cluster that it has there.
    costs : ndarray of shape (m, k)
        By how much the normalised cut rises if a person joins a cluster, up to a constant; the
        same everywhere for a person without any affinity.
    """

    labels: np.ndarray
    costs: np.ndarray


def place(later: Any, training: Training, labels: np.ndarray, terms: ClusterTerms) -> Placing:
    """Compare later people with those of a fit.

    Parameters
    ----------
    later : ndarray or CSR of m rows
        From `fairspectral.later.reading.read_rows`.
    training : Training
        The people of the fit.
    labels : ndarray of shape (n,)
        Their clusters.
    terms : ClusterTerms
        The terms of their cut.
    """
    costs, alone = _costs(later, training, labels, terms)
    similar = costs.argmin(axis=1).astype(np.int32)
    similar[alone] = np.argmax(np.bincount(labels, minlength=len(terms.volumes)))
    if training.fingerprints is not None:
        known = recognise(training.fingerprints, fingerprints(later))
        here = np.flatnonzero(known >= 0)
        least, range_ = costs[here].min(axis=1), np.ptp(costs[here], axis=1)
        similar[here] = labels[known[here]]
        costs[here, similar[here]] = least - _OWN * range_
    return Placing(similar, costs)


def _costs(
    later: Any, training: Training, labels: np.ndarray, terms: ClusterTerms
) -> tuple[np.ndarray, np.ndarray]:
    """Of each person in each cluster, and who has no affinity to anybody."""
    k, n = len(terms.volumes), len(labels)
    members = np.zeros((n, k))
    members[np.arange(n), labels] = 1.0
    links = np.empty((later.shape[0], k))
    for rows, affinities in training.affinities(later):
        links[rows] = affinities @ members
    degrees = links.sum(axis=1, keepdims=True)
    volumes = np.where(terms.volumes > 0, terms.volumes, np.inf)
    costs = terms.within / volumes - (terms.within + 2.0 * links) / (volumes + degrees)
    alone = ~(degrees[:, 0] > 0)
    if alone.any():
        warnings.warn(
            f"X has {int(alone.sum())} row(s) without any affinity to the people of the fit, the "
            f"first at row {int(np.argmax(alone))}; nothing says where they belong, and they are "
            "placed in the largest cluster.",
            FairSpectralWarning,
            stacklevel=2,
        )
    # Nobody is similar to a cluster without members, which k-means may leave.
    costs[:, terms.volumes <= 0] = costs.max() + 1.0
    return costs, alone
