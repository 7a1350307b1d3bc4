"""Overlapping groups: near the optimum of the whole integer program, and slack is reported."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from fairspectral.cells import count_cells
from fairspectral.rounding import marginal
from fairspectral.rounding.bounds import make_rule
from fairspectral.rounding.marginal import MarginalFlow
from fairspectral.validation import Attribute


def problem(seed, n=80, k=3, tol=0.2):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 2))
    centroids = rng.standard_normal((k, 2))
    cost = ((rows[:, None] - centroids) ** 2).sum(axis=2)
    first = (rows[:, 0] > 0).astype(int)
    second = np.digitize(rows[:, 1] + 0.5 * rng.standard_normal(n), [-0.5, 0.5])
    rules = [
        make_rule(Attribute("a", first, (0, 1)), k, fairness_tol=tol),
        make_rule(Attribute("b", second, (0, 1, 2)), k, fairness_tol=tol),
    ]
    kinds = np.unique(3 * first + second, return_inverse=True)[1]
    sizes = np.bincount(cost.argmin(axis=1), minlength=k)
    return cost, rules, kinds, sizes


def relaxed_cost(cost, rules, sizes):
    """The linear program over all persons: a bound below every assignment."""
    n, k = cost.shape
    constraints = [
        LinearConstraint(sp.csr_array(sp.kron(sp.eye_array(n), np.ones((1, k)))), 1, 1),
        LinearConstraint(sp.csr_array(sp.kron(np.ones((1, n)), sp.eye_array(k))), sizes, sizes),
    ]
    for rule in rules:
        low, high = rule.cell_bounds(sizes)
        members = np.eye(len(rule.target))[:, rule.attribute.codes]
        matrix = sp.csr_array(sp.kron(members, sp.eye_array(k)))
        constraints.append(LinearConstraint(matrix, low.ravel(), high.ravel()))
    return milp(cost.ravel(), constraints=constraints, bounds=Bounds(0, 1)).fun


@pytest.mark.parametrize("tol", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_within_all_bounds_at_nearly_the_least_cost(seed, tol):
    cost, rules, kinds, sizes = problem(seed, tol=tol)
    flow = MarginalFlow(rules, kinds, sizes)(cost, None)
    for rule in rules:
        table = count_cells(rule.attribute.codes, flow.labels, len(rule.target), len(sizes))
        low, high = rule.cell_bounds(sizes)
        assert ((table >= low) & (table <= high)).all()
    assert (np.bincount(flow.labels) == sizes).all()
    assert flow.cost <= 1.02 * relaxed_cost(cost, rules, sizes)


def test_tables_are_improved_upon(monkeypatch):
    cost, rules, kinds, sizes = problem(1, n=400, k=4)
    full = MarginalFlow(rules, kinds, sizes)(cost, None)
    monkeypatch.setattr(marginal, "_ROUNDS", 0)
    first = MarginalFlow(rules, kinds, sizes)(cost, None)
    assert full.cost < 0.99 * first.cost


def test_a_second_call_starts_from_the_table_of_the_first(monkeypatch):
    cost, rules, kinds, sizes = problem(2, n=200)
    assign = MarginalFlow(rules, kinds, sizes)
    first = assign(cost, None)
    monkeypatch.setattr(marginal, "_ROUNDS", 0)
    assert assign(cost, first.potentials).cost == pytest.approx(first.cost)


def test_no_table_in_time_keeps_the_one_there_is(monkeypatch):
    cost, rules, kinds, sizes = problem(3)
    monkeypatch.setattr(MarginalFlow, "_round", lambda *_: None)
    flow = MarginalFlow(rules, kinds, sizes)(cost, None)
    assert (np.bincount(flow.labels) == sizes).all()


def test_an_unsolved_program_gives_nothing():
    impossible = LinearConstraint(np.ones((1, 2)), 5, 5)
    assert marginal._solve(np.ones(2), [impossible], np.zeros(2), np.ones(2), n_whole=2) is None
