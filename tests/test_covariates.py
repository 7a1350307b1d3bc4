"""Constraints of one's own: equal means in every solver's embedding, followed and audited."""

import numpy as np
import pytest

from fairspectral import FairSpectralClustering, audit, fair_spectral_embedding
from fairspectral.affinity import make_operator
from fairspectral.constraints import FairnessConstraints, encode_groups
from fairspectral.covariates import (
    Covariate,
    audit_covariates,
    check_constraints,
    covariates_of,
)
from fairspectral.problem import FairCutProblem
from fairspectral.solvers.registry import SOLVERS, solve
from fairspectral.validation import FairSpectralWarning

N = 120


@pytest.fixture
def people():
    """Features of which the first follows the age, ages, and groups."""
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 80, N)
    X = np.column_stack([age / 4 + rng.standard_normal(N), 3 * rng.standard_normal((N, 2))])
    return X, age, np.where(rng.random(N) < 0.4, "f", "m")


@pytest.mark.parametrize("solver", sorted(SOLVERS))
@pytest.mark.parametrize("with_groups", [True, False])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_solver_holds_any_matrix_of_constraints(people, solver, with_groups):
    X, age, groups = people
    C = np.column_stack([age, X[:, 1] ** 2, np.sin(X[:, 2])])
    attributes = encode_groups(groups, N) if with_groups else ()
    operator = make_operator(X, "rbf", dtype="float64")
    constraints = FairnessConstraints.from_attributes(
        attributes, operator.degrees, covariates=check_constraints(C, N)
    )
    assert constraints.rank == 3 + with_groups
    problem = FairCutProblem(operator, constraints, 4)
    found, exact = solve(problem, solver), solve(problem, "nullspace")
    rows = found.vectors / np.sqrt(operator.degrees)[:, None]
    centred = C - C.mean(axis=0)
    scale = np.linalg.norm(centred, axis=0)[:, None] * np.linalg.norm(rows, axis=0)
    assert (np.abs(centred.T @ rows) / scale).max() < 1e-10
    best = problem.objective(exact.vectors)
    assert problem.objective(found.vectors) > best - 5e-3 * best
    # It is the top of the projected affinities, computed here from their definition.
    W = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (3 * X.var()))
    d = W.sum(axis=1)
    columns = [centred] if not with_groups else [centred, ((groups == "f") - 0.0)[:, None]]
    F = np.column_stack(columns)
    F = (F - F.mean(axis=0)) / np.sqrt(d)[:, None]
    Q = np.linalg.qr(F / np.linalg.norm(F, axis=0))[0]
    P = np.eye(N) - Q @ Q.T
    values = np.linalg.eigvalsh(P @ (W / np.sqrt(np.outer(d, d))) @ P)[-4:]
    assert best == pytest.approx(values.sum(), abs=1e-6)


def test_indicator_columns_are_the_same_as_groups(people):
    X, _, groups = people
    by_groups = fair_spectral_embedding(X, groups, n_components=3, solver="nullspace")
    by_columns = fair_spectral_embedding(
        X, constraints=groups == "f", n_components=3, solver="nullspace"
    )
    cosines = np.linalg.svd(np.linalg.qr(by_groups)[0].T @ np.linalg.qr(by_columns)[0])[1]
    assert cosines.min() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_the_labels_follow_and_the_shares_still_hold(people, affinity):
    X, age, groups = people
    largest = []
    for constraints in (None, {"age": age}):
        model = FairSpectralClustering(3, affinity=affinity, effort="fast", random_state=0)
        model.fit(X, sensitive_features=groups, constraints=constraints)
        assert model.fair_assignment_.certified
        (means,) = audit(model.labels_, groups, constraints={"age": age}).covariates
        largest.append(means.largest)
    assert largest[1] < 0.6 * largest[0]
    (own,) = model.audit_.covariates
    assert own.means == pytest.approx(means.means, abs=1e-12)
    assert "mean of age" in str(model.audit_)
    assert "mean of age" in model.audit_._repr_html_()
    assert model.audit_.normalized_cut is not None
    assert "Nothing is claimed of the means" in str(model.certificate_)
    assert "the largest difference from everyone's mean is" in str(model.audit_)


