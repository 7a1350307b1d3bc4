"""Problems that many tests share, and the exact solution they are compared with."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from fairspectral.affinity import make_operator
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.nullspace import NullspaceSolver


def weights_count_in_shares(estimator):
    """The checks of scikit-learn that take a weight for so many equal rows."""
    reason = "weights count in the shares of groups; they do not change who is similar to whom"
    kinds = ("dense",) if estimator.affinity == "gower" else ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in kinds}


needs_real_data = pytest.mark.skipif(
    not os.environ.get("FAIRSPECTRAL_DATA"),
    reason="no real data: `fairspectral datasets` says where they are from; set FAIRSPECTRAL_DATA "
    "to a folder with the files",
)


def make_problem(affinity, groups, n_clusters, *, attribute_mode="marginal"):
    """A problem from affinities (array, sparse or operator) and groups (None: no constraint)."""
    operator = make_operator(affinity, "precomputed")
    if groups is None:
        constraints = FairnessConstraints.none(operator.shape[0])
    else:
        attributes = encode_groups(groups, operator.shape[0], attribute_mode)
        constraints = FairnessConstraints.from_attributes(attributes, operator.degrees)
    return FairCutProblem(operator, constraints, n_clusters)


def random_affinity(n, seed=0):
    """A dense positive symmetric matrix."""
    W = np.random.default_rng(seed).random((n, n))
    return W + W.T


def sparse_blocks(*blocks):
    """A block-diagonal sparse array; from dense blocks, scipy would make a sparse matrix."""
    return sp.block_diag([sp.coo_array(block) for block in blocks], format="csr")


def assert_close(found, expected, roundoffs=100, dtype=np.float64):
    """Equal up to a number of roundoffs of the largest expected number.

    Sums of terms that cancel have small entries as wrong as large ones, and by how much depends
    on the processor: an error relative to each entry would say nothing.
    """
    size = np.abs(expected).max(initial=0)
    tolerance = roundoffs * np.finfo(dtype).eps * float(size)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def oracle(problem):
    """The dense null-space solution."""
    return NullspaceSolver().solve(problem)


def relative_gap(problem, result, reference=None):
    """``(tr* - tr) / tr*`` with the objective recomputed here, outside the solver."""
    best = (oracle(problem) if reference is None else reference).objective
    return (best - problem.objective(result.vectors)) / best


def subspace_angle(A, B):
    """The largest principal angle between two column spaces."""
    return float(scipy.linalg.subspace_angles(A, B).max())


def press_in_search(monkeypatch, *numbers):
    """Press Ctrl-C in the searches of these numbers, from 1, which a `Rounder` begins."""
    from fairspectral import rounder

    begun, search = [], rounder.follow_plan

    def follow_plan(*args, **kwargs):
        begun.append(1)
        if len(begun) in numbers:
            signal.raise_signal(signal.SIGINT)
        return search(*args, **kwargs)

    monkeypatch.setattr(rounder, "follow_plan", follow_plan)


def press_in_embedding(monkeypatch, module, number):
    """Press Ctrl-C as a module begins its embedding of this number; those that it ended."""
    begun, ended, embed = [], [], module.embed

    def press(*args, **kwargs):
        begun.append(1)
        if len(begun) == number:
            signal.raise_signal(signal.SIGINT)
        found = embed(*args, **kwargs)
        ended.append(len(begun))
        return found

    monkeypatch.setattr(module, "embed", press)
    return ended
