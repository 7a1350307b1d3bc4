import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from helpers import (
    assert_close,
    make_problem,
    random_affinity,
    sparse_blocks,
    subspace_angle,
    weights_count_in_shares,
)
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairspectral import (
    ADMMParams,
    FairSpectralClustering,
    FairSpectralWarning,
    fair_spectral_embedding,
    fairness_frontier,
    metrics,
)
from fairspectral.affinity import KernelOperator, make_operator
from fairspectral.datasets import load_diabetes_patients, make_msbm
from fairspectral.progress import STAGES, listening
from fairspectral.solvers.registry import SOLVERS


# Every check passes a y, as pipelines do, and none has groups.
@pytest.mark.filterwarnings("ignore:fit was given y")
@parametrize_with_checks(
    [FairSpectralClustering(affinity="rbf")], expected_failed_checks=weights_count_in_shares
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def quick(n_clusters, **params):
    """A model without the long search for a low cut, which few tests look at."""
    return FairSpectralClustering(n_clusters, **{"effort": "fast", "random_state": 0, **params})


@pytest.fixture(scope="module")
def patients():
    return load_diabetes_patients()


@pytest.fixture(scope="module")
def block_model():
    return make_msbm(1000, 5, 2, random_state=0)


class TestRecovery:
    """The block model at a signal where fair clusters can be found and plain ones are wrong."""

    @pytest.mark.parametrize("solver", ["lanczos", "nullspace", "admm", "krylov", "auto"])
    @pytest.mark.parametrize("rounding", ["fair", "kmeans"])
    def test_fair_finds_the_planted_clusters(self, block_model, solver, rounding):
        model = quick(5, affinity="precomputed", solver=solver, assign_labels=rounding)
        model.fit(block_model.graph, sensitive_features=block_model.sensitive_features)
        assert adjusted_rand_score(block_model.clusters, model.labels_) == 1
        groups = block_model.sensitive_features
        assert metrics.average_balance(model.labels_, groups) == 1

    def test_plain_does_not(self, block_model):
        model = quick(5, affinity="precomputed")
        labels = model.fit_predict(block_model.graph)
        assert adjusted_rand_score(block_model.clusters, labels) < 0.9
        assert metrics.average_balance(labels, block_model.sensitive_features) < 0.9


class TestFitted:
    def test_everything_is_there(self, patients):
        model = FairSpectralClustering(4, random_state=0)
        assert model.fit(patients.X, sensitive_features=patients.sensitive_features) is model
        n = len(patients.X)
        assert model.labels_.shape == (n,)
        assert sorted(set(model.labels_.tolist())) == [0, 1, 2, 3]
        assert model.embedding_.shape == (n, 4)
        assert model.eigenvalues_[0] == pytest.approx(1, abs=1e-5)
        assert model.n_features_in_ == patients.X.shape[1]
        assert model.n_iter_ == len(model.solve_result_.history) >= 1
        assert model.affinity_operator_.shape == (n, n)

    def test_embedding_is_the_scaled_h(self, patients):
        model = quick(3)
        model.fit(patients.X, sensitive_features=patients.sensitive_features)
        H = model.solve_result_.vectors
        scaled = H / np.sqrt(model.affinity_operator_.degrees)[:, None]
        assert_close(model.embedding_, scaled)
        assert np.linalg.norm(H.T @ H - np.eye(3)) < 1e-10
        # Fair in the embedding: group means of D^-1/2 H agree.
        first = patients.sensitive_features == patients.sensitive_features[0]
        difference = model.embedding_[first].mean(axis=0) - model.embedding_[~first].mean(axis=0)
        assert np.abs(difference).max() < 1e-10 * np.abs(model.embedding_).max()

    def test_audit_agrees_with_the_labels(self, patients):
        model = quick(4)
        model.fit(patients.X, sensitive_features=pd.Series(patients.sensitive_features, name="sex"))
        (table,) = model.audit_.attributes
        assert table.name == "sex"
        counts = metrics.group_counts(model.labels_, patients.sensitive_features)
        np.testing.assert_array_equal(table.counts, counts)
        cut = metrics.normalized_cut(model.labels_, model.affinity_operator_)
        # One computation, in float32, for the metric, the audit and the certificate.
        assert model.audit_.normalized_cut == pytest.approx(cut, abs=1e-6)
        assert model.fair_assignment_.normalized_cut == pytest.approx(cut, abs=1e-6)
        assert model.solve_result_.status in str(model.audit_)

    def test_plain_has_no_table_but_a_cut(self, patients):
        model = quick(3).fit(patients.X)
        assert model.audit_.attributes == ()
        assert model.audit_.normalized_cut > 0
        assert model.solve_result_.fairness_residual == 0


def _never(a, b):
    raise AssertionError("the affinity was computed")


class TestFairLabels:
    def test_every_share_is_within_the_tolerance(self, patients):
        model = FairSpectralClustering(5, fairness_tol=0.1, random_state=0)
        labels = model.fit_predict(patients.X, sensitive_features=patients.sensitive_features)
        fair = model.fair_assignment_
        assert fair.certified
        counts = metrics.group_counts(labels, patients.sensitive_features)
        np.testing.assert_array_equal(fair.table, counts.T)
        assert np.all((fair.lower <= counts.T) & (fair.upper >= counts.T))
        assert fair.certificate in str(model.audit_)

    def test_kmeans_rounding_gives_no_guarantee(self, patients):
        model = quick(5, assign_labels="kmeans")
        labels = model.fit_predict(patients.X, sensitive_features=patients.sensitive_features)
        assert model.fair_assignment_ is None
        assert metrics.representation_ratio(labels, patients.sensitive_features) < 0.8

    def test_plain_is_kmeans(self, patients):
        assert quick(3).fit(patients.X).fair_assignment_ is None

    @pytest.mark.parametrize("effort", ["fast", "default", "thorough"])
    def test_every_effort_keeps_the_shares_and_says_where_it_began(self, patients, effort):
        rows, groups = patients.X[:150], patients.sensitive_features[:150]
        graph = {"affinity": "nearest_neighbors", "n_neighbors": 8}
        model = FairSpectralClustering(3, **graph, effort=effort, random_state=0)
        fair = model.fit(rows, sensitive_features=groups).fair_assignment_
        assert fair.certified
        assert fair.starts[0].name == "fair embedding"
        found = [start.found for start in fair.starts if start.found is not None]
        assert fair.normalized_cut <= min(found) + 1e-6

    def test_more_effort_is_never_a_higher_cut_here(self, patients):
        rows, groups = patients.X[:150], patients.sensitive_features[:150]
        cuts = [
            FairSpectralClustering(3, effort=effort, random_state=0)
            .fit(rows, sensitive_features=groups)
            .audit_.normalized_cut
            for effort in ("fast", "thorough")
        ]
        assert cuts[1] <= cuts[0] + 1e-6

    @pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
    def test_a_search_that_is_stopped_says_so(self, patients, affinity):
        model = FairSpectralClustering(5, affinity=affinity, time_budget=1e-9, random_state=0)
        model.fit(patients.X, sensitive_features=patients.sensitive_features)
        assert model.fair_assignment_.certified
        assert "stopped early" in model.fair_assignment_.notes[-1]
        assert "stopped early" in str(model.audit_)

    @pytest.mark.parametrize(
        ("params", "words"),
        [({"effort": "hard"}, "effort"), ({"time_budget": 0}, "time_budget")],
    )
    def test_wrong_efforts_are_refused(self, patients, params, words):
        model = FairSpectralClustering(4, affinity=_never, **params)
        with pytest.raises(ValueError, match=words):
            model.fit(patients.X, sensitive_features=patients.sensitive_features)

    def test_rounding_params(self, patients):
        model = quick(4, rounding_params={"min_cluster_size": 100})
        model.fit(patients.X, sensitive_features=patients.sensitive_features)
        assert model.audit_.sizes.min() >= 100
        model.set_params(rounding_params={"min_size": 3})
        with pytest.raises(ValueError, match="rounding_params has no parameter 'min_size'"):
            model.fit(patients.X, sensitive_features=patients.sensitive_features)

    @pytest.mark.parametrize(
        ("params", "words"),
        [
            ({"min_cluster_size": 5.5}, "must be a whole number between 1 and"),
            ({"refine_rounds": -1}, "refine_rounds=-1"),
            ({"row_scaling": "rows"}, "row_scaling='rows'"),
            ({"lower": [0.9, 0.0]}, "the largest possible lower share"),
            ({"target_proportions": [0.9, 0.1]}, "the smallest fairness_tol that is possible"),
        ],
    )
    def test_impossible_requests_are_refused_before_the_affinity(self, patients, params, words):
        model = FairSpectralClustering(4, affinity=_never, rounding_params=params)
        with pytest.raises(ValueError, match=words):
            model.fit(patients.X, sensitive_features=patients.sensitive_features)

    def test_small_groups_cause_one_warning_before_the_affinity(self, patients):
        groups = np.arange(len(patients.X)) < 3
        model = quick(5)
        with pytest.warns(FairSpectralWarning, match=r"3 person\(s\) for 5 clusters") as caught:
            model.fit(patients.X, sensitive_features=groups)
        assert len(caught) == 1
        assert len(model.fair_assignment_.notes) == 1
        with (
            pytest.warns(FairSpectralWarning, match="5 clusters"),
            pytest.raises(AssertionError, match="affinity was computed"),
        ):
            model.set_params(affinity=_never).fit(patients.X, sensitive_features=groups)


class TestShown:
    def test_report(self, patients, tmp_path):
        model = quick(3)
        model.fit(patients.X, sensitive_features=patients.sensitive_features)
        written = model.report(tmp_path / "out.html", title="Patients", frontier=False)
        page = written.read_text(encoding="utf-8")
        assert "Patients" in page
        assert "sex 1" in page

    def test_notebook(self, patients):
        model = quick(3)
        assert "not fitted" in model._repr_html_()
        model.fit(patients.X, sensitive_features=patients.sensitive_features)
        assert "fair within" in model._repr_html_()
        assert model._repr_mimebundle_()["text/html"] == model._repr_html_()


class TestInput:
    def test_graph_dense_sparse_and_operator_agree(self, block_model):
        groups = block_model.sensitive_features
        graph = np.asarray(
            block_model.graph.todense() if sp.issparse(block_model.graph) else block_model.graph
        )
        inputs = [
            graph,
            sp.csr_array(graph),
            sp.coo_matrix(graph),
            make_operator(graph, "precomputed"),
        ]
        labels = [
            quick(5, affinity="precomputed").fit_predict(W, sensitive_features=groups)
            for W in inputs
        ]
        for other in labels[1:]:
            assert adjusted_rand_score(labels[0], other) == 1

    def test_operator_as_affinity(self, block_model):
        operator = make_operator(block_model.graph, "precomputed")
        model = quick(5, affinity=operator)
        labels = model.fit_predict(None, sensitive_features=block_model.sensitive_features)
        assert adjusted_rand_score(block_model.clusters, labels) == 1
        assert model.affinity_operator_ is operator
        with pytest.raises(ValueError, match="X has 7 rows but the affinity operator has 1000"):
            model.fit(np.ones((7, 2)))

    def test_frame_and_feature_names(self, patients):
        frame = pd.DataFrame(patients.X, columns=patients.feature_names)
        model = quick(3).fit(frame, sensitive_features=patients.sensitive_features)
        assert list(model.feature_names_in_) == list(patients.feature_names)
        again = quick(3).fit(patients.X, sensitive_features=patients.sensitive_features)
        # A frame has another memory order, so sums may have another floating-point error.
        assert adjusted_rand_score(model.labels_, again.labels_) > 0.9

    def test_sparse_features(self, patients):
        model = quick(3, dtype=np.float64)
        dense = model.fit_predict(patients.X)
        assert adjusted_rand_score(dense, model.fit_predict(sp.csr_array(patients.X))) > 0.9

    @pytest.mark.parametrize("affinity", ["nearest_neighbors", "laplacian", "rbf"])
    def test_affinities(self, patients, affinity):
        model = quick(3, affinity=affinity)
        labels = model.fit_predict(patients.X, sensitive_features=patients.sensitive_features)
        assert len(set(labels.tolist())) == 3
        assert model.solve_result_.converged

    def test_memory_budget_recomputes_the_kernel(self, patients):
        stored = FairSpectralClustering(3, affinity="rbf", random_state=0, dtype=np.float64)
        lean = clone(stored).set_params(memory_budget="600KB")
        groups = patients.sensitive_features
        stored.fit(patients.X, sensitive_features=groups)
        lean.fit(patients.X, sensitive_features=groups)
        assert isinstance(lean.affinity_operator_, KernelOperator)
        assert lean.solve_result_.objective == pytest.approx(
            stored.solve_result_.objective, rel=2e-3
        )

    def test_several_attributes(self, patients):
        old = patients.X[:, 0] > 0
        groups = pd.DataFrame({"sex": patients.sensitive_features, "old": old})
        marginal = quick(3)
        marginal.fit(patients.X, sensitive_features=groups)
        assert [a.name for a in marginal.audit_.attributes] == ["sex", "old"]
        both = quick(3, attribute_mode="intersection")
        both.fit(patients.X, sensitive_features=groups)
        assert len(both.audit_.attributes[0].groups) == 4
        constrained = both.solve_result_.objective
        # Four product groups constrain at least as much as two pairs of overlapping ones.
        assert constrained <= marginal.solve_result_.objective + 1e-3

    def test_number_of_components_can_differ(self, patients):
        model = quick(3, n_components=6).fit(
            patients.X, sensitive_features=patients.sensitive_features
        )
        assert model.embedding_.shape[1] == 6
        assert len(set(model.labels_.tolist())) == 3


class TestRepeatable:
    @pytest.mark.parametrize("solver", ["auto", *SOLVERS])
    def test_same_seed_same_labels_at_one_thread(self, patients, solver):
        def labels():
            model = quick(4, solver=solver, random_state=7, n_jobs=1)
            return model.fit_predict(patients.X, sensitive_features=patients.sensitive_features)

        np.testing.assert_array_equal(labels(), labels())

    def test_input_is_not_modified(self, patients):
        X, W = patients.X.copy(), random_affinity(60)
        copy = W.copy()
        quick(3).fit(X)
        quick(3, affinity="precomputed").fit(W)
        np.testing.assert_array_equal(X, patients.X)
        np.testing.assert_array_equal(W, copy)


class TestPipeline:
    def test_metadata_routing(self, patients):
        with sklearn.config_context(enable_metadata_routing=True):
            model = quick(3)
            model.set_fit_request(sensitive_features=True)
            pipeline = make_pipeline(StandardScaler(), model)
            labels = pipeline.fit_predict(
                patients.X, sensitive_features=patients.sensitive_features
            )
            pipeline.fit(patients.X, sensitive_features=patients.sensitive_features)
        np.testing.assert_array_equal(pipeline[-1].labels_, labels)
        assert pipeline[-1].audit_.attributes


class TestErrors:
    """One sentence that names the argument and the remedy."""

    X = np.random.default_rng(0).random((30, 3))
    GROUPS = np.arange(30) % 2

    def fails(self, words, X=None, groups=None, kind=ValueError, **params):
        model = FairSpectralClustering(**{"n_clusters": 3, "affinity": "rbf", **params})
        with pytest.raises(kind, match=words) as caught:
            model.fit(self.X if X is None else X, sensitive_features=groups)
        message = str(caught.value)
        assert "\n" not in message
        assert not hasattr(model, "labels_")

    @pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (-np.inf, "infinity")])
    def test_not_finite(self, value, word):
        X = self.X.copy()
        X[4, 2] = value
        self.fails(f"X contains {word} at row 4, column 2; fill or drop", X)
        self.fails(f"X contains {word} at row 4, column 2", sp.csr_array(X))
        X[5, 1] = -value
        frame = pd.DataFrame(X, columns=["a", "b", "age"])
        self.fails(f"X contains {word} at row 4, column 'age'", frame)

    def test_text(self):
        X = self.X.astype(object)
        X[3, 1] = "blue"
        self.fails(r"X contains text at row 3, column 1 \('blue'\); encode", X)
        self.fails("column 'b'", pd.DataFrame(X, columns=list("abc")))

    def test_precomputed(self):
        bad = random_affinity(5)
        bad[0, 1] += 3
        self.fails("X is not symmetric: entry", bad, affinity="precomputed")
        self.fails("X must be a square matrix", self.X, affinity="precomputed")
        self.fails("negative weight", -random_affinity(5), affinity="precomputed")
        isolated = random_affinity(5)
        isolated[2] = isolated[:, 2] = 0
        self.fails("isolated node.*index 2", isolated, affinity="precomputed")

    def test_too_many_clusters(self):
        self.fails("n_clusters=31 is larger than 30, the 30 samples", n_clusters=31)
        # h = 2 leaves n - h + 1 = 29.
        self.fails(
            "n_clusters=30 is larger than 29, the 30 samples minus 1",
            groups=self.GROUPS,
            n_clusters=30,
        )

    def test_groups(self):
        self.fails("has 29 values but the data has 30 samples", groups=self.GROUPS[1:])
        self.fails("missing value", groups=np.where(self.GROUPS, 1.0, np.nan))
        self.fails("single group", groups=np.zeros(30))

    def test_not_a_table(self):
        self.fails("but it is 1-dimensional; for a single feature", self.X[:, 0])
        self.fails("but it is 3-dimensional", self.X[None])
        self.fails("but it is a single str", "people.csv")
        self.fails("rows of different lengths", [[1.0, 2.0], [3.0]])
        self.fails("Complex data not supported", self.X * 1j)
        for size, word in ((1e300, "large"), (1e-300, "small")):
            self.fails(
                f"so {word} that gamma='scale' cannot be computed; divide",
                self.X * size,
                affinity="sigmoid",
            )

    def test_empty(self):
        self.fails("0 sample", np.empty((0, 3)))

    def test_parameters(self):
        self.fails("n_clusters", n_clusters=0)
        self.fails("affinity='rfb' is unknown .did you mean 'rbf'", affinity="rfb")
        self.fails("n_components=31 is larger than 30", n_components=31)
        self.fails("dtype='float16' is not supported; use 'float32'", dtype="float16")
        self.fails("dtype='foo' is not supported", dtype="foo")
        self.fails("takes parameters of type", solver_params="fast", kind=TypeError)
        self.fails("memory_budget='much'", memory_budget="much")
        self.fails("memory_budget=10 is too small", memory_budget=10, solver="krylov")
        self.fails("has no parameter 'blocks'", solver_params={"blocks": 3})
        self.fails(
            "takes parameters of type", solver="lanczos", solver_params=ADMMParams(), kind=TypeError
        )

    def test_numbers_that_are_none(self):
        for name in ("n_clusters", "n_neighbors", "n_init", "n_components", "tol", "gamma"):
            self.fails(f"{name}=True is not a number; pass one", **{name: True})
        self.fails("fairness_tol=True is not a number", fairness_tol=True)
        self.fails(r"'fairness_tol' .* must be a float .* Got '0.2'", fairness_tol="0.2")
        self.fails("n_jobs=0 is not a number of threads; pass 1 or more", n_jobs=0)
        self.fails("n_jobs=True is not a number of threads", n_jobs=True)

    def test_columns_that_are_not_numbers(self):
        when = pd.DataFrame({"a": self.X[:, 0], "day": pd.date_range("2020", periods=30)})
        self.fails("X has dates or durations in column 'day'; turn them into numbers", when)
        self.fails("dates or durations in column 'day'", when[["day"]])
        self.fails("dates or durations in column 0", when[["day"]].to_numpy())
        self.fails("durations in column 'b'", when[["a"]].assign(b=when.day - when.day[0]))
        period = when[["a"]].assign(month=when.day.dt.to_period("M"))
        self.fails("X contains a Period at row 0, column 'month'", period, kind=TypeError)

    def test_masked_features(self):
        self.fails(
            r"X is a masked array with 1 masked value\(s\), the first at \(4, 1\); fill them",
            np.ma.masked_where(np.arange(90).reshape(30, 3) == 13, self.X),
        )
        whole = np.ma.array(self.X)
        labels = quick(3).fit_predict(whole)
        expected = quick(3).fit_predict(self.X)
        np.testing.assert_array_equal(labels, expected)


