"""Tolerances and shares by name: what they mean, that they hold, and impossible requests."""

import numpy as np
import pytest

from fairspectral.affinity import make_operator
from fairspectral.constraints import encode_groups
from fairspectral.rounding.fair import fair_assignment
from fairspectral.rounding.plan import plan_rounding
from fairspectral.validation import FairSpectralWarning


@pytest.fixture
def people():
    """120 people: half of them f, and three regions of 60, 40 and 20."""
    sex = np.tile(["f", "m"], 60)
    region = np.repeat(["north", "south", "west"], [60, 40, 20])
    return encode_groups({"sex": sex, "region": region}, 120)


def test_each_attribute_has_its_own_tolerance(people):
    plan = plan_rounding(people, 3, fairness_tol={"region": 0.3, "sex": 0.1})
    assert plan.rules[0].lower == pytest.approx([0.45, 0.45])
    assert plan.rules[1].upper == pytest.approx([0.65, 1.3 / 3, 1.3 / 6])
    free = plan_rounding(people, 3, fairness_tol={"region": None, "sex": 0})
    assert free.rules[0].lower == pytest.approx([0.5, 0.5])
    assert free.rules[1].lower.tolist() == [0, 0, 0]


def test_shares_replace_the_tolerance_of_the_groups_that_are_named(people):
    shares = {"region": {"north": (0.4, 0.6), "west": (0.1, None)}}
    sex, region = plan_rounding(people, 3, fairness_tol=0.2, shares=shares).rules
    assert sex.lower == pytest.approx([0.4, 0.4])
    assert region.lower == pytest.approx([0.4, 0.0, 0.1])  # of south what the others leave
    assert region.upper == pytest.approx([0.6, 0.5, 1.0])
    one = plan_rounding(people, 3, fairness_tol=0.2, shares={"region": {"north": (None, 0.6)}})
    assert one.rules[1].lower == pytest.approx([0.0, 0.8 / 3, 0.8 / 6])  # these keep the tolerance
    assert one.rules[1].upper == pytest.approx([0.6, 1.2 / 3, 1.2 / 6])


def test_a_wide_quota_of_one_of_two_groups_is_not_narrowed_by_the_other(people):
    (rule,) = plan_rounding(people[:1], 3, fairness_tol=0.1, shares={"f": (0.3, 0.8)}).rules
    assert rule.lower == pytest.approx([0.3, 0.2])
    assert rule.upper == pytest.approx([0.8, 0.7])


def test_a_number_is_a_target_within_the_tolerance(people):
    (rule,) = plan_rounding(people[:1], 3, fairness_tol=0.2, shares={"sex": {"f": 0.55}}).rules
    assert rule.target == pytest.approx([0.55, 0.5])
    assert rule.lower == pytest.approx([0.44, 0.34])
    assert rule.upper == pytest.approx([0.66, 0.56])
    (free,) = plan_rounding(people[:1], 3, fairness_tol=None, shares={"sex": {"f": 0.55}}).rules
    assert (free.lower.tolist(), free.upper.tolist()) == ([0, 0], [1, 1])
    (least,) = plan_rounding(
        people[:1], 3, fairness_tol=0.2, bounds="lower", shares={"f": 0.55}
    ).rules
    assert least.upper.tolist() == [1.0, pytest.approx(0.56)]


