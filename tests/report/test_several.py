"""Several clusterings side by side on one page."""

import numpy as np
import pytest
from report_models import (
    HOSTILE,
    blobs,
    doubtful_model,
    fair_model,
    kmeans_model,
    plain_model,
)
from test_html import Page

from fairspectral import FairSpectralClustering, fairness_frontier
from fairspectral.report import write_comparison, write_report
from fairspectral.report.several import name_runs, price_lines, price_of, size_bars, table_of
from fairspectral.report.side_by_side import collect_runs, render_runs

MODELS = (fair_model, kmeans_model, plain_model, doubtful_model)


@pytest.fixture(scope="module")
def tight():
    """The clusters of `fair_model` at a tighter tolerance."""
    model = fair_model()
    frontier = fairness_frontier(model, tolerances=(0.05, None))
    return model._at_tolerance(0.05, frontier.at(0.05))


@pytest.fixture(scope="module")
def runs(tight):
    return collect_runs([model() for model in MODELS] + [tight], stability=2)


def test_the_table_has_a_row_for_each_with_its_own_numbers(runs):
    header, rows = table_of(runs)
    assert [row[0] for row in rows] == [run.name for run in runs]
    assert all(len(row) == len(header) + 1 for row in rows)
    for run, row in zip(runs, rows, strict=True):
        cells = dict(zip(header, row[1:], strict=True))
        audit = run.model.audit_
        assert cells["normalised cut"] == f"{audit.normalized_cut:.4g}"
        assert cells["sizes"].split(" to ")[0] == str(audit.sizes.min())
        assert cells["stability"] == f"{run.stability.agreement:.2f}"
        lost = [one for one in run.stability.clusters if one.verdict == "unstable"]
        assert ("unstable cluster" in cells["doubts"]) == bool(lost)
        assert (cells["doubts"] == "none") == (not run.model.diagnosis_ and not lost)
    cells = dict(zip(header, rows[2][1:], strict=True))
    assert cells["fair"] == cells["price of fairness"] == cells["shares, of everyone’s"] == "–"


@pytest.mark.filterwarnings("ignore:the affinity graph has 3 connected components")
def test_over_a_cut_of_zero_there_is_no_price():
    cliques = np.repeat([0, 1, 2], 8)
    W = (cliques[:, None] == cliques).astype(float)
    model = FairSpectralClustering(3, affinity="precomputed", fairness_tol=0, random_state=0)
    model.fit(W, sensitive_features=np.repeat([0, 1, 0, 1], [8, 8, 4, 4]))
    assert model.audit_.normalized_cut > 0.1
    assert price_of(model) == (None, False)


def test_the_price_is_over_the_same_search_without_bounds(runs, tight):
    free = fairness_frontier(fair_model(), tolerances=(None,)).normalized_cut[0]
    assert price_of(tight)[0] == pytest.approx(tight.audit_.normalized_cut / free - 1, abs=1e-9)
    assert price_of(tight)[0] >= price_of(fair_model())[0] - 1e-9
    assert price_of(kmeans_model()) == (None, False)
    assert price_of(plain_model()) == (None, False)


def test_columns_that_say_nothing_are_left_out():
    header, _ = table_of(collect_runs([plain_model()], stability=0))
    assert "fair" not in header
    assert "stability" not in header
    assert "clusters" not in header  # the name has it


def test_names_are_unique_or_given():
    model = fair_model()
    assert name_runs([model, plain_model(), model], None) == [
        "4 clusters, tolerance 20%",
        "3 clusters",
        "4 clusters, tolerance 20% (2)",
    ]
    assert name_runs([model], ["mine"]) == ["mine"]
    with pytest.raises(ValueError, match="2 names for 1 models"):
        name_runs([model], ["a", "b"])
    header, rows = table_of(collect_runs([model], names=["mine"], stability=0))
    assert header[:2] == ["clusters", "tolerance"]
    assert rows[0][:3] == ["mine", "4", "20%"]


def test_the_charts_are_of_the_same_numbers(runs, tight):
    sizes = size_bars(runs)
    assert [len(bar.segments) for bar in sizes.bars] == [4, 4, 3, 4, 4]
    for bar in sizes.bars:
        assert sum(segment.width for segment in bar.segments) == pytest.approx(100)
    chart = price_lines(runs)
    assert [name for _, name in chart.x_ticks] == ["5%", "20%", "none"]
    assert [line.name for line in chart.lines] == ["4 clusters"]
    assert price_lines(runs[:1]) is None


def test_names_from_the_data_are_text(runs):
    page = Page(render_runs(runs, title=HOSTILE[0], notes=HOSTILE, snippet=HOSTILE[1]))
    shown = "".join(page.text)
    for name in (*HOSTILE, "</script><i>origin</i>"):
        assert name in shown
    assert len(page.scripts) == 1
    assert {"img", "iframe", "link", "object", "embed"}.isdisjoint(page.tags)
    assert all(link.startswith(("#", "data:text/csv;")) for link in page.links)
    assert {"overview", "sizes", "price", "each", "run", "run-1", "run-5"} <= page.ids


def test_a_list_of_models_is_a_report_too(tmp_path):
    models = [fair_model(), plain_model()]
    path = write_report(models, tmp_path / "both.html", stability=False, title="Both")
    assert path == tmp_path / "both.html"
    text = path.read_text(encoding="utf-8")
    assert "2 clusterings of 120 samples, side by side" in text
    again = write_comparison(models, tmp_path / "again.html", names=["a", "b"], stability=0)
    assert '<a href="#run-1">a</a>' in again.read_text(encoding="utf-8")
    with pytest.raises(TypeError, match="stability is of one model"):
        write_report(models, path, stability=fair_model().stability(1, n_seeds=0))


def test_what_cannot_be_compared_is_refused(tmp_path):
    path = tmp_path / "no.html"
    with pytest.raises(ValueError, match="no model to report on"):
        write_comparison([], path)
    with pytest.raises(ValueError, match="not fitted"):
        write_comparison([FairSpectralClustering()], path)
    X, group = blobs(60)
    other = FairSpectralClustering(2, effort="fast", random_state=0).fit(
        X, sensitive_features=group
    )
    with pytest.raises(ValueError, match="models are of 60 and of 120 samples"):
        write_comparison([fair_model(), other], path)
    assert not path.exists()


def test_a_copy_at_another_tolerance_is_a_model_of_its_own(tight):
    model = fair_model()
    assert model.fairness_tol == 0.2
    assert tight.fairness_tol == 0.05
    assert tight.fair_assignment_.certified
    assert tight.audit_.normalized_cut >= model.audit_.normalized_cut - 1e-12
    np.testing.assert_array_equal(tight.audit_.sizes, np.bincount(tight.labels_))
    assert tight.affinity_operator_ is model.affinity_operator_
