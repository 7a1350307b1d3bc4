"""The price of fairness."""

from types import SimpleNamespace

import numpy as np
import pytest

from fairspectral import frontier as frontier_module
from fairspectral.affinity import make_operator
from fairspectral.frontier import fairness_frontier


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((240, 2)) + np.repeat([[0, 0], [4, 0], [0, 4]], 80, axis=0)
    return rows, (rng.random(240) < np.repeat([0.9, 0.2, 0.4], 80)).astype(int)


@pytest.mark.parametrize("refined", [False, True])
def test_cost_falls_as_the_tolerance_grows(blobs, refined):
    rows, groups = blobs
    affinity = make_operator(rows, "rbf", gamma=1.0, dtype=float) if refined else None
    frontier = fairness_frontier(
        rows, groups, 3, tolerances=[None, 0, 0.5, 0.1], affinity=affinity, random_state=0
    )
    assert frontier.tolerances == (0, 0.1, 0.5, None)
    assert all(assignment.certified for assignment in frontier.assignments)
    cost = frontier.normalized_cut if refined else frontier.embedding_cost
    assert (frontier.normalized_cut is None) != refined
    assert (np.diff(cost) <= 1e-9 * max(cost)).all()
    assert frontier.price[0] > 1.1
    assert frontier.price[-1] == 1.0


def test_rows_and_plot(blobs):
    plt = pytest.importorskip(
        "matplotlib.pyplot", reason="matplotlib is not installed: pip install 'fairspectral[plot]'"
    )
    rows, groups = blobs
    frontier = fairness_frontier(rows, groups, 3, tolerances=(0, None), random_state=0)
    first, last = frontier.rows()
    assert first["fairness_tol"] == 0
    assert first["achieved_tol"] < last["achieved_tol"]
    assert first["embedding_cost"] == frontier.assignments[0].embedding_cost
    ax = frontier.plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0%", "none"]
    assert ax.lines[0].get_ydata() == pytest.approx(frontier.embedding_cost)
    assert frontier.plot(ax) is ax
    assert len(ax.lines) == 2
    plt.close(ax.figure)


def test_given_centroids_serve_the_first_start_only(blobs):
    rows, groups = blobs
    centroids = np.array([[0.0, 0], [4, 0], [0, 4]])
    frontier = fairness_frontier(rows, groups, tolerances=(0, 0.2), centroids=centroids)
    assert len(frontier.assignments[1].sizes) == 3


def test_uncertified_clusterings_are_not_preferred(monkeypatch):
    def assign(*_, initial_labels=None, **__):
        warm = initial_labels is not None
        return SimpleNamespace(
            labels=[0], sizes=[1], certified=not warm, normalized_cut=None,
            embedding_cost=1.0 if warm else 2.0,
        )  # fmt: skip

    monkeypatch.setattr(frontier_module, "fair_assignment", assign)
    frontier = fairness_frontier(None, None, tolerances=(0, 0.2))
    assert all(assignment.certified for assignment in frontier.assignments)


def test_bad_arguments_are_named(blobs):
    rows, groups = blobs
    with pytest.raises(TypeError, match="pass tolerances"):
        fairness_frontier(rows, groups, 3, fairness_tol=0.1)
    with pytest.raises(ValueError, match="tolerances is empty"):
        fairness_frontier(rows, groups, 3, tolerances=())
