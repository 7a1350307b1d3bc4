"""What must not change the answer: names, order, scale, storage and precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_problems import AsOperator, as_sparse, random_problems

from fairspectral import FairSpectralClustering

# The gap that the default solver may leave, relative to the objective.
GAP = 1e-3


def objective(model):
    return model.solve_result_.objective


@given(random_problems())
def test_names_of_groups_are_only_names(problem):
    renamed = np.char.add("group ", problem.groups)  # in the same order when sorted
    first, second = problem.fit(), problem.fit(groups=renamed)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    swapped = np.array([{"a": "d", "b": "c", "c": "b", "d": "a"}[g] for g in problem.groups])
    assert objective(problem.fit(groups=swapped)) == pytest.approx(objective(first), rel=GAP)


@given(random_problems(), st.sampled_from([2.0**-30, 0.25, 2.0**40]))
def test_the_unit_of_the_affinities_does_not_matter(problem, factor):  # powers of 4 are exact
    first, second = problem.fit(), problem.fit(affinity=problem.affinity * factor)
    np.testing.assert_array_equal(first.labels_, second.labels_)


@given(random_problems(), st.randoms(use_true_random=False))
def test_the_order_of_the_people_does_not_matter_to_the_embedding(problem, random):
    order = np.array(random.sample(range(problem.n), problem.n))
    model = problem.fit(problem.affinity[np.ix_(order, order)], problem.groups[order])
    assert model.fair_assignment_.certified
    assert objective(model) == pytest.approx(objective(problem.fit()), rel=GAP)


@given(random_problems())
def test_storage_and_precision_do_not_matter_to_the_embedding(problem):
    reference = objective(problem.fit())
    W = problem.affinity
    for variant in (as_sparse(W), np.asfortranarray(W), AsOperator(W), W.astype(np.float32)):
        model = problem.fit(affinity=variant)
        assert model.fair_assignment_.certified
        assert objective(model) == pytest.approx(reference, rel=GAP)


@given(random_problems())
def test_solvers_agree(problem):
    exact = objective(problem.fit(solver="nullspace"))
    for solver in ("krylov", "lanczos"):
        found = objective(problem.fit(solver=solver))
        assert exact - GAP * exact - 1e-9 <= found <= exact + 1e-9 * problem.n_clusters


@given(st.integers(0, 2**32 - 1), st.sampled_from([-1000.0, 4.0, 2.0**20]))
def test_shifting_a_table_changes_nothing(seed, shift):
    rng = np.random.default_rng(seed)
    X = rng.integers(-8, 9, (30, 3)) / 4.0  # a shift by a whole number is exact
    groups = np.concatenate([["a", "b"], rng.choice(["a", "b"], 28)])
    models = [
        FairSpectralClustering(2, gamma=0.5, effort="fast", random_state=0).fit(
            Y, sensitive_features=groups
        )
        for Y in (X, X + shift)
    ]
    assert objective(models[0]) == pytest.approx(objective(models[1]), rel=GAP)
    assert models[1].audit_.normalized_cut == pytest.approx(
        models[0].audit_.normalized_cut, abs=1e-3
    )
