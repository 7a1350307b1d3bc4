import json
import os
import re
import sys
from copy import copy
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from report_models import (
    HOSTILE,
    blobs,
    crowded_model,
    doubtful_model,
    fair_frontier,
    fair_model,
    kmeans_model,
    plain_model,
    two_attribute_model,
)

from fairspectral import FairSpectralClustering
from fairspectral.frontier import FairnessFrontier, fairness_frontier
from fairspectral.prices import negligible_cut
from fairspectral.report import render_report, write_report

SECTIONS = (
    "verdict",
    "shares",
    "clusters",
    "stability",
    "comparison",
    "embedding",
    "price",
    "convergence",
    "run",
)


class Page(HTMLParser):
    """What elements a page has, what it refers to and what text it shows."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.text, self.scripts = [], set(), [], [], []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._inside = tag
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            if name in ("src", "href", "srcset", "action", "data"):
                self.links.append(value)
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text.append(data)


@pytest.mark.parametrize(
    "model", [fair_model, kmeans_model, plain_model, crowded_model, two_attribute_model]
)
def test_every_section_is_there_and_nothing_is_loaded(model):
    page = Page(render_report(model(), frontier=False, stability=False))
    assert set(SECTIONS) <= page.ids
    assert page.links
    # Sections of the page, and files that it carries.
    kinds = ("#", "data:text/csv;", "data:application/json;")
    assert all(link.startswith(kinds) for link in page.links)
    assert {"img", "iframe", "link", "object", "embed"}.isdisjoint(page.tags)
    assert len(page.scripts) == 2


def test_names_from_the_data_are_text_everywhere():
    notes = ["<script>alert(3)</script>"]
    text = render_report(
        fair_model(),
        title="<script>alert(4)</script>",
        notes=notes,
        frontier=fair_frontier(),
        stability=False,
    )
    page = Page(text)
    shown = "".join(page.text)
    for name in (*HOSTILE, "</script><i>origin</i>", *notes, "<script>alert(4)</script>"):
        assert name in shown
    assert len(page.scripts) == 2
    assert "i" not in [tag for tag in page.tags if tag in ("b", "u")]
    points = json.loads(page.scripts[0])
    assert sorted(points["groups"]) == sorted(HOSTILE)
    assert points["attribute"] == "</script><i>origin</i>"
    assert "alert(" not in page.scripts[1]


def test_the_page_allows_its_own_script_only():
    text = render_report(plain_model())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert "default-src 'none'" in policy
    assert re.search(r"script-src 'sha256-[\w+/]{43}='", policy)


def test_the_price_is_drawn_by_default_for_few_samples():
    page = "".join(Page(render_report(fair_model(), stability=False)).text)
    assert "in normalised cut over the same rounding without any bound" in page
    assert "Not computed" not in page


def test_a_given_frontier_is_drawn():
    model = fair_model()
    frontier = fairness_frontier(
        model.embedding_, model._attributes[0].codes, 4, tolerances=(0.2, 0.4), random_state=0
    )
    page = "".join(Page(render_report(model, frontier=frontier, stability=False)).text)
    assert "over the same rounding at 40%" in page


def test_cuts_of_floating_point_error_are_zero_in_every_table():
    model = copy(fair_model())
    fair, error = model.fair_assignment_, 2.22e-16
    stages = tuple(replace(stage, normalized_cut=-error) for stage in fair.history)
    model.fair_assignment_ = fair = replace(fair, normalized_cut=error, history=stages)
    model.audit_ = replace(model.audit_, normalized_cut=error)
    frontier = FairnessFrontier((0.2, None), (fair, fair), negligible=negligible_cut(4))
    page = render_report(model, plain=False, frontier=frontier, stability=False, certificate=False)
    assert "2.22e-16" not in page
    for table in ("Table: the price of fairness", "Stages of the rounding"):
        cells = re.findall(r"</th><td>([^<]*)</td>", page.split(table)[1].split("</tbody>")[0])
        assert cells
        assert set(cells) == {"0"}


def test_the_price_can_be_left_out_and_plain_clustering_too():
    page = "".join(
        Page(render_report(fair_model(), plain=False, frontier=False, stability=False)).text
    )
    assert page.count("Not computed for this report") == 2


def test_the_page_says_that_a_sample_is_drawn(monkeypatch):
    monkeypatch.setattr("fairspectral.report.sections.MOST_POINTS", 50)
    page = "".join(Page(render_report(plain_model())).text)
    assert "50 of 120 samples are drawn, chosen at random." in page


def test_the_first_numbers_are_those_of_the_audit():
    model = fair_model()
    page = "".join(Page(render_report(model, frontier=False, stability=False)).text)
    assert f"{100 * model.audit_.attributes[0].representation_difference:.1f} points" in page
    assert f"{model.audit_.normalized_cut:.4g}" in page


def test_a_given_snippet_replaces_the_code():
    page = "".join(Page(render_report(plain_model(), snippet="fairspectral demo <x>")).text)
    assert "fairspectral demo <x>" in page
    assert "from fairspectral import" not in page


def test_the_file_is_written_whole(tmp_path):
    path = tmp_path / "report.html"
    assert write_report(plain_model(), path) == path
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert path.stat().st_size < 200_000
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_report(plain_model(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_missing_folder_is_refused_before_any_work(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere.* does not exist; make it"):
        write_report(None, tmp_path / "nowhere" / "report.html")


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder; add a file name"):
        write_report(None, tmp_path)


def test_an_unfitted_model_is_refused():
    with pytest.raises(ValueError, match="not fitted"):
        render_report(FairSpectralClustering())


def test_without_jinja_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"fairspectral\[report\]"):
        render_report(plain_model())


def test_findings_stand_beside_the_verdict_and_good_clusters_have_none():
    model = doubtful_model()
    page = Page(render_report(model, frontier=False, stability=False))
    text = " ".join(page.text)
    assert "diagnosis" in page.ids
    assert "✓ Fair" in text
    assert "The verdict is about shares only" in text
    assert "Certified is about shares only; see the diagnosis:" in text
    for finding in model.diagnosis_:
        assert finding.what in text
        assert finding.advice in text
    assert "diagnosis" not in Page(render_report(fair_model(), frontier=False, stability=False)).ids


def test_parameters_that_were_set_after_the_fit_are_refused():
    X, group = blobs()
    model = FairSpectralClustering(4, effort="fast", random_state=0)
    model.fit(X, sensitive_features=group).set_params(fairness_tol=0.05)
    with pytest.raises(ValueError, match="fitted with another fairness_tol; fit it again"):
        render_report(model)


def test_which_clusters_come_back_is_said_in_words_and_bars():
    model = fair_model()
    found = model.stability(3, n_seeds=1)
    text = " ".join(Page(render_report(model, frontier=False, stability=found)).text)
    assert found.words in text
    assert "on 3 random parts of the samples" in text
    assert "Not tried for this report" not in text
    without = " ".join(Page(render_report(model, frontier=False, stability=False)).text)
    assert "Not tried for this report: it takes a dozen clusterings of most samples" in without


def test_which_clusters_come_back_is_computed_where_it_takes_seconds(monkeypatch):
    text = " ".join(Page(render_report(plain_model(), frontier=False)).text)
    assert "on 10 random parts of the samples" in text
    monkeypatch.setattr("fairspectral.report.comeback.MOST_SAMPLES", 50)
    text = " ".join(Page(render_report(plain_model(), frontier=False)).text)
    assert "Not tried for this report" in text


def test_too_few_people_to_resample_are_no_error():
    X, group = blobs(12)
    model = FairSpectralClustering(6, fairness_tol=None, random_state=0)
    model.fit(X, sensitive_features=group)
    text = " ".join(Page(render_report(model, frontier=False)).text)
    assert "Not tried for this report" in text
    with pytest.raises(ValueError, match="too few for 6 clusters"):
        render_report(model, frontier=False, stability=True)
