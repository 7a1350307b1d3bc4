from types import SimpleNamespace as Space

import numpy as np
from report_models import fair_model, plain_model

from fairspectral.frontier import FairnessFrontier, fairness_frontier
from fairspectral.report import sections
from fairspectral.solvers.result import IterationRecord


def solved(*history):
    return Space(solve_result_=Space(history=history))


def test_the_picture_has_groups_and_centres():
    model = fair_model()
    found = sections.picture(model, model._attributes, 0)
    assert (found.n_drawn, found.n) == (120, 120)
    assert len(found.centres) == 4
    assert sum(size for _, size, _, _ in found.centres) == 120
    assert len(found.group_codes) == 120
    assert found.attribute == "</script><i>origin</i>"


def test_beyond_the_limit_a_sample_is_drawn(monkeypatch):
    monkeypatch.setattr(sections, "MOST_POINTS", 50)
    found = sections.picture(plain_model(), (), 0)
    assert (found.n_drawn, found.n) == (50, 120)
    assert len(found.scatter.points["x"]) == 50
    assert found.attribute is None


def frontier_of(*costs):
    """A frontier at 0, 0.2 and None with these cuts."""
    said = {"searched": True, "stopped": False}
    points = tuple(Space(normalized_cut=cost, cost=cost, **said) for cost in costs)
    return FairnessFrontier((0.0, 0.2, None), points)


def run_at(tolerance, cut=1.5):
    return Space(fairness_tol=tolerance, fair_assignment_=Space(cost=cut))


def test_the_price_marks_the_run():
    frontier = frontier_of(2.0, 1.5, 1.0)
    chart = sections.price_chart(frontier, run_at(0.2))
    assert [text for _, text in chart.x_ticks] == ["0%", "20%", "none"]
    (line,) = chart.lines
    assert [p.marked for p in line.points] == [False, True, False]
    assert chart.y_label == "normalised cut, on an axis that does not begin at zero"
    for model in (run_at(0.1), Space(fairness_tol=0.2, fair_assignment_=None)):
        (line,) = sections.price_chart(frontier, model).lines
        assert not any(p.marked for p in line.points)


def test_over_a_cut_of_zero_no_price_is_told():
    (line,) = sections.price_chart(frontier_of(0.5, 0.2, -1e-16), run_at(None, -1e-16)).lines
    assert not any("over the loosest" in point.tip for point in line.points)
    assert line.points[-1].tip.endswith("normalised cut 0")


def test_a_run_that_is_not_the_best_is_marked_beside_the_line():
    line, run = sections.price_chart(frontier_of(2.0, 1.4, 1.0), run_at(0.2)).lines
    assert not any(p.marked for p in line.points)
    assert run.name == "this run"
    (point,) = run.points
    assert point.marked
    assert point.x == line.points[1].x
    assert point.y < line.points[1].y  # from the top
    assert "normalised cut 1.5" in point.tip


def test_costs_in_the_embedding_are_not_the_runs():
    rng = np.random.default_rng(0)
    frontier = fairness_frontier(
        rng.normal(size=(60, 2)), rng.integers(0, 2, 60), 3, tolerances=(0.0, 0.2, None),
        random_state=0,
    )  # fmt: skip
    (line,) = sections.price_chart(frontier, run_at(0.2)).lines
    assert not any(p.marked for p in line.points)


def test_convergence_begins_where_the_gap_is_known():
    first, *others = (IterationRecord(i, gap=gap) for i, gap in enumerate((np.inf, 0.1, 0.01), 1))
    with_unknown = sections.convergence_chart(solved(first, *others))
    assert with_unknown == sections.convergence_chart(solved(*others))


def test_convergence_draws_what_the_solver_recorded():
    gaps = sections.convergence_chart(solved(*(IterationRecord(i, gap=10.0**-i) for i in (1, 2))))
    assert len(gaps.lines) == 1
    assert "gap" in gaps.y_label
    residuals = sections.convergence_chart(
        solved(*(IterationRecord(i, primal_residual=1 / i, dual_residual=2 / i) for i in (1, 2)))
    )
    assert [line.name for line in residuals.lines] == ["primal residual", "dual residual"]
    objective = sections.convergence_chart(solved(IterationRecord(1, objective=3.0)))
    assert objective.y_label == "objective"
    assert sections.convergence_chart(solved()) is None


def test_a_gap_of_zero_is_left_out_of_a_logarithmic_axis():
    chart = sections.convergence_chart(
        solved(IterationRecord(1, gap=0.1), IterationRecord(2, gap=0.0))
    )
    assert len(chart.lines[0].points) == 1
