"""Which affinity ``"auto"`` takes, and what it says."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs, make_moons

from fairspectral.affinity import DenseOperator, SparseOperator, make_operator
from fairspectral.affinity.automatic import (
    FAR,
    GOWER,
    GRAPH,
    KERNEL,
    TWO_VALUED,
    choose_affinity,
    neighbour_distance,
    two_valued_share,
)
from fairspectral.affinity.mixed import read_mixed


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
