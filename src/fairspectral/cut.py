"""The normalised cut of a clustering and its terms; computed only here.

With ``y_l`` the 0-1 indicator of cluster l, ``within_l = y_l^T W y_l`` and
``volume_l = y_l^T d``, the normalised cut is ``k - sum_l within_l / volume_l``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class CutState:
    """A clustering with the terms of its normalised cut; costs one pass over ``M``.

    Attributes
    ----------
    labels : ndarray of shape (n,)
    links : ndarray of shape (n, k)
        ``W y_l`` for each cluster l.
    within, volumes : ndarray of shape (k,)
        ``y_l^T W y_l`` and ``y_l^T d``.
    """

    labels: np.ndarray
    links: np.ndarray
    within: np.ndarray
    volumes: np.ndarray

    @classmethod
    def measure(cls, affinity: Any, labels: np.ndarray, n_clusters: int) -> CutState:
        """Compute the state of a clustering in one pass.

        Parameters
        ----------
        affinity : AffinityOperator
            Applies ``M``.
        labels : integer ndarray of shape (n,)
            0 to k - 1.
        n_clusters : int
            k.
        """
        n, degrees = len(labels), affinity.degrees
        root = np.sqrt(degrees)
        indicator = np.zeros((n, n_clusters), dtype=affinity.dtype)
        indicator[np.arange(n), labels] = root
        links = affinity.matmat_on_host(indicator).astype(np.float64, copy=False)
        links *= root[:, None]
        own = links[np.arange(n), labels]
        return cls(
            labels,
            links,
            np.bincount(labels, weights=own, minlength=n_clusters),
            np.bincount(labels, weights=degrees, minlength=n_clusters),
        )

    @property
    def cut(self) -> float:
        """The normalised cut; below zero by a floating-point error where nothing is cut.

        A cluster without members has no part in it.
        """
        members = np.bincount(self.labels, minlength=len(self.volumes))
        return float(np.count_nonzero(members)) - kept_within(self.within, self.volumes)

    @property
    def ratio_cut(self) -> float:
        """``sum_l cut(C_l) / |C_l|``."""
        sizes = np.bincount(self.labels, minlength=len(self.volumes))
        return float(np.sum(np.maximum(self.volumes - self.within, 0.0) / sizes))


def kept_within(within: np.ndarray, volumes: np.ndarray) -> float:
    """``sum_l within_l / volume_l``: k less the normalised cut."""
    # A volume that is not positive consists of floating-point errors only.
    return float(np.sum(within / np.where(volumes > 0, volumes, np.inf)))
