"""Plain spectral clustering, and what all baselines share."""

import numpy as np
import pytest
import scipy.sparse as sp
from baseline_cases import four_clusters
from helpers import random_affinity
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairspectral import FairSpectralClustering, FairSpectralWarning
from fairspectral.affinity import make_operator
from fairspectral.baselines import UFSC, FFSCStyle, PlainSpectral
from fairspectral.progress import STAGES, listening

BASELINES = [PlainSpectral, FFSCStyle, UFSC]
every_baseline = pytest.mark.parametrize("baseline", BASELINES, ids=lambda cls: cls.__name__)


# Every check passes a y, as pipelines do, and none has groups.
@pytest.mark.filterwarnings("ignore:fit was given y")
@parametrize_with_checks([cls(3) for cls in BASELINES])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_plain_is_the_estimator_without_groups():
    X, groups, clusters = four_clusters()
    plain = PlainSpectral(4, random_state=0).fit(X, sensitive_features=groups)
    reference = FairSpectralClustering(4, random_state=0).fit(X)
    np.testing.assert_array_equal(plain.labels_, reference.labels_)
    np.testing.assert_allclose(plain.embedding_, reference.embedding_, rtol=0, atol=1e-8)
    assert adjusted_rand_score(clusters, plain.labels_) > 0.9
    # The groups are audited all the same.
    assert plain.audit_.attributes[0].groups == ("a", "b")
    assert plain.converged_
    assert plain.n_iter_ == len(plain.solve_result_.history) >= 1


@every_baseline
class TestSharedInterface:
    def test_fitted_attributes(self, baseline):
        X, groups, _ = four_clusters()
        model = baseline(4, gamma=0.2, random_state=0)
        labels = model.fit_predict(X, sensitive_features=groups)
        np.testing.assert_array_equal(labels, model.labels_)
        assert np.array_equal(np.unique(labels), range(4))
        assert model.embedding_.shape == (len(X), 4)
        assert model.converged_ is True
        assert model.n_iter_ >= 1
        assert model.n_features_in_ == 3
        assert model.audit_.sizes.sum() == len(X)
        assert baseline.name == {"PlainSpectral": "plain", "FFSCStyle": "FFSC-style"}.get(
            baseline.__name__, "UFSC"
        )

    def test_the_same_seed_gives_the_same_labels(self, baseline):
        X, groups, _ = four_clusters()
        first = baseline(4, random_state=3).fit(X, sensitive_features=groups)
        second = clone(first).fit(X, sensitive_features=groups)
        assert clone(first).get_params() == first.get_params()
        np.testing.assert_array_equal(first.labels_, second.labels_)

    def test_a_graph_dense_sparse_or_as_an_operator(self, baseline):
        W = random_affinity(40)
        groups = np.arange(40) % 2
        fitted = [
            baseline(3, affinity="precomputed", random_state=0).fit(given).labels_
            for given in (W, make_operator(W, "precomputed"))
        ]
        fitted.append(
            baseline(3, affinity=make_operator(W, "precomputed"), random_state=0)
            .fit(None, sensitive_features=None)
            .labels_
        )
        np.testing.assert_array_equal(fitted[0], fitted[1])
        np.testing.assert_array_equal(fitted[0], fitted[2])
        sparse = baseline(3, affinity="precomputed", random_state=0).fit(
            sp.csr_array(W), sensitive_features=groups
        )
        assert set(sparse.labels_) == {0, 1, 2}

    def test_kernel_parameters_reach_the_affinity(self, baseline):
        X, _, _ = four_clusters(60)
        model = baseline(2, gamma=0.7, random_state=0).fit(X)
        expected = make_operator(X, "rbf", gamma=0.7)
        # Sums of 60 numbers up to 1, in float32.
        degrees = model.affinity_operator_.degrees
        np.testing.assert_allclose(degrees, expected.degrees, rtol=0, atol=1e-4)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"n_clusters": 61}, "n_clusters=61 is larger than 60"),
            ({"affinity": "rfb"}, "did you mean 'rbf'"),
            ({"n_clusters": 0}, "n_clusters"),
        ],
    )
    def test_bad_parameters_are_one_sentence(self, baseline, change, message):
        X, groups, _ = four_clusters(60)
        with pytest.raises(ValueError, match=message):
            baseline(**change).fit(X, sensitive_features=groups)

    def test_bad_groups_are_one_sentence(self, baseline):
        X, groups, _ = four_clusters(60)
        with pytest.raises(ValueError, match="59 values but the data has 60 samples"):
            baseline(2).fit(X, sensitive_features=groups[1:])

    def test_progress_is_reported_to_the_end(self, baseline):
        X, groups, _ = four_clusters(60)
        seen = []
        with listening(lambda stage, done: seen.append((stage, done))):
            baseline(2, random_state=0).fit(X, sensitive_features=groups)
        assert {stage for stage, _ in seen} <= set(STAGES)
        assert seen[-1][1] == 1.0


@pytest.mark.parametrize("cls", BASELINES)
@pytest.mark.parametrize("method", ["fit", "fit_predict"])
def test_groups_passed_as_y_cause_a_warning(cls, method):
    X, groups = np.random.default_rng(0).random((30, 3)), np.arange(30) % 2
    with pytest.warns(FairSpectralWarning, match="y is ignored"):
        getattr(cls(2, random_state=0), method)(X, groups)
    with pytest.raises(ValueError, match="n_clusters=True is not a number"):
        getattr(cls(True), method)(X)
