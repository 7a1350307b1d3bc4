"""Refinement of a fair clustering on the normalised cut by nothing but products with ``M``.

`flow_steps` is the exact flow with the costs of weighted kernel k-means (Dhillon, Guan and Kulis
2007, doi 10.1109/TPAMI.2007.1115), computed from ``M`` times the indicator. It keeps every cell
within its bounds and never returns a larger cut than it was given. Where the rows of ``W`` are in
memory, `fairspectral.rounding.partition` finds lower ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairspectral.cut import CutState
from fairspectral.rounding.start import Assign

# The kernel ``sigma D^-1 + D^-1 W D^-1`` is positive definite from sigma = 1 on, and then a step
# cannot raise the cut. Smaller shifts make bolder steps, which are tried first and undone if
# they fail; on an indefinite graph they succeed for most of the way.
SHIFTS = (-0.5, 0.0, 0.5, 1.0)

# Gains below this are floating-point error.
_GAIN = 1e-9

# Largest number of products with ``M``: the last ones gain next to nothing.
_PASSES = 20


def kernel_costs(state: CutState, degrees: np.ndarray, shift: float) -> np.ndarray:
    """Weighted kernel k-means costs of each person in each cluster, shape (n, k).

    The squared distance to the mean of cluster l in the feature space of the kernel
    ``shift D^-1 + D^-1 W D^-1``, times the weight ``d_i``; terms independent of l are left out.
    """
    n = len(state.labels)
    costs = state.links * (-2.0 / state.volumes)
    costs += degrees[:, None] * (state.within / state.volumes**2 + shift / state.volumes)
    own = 2.0 * shift * degrees / state.volumes[state.labels]
    costs[np.arange(n), state.labels] -= own
    return costs


def flow_steps(
    affinity: Any,
    state: CutState,
    assign: Assign,
    *,
    max_passes: int = _PASSES,
) -> CutState:
    """Kernel k-means by the flow, as long as the cut falls.

    Parameters
    ----------
    affinity : AffinityOperator
        Applies ``M``.
    state : CutState
        The start, already fair.
    assign : Assign
        The flow for clusters of the sizes that the start has.
    max_passes : int
        Largest number of products with ``M``.
    """
    shifts = list(SHIFTS)
    potentials = None
    while shifts and max_passes > 0:
        flow = assign(kernel_costs(state, affinity.degrees, shifts[0]), potentials)
        if np.array_equal(flow.labels, state.labels):
            shifts.pop(0)
            continue
        max_passes -= 1
        trial = CutState.measure(affinity, flow.labels, len(state.volumes))
        fall = state.cut - trial.cut
        if fall > _GAIN:
            state, potentials = trial, flow.potentials
        if fall <= 1e-4 * state.cut:
            shifts.pop(0)
    return state
