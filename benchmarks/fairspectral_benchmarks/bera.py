"""Fair assignment of Bera et al. (2019, arXiv 1901.02393) to the centroids of k-means."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from fairspectral.rounding.flow import solve_flow


class TimeLimitError(Exception):
    """A method did not finish."""


def assign_by_program(
    cost: np.ndarray,
    groups: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    *,
    floor: int = 0,
    patience: float = 300,
) -> np.ndarray:
    """Labels at the least cost with shares within a band, up to the rounding of whole persons.

    Their linear program leaves the sizes free; their rounding is a flow in which every cell
    and every size is rounded down or up.

    Parameters
    ----------
    cost : ndarray of shape (n, k)
        Cost of each person in each cluster.
    groups : integer ndarray of shape (n,)
        The group of each person, 0 to h - 1.
    lower, upper : ndarray of shape (h,)
        The band of shares.
    floor : int
        Least size of a cluster.
    patience : float
        Seconds that HiGHS may take.

    Raises
    ------
    TimeLimitError
        If that was not enough.
    """
    (n, k), h = cost.shape, len(lower)
    members = np.eye(h)[:, groups]
    one = sp.eye_array(k)
    limits = [
        sp.kron(sp.csr_array(sign * (members - share[:, None])), one)
        for sign, share in ((-1, lower), (1, upper))
    ]
    limits.append(sp.kron(np.full((1, n), -1.0), one))
    program = linprog(
        (cost / cost.max()).ravel(),
        A_ub=sp.vstack(limits, format="csr"),
        b_ub=np.r_[np.zeros(2 * h * k), np.full(k, -float(floor))],
        A_eq=sp.kron(sp.eye_array(n), np.ones((1, k)), format="csr"),
        b_eq=np.ones(n),
        method="highs",
        options={"time_limit": patience},
    )
    if program.status != 0:
        raise TimeLimitError
    mass = members @ program.x.reshape(n, k)
    size = mass.sum(axis=0)
    return solve_flow(
        cost,
        groups,
        np.floor(mass + 1e-7).astype(int),
        np.ceil(mass - 1e-7).astype(int),
        np.floor(size + 1e-7).astype(int),
        np.ceil(size - 1e-7).astype(int),
    ).labels
