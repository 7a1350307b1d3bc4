"""The printed audit: every number of the table by hand, every line of the text."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from fairspectral.auditing import audit, audit_attributes, audit_table

# Cluster 0 has 1 of group a and 3 of b, cluster 1 has 3 and 5, cluster 10 has 2 and 6.
LABELS = np.repeat([10, 0, 1], [8, 4, 8])
GROUPS = np.array(list("aabbbbbb" + "abbb" + "aaabbbbb"))


@pytest.fixture
def table():
    return audit(LABELS, pd.Series(GROUPS, name="sex")).attributes[0]


def test_counts_and_shares(table):
    assert table.name == "sex"
    assert table.groups == ("a", "b")
    assert table.counts.tolist() == [[1, 3], [3, 5], [2, 6]]
    assert_allclose(table.shares, [[0.25, 0.75], [0.375, 0.625], [0.25, 0.75]], atol=1e-15)
    assert_allclose(table.population, [0.3, 0.7], atol=1e-15)


def test_balance(table):
    assert_allclose(table.balance, [1 / 3, 3 / 5, 1 / 3], atol=1e-15)
    average = (1 / 3 + 3 / 5 + 1 / 3) / 3
    assert table.average_balance == pytest.approx(average, abs=1e-15)
    assert table.minimum_balance == pytest.approx(1 / 3, abs=1e-15)
    assert table.population_balance == pytest.approx(6 / 14, abs=1e-15)
    assert table.relative_balance == pytest.approx(average / (6 / 14), abs=1e-14)


def test_representation(table):
    assert table.representation_difference == pytest.approx(0.075, abs=1e-15)
    assert table.representation_ratio == pytest.approx(0.25 / 0.3, abs=1e-15)


def test_the_whole_text():
    """Two blocks of ones: 8 + 12 points, and the clusters 0 and 10 share no edge with 1."""
    W = np.zeros((20, 20))
    W[:12, :12] = W[12:, 12:] = 1
    found = audit(LABELS, pd.Series(GROUPS, name="sex"), W, certificate="All is well.")
    assert found.clusters == (0, 1, 10)
    assert found.sizes.tolist() == [4, 8, 8]
    # Cluster 0 keeps 4 of 12 of its volume, cluster 10 keeps 8 of 12, cluster 1 everything.
    assert found.normalized_cut == pytest.approx(2 / 3 + 1 / 3, abs=1e-12)
    assert str(found) == repr(found)
    assert str(found).splitlines() == [
        "sex",
        " cluster  size      a      b  balance",
        "--------  ----  -----  -----  -------",
        "       0     4  25.0%  75.0%    0.333",
        "       1     8  37.5%  62.5%    0.600",
        "      10     8  25.0%  75.0%    0.333",
        "--------  ----  -----  -----  -------",
        "everyone    20  30.0%  70.0%    0.429",
        "average balance 0.422 (99% of the population's own), minimum 0.333",
        "largest difference from the population's shares 7.5 points, smallest ratio 0.83",
        "",
        "normalised cut 1 of 3",
        "All is well.",
    ]


def test_the_table_as_text_cells():
    found = audit(np.repeat([0, 1], [1500, 500]), np.tile(["a", "b"], 1000))
    (attribute,) = found.attributes
    assert audit_table(found, attribute, ",") == [
        ["cluster", "size", "a", "b", "balance"],
        ["0", "1,500", "50.0%", "50.0%", "1.000"],
        ["1", "500", "50.0%", "50.0%", "1.000"],
        ["everyone", "2,000", "50.0%", "50.0%", "1.000"],
    ]
    assert [row[1] for row in audit_table(found, attribute)] == ["size", "1500", "500", "2000"]


def test_tables_of_several_attributes_stand_apart():
    groups = pd.DataFrame({"sex": GROUPS, "half": np.arange(20) < 10})
    text = str(audit(LABELS, groups))
    assert text == text.strip()
    lines = text.splitlines()
    assert lines[0] == "sex"
    assert lines[10:12] == ["", "half"]
    assert lines[-1].startswith("largest difference from the population's shares ")


def test_text_without_groups():
    assert str(audit([3, 1, 1])) == "2 clusters of sizes 2, 1"
    assert str(audit([3, 1, 1], affinity=np.ones((3, 3)))) == (
        "2 clusters of sizes 2, 1\nnormalised cut 1 of 2"
    )
    assert audit([3, 1, 1]).normalized_cut is None
    assert audit([3, 1, 1]).attributes == ()
    assert audit([3, 1, 1]).certificate == ""


def test_frame_has_one_row_for_each_cluster_and_group():
    frame = audit(LABELS, pd.Series(GROUPS, name="sex")).to_frame()
    expected = pd.DataFrame(
        {
            "cluster": [0, 0, 1, 1, 10, 10],
            "size": [4, 4, 8, 8, 8, 8],
            "attribute": ["sex"] * 6,
            "group": ["a", "b"] * 3,
            "count": [1, 3, 3, 5, 2, 6],
            "share": [0.25, 0.75, 0.375, 0.625, 0.25, 0.75],
            "population_share": [0.3, 0.7] * 3,
        }
    )
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


def test_groups_of_any_kind_are_accepted():
    """An audit accepts any groups, even a single one or as many as people."""
    assert audit([0, 1], ["a", "a"]).attributes[0].representation_difference == 0
    assert audit([0, 0], ["a", "b"]).attributes[0].population_balance == 1


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="has 2 values but the data has 3 samples"):
        audit([0, 1, 1], ["a", "b"])


def test_a_cluster_without_members_has_size_zero():
    found = audit_attributes(np.array([0, 0]), ("here", "empty"), (), None, "")
    assert found.sizes.tolist() == [2, 0]


def test_rows_in_another_order_are_refused():
    labels = pd.Series([0, 0, 1, 1], index=list("wxyz"))
    other = labels.index[::-1]
    with pytest.raises(ValueError, match=r"order than labels \(at row 0"):
        audit(labels, pd.Series(list("abab"), index=other))
    W = pd.DataFrame(np.ones((4, 4)), index=other, columns=other)
    with pytest.raises(ValueError, match=r"^labels has .* order than affinity \(at row 0"):
        audit(labels, affinity=W)


def test_a_notebook_shows_the_table_with_names_as_text():
    labels, groups = np.repeat(["<b>x</b>", "y"], 4), np.tile(["<i>f</i>", "m"], 4)
    page = audit(labels, groups, np.ones((8, 8)), certificate="All <u>is</u> well.")._repr_html_()
    for tag in ("<b>", "<i>", "<u>"):
        assert tag not in page
    assert "&lt;i&gt;f&lt;/i&gt;" in page
    assert "cluster &lt;b&gt;x&lt;/b&gt;" in page
    assert "normalised cut 1 of 2<br>All &lt;u&gt;is&lt;/u&gt; well." in page
    assert page.count("<tr>") == 4
    assert "sizes of the clusters: 2, 1" in audit([3, 1, 1])._repr_html_()


def test_an_audit_draws_itself():
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="pip install matplotlib")
    found = audit(LABELS, pd.DataFrame({"sex": GROUPS, "half": np.arange(20) < 10}))
    ax = found.plot(attribute=1)
    lengths = np.array([bar.get_width() for bar in ax.patches]).reshape(2, 3)
    assert_allclose(lengths.T, found.attributes[1].shares, rtol=0, atol=1e-9)
    _, own = pyplot.subplots()
    assert found.plot(own) is own
    pyplot.close("all")
    with pytest.raises(ValueError, match="no sensitive attribute"):
        audit([0, 1]).plot()
