from html.parser import HTMLParser

from report_models import HOSTILE, doubtful_model, fair_model, kmeans_model, plain_model

from fairspectral import FairSpectralClustering
from fairspectral.report import repr_html


class Reader(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_an_unfitted_model_shows_what_was_changed():
    text = Reader(repr_html(FairSpectralClustering(5, affinity="<script>"))).text
    assert text == "FairSpectralClustering(affinity='<script>', n_clusters=5)not fitted"


def test_a_fitted_model_shows_shares_and_verdict_with_names_as_text():
    page = Reader(repr_html(fair_model()))
    assert "✓ fair within 20%" in page.text
    for name in (*HOSTILE, "</script><i>origin</i>"):
        assert name in page.text
    assert {"script", "i"}.isdisjoint(page.tags)
    assert page.tags.count("tr") == 6
    assert "Certified" in page.text


def test_an_unfair_model_says_so():
    assert "shares are outside 20%" in Reader(repr_html(kmeans_model())).text


def test_a_plain_model_shows_its_sizes():
    page = Reader(repr_html(plain_model()))
    assert "no sensitive features" in page.text
    assert "sizes of the clusters" in page.text
    assert "table" not in page.tags


def test_findings_are_shown():
    text = Reader(repr_html(doubtful_model())).text
    assert "✓ fair within 20%" in text
    assert doubtful_model().diagnosis_.findings[0].what in text
    assert "Certified is about shares only" in text
    assert "Diagnosis" not in Reader(repr_html(fair_model())).text
