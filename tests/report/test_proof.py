"""The certificate in the report."""

import base64
import re

import numpy as np
from report_models import fair_model, kmeans_model

from fairspectral import Certificate, FairSpectralClustering, verify_certificate
from fairspectral.report import render_report
from fairspectral.report.proof import MOST_WORK, certified_cells, find_certificate

QUICK = {"frontier": False, "stability": False, "plain": False}


def test_the_page_has_it_to_read_and_to_download():
    X, groups = np.random.default_rng(0).standard_normal((60, 2)), np.arange(60) % 2
    model = FairSpectralClustering(2, random_state=0, effort="fast")
    model.fit(X, sensitive_features=groups)
    page = render_report(model, **QUICK)
    assert "so at most" in page
    (link,) = re.findall(r'download="certificate.json" href="data:[^,]*,([^"]*)"', page)
    claims = Certificate.from_json(base64.b64decode(link).decode())
    assert claims == model.certificate_
    assert verify_certificate(claims, model.labels_, X, groups)


def test_the_bounds_on_the_cut_are_proved_ones():
    model = fair_model()
    page = render_report(model, frontier=False, stability=False)
    assert f"is below {model.certificate_.cut.plain_bound:.4g}" in page
    assert "solver’s accuracy" not in page


def test_it_is_left_out_where_it_takes_long_or_is_not_wanted():
    model = fair_model()
    model._certificate = None
    operator = model.affinity_operator_
    operator.density = 2 * MOST_WORK / operator.shape[0] ** 2
    try:
        assert find_certificate(model, None) is None
        assert "Not computed for this report" in render_report(model, **QUICK)
        assert find_certificate(model, True) is not None
        assert find_certificate(model, None) is model.certificate_  # it is there now
        assert find_certificate(model, False) is None
    finally:
        del operator.density


def test_cells_without_bounds_have_none():
    model = kmeans_model()
    rows = certified_cells(model.certificate_)
    assert len(rows) == model.n_clusters * len(model._attributes[0].categories)
    assert {tuple(row[4:]) for row in rows} == {("–", "–")}
