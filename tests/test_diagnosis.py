import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import make_problem, random_affinity
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from fairspectral import FairSpectralClustering, FairSpectralWarning
from fairspectral.affinity import make_operator
from fairspectral.datasets import load_diabetes_patients, make_msbm
from fairspectral.diagnosis import (
    Diagnosis,
    Finding,
    Sample,
    look_at_affinities,
    look_at_components,
    look_at_cut,
    look_at_sizes,
    look_at_spectrum,
)
from fairspectral.metrics import normalized_cut
from fairspectral.solvers.registry import SOLVERS


def fit(X, k, affinity="precomputed", groups="halves", **params):
    n = X.shape[0]
    sensitive = np.arange(n) % 2 if isinstance(groups, str) else groups
    rounding = None if sensitive is None else {"refine_rounds": 1}
    model = FairSpectralClustering(
        k, affinity=affinity, rounding_params=rounding, random_state=0, **params
    )
    return model.fit(X, sensitive_features=sensitive)


def blobs(n=120, k=3):
    return make_blobs(n, centers=k, random_state=k)[0]


def cliques(sizes):
    return sp.csr_array(sp.block_diag([sp.coo_array(np.ones((m, m))) for m in sizes]))


class TestDegenerate:
    """The cases that used to be called certified and nothing else."""

    @pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "manhattan"])
    def test_a_distance_matrix(self, metric):
        iris = StandardScaler().fit_transform(load_iris().data)
        D = pairwise_distances(iris, metric=metric).clip(0)
        np.fill_diagonal(D, 0)
        model = fit(D, 3)
        assert model.diagnosis_.kinds[0] == "distances as affinities"
        assert "exp(-D**2" in model.diagnosis_.findings[0].advice
        assert model.fair_assignment_.certified

    @pytest.mark.parametrize("groups", ["halves", None])
    @pytest.mark.filterwarnings("ignore:Number of distinct clusters")
    def test_constant_data(self, groups):
        model = fit(np.ones((60, 3)), 3, "rbf", groups)
        assert "nearly constant affinities" in model.diagnosis_.kinds
        assert "are all equal" in str(model.diagnosis_)

    def test_a_kernel_far_too_wide(self):
        assert "nearly constant affinities" in fit(blobs(), 3, "rbf", gamma=1e-6).diagnosis_.kinds

    def test_a_kernel_far_too_narrow(self):
        with pytest.warns(FairSpectralWarning, match="which of them share a cluster is arbitrary"):
            model = fit(blobs(), 3, "rbf", gamma=1e4)
        assert model.diagnosis_.kinds[:2] == (
            "nearly the identity",
            "more components than clusters",
        )

    @pytest.mark.parametrize("convert", [sp.csr_array, lambda W: W.toarray()])
    def test_sixty_components(self, convert):
        sizes = 3 + np.arange(60) % 6
        with pytest.warns(FairSpectralWarning, match="60 connected components"):
            model = fit(convert(cliques(sizes)), 4)
        (found,) = (f for f in model.diagnosis_ if f.kind == "more components than clusters")
        assert "60 unconnected components for 4 cluster(s)" in found.what
        assert f"{sizes.sum() - 8} of {sizes.sum()} people outside the largest" in found.what

    def test_three_quarters_of_everyone_in_one_cluster(self):
        patients = load_diabetes_patients()
        groups = patients.sensitive_features
        model = fit(patients.X, 4, "rbf", groups, gamma=1.0)
        assert {"one giant cluster", "clusters at the floor"} <= set(model.diagnosis_.kinds)
        assert model.audit_.sizes.max() > 0.75 * len(groups)

    def test_random_weights(self):
        W = np.random.default_rng(0).random((300, 300))
        assert model_kinds(W + W.T) >= {"cut near its maximum", "no gap in the spectrum"}

    def test_a_random_graph(self):
        edges = np.triu(np.random.default_rng(0).random((400, 400)) < 0.3, 1).astype(float)
        assert model_kinds(sp.csr_array(edges + edges.T)) == {"no gap in the spectrum"}


def model_kinds(W):
    return set(fit(W, 4).diagnosis_.kinds)


