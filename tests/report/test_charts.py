import re

import numpy as np
import pytest

from fairspectral.auditing import AttributeAudit
from fairspectral.report.charts import (
    HEIGHT,
    WIDTH,
    Series,
    line_chart,
    scatter,
    share_bars,
    ticks,
)


def test_bars_are_shares_with_everyone_first():
    counts = np.array([[30, 10, 0], [20, 30, 10]])
    chart = share_bars(("a", "b"), AttributeAudit("sex", ("x", "y", "z"), counts))
    everyone, first, second = chart.bars
    assert [bar.name for bar in chart.bars] == ["everyone", "cluster a", "cluster b"]
    assert [bar.size for bar in chart.bars] == [100, 40, 60]
    assert [s.width for s in everyone.segments] == [50, 40, 10]
    assert [s.width for s in first.segments] == [75, 25]  # nothing is drawn of an absent group
    assert sum(s.width for s in second.segments) == pytest.approx(100, abs=0.01)
    assert chart.lines == (50, 90)
    assert first.segments[0].tip == "cluster a: x\n30 of 40 (75.0%)\nof everyone 50.0%"


def test_small_segments_have_no_label():
    chart = share_bars((0,), AttributeAudit("sex", ("x", "y"), np.array([[95, 5]])))
    assert [s.label for s in chart.bars[0].segments] == ["95%", ""]


def test_lines_fill_their_frame():
    series = Series("cut", np.array([0, 1, 2]), np.array([3.0, 2.0, 1.0]), ["a", "b", "c"], 1)
    chart = line_chart("t", "x", "y", [series], x_names=["0%", "20%", "none"])
    (line,) = chart.lines
    assert [p.x for p in line.points] == [0, 50, 100]
    assert line.points[0].y < line.points[1].y < line.points[2].y
    assert [p.marked for p in line.points] == [False, True, False]
    assert chart.x_ticks == ((0, "0%"), (50, "20%"), (100, "none"))
    assert all(0 <= y <= 100 for y, _ in chart.y_ticks)


def test_a_logarithmic_axis_has_decades():
    series = Series("gap", np.arange(1, 5), 10.0 ** -np.arange(4), list("abcd"))
    chart = line_chart("t", "x", "y", [series], log=True)
    assert [text for _, text in chart.y_ticks] == ["1e-3", "1e-2", "1e-1", "1e0"]
    heights = [p.y for p in chart.lines[0].points]
    assert np.allclose(np.diff(heights), heights[1] - heights[0], atol=0.02)


@pytest.mark.parametrize("value", [0.0, 5.0, -2.0])
def test_a_single_point_or_a_constant_is_drawn_in_the_middle(value):
    series = Series("cut", np.array([1]), np.array([value]), ["only"])
    (point,) = line_chart("t", "x", "y", [series]).lines[0].points
    assert (point.x, point.y) == (50, 50)


def test_ticks_are_round_and_inside():
    assert ticks(0, 1, 5) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1], abs=1e-9)
    assert ticks(1, 3, 6, whole=True) == [1, 2, 3]
    assert ticks(0.13, 0.19, 3) == pytest.approx([0.14, 0.16, 0.18], abs=1e-9)


def test_scatter_draws_every_sample_once_inside_the_frame():
    rng = np.random.default_rng(0)
    coordinates = rng.normal(size=(500, 2))
    coordinates[7] = [1e9, 0]
    codes, groups = rng.integers(0, 3, 500), rng.integers(0, 2, 500)
    rows = np.arange(0, 500)
    found = scatter(coordinates, codes, groups, ("f", "m"), rows)
    assert sum(cloud.path.count("M") for cloud in found.clouds) == 500
    assert len(found.clouds) == 6
    assert found.outside == 1
    paths = " ".join(cloud.path for cloud in found.clouds)
    starts = np.array(re.findall(r"M(\S+) ([\d.]+)", paths), dtype=float)
    assert (starts >= 0).all()
    assert (starts <= [WIDTH, HEIGHT]).all()
    assert [name for name, *_ in found.shapes] == ["f", "m"]
    assert found.points["cluster"] == codes.tolist()


def test_groups_that_share_a_shape_are_in_the_legend():
    n = 120
    names = tuple(f"group {i}" for i in range(12))
    groups = np.arange(n) % 12
    codes = np.zeros(n, dtype=int)
    found = scatter(np.random.default_rng(0).random((n, 2)), codes, groups, names, np.arange(n))
    assert len(found.shapes) == 8
    assert found.shapes[-1][0] == "5 smaller groups"


def test_numbers_of_clusters_do_not_cover_each_other():
    codes = np.repeat([0, 1, 2], [10, 30, 20])
    coordinates = np.repeat([[0.0, 0], [0, 0], [1, 1]], [10, 30, 20], axis=0)
    found = scatter(coordinates, codes, np.zeros(60, dtype=int), ("",), np.arange(60))
    assert [cluster for *_, cluster in found.labels] == [1, 2]  # the largest first
    assert found.shapes == ()
