import numpy as np
import pandas as pd
import pytest
from helpers import assert_close

from fairspectral.constraints import FairnessConstraints, encode_groups, fairness_matrix

N = 60
ROUNDING = 100 * np.finfo(float).eps  # of sums of N numbers of size one
# Irregular without a generator: multiples of irrational numbers, without their whole parts.
DEGREES = 0.1 + 8.9 * (np.arange(N) * 2**0.5 % 1)
SEX = np.where(np.arange(N) * 3**0.5 % 1 < 0.5, "f", "m")
ORIGIN = (3 * (np.arange(N) * 5**0.5 % 1)).astype(int)


def constraints(groups, mode="marginal"):
    return FairnessConstraints.from_attributes(encode_groups(groups, N, mode), DEGREES)


@pytest.mark.parametrize(
    "groups",
    [
        SEX.tolist(),
        tuple(SEX),
        SEX,
        SEX.astype(object),
        SEX[:, None],
        pd.Series(SEX, name="sex"),
        pd.Categorical(SEX, categories=["x", "m", "f"]),
        pd.Series(SEX, dtype="category"),
        pd.Series(SEX, dtype="string"),
        pd.DataFrame({"sex": SEX}),
        {"sex": SEX.tolist()},
        SEX == "m",
    ],
    ids=lambda g: type(g).__name__,
)
def test_every_container_gives_the_same_constraint(groups):
    found, expected = constraints(groups), constraints(SEX)
    assert_close(found.basis @ found.basis.T, expected.basis @ expected.basis.T)


def test_the_constraint_says_that_shares_are_equal():
    """A clustering meets F0^T 1_l = 0 exactly when each cluster mirrors the population."""
    groups = np.repeat([0, 1, 2], [10, 20, 30])
    F0 = fairness_matrix(encode_groups(groups, N))
    fair = np.concatenate([np.arange(10) % 2, np.arange(20) % 2, np.arange(30) % 2])
    unfair = groups == 0
    for cluster in (fair == 0, fair == 1):
        np.testing.assert_allclose(F0.T @ cluster, 0, atol=1e-12)
    assert np.linalg.norm(F0.T @ unfair) > 1


def test_the_matrix_by_hand():
    """Membership less the population's share, and no column for the last group."""
    attributes = encode_groups({"three": [0, 1, 1, 2], "two": ["a", "a", "a", "b"]}, 4)
    expected = [
        [0.75, -0.5, 0.25],
        [-0.25, 0.5, 0.25],
        [-0.25, 0.5, 0.25],
        [-0.25, -0.5, -0.75],
    ]
    np.testing.assert_allclose(fairness_matrix(attributes), expected, atol=1e-15)


def test_the_groups_stay_with_the_constraint():
    attributes = encode_groups(["a", "b", "b"], 3)
    assert FairnessConstraints.from_attributes(attributes, np.ones(3)).attributes is attributes


def test_basis_is_orthonormal_and_spans_f():
    found = constraints(ORIGIN)
    F = fairness_matrix(encode_groups(ORIGIN, N)) / np.sqrt(DEGREES)[:, None]
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(2), atol=ROUNDING)
    assert_close(found.basis @ found.coordinates, F)
    assert found.rank == 2


def test_projection_and_residuals(rng):
    found = constraints(ORIGIN)
    block = rng.standard_normal((N, 4))
    projected = found.project(block)
    assert found.residual(projected) < ROUNDING * np.linalg.norm(block)
    assert found.residual(block) > 0.1
    F = fairness_matrix(encode_groups(ORIGIN, N)) / np.sqrt(DEGREES)[:, None]
    assert found.fairness(block) == pytest.approx(np.linalg.norm(F.T @ block))
    assert found.project(block.astype(np.float32)).dtype == np.float32


def test_square_root_of_degrees_is_always_feasible():
    known = np.sqrt(DEGREES)[:, None]
    assert constraints(ORIGIN).residual(known) < ROUNDING * np.linalg.norm(known)


def test_marginal_attributes_add_up(rng):
    table = pd.DataFrame({"sex": SEX, "origin": ORIGIN})
    both = constraints(table)
    assert both.rank == 3
    block = both.project(rng.standard_normal((N, 2)))
    for groups in (SEX, ORIGIN):
        assert constraints(groups).residual(block) < ROUNDING * np.linalg.norm(block)


def test_a_dict_names_its_attributes():
    attributes = encode_groups({"sex": SEX, "origin": pd.Series(ORIGIN, name="other")}, N)
    assert [attribute.name for attribute in attributes] == ["sex", "origin"]
    with pytest.raises(ValueError, match="sensitive_features is empty"):
        encode_groups({}, N)


def test_intersection_of_attributes():
    table = np.column_stack([SEX == "m", ORIGIN])
    attributes = encode_groups(table, N, "intersection")
    assert len(attributes) == 1
    assert len(attributes[0].categories) == 6
    assert attributes[0].counts.sum() == N
    assert constraints(table, "intersection").rank == 5
    named = encode_groups(pd.DataFrame({"sex": SEX, "origin": ORIGIN}), N, "intersection")[0]
    assert named.name == "sex × origin"
    assert named.categories[0] == "f × 0"
    assert named.categories[named.codes[0]] == f"{SEX[0]} × {ORIGIN[0]}"


def test_rank_deficient_attributes():
    """A second attribute that the first determines adds no constraint."""
    doubled = pd.DataFrame({"sex": SEX, "again": SEX, "upper": [sex.upper() for sex in SEX]})
    assert constraints(doubled).rank == 1
    coarse = pd.DataFrame({"origin": ORIGIN, "first": ORIGIN == 0})
    assert constraints(coarse).rank == 2


def test_rank_does_not_depend_on_group_sizes_or_degrees():
    groups = np.zeros(N, dtype=int)
    groups[0], groups[1] = 1, 2
    degrees = DEGREES.copy()
    degrees[0], degrees[1] = 1e12, 1e-6
    found = FairnessConstraints.from_attributes(encode_groups(groups, N), degrees)
    assert found.rank == 2


def test_no_constraint(rng):
    nothing = FairnessConstraints.none(N)
    block = rng.standard_normal((N, 3))
    assert nothing.rank == 0
    assert nothing.coordinates.shape == (0, 0)
    np.testing.assert_array_equal(nothing.project(block), block)
    assert nothing.residual(block) == nothing.fairness(block) == 0


def test_unknown_mode():
    with pytest.raises(ValueError, match=r"attribute_mode='margin' is unknown \(did you mean 'mar"):
        encode_groups(SEX, N, "margin")


def test_groups_of_rows_in_another_order_are_refused():
    data = pd.Series([0, 0, 1, 1], index=list("wxyz"))
    groups = pd.Series(list("abab"), index=data.index[::-1])
    with pytest.raises(ValueError, match=r"order than X \(at row 0"):
        encode_groups(groups, 4, rows=data)
    with pytest.raises(ValueError, match=r"order than people \(at row 0"):
        encode_groups(groups, 4, rows=data, rows_name="people")