class TestClean:
    @pytest.mark.parametrize("groups", ["halves", None])
    @pytest.mark.parametrize("affinity", ["rbf", "laplacian"])
    def test_blobs(self, affinity, groups):
        assert not fit(blobs(), 3, affinity, groups).diagnosis_

    def test_iris(self):
        assert not fit(load_iris().data, 2, "rbf").diagnosis_

    def test_a_kernel_that_is_not_stored(self):
        assert not fit(blobs(), 3, "rbf", memory_budget="100kB").diagnosis_

    def test_a_block_model(self):
        block = make_msbm(600, 3, 2, random_state=0)
        assert not fit(block.graph, 3, groups=block.sensitive_features).diagnosis_

    def test_affinities_without_a_diagonal_are_not_distances(self):
        for gamma in (0.1, 1.0, 10.0):  # the last leaves outliers with hardly any affinity
            W = rbf_kernel(StandardScaler().fit_transform(blobs()), gamma=gamma)
            np.fill_diagonal(W, 0)
            found = look_at_affinities(Sample.of(make_operator(W, "precomputed")))
            assert found is None or found.kind != "distances as affinities"

    def test_one_cluster_of_few(self):
        assert not fit(blobs(), 1, "rbf", None).diagnosis_
        FairSpectralClustering(2, random_state=0).fit([[0.0], [1.0]])  # nothing to sample


class TestNextEigenvalue:
    """The gap after the last wanted eigenvalue needs the next one, which solvers have anyway."""

    @pytest.mark.parametrize("solver", ["krylov", "nullspace"])
    @pytest.mark.parametrize("n", [40, 300])
    def test_is_that_of_a_larger_problem(self, n, solver):
        W = random_affinity(n)
        few, more = (
            SOLVERS[solver]().solve(make_problem(W, np.arange(n) % 2, k), random_state=0)
            for k in (3, 4)
        )
        assert few.details["next_eigenvalue"] == pytest.approx(more.eigenvalues[-1], abs=5e-3)

    def test_there_is_none_after_the_last(self):
        result = SOLVERS["nullspace"]().solve(make_problem(random_affinity(5), None, 5))
        assert "next_eigenvalue" not in result.details


class TestSample:
    def test_operators_give_the_same_sample(self):
        X = blobs(90)
        W = rbf_kernel(X).astype(np.float64)
        dense = Sample.of(make_operator(W, "precomputed"))
        others = [
            make_operator(sp.csr_array(W), "precomputed"),
            make_operator(X, "rbf", gamma=0.5, memory_budget=1000, dtype=np.float64),
            make_operator(None, _Foreign(make_operator(W, "precomputed"))),
        ]
        for operator in others:
            sample = Sample.of(operator)
            np.testing.assert_allclose(sample.rows, dense.rows, atol=1e-12)
            assert np.median(sample.own_shares) == pytest.approx(
                np.median(dense.own_shares), rel=0.5
            )

    def test_spread_and_own_share_of_a_known_matrix(self):
        W = np.array([[2.0, 1.0, 1.0, 3.0]] * 4)
        W = np.triu(W, 1) + np.triu(W, 1).T + 2 * np.eye(4)
        sample = Sample.of(make_operator(W, "precomputed"))
        off = W[~np.eye(4, dtype=bool)]
        assert sample.spread == pytest.approx(off.std() / off.mean())
        assert sample.own_volume == pytest.approx(8 / W.sum())
        np.testing.assert_allclose(np.sort(sample.own_shares), np.sort(2 / W.sum(axis=1)))

    @pytest.mark.parametrize("scale", [1e-200, 1e200])
    def test_no_scale_overflows(self, scale):
        sample = Sample.of(make_operator(pairwise_distances(blobs(40)), "precomputed"))
        scaled = replace(sample, rows=scale * sample.rows)
        assert look_at_affinities(scaled).kind == "distances as affinities"
        assert scaled.spread == pytest.approx(sample.spread)


class _Foreign:
    """A user's operator, given by its products."""

    def __init__(self, operator):
        self.shape, self.dtype, self.degrees = operator.shape, operator.dtype, operator.degrees
        self.matmat = operator.matmat