def test_the_audit_counts_means():
    labels = np.array([0, 0, 1, 1, 1, 1])
    (found,) = audit_covariates([Covariate("x", np.array([1.0, 3, 5, 5, 8, 8]))], labels, 2)
    assert found.means.tolist() == [2.0, 6.5]
    assert found.mean == 5.0
    assert found.differences.tolist() == [-3.0, 1.5]
    assert found.largest == pytest.approx(3 / np.std([1, 3, 5, 5, 8, 8]), abs=1e-12)
    table = found.table((0, 1), np.array([2, 4]))
    assert table[1][:4] == ["0", "2", "2", "-3"]
    assert table[-1][:3] == ["everyone", "6", "5"]


def test_resamples_hold_the_constraints_too(people):
    X, age, groups = people
    model = FairSpectralClustering(2, random_state=0, effort="fast")
    model.fit(X, sensitive_features=groups, constraints=age)
    assert len(model.stability(2, n_seeds=0).summary()["clusters"]) == 2


def test_the_report_has_the_means(people):
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    from fairspectral.report.html import render_report

    X, age, groups = people
    model = FairSpectralClustering(2, random_state=0, effort="fast")
    model.fit(X, sensitive_features=groups, constraints={"age <years>": age})
    page = render_report(model, stability=False)
    assert "Mean of age &lt;years&gt;" in page
    assert "in standard deviations" in page


@pytest.mark.parametrize("unit", [1e300, 1e306, 1e-300])
def test_numbers_of_any_magnitude_are_held_and_audited_alike(people, unit):
    X, age, sex = people
    model = FairSpectralClustering(3, effort="fast", random_state=0)
    found = [
        model.fit(X, sensitive_features=sex, constraints=age * scale).audit_.covariates[0]
        for scale in (1.0, unit)
    ]
    assert found[1].largest == pytest.approx(found[0].largest, abs=1e-6)
    assert found[1].means == pytest.approx(found[0].means * unit, rel=1e-6)
    assert found[0].largest > 0


def test_some_people():
    found = (Covariate("x", np.array([1.0, 2, 2])), Covariate("y", np.array([1.0, 2, 3])))
    assert covariates_of(found, np.arange(3)) is found
    (left,) = covariates_of(found, np.array([1, 2]))
    assert (left.name, left.values.tolist()) == ("y", [2.0, 3.0])


def test_columns_that_follow_from_others_are_said():
    x = np.arange(6.0)
    with pytest.warns(FairSpectralWarning, match="3 columns of which only 2 are independent"):
        found = check_constraints(np.column_stack([x, x**2, 3 * x - 7]), 6)
    rank = FairnessConstraints.from_attributes((), np.ones(6), covariates=found).rank
    assert rank == 2


@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        (np.zeros(5), "'covariate' has 5 values but the data has 6 samples"),
        (np.ones((6, 2)), "'covariate 0' has the same number for everyone"),
        (1e9 + 1e-6 * np.arange(6), "the same number for everyone"),
        ([1, 2, np.nan, 4, 5, 6], "missing or infinite number at row 2"),
        ([1, 2, 3, 4, None, 6], "missing or infinite number at row 4"),
        ([1, 2, 3, np.inf, 5, 6], "missing or infinite number at row 3"),
        (list("abcdef"), "values that are not numbers"),
        (np.zeros((6, 2, 2)), r"constraints has shape \(6, 2, 2\)"),
        (3.0, r"constraints has shape \(\)"),
        ({}, "constraints has no columns"),
        (np.zeros((6, 0)), "constraints has no columns"),
        ({"x": np.zeros((6, 2))}, r"column 'x' has shape \(6, 2\)"),
        ("age", r"constraints has shape \(\)"),
    ],
)
def test_bad_constraints(constraints, words):
    with pytest.raises(ValueError, match=words) as refused:
        check_constraints(constraints, 6)
    assert str(refused.value).endswith(".")


def test_too_many_constraints_for_the_clusters():
    X = np.random.default_rng(1).standard_normal((12, 12))
    with pytest.raises(ValueError, match=r"minus 9 fairness constraint"):
        FairSpectralClustering(4, solver="nullspace").fit(X, constraints=X[:, :9])
