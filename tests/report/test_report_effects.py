"""What distinguishes the clusters, in the report."""

import re

import pandas as pd
from report_models import HOSTILE, blobs, fair_model, plain_model

from fairspectral.report import render_report
from fairspectral.report.effects import effect_table


def section(page):
    return re.search(r'<section id="clusters">.*?</section>', page, flags=re.DOTALL)[0]


def described():
    X, _ = blobs()
    table = pd.DataFrame(X, columns=[HOSTILE[0], "height"])
    return fair_model().describe(table)


def test_the_section_has_the_sentences_with_names_as_text():
    found = described()
    shown = section(
        render_report(fair_model(), description=found, plain=False, frontier=False, stability=False)
    )
    assert shown.count("<li>") == 4
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    for cluster in found.clusters:
        assert f"<b>{cluster.head}</b>" in shown
        assert f"Typical: {', '.join(map(str, cluster.typical))}." in shown
    assert any("height much" in cluster.body for cluster in found.clusters)
    assert "Clusters always differ in the columns they were made by" in shown


def test_without_the_columns_the_section_names_typical_members_only():
    for model in (fair_model(), plain_model()):
        shown = section(render_report(model, plain=False, frontier=False, stability=False))
        assert "The columns of the data are not known to this report" in shown
        assert "Typical: " in shown
        assert "<table" not in shown
        assert "no columns are known" not in shown  # it is said once, not for every cluster


def test_the_table_has_a_number_where_chance_does_not_explain_it():
    found = described()
    table = effect_table(found)
    assert [name for name, _ in table.rows] == [HOSTILE[0], "height"]
    assert table.n_compared == len(found.names) == 2 + 3  # two columns and three groups
    for i, (_, cells) in enumerate(table.rows):
        for j, cell in enumerate(cells):
            effect = found.effects[i, j]
            if not found.beyond_chance[i, j]:
                assert (cell.text, cell.colour) == ("–", "transparent")
            else:
                assert cell.text == f"{effect:+.2f}".replace("-", "−")
                assert cell.colour.startswith("rgb(230" if effect > 0 else "rgb(0 ")
