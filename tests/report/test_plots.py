import sys

import numpy as np
import pytest
from matplotlib import pyplot
from report_models import crowded_model, fair_model, plain_model

from fairspectral.frontier import FairnessFrontier, fairness_frontier
from fairspectral.report import plot_embedding, plot_frontier, plot_shares


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_embedding_has_every_sample_and_a_shape_for_every_group():
    model = fair_model()
    ax = plot_embedding(model)
    assert sum(len(c.get_offsets()) for c in ax.collections) == 120
    assert len(legend(ax)) == 3
    assert ax.get_legend().get_title().get_text() == "</script><i>origin</i>"
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2", "3"]


def test_embedding_of_other_groups_and_of_many():
    assert legend(plot_embedding(fair_model(), ["x", "y"] * 60)) == ["x", "y"]
    assert legend(plot_embedding(crowded_model()))[-1] == "13 smaller groups"


def test_embedding_without_groups_has_no_legend():
    _, ax = pyplot.subplots()
    assert plot_embedding(plain_model(), ax=ax) is ax
    assert ax.get_legend() is None


def test_shares_fill_every_bar():
    audit = fair_model().audit_
    ax = plot_shares(audit)
    lengths = np.array([bar.get_width() for bar in ax.patches]).reshape(3, 4)
    np.testing.assert_allclose(lengths.T, audit.attributes[0].shares, rtol=0, atol=1e-9)
    lines = [line.get_xdata()[0] for line in ax.lines]
    expected = np.cumsum(audit.attributes[0].population)[:-1]
    np.testing.assert_allclose(lines, expected, rtol=0, atol=1e-9)


def test_names_are_shown_as_they_are():
    from fairspectral.auditing import audit

    ax = plot_shares(audit([0, 0, 1, 1], ["_a", "$\\no$", "_a", "$\\no$"]))
    assert sorted(name.strip("\u200b") for name in legend(ax)) == [r"\$\no\$", "_a"]
    ax.figure.draw_without_rendering()  # a formula that is none would fail here


def test_shares_need_groups():
    with pytest.raises(ValueError, match="no sensitive attribute"):
        plot_shares(plain_model().audit_)


def test_frontier_is_the_cut_where_it_is_known():
    model = fair_model()
    arguments = (model.embedding_, model._attributes[0].codes, 4)
    params = {"affinity": model.affinity_operator_, "effort": "fast", "random_state": 0}
    known = fairness_frontier(*arguments, tolerances=(0, 0.2, None), **params)
    ax = plot_frontier(known)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), known.normalized_cut, rtol=0, atol=1e-9)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0%", "20%", "none"]
    assert ax.get_ylabel() == "normalised cut"
    unknown = fairness_frontier(*arguments, tolerances=(0, 0.2), random_state=0)
    assert plot_frontier(unknown).get_ylabel() == "embedding cost"


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"fairspectral\[plot\]"):
        plot_embedding(plain_model())
    with pytest.raises(ImportError, match=r"fairspectral\[plot\]"):
        FairnessFrontier((None,), ()).plot()
