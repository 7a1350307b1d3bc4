import base64
import csv
import io
import re

import numpy as np
import pytest
from report_models import fair_model, two_attribute_model

from fairspectral.auditing import audit
from fairspectral.cells import judge_by_tolerance
from fairspectral.metrics import normalized_cut
from fairspectral.report.collect import judge
from fairspectral.report.comparison import compare
from fairspectral.report.html import render_report
from fairspectral.report.moved import find_moved


@pytest.fixture(params=[fair_model, two_attribute_model])
def case(request):
    model = request.param()
    other = compare(model, model._attributes, 0)
    return model, other, find_moved(model, model._attributes, other, judge(model))


def test_everyone_who_moved_is_counted_once(case):
    model, other, moved = case
    np.testing.assert_array_equal(
        moved.rows, np.flatnonzero(other.unbounded.labels != model.labels_)
    )
    assert sum(count for *_, count in moved.ways) == len(moved.rows) > 0
    for attribute in model._attributes:
        some = [row for row in moved.by_group if row[0] == attribute.name]
        assert sum(row[2] for row in some) == len(moved.rows)
        assert sum(row[3] for row in some) == len(model.labels_)


def test_the_cost_of_going_back_is_that_of_the_definition(case):
    model, _, moved = case
    before = normalized_cut(model.labels_, model.affinity_operator_)
    for row, back, rise in zip(moved.rows, moved.here, moved.rise, strict=True):
        labels = model.labels_.copy()
        labels[row] = back
        after = normalized_cut(labels, model.affinity_operator_)
        assert rise == pytest.approx(after - before, abs=1e-5)


def test_the_reason_is_a_share_or_a_size_that_is_outside(case):
    model, _, moved = case
    groups = {a.name: np.array(a.categories, dtype=object)[a.codes] for a in model._attributes}
    floor = model.fair_assignment_.min_cluster_size
    for row, back, reason in zip(moved.rows, moved.here, moved.reasons, strict=True):
        labels = model.labels_.copy()
        labels[row] = back
        sizes = np.bincount(labels, minlength=model.n_clusters)
        counted = [a.counts.T for a in audit(labels, groups).attributes]
        outside = [judge_by_tolerance(counts, model.fairness_tol).n_outside for counts in counted]
        fair = not any(outside) and sizes.min() >= floor
        assert fair == (not reason)
    assert moved.n_held == sum(map(bool, moved.reasons))


def test_the_page_has_the_files_to_download():
    model = fair_model()
    page = render_report(model, frontier=False, stability=False)
    files = {
        name: list(csv.DictReader(io.StringIO(base64.b64decode(data).decode())))
        for name, data in re.findall(r'download="(\S+)" href="data:text/csv;[^,]*,([^"]+)"', page)
    }
    assert [int(row["cluster"]) for row in files["labels.csv"]] == model.labels_.tolist()
    assert [int(row["row"]) for row in files["labels.csv"]] == list(range(1, 121))
    moved = files["moved.csv"]
    assert 0 < len(moved) < 120
    for row in moved:
        assert int(row["fair_cluster"]) == model.labels_[int(row["row"]) - 1]
        assert row["cluster_without_bounds"] != row["fair_cluster"]
