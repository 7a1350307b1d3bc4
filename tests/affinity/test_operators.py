"""Tests of single operators: memory, refusals, components."""

import tracemalloc

import array_api_compat.numpy
import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close, random_affinity, sparse_blocks
from test_contract import OnlyTheInterface, points, sparse_graph

from fairspectral import FairSpectralClustering
from fairspectral.affinity import DenseOperator, SparseOperator, make_operator
from fairspectral.affinity import sparse as sparse_module


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_is_used_in_place(dtype, order):
    n = 1000
    W = np.array(random_affinity(n), dtype=dtype, order=order)
    before = W.copy()
    tracemalloc.start()
    operator = DenseOperator(W)
    operator.matmat(np.ones((n, 3)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < W.nbytes
    assert np.shares_memory(operator.stored_weights, W)
    np.testing.assert_array_equal(W, before)


def test_sparse_input_is_not_modified():
    coo = sp.coo_array(sparse_graph())
    doubled = sp.csr_array(
        (
            np.repeat(coo.tocsr().data, 2) / 2,
            np.repeat(coo.tocsr().indices, 2),
            coo.tocsr().indptr * 2,
        ),
        shape=coo.shape,
    )
    data, indices = doubled.data.copy(), doubled.indices.copy()
    SparseOperator(doubled)
    np.testing.assert_array_equal(doubled.data, data)
    np.testing.assert_array_equal(doubled.indices, indices)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
class TestRefusals:
    def test_not_square(self, convert):
        with pytest.raises(ValueError, match=r"X must be a square matrix.*shape \(3, 4\)"):
            make_operator(convert(np.ones((3, 4))), "precomputed")

    def test_negative(self, convert):
        W = random_affinity(6)
        W[1, 4] = W[4, 1] = -0.5
        with pytest.raises(ValueError, match=r"X has the negative weight -0.5 at row 1, column 4"):
            make_operator(convert(W), "precomputed")

    @pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
    def test_not_finite(self, convert, value, word):
        W = random_affinity(6)
        W[2, 3] = W[3, 2] = value
        with pytest.raises(ValueError, match=f"X contains {word} at row 2, column 3"):
            make_operator(convert(W), "precomputed")

    def test_asymmetric(self, convert):
        W = random_affinity(700)
        W[20, 650] += 1
        with pytest.raises(ValueError, match=r"not symmetric: entry \(20, 650\)"):
            make_operator(convert(W), "precomputed")

    def test_isolated_node(self, convert):
        W = random_affinity(6)
        W[3] = W[:, 3] = 0
        with pytest.raises(ValueError, match=r"1 isolated node\(s\).*\(index 3\); remove"):
            make_operator(convert(W), "precomputed")

    def test_components(self, convert):
        blocks = sparse_blocks(np.ones((3, 3)), np.ones((2, 2)), random_affinity(4)).toarray()
        assert make_operator(convert(blocks), "precomputed").count_components() == 3
        assert make_operator(convert(random_affinity(5)), "precomputed").count_components() == 1

    def test_a_path_is_one_component(self, convert):
        path = np.diag(np.ones(29), 1)
        assert make_operator(convert(path + path.T), "precomputed").count_components() == 1

    def test_dtype_is_obeyed(self, convert):
        operator = make_operator(convert(random_affinity(5)), "precomputed", dtype=np.float32)
        assert operator.dtype == np.float32


def test_floating_point_error_of_a_float32_kernel_is_not_asymmetry():
    W = random_affinity(50).astype(np.float32)
    W[np.triu_indices(50)] *= 1 + 1e-6
    DenseOperator(W)


def test_computed_affinities_are_float32_by_default():
    assert make_operator(points()).dtype == np.float32
    assert make_operator(points(), dtype=np.float64).dtype == np.float64
    assert make_operator(points(), "nearest_neighbors").dtype == np.float32


def test_kernel_with_negative_values_is_refused():
    X = np.array([[1.0, 0.0], [-1.0, 0.1], [0.5, 1.0]])
    for budget in (None, 1):
        with pytest.raises(ValueError, match="kernel 'linear' has the negative weight -1 at row 0"):
            make_operator(X, "linear", memory_budget=budget)
    with pytest.raises(ValueError, match="kernel 'additive_chi2' has the negative weight"):
        make_operator(points(), "additive_chi2")


def test_gamma():
    wide = make_operator(points(), gamma="scale", dtype=np.float64).degrees
    expected = make_operator(points(), gamma=1 / (3 * points().var()), dtype=np.float64).degrees
    assert_close(wide, expected)
    sparse = make_operator(sp.csr_array(points()), gamma="scale", dtype=np.float64).degrees
    assert_close(sparse, wide, 1000)
    constant = make_operator(np.ones((5, 2)), gamma="scale").degrees
    assert_close(constant, np.full(5, 5.0), dtype=np.float32)
    with pytest.raises(ValueError, match="gamma=-1 is not valid; pass a positive number"):
        make_operator(points(), gamma=-1)


def test_misspelt_affinity_and_parameters():
    with pytest.raises(ValueError, match=r"affinity='rbff' is unknown \(did you mean 'rbf'\?\)"):
        make_operator(points(), "rbff")
    with pytest.raises(ValueError, match="kernel_params has 'degree', which the kernel 'rbf'"):
        make_operator(points(), "rbf", kernel_params={"degree": 3})
    with pytest.raises(ValueError, match=r"n_neighbors=99 must lie between 1 and .* 40"):
        make_operator(points(), "nearest_neighbors", n_neighbors=99)


class TestUserOperatorIsChecked:
    def broken(self, **changes):
        operator = OnlyTheInterface(random_affinity(12))
        for name, value in changes.items():
            setattr(operator, name, value)
        return operator

    def test_applies_w_instead_of_m(self):
        W = random_affinity(12)
        with pytest.raises(ValueError, match="does not map sqrt"):
            make_operator(None, self.broken(matmat=lambda block: W @ block))

    def test_not_symmetric(self):
        operator = OnlyTheInterface(random_affinity(12))
        v = np.sqrt(operator.degrees)
        twist = np.random.default_rng(0).standard_normal((12, 12))
        twist -= np.outer(twist @ v, v) / (v @ v)  # leaves sqrt(d) alone
        operator.M = operator.M + twist
        with pytest.raises(ValueError, match="is not symmetric"):
            make_operator(None, operator)

    def test_products_that_are_not_numbers(self):
        for bad in (np.nan, np.inf):
            with pytest.raises(ValueError, match="returned products that are NaN or infinite"):
                make_operator(None, self.broken(matmat=lambda block, bad=bad: block * bad))
        for bad in (None, "text", 1j * np.ones((12, 3)), [[1.0], [1.0, 2.0]]):
            with pytest.raises(ValueError, match="returned products that are not real numbers"):
                make_operator(None, self.broken(matmat=lambda block, bad=bad: bad))
        with pytest.raises(ValueError, match="has degrees that are NaN"):
            make_operator(None, self.broken(degrees=np.full(12, np.nan)))
        with pytest.raises(ValueError, match="has degrees that are not real numbers"):
            make_operator(None, self.broken(degrees=["a"] * 12))

    def test_trouble_that_begins_later(self):
        sound = OnlyTheInterface(random_affinity(12))
        calls = []

        def matmat(block):
            calls.append(block)
            product = sound.matmat(block)
            return product if len(calls) == 1 else product * np.nan

        operator = make_operator(None, self.broken(matmat=matmat))
        with pytest.raises(ValueError, match="returned products that are NaN"):
            operator.matmat(np.ones((12, 2)))

    def test_the_identity(self):
        with pytest.raises(ValueError, match="nothing to cluster by"):
            make_operator(None, self.broken(matmat=lambda block: block))

    def test_wrong_shapes_and_types(self):
        with pytest.raises(ValueError, match="degrees of shape"):
            make_operator(None, self.broken(degrees=np.ones(5)))
        with pytest.raises(ValueError, match="must keep the shape"):
            make_operator(None, self.broken(matmat=lambda block: block[:, :1]))
        with pytest.raises(TypeError, match="must be float32 or float64"):
            make_operator(None, self.broken(dtype=np.dtype(int)))
        with pytest.raises(ValueError, match="isolated node"):
            make_operator(None, self.broken(degrees=np.zeros(12)))

    def test_declared_attributes(self):
        W = random_affinity(12)
        with pytest.raises(ValueError, match="has density 2; it must be the share"):
            make_operator(None, self.broken(density=2.0))
        with pytest.raises(TypeError, match=r"declares xp='torch' .* no array could be made"):
            make_operator(None, self.broken(xp="torch"))
        with pytest.raises(TypeError, match="stored_weights of the affinity operator is a list"):
            make_operator(None, self.broken(stored_weights=W.tolist()))
        with pytest.raises(ValueError, match=r"has shape \(5, 5\); it must have \(12, 12\)"):
            make_operator(None, self.broken(stored_weights=W[:5, :5]))
        with pytest.raises(ValueError, match="must be of the same W"):
            make_operator(None, self.broken(stored_weights=2 * W))
        with pytest.raises(ValueError, match="stored_weights of the affinity operator is not symm"):
            make_operator(None, self.broken(stored_weights=np.triu(W)))

    def test_declared_attributes_are_used(self):
        blocks = sparse_blocks(random_affinity(5), random_affinity(7))
        theirs = OnlyTheInterface(blocks.toarray())
        theirs.stored_weights, theirs.density, theirs.nbytes = blocks, 0.5, 99
        operator = make_operator(None, theirs)
        assert (operator.density, operator.nbytes, operator.own_threads) == (0.5, 99, False)
        assert operator.count_components() == 2
        assert sp.issparse(operator.stored_weights)
        del theirs.stored_weights
        assert make_operator(None, theirs).count_components() is None


def test_the_protocol_has_defaults_for_all_but_four():
    operator = make_operator(None, OnlyTheInterface(random_affinity(12)))
    assert operator.xp is array_api_compat.numpy
    assert (operator.device, operator.stored_weights) == (None, None)
    assert (operator.density, operator.own_threads, operator.nbytes) == (1.0, False, 0)


def test_components_are_found_once(monkeypatch):
    found = []
    search = sparse_module.connected_components
    monkeypatch.setattr(
        sparse_module,
        "connected_components",
        lambda *args, **options: found.append(1) or search(*args, **options),
    )
    model = FairSpectralClustering(2, affinity="precomputed", random_state=0)
    model.fit(sp.csr_array(sparse_graph()), sensitive_features=np.arange(40) % 2)
    assert found == [1]