class TestRules:
    @pytest.mark.parametrize(
        ("sizes", "kinds"),
        [
            ([75, 13, 12], ["one giant cluster"]),
            ([74, 13, 13], []),
            ([80, 20], []),
            ([90, 10], ["one giant cluster"]),
            ([48, 48, 4], []),
            ([50, 47, 3], ["clusters at the floor"]),
            ([100], []),
        ],
    )
    def test_sizes(self, sizes, kinds):
        assert [finding.kind for finding in look_at_sizes(np.array(sizes))] == kinds

    def test_a_requested_floor_near_the_mean_is_not_a_finding(self):
        assert look_at_sizes(np.array([33, 33, 34]), floor=33) == []
        assert look_at_sizes(np.array([10, 45, 45]), floor=10)[0].kind == "clusters at the floor"

    def test_the_cut_of_random_labels(self):
        rng = np.random.default_rng(0)
        W = rng.random((400, 400))
        W = W + W.T + 60 * np.eye(400)
        operator = make_operator(W, "precomputed")
        own = Sample.of(operator).own_volume
        labels = rng.choice(3, size=400, p=[0.6, 0.3, 0.1])
        cut = normalized_cut(labels, operator)
        assert cut == pytest.approx(2 * (1 - own), rel=0.02)
        assert look_at_cut(cut, 3, own).kind == "cut near its maximum"
        assert look_at_cut(0.9 * cut, 3, own) is None
        assert look_at_cut(0.0, 1, own) is None

    def test_spectrum(self):
        def found(values, following):
            return look_at_spectrum(np.array(values), following, len(values)) is not None

        assert found([1.0, 0.10, 0.098, 0.096], 0.094)
        assert not found([1.0, 0.10, 0.098, 0.06], 0.059)  # stands out before k
        assert not found([1.0, 0.99, 0.98, 0.97], 0.96)  # nearly separate clusters
        assert not found([1.0, 0.10, 0.098, 0.096], None)  # a solver that does not know
        assert not found([1.0], 0.99)
        assert found([1.0, -0.01], -0.02)
        assert look_at_spectrum(np.array([1.0, 0.1]), 0.1, 3) is None

    def test_components(self):
        assert look_at_components(None, 3) is None
        assert look_at_components(np.array([5, 5, 5]), 3) is None
        assert look_at_components(np.array([5, 5, 5]), 2) is not None


class TestWords:
    FOUND = Diagnosis((Finding("a sign", "1 < 2 is seen.", "Try <b>."),))

    def test_true_where_something_was_found(self):
        assert self.FOUND
        assert not Diagnosis()
        assert list(self.FOUND) == list(self.FOUND.findings)

    def test_printed(self):
        assert str(self.FOUND) == "Diagnosis:\n- a sign: 1 < 2 is seen. Try <b>."
        assert repr(Diagnosis()) == "Diagnosis: nothing found that speaks against the clustering."

    def test_in_a_notebook_text_is_escaped(self):
        assert "1 &lt; 2 is seen." in self.FOUND._repr_html_()
        assert "Try &lt;b&gt;." in self.FOUND._repr_html_()
        assert "nothing found" in Diagnosis()._repr_html_()

    def test_frozen_and_pickled(self):
        assert pickle.loads(pickle.dumps(self.FOUND)) == self.FOUND
        with pytest.raises(FrozenInstanceError):
            self.FOUND.findings = ()

    def test_certified_never_stands_alone(self):
        model = fit(pairwise_distances(blobs(60)), 3)
        caution = "Certified is about shares only; see the diagnosis: distances as affinities"
        lines = model.fair_assignment_.certificate.splitlines()
        assert lines[0].startswith("Certified: all 6 cells")
        assert lines[1].startswith(caution)
        assert caution in str(model.audit_)

    def test_uncertified_labels_have_a_caution_too(self):
        fair = fit(blobs(60), 3, "rbf").fair_assignment_
        assert "diagnosis" not in fair.certificate
        assert Diagnosis().add_to(fair) is fair
        said = self.FOUND.add_to(replace(fair, certified=False)).certificate
        assert said.endswith("The certificate is about shares only; see the diagnosis: a sign.")

    def test_without_groups_the_audit_points_to_the_diagnosis(self):
        model = fit(pairwise_distances(blobs(60)), 3, groups=None)
        assert "See the diagnosis: distances as affinities" in str(model.audit_)
        assert "shares only" not in str(model.audit_)