class TestSaid:
    @pytest.mark.parametrize("method", ["fit", "fit_predict"])
    def test_groups_passed_as_y(self, method):
        """The second argument is scikit-learn's y, and nothing is constrained by it."""
        rng = np.random.default_rng(0)
        X, groups = rng.random((30, 3)), np.arange(30) % 2
        model = quick(3)
        with pytest.warns(FairSpectralWarning, match=r"y is ignored.* fit\(X, sensitive_features="):
            getattr(model, method)(X, groups)
        assert not model.audit_.attributes
        with pytest.warns(FairSpectralWarning, match="y is ignored"):
            make_pipeline(StandardScaler(), model).fit(X, groups)
        getattr(model, method)(X, groups, sensitive_features=groups)  # no warning
        assert model.audit_.attributes

    def test_many_groups(self):
        rng = np.random.default_rng(0)
        X, groups = rng.normal(size=(1000, 3)), np.array([f"g{i % 250}" for i in range(1000)])
        model = quick(4, rounding_params={"refine_rounds": 0})
        model.fit(X, sensitive_features=groups)
        assert model.solve_result_.converged
        assert model.solve_result_.fairness_residual < 1e-8

    def test_many_small_groups_give_a_short_message(self):
        X = np.random.default_rng(0).normal(size=(200, 3))
        groups = np.array([f"g{i % 60}" for i in range(200)])
        model = quick(5, rounding_params={"refine_rounds": 0})
        with pytest.warns(FairSpectralWarning, match="57 further groups of 'group'") as caught:
            model.fit(X, sensitive_features=groups)
        assert len(str(caught[0].message)) < 700

    @pytest.mark.parametrize("k", [2, 5])
    def test_weights_of_very_different_size(self, k):
        """One of two blocks is lost in floating-point error: no division by zero."""
        W = random_affinity(60)
        W[30:] *= 1e-20
        W[:30, 30:] = W[30:, :30].T
        model = quick(k, affinity="precomputed")
        model.fit(W, sensitive_features=np.arange(60) % 2)
        assert model.fair_assignment_.certified
        assert np.isfinite(model.audit_.normalized_cut)

    def test_disconnected_graph_works_with_a_warning(self):
        W = sparse_blocks(random_affinity(20), random_affinity(25), random_affinity(15))
        model = quick(3, affinity="precomputed")
        with pytest.warns(FairSpectralWarning, match="3 connected components"):
            labels = model.fit_predict(W)
        truth = np.repeat([0, 1, 2], [20, 25, 15])
        assert adjusted_rand_score(truth, labels) == 1
        with pytest.warns(FairSpectralWarning, match="3 connected components"):
            model.fit(W, sensitive_features=np.arange(60) % 2)
        assert model.solve_result_.converged

    def test_no_convergence_is_reported(self, patients):
        model = quick(3, solver="admm", solver_params=ADMMParams.paper(omega=None))
        with pytest.warns(ConvergenceWarning, match="admm: stopped after max_iter"):
            model.fit(patients.X, sensitive_features=patients.sensitive_features)
        assert not model.solve_result_.converged
        assert "stopped after" in str(model.audit_)

    def test_tolerance_and_iterations_reach_the_solver(self, patients):
        model = quick(3, solver="admm", max_iter=1, tol=1e-9)
        with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
            model.fit(patients.X, sensitive_features=patients.sensitive_features)
        params = ADMMParams(alpha=0.01)
        model = FairSpectralClustering(3, solver="admm", max_iter=2, solver_params=params)
        assert model._solver_params() == ADMMParams(alpha=0.01, max_iter=2)

    def test_progress_reaches_a_listener_stage_by_stage(self, patients):
        heard = []
        with listening(lambda stage, done: heard.append((stage, done))):
            quick(3).fit(patients.X, sensitive_features=patients.sensitive_features)
        stages = [stage for stage, _ in heard]
        assert list(dict.fromkeys(stages)) == list(STAGES)
        assert stages == sorted(stages, key=STAGES.index)
        for stage in STAGES:
            fractions = [done for s, done in heard if s == stage and done is not None]
            assert fractions[0] == 0
            assert fractions[-1] == 1
            assert fractions == sorted(fractions)

    def test_silent_unless_verbose(self, patients, capfd):
        quick(3).fit(patients.X)
        out, err = capfd.readouterr()
        assert out == err == ""
        quick(3, verbose=1).fit(patients.X)
        out, err = capfd.readouterr()
        assert out == ""
        assert "affinity of 442 samples" in err
        assert "iteration 1" in err


