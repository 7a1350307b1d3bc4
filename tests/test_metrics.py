import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fairspectral import metrics
from fairspectral.auditing import audit

# Cluster "a": 3 women, 1 man; cluster "b": 1 woman, 3 men; cluster "c": 2 and 2.
LABELS = np.array(list("aaaabbbbcccc"))
SEX = np.array(list("fffmfmmmffmm"))

TWO_ATTRIBUTES = (
    r"^sensitive_features has 2 attributes; pass one column at a time, "
    r"or use fairspectral\.audit for all of them\.$"
)


def test_counts():
    np.testing.assert_array_equal(metrics.group_counts(LABELS, SEX), [[3, 1], [1, 3], [2, 2]])


def test_balance_in_its_variants():
    assert metrics.balance_per_cluster(LABELS, SEX) == pytest.approx([1 / 3, 1 / 3, 1])
    assert metrics.average_balance(LABELS, SEX) == pytest.approx(5 / 9)
    assert metrics.minimum_balance(LABELS, SEX) == pytest.approx(1 / 3)
    assert metrics.population_balance(SEX) == 1
    assert metrics.population_balance({"sex": SEX}) == 1
    assert metrics.relative_balance(LABELS, SEX) == pytest.approx(5 / 9)


def test_representation():
    assert metrics.representation_difference(LABELS, SEX) == pytest.approx(0.25)
    assert metrics.representation_ratio(LABELS, SEX) == pytest.approx(0.5)
    assert metrics.proportionality(LABELS, SEX) == pytest.approx(0.5)


def test_over_representation_counts_in_proportionality():
    """No group is under half of its share, but a rare group has twice its share in cluster 0."""
    labels = np.repeat([0, 1], [10, 30])
    groups = np.concatenate([np.repeat([0, 1], [6, 4]), np.repeat([0, 1], [26, 4])])
    assert metrics.representation_ratio(labels, groups) == pytest.approx((4 / 30) / 0.2)
    assert metrics.proportionality(labels, groups) == pytest.approx(0.5)


def test_proportional_clusters_of_unequal_groups():
    labels = np.repeat([0, 1], [4, 8])
    groups = np.concatenate([np.repeat([0, 1], [1, 3]), np.repeat([0, 1], [2, 6])])
    assert metrics.average_balance(labels, groups) == pytest.approx(1 / 3)
    assert metrics.population_balance(groups) == pytest.approx(1 / 3)
    assert metrics.relative_balance(labels, groups) == pytest.approx(1)
    assert metrics.proportionality(labels, groups) == 1
    assert metrics.representation_ratio(labels, groups) == 1
    assert metrics.representation_difference(labels, groups) == 0


def test_absent_group():
    assert metrics.minimum_balance([0, 0, 1, 1], ["f", "m", "f", "f"]) == 0
    assert metrics.proportionality([0, 0, 1, 1], ["f", "m", "f", "f"]) == 0


def test_normalized_cut_by_hand():
    """Two triangles joined by one edge: each cut is 1, each volume 7."""
    W = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    W[2, 3] = W[3, 2] = 1
    labels = np.repeat([0, 1], 3)
    assert metrics.normalized_cut(labels, W) == pytest.approx(2 / 7)
    assert metrics.normalized_cut(labels, sp.csr_array(W)) == pytest.approx(2 / 7)
    assert metrics.normalized_cut(np.zeros(6), W) == pytest.approx(0)


def test_normalized_cut_of_an_operator():
    """Any object with the operator interface is used directly, also in single precision."""

    class Halves:
        shape, dtype, degrees = (4, 4), np.dtype(np.float32), np.full(4, 4.0)

        def matmat(self, block):
            return (np.ones((4, 4)) / 4 @ block).astype(np.float32)

    assert metrics.normalized_cut([0, 0, 1, 1], Halves()) == pytest.approx(1, abs=1e-6)


def test_a_perfect_cut_is_not_negative(rng):
    """The sum of the floating-point errors has either sign."""
    sizes = rng.integers(3, 9, 40)
    labels = np.repeat(np.arange(40), sizes)
    W = np.where(labels[:, None] == labels, rng.random((sizes.sum(), sizes.sum())), 0)
    assert 0 <= metrics.normalized_cut(labels, W + W.T) < 1e-12