@pytest.mark.parametrize("kind", ["rows", "kernel", "graph"])
@pytest.mark.parametrize("tolerance", [0.0, 0.3])
def test_quotas_of_several_attributes_hold_in_every_cell(people, kind, tolerance):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((120, 3)) + 2 * people[1].codes[:, None]
    affinity = {
        "rows": None,
        "kernel": make_operator(rows, "rbf"),
        "graph": make_operator(rows, "nearest_neighbors", n_neighbors=8),
    }[kind]
    groups = {one.name: np.array(one.categories)[one.codes] for one in people}
    found = fair_assignment(
        rows,
        groups,
        3,
        fairness_tol={"sex": tolerance, "region": None},
        shares={"region": {"north": (0.4, 0.6), "west": (0.1, None)}},
        min_cluster_size=20,
        max_cluster_size=50,
        affinity=affinity,
        refine_rounds=3,
        random_state=0,
    )
    assert found.certified
    assert 20 <= found.sizes.min() <= found.sizes.max() <= 50
    for cluster in range(3):
        inside = found.labels == cluster
        size = inside.sum()
        north, west, f = (
            np.sum(inside & (groups[name] == group))
            for name, group in (("region", "north"), ("region", "west"), ("sex", "f"))
        )
        # Counted here: within the quotas, up to less than one person.
        assert 0.4 * size - 1 < north < 0.6 * size + 1
        assert west > 0.1 * size - 1
        assert abs(f - size / 2) < tolerance * size / 2 + 1


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (
            {"fairness_tol": {"sex": 0.1}},
            "fairness_tol has no tolerance for the attribute 'region'",
        ),
        ({"fairness_tol": {"sx": 0.1}}, r"unknown attribute 'sx' \(did you mean 'sex'\?\)"),
        ({"fairness_tol": {"sex": -1, "region": 1}}, "fairness_tol of 'sex'=-1 must be a number"),
        ({"shares": {"age": {"old": (0, 1)}}}, "shares names the unknown attribute 'age'"),
        ({"shares": [0.4]}, r"shares=\[0.4\] must map attributes to groups"),
        ({"shares": {}}, r"shares=\{\} must map attributes to groups"),
        ({"shares": {"sex": (0.4, 0.6)}}, r"shares of the attribute 'sex' is \(0.4, 0.6\)"),
        (
            {"shares": {"sex": {"x": (0.4, 0.6)}}},
            "unknown group 'x' of 'sex'; its groups are 'f', ",
        ),
        ({"shares": {"sex": {"f": (0.6, 0.4)}}}, "the least share 0.6 above the largest 0.4"),
        ({"shares": {"sex": {"f": (0.4, 1.6)}}}, "'sex' 'f' has 1.6; a share is a number between"),
        ({"shares": {"sex": {"f": (None, None)}}}, "give the least and the largest share"),
        ({"shares": {"sex": {"f": (0.1, 0.2, 0.3)}}}, "give the least and the largest share"),
        ({"shares": {"sex": {"f": "0.4"}}}, "'sex' 'f' has '0.4'; a share is a number between"),
        ({"shares": {"sex": {"f": (0.6, None)}}}, "largest least share that is possible is 0.5"),
        ({"shares": {"sex": {"f": (None, 0.4)}}}, "smallest largest share that is possible is 0.5"),
        ({"shares": {"sex": {"f": 0.8}}}, "the nearest target that is possible is 0.625"),
        ({"shares": {"sex": {"f": 0.2}}}, "the nearest target that is possible is 0.4167"),
        (
            {"shares": {"sex": {"f": (0.4, 0.6)}}, "lower": {"sex": {"f": 0.4}}},
            "shares and lower both bound the shares of 'sex'",
        ),
    ],
)
def test_impossible_requests(people, wish, words):
    with pytest.raises(ValueError, match=words) as refused:
        plan_rounding(people, 3, **wish)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("target", [0.8, 0.2])
def test_the_nearest_target_is_possible(people, target):
    with pytest.raises(ValueError, match="nearest target that is possible") as refused:
        plan_rounding(people[:1], 3, shares={"f": target})
    nearest = float(str(refused.value).rstrip(".").rsplit(" ", 1)[1])
    closer = nearest + np.sign(0.5 - target) * 1e-4  # it was written with four digits
    assert plan_rounding(people[:1], 3, shares={"f": closer})
    with pytest.raises(ValueError, match="nearest target"):
        plan_rounding(people[:1], 3, shares={"f": nearest - np.sign(0.5 - target) * 1e-3})


def test_a_least_share_of_too_few_people(people):
    few = encode_groups(np.repeat(["a", "b"], [2, 28]), 30)
    with pytest.raises(ValueError, match=r"only 2 person.*n_clusters of at most 2"):
        plan_rounding(few, 3, shares={"a": (0.01, None)})
    with pytest.warns(FairSpectralWarning, match="at least 1 cluster"):
        plan_rounding(few, 3)