class TestEmbeddingFunction:
    def test_agrees_with_the_estimator(self, patients):
        model = quick(4).fit(patients.X, sensitive_features=patients.sensitive_features)
        embedding, result = fair_spectral_embedding(
            patients.X,
            patients.sensitive_features,
            n_components=4,
            random_state=0,
            return_result=True,
        )
        # Both stop at a gap of 1e-3.
        assert result.objective == pytest.approx(model.solve_result_.objective, rel=2e-3)
        assert embedding.shape == (442, 4)

    @pytest.mark.parametrize(
        ("X", "words"),
        [
            (np.where(np.eye(5), np.nan, 1.0), "X contains NaN at row 0, column 0"),
            (np.ones(5), "but it is 1-dimensional"),
            ([["a", "b"], ["c", "d"]], "X contains text at row 0, column 0"),
            (np.ones((0, 2)), "0 sample"),
        ],
    )
    def test_bad_input_gets_the_estimators_sentences(self, X, words):
        with pytest.raises(ValueError, match=words):
            fair_spectral_embedding(X, n_components=2, affinity="rbf")

    def test_frames_and_lists(self, patients):
        frame = pd.DataFrame(patients.X)
        options = {"n_components": 2, "dtype": np.float64, "solver": "nullspace"}
        expected = fair_spectral_embedding(patients.X, **options)
        for X in (frame, patients.X.tolist()):
            assert subspace_angle(fair_spectral_embedding(X, **options), expected) < 1e-6

    def test_plain_and_precomputed(self):
        W = random_affinity(40)
        embedding = fair_spectral_embedding(W, affinity="precomputed", n_components=2)
        problem = make_problem(W, None, 2)
        H = embedding * np.sqrt(problem.operator.degrees)[:, None]
        assert problem.orthogonality_residual(H) < 1e-10


def test_no_warning_on_good_input(patients):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FairSpectralClustering(5).fit(patients.X, sensitive_features=patients.sensitive_features)


def test_an_interrupted_fit_leaves_the_model_as_it_was(monkeypatch):
    rng = np.random.default_rng(0)
    model = FairSpectralClustering(3, effort="fast", random_state=0)
    model.fit(rng.normal(size=(100, 2)), sensitive_features=np.arange(100) % 2)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fairspectral.rounder.Rounder.round", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(rng.normal(size=(80, 2)), sensitive_features=np.arange(80) % 2)
    monkeypatch.undo()
    assert len(fairness_frontier(model, tolerances=[0.2]).assignments[0].labels) == 100
    assert len(model.labels_) == len(model.embedding_) == 100