@pytest.mark.parametrize(
    ("labels", "groups", "balance"),
    [([0, 1, 1], ["a", "a", "a"], 1), ([0, 0], ["a", "b"], 1), ([0, 1], ["a", "b"], 0)],
    ids=["one group", "a group for each person", "and a cluster too"],
)
def test_groups_that_cannot_be_constrained_are_measured(labels, groups, balance):
    assert metrics.average_balance(labels, groups) == balance
    assert metrics.population_balance(groups) == 1


def test_rows_in_another_order_are_refused():
    """Otherwise values of different people would be compared."""
    labels = pd.Series([0, 0, 1, 1], index=list("wxyz"))
    other = labels.index[::-1]
    groups = pd.Series(list("abab"), index=other)
    W = pd.DataFrame(np.ones((4, 4)), index=other, columns=other)
    with pytest.raises(ValueError, match=r"order than labels \(at row 0"):
        metrics.average_balance(labels, groups)
    with pytest.raises(ValueError, match=r"^labels has .* order than affinity \(at row 0"):
        metrics.normalized_cut(labels, W)
    # Without row labels there is nothing but the position.
    assert metrics.average_balance(labels.to_numpy(), groups) == 1
    assert metrics.normalized_cut(labels.to_numpy(), W) == pytest.approx(1, abs=1e-12)


def test_refusals():
    with pytest.raises(ValueError, match="sensitive_features"):
        metrics.population_balance({})
    with pytest.raises(ValueError, match=TWO_ATTRIBUTES):
        metrics.average_balance(LABELS, np.column_stack([SEX, SEX]))
    with pytest.raises(ValueError, match="labels must be one label per sample"):
        metrics.average_balance([], [])
    with pytest.raises(ValueError, match="labels has 3 values but the affinity has 2 nodes"):
        metrics.normalized_cut([0, 1, 1], np.ones((2, 2)))


@pytest.mark.parametrize("labels", [[0, None, 1], [0.0, np.nan, 1.0], ["a", None, "b"]])
@pytest.mark.parametrize(
    "measure",
    [audit, lambda labels: metrics.average_balance(labels, [0, 1, 0])],
    ids=["audit", "metrics"],
)
def test_missing_labels(labels, measure):
    with pytest.raises(ValueError, match=r"labels has 1 missing value\(s\), the first at row 1"):
        measure(labels)


def test_labels_that_cannot_be_compared():
    with pytest.raises(TypeError, match=r"labels mixes values .* \(int, str\)"):
        audit([0, "a", 1])


class TestAudit:
    def test_table(self):
        found = audit(LABELS, pd.Series(SEX, name="sex"), affinity=np.ones((12, 12)))
        text = str(found)
        lines = text.splitlines()
        assert lines[0] == "sex"
        assert lines[1].split() == ["cluster", "size", "f", "m", "balance"]
        assert lines[3].split() == ["a", "4", "75.0%", "25.0%", "0.333"]
        assert lines[7].split() == ["everyone", "12", "50.0%", "50.0%", "1.000"]
        assert "average balance 0.556 (56% of the population's own), minimum 0.333" in text
        assert "25.0 points" in text
        assert found.normalized_cut == pytest.approx(3 - 3 * 4 / 12)

    def test_numbers_agree_with_the_functions(self):
        (table,) = audit(LABELS, SEX).attributes
        assert table.average_balance == metrics.average_balance(LABELS, SEX)
        assert table.minimum_balance == metrics.minimum_balance(LABELS, SEX)
        assert table.relative_balance == metrics.relative_balance(LABELS, SEX)
        assert table.representation_ratio == metrics.representation_ratio(LABELS, SEX)
        difference = metrics.representation_difference(LABELS, SEX)
        assert table.representation_difference == difference

    def test_several_attributes(self):
        groups = pd.DataFrame({"sex": SEX, "old": np.arange(12) % 2 == 0})
        found = audit(LABELS, groups)
        assert [a.name for a in found.attributes] == ["sex", "old"]
        frame = found.to_frame()
        assert len(frame) == 3 * 2 + 3 * 2
        row = frame[(frame.cluster == "a") & (frame.attribute == "sex") & (frame.group == "m")]
        assert row["count"].item() == 1
        assert row["share"].item() == 0.25
        assert row["population_share"].item() == 0.5

    def test_without_groups(self):
        assert str(audit([0, 0, 1], certificate="done")) == "2 clusters of sizes 2, 1\ndone"

    def test_everyone_of_a_group_of_their_own(self):
        (table,) = audit([0, 0, 1], ["a", "b", "c"]).attributes
        assert table.counts.tolist() == [[1, 1, 0], [0, 0, 1]]
        assert table.minimum_balance == 0
