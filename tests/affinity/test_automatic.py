"""Which affinity ``"auto"`` takes, and what it says."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering
from fairspectral.affinity import DenseOperator, SparseOperator, make_operator
from fairspectral.affinity.automatic import (
    EVEN,
    FAR,
    GOWER,
    GRAPH,
    KERNEL,
    TWO_VALUED,
    choose_affinity,
    common_units,
    evenness_of,
    neighbour_distance,
    two_valued_share,
)
from fairspectral.affinity.mixed import read_mixed
from fairspectral.validation import FairSpectralWarning


def moons():
    return make_moons(300, noise=0.05, random_state=0)[0]


def noise(n=300, d=40):
    return np.random.default_rng(0).standard_normal((n, d))


def choose(X, budget=10**9):
    return choose_affinity(X, X.shape[0] ** 2 * 4, budget)


def test_categories_and_missing_values():
    chosen, why = choose(read_mixed([[1.0, "a"], [2.0, "b"], [np.nan, "b"]]))
    assert chosen == GOWER
    assert why == "there are categories or missing values"


def test_too_large_for_a_kernel():
    chosen, why = choose(noise(), budget=1000)
    assert chosen == GRAPH
    assert "a kernel of all 300 rows would take 0.00036 GB" in why


def test_columns_of_two_values():
    X = np.column_stack([moons(), np.arange(300) % 2])
    assert two_valued_share(X) > TWO_VALUED
    chosen, why = choose(X)
    assert chosen == KERNEL
    assert why.startswith(f"columns of two values hold {two_valued_share(X):.0%} of the variance")


def test_a_few_columns_of_two_values_among_many_do_not_decide():
    X, _ = make_blobs(300, 20, centers=4, random_state=0)
    X = np.column_stack([X, np.arange(300) % 2])
    assert 0 < two_valued_share(X) < TWO_VALUED
    assert choose(X)[0] == GRAPH


def test_neighbours_that_are_hardly_nearer():
    assert neighbour_distance(noise()) > FAR
    chosen, why = choose(noise())
    assert chosen == GOWER
    assert why.startswith("neighbours are hardly nearer than others: the 20th nearest neighbour")
    assert choose(sp.csr_array(noise()))[0] == KERNEL  # Gower's distance is for dense tables


def test_neighbours_that_are_near():
    assert neighbour_distance(moons()) < FAR
    chosen, why = choose(moons())
    assert chosen == GRAPH
    assert "(at most 70%)" in why
    assert choose(sp.csr_array(moons()))[0] == GRAPH


@pytest.mark.parametrize("n", [3, 10])
def test_a_few_rows(n):
    assert choose(noise(n))[0] == GOWER


def test_nothing_differs():
    assert neighbour_distance(np.ones((30, 2))) == 1
    assert two_valued_share(np.ones((30, 2))) == 0
    assert choose(np.ones((30, 2)))[0] == KERNEL


@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_units_do_not_matter(factor):
    for X in (moons(), noise(), np.column_stack([moons(), np.arange(300) % 2])):
        assert choose(X * factor)[0] == choose(X)[0]


@pytest.mark.parametrize(
    ("X", "kind", "said"),
    [
        (moons(), SparseOperator, "affinity='auto' took a connected graph of 20 nearest"),
        (noise(), DenseOperator, "affinity='auto' took Gower's distance, because neighbours"),
        (np.eye(30)[np.arange(90) % 30], DenseOperator, "affinity='auto' took the rbf kernel"),
    ],
)
def test_the_operator_says_what_was_chosen(X, kind, said):
    operator = make_operator(X, "auto")
    assert isinstance(operator, kind)
    assert operator.choice.startswith(said)
    assert operator.choice.endswith(".")


def test_pieces_that_were_linked_are_counted():
    X, _ = make_blobs(300, centers=[[0, 0], [50, 0], [0, 50]], random_state=0)
    assert make_operator(X, "auto").choice.endswith(
        "Its 3 pieces are linked by their nearest people."
    )


def test_a_given_affinity_was_not_chosen():
    assert make_operator(moons(), "rbf").choice == ""


# --- columns in different units ---------------------------------------------------------------


def years_and_dollars(rng, n=300):
    """Three clusters that both columns are needed to tell apart."""
    kind = rng.integers(3, size=n)
    age = 30 + 15 * kind + 4 * rng.standard_normal(n)
    return np.c_[age, 20_000 + 9_000 * (2 * kind % 3) + 4_000 * rng.standard_normal(n)], kind


def test_columns_in_different_units_are_standardised_and_it_is_said():
    X, kind = years_and_dollars(np.random.default_rng(0))
    scaled, words = common_units(X)
    np.testing.assert_allclose(scaled.std(axis=0), 1, atol=1e-12)
    assert words.startswith("The columns are in different units")
    model = FairSpectralClustering(3, random_state=0).fit(X)
    assert model.affinity_choice_.endswith(words)
    assert adjusted_rand_score(kind, model.labels_) > 0.8
    raw = FairSpectralClustering(3, affinity="nearest_neighbors", random_state=0).fit(X)
    assert adjusted_rand_score(kind, raw.labels_) < 0.7


def test_columns_of_one_unit_stay_as_they_are():
    X = np.random.default_rng(1).standard_normal((200, 4)) * [1.0, 2.0, 1.5, 1.0]
    assert common_units(X)[0] is X
    one = X * [1.0, 0.0, 0.0, 0.0]
    assert common_units(one)[1] == ""
    assert common_units(sp.csr_array(X * [1, 1, 1, 1000]))[1] == ""


def test_principal_components_stay_as_they_are():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 6)) @ np.diag([30, 3, 1, 1, 0.5, 0.1])
    components = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    scores = components[0] * components[1]
    assert evenness_of(scores.std(axis=0)) < EVEN
    assert common_units(scores)[1] == ""
    assert common_units(scores + 0.1 * scores[:, :1])[1]


def test_evenness():
    assert evenness_of(np.array([1.0, 1.0, 1.0])) == pytest.approx(1)
    assert evenness_of(np.array([1e5, 1e-5, 1e-5])) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"gamma": 0.5}, "took the rbf kernel, because gamma was given"),
        ({"gamma": "auto"}, "took the rbf kernel, because gamma was given"),
        ({"kernel_params": {"gamma": 1.0}}, "took the rbf kernel, because kernel_params was given"),
        ({"n_neighbors": 7}, "took the graph of 7 nearest neighbours, because n_neighbors was"),
    ],
)
def test_a_parameter_that_is_set_decides(params, words):
    X = np.random.default_rng(3).standard_normal((60, 3))
    assert words in make_operator(X, "auto", **params).choice


# --- affinities taken for a table -----------------------------------------------------------


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_symmetric_matrix_may_be_meant_as_affinities(store):
    W = np.kron(np.eye(2), np.ones((10, 10))) + 0.01
    with pytest.warns(FairSpectralWarning, match="symmetric 20 × 20 matrix.*'precomputed'"):
        FairSpectralClustering(2, random_state=0).fit(store(W))
    FairSpectralClustering(2, affinity="precomputed", random_state=0).fit(store(W))
    square = np.random.default_rng(0).standard_normal((20, 20))
    FairSpectralClustering(2, random_state=0).fit(store(square))
