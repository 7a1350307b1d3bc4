"""Certificates that were changed and sealed again: forms, parameters and what follows from them."""

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral import Certificate, FairSpectralClustering, verify_certificate
from fairspectral.certificate.document import PARAMETERS, ROUNDING_PARAMETERS
from fairspectral.fingerprints import fingerprint_text
from fairspectral.rounding.plan import default_floor
from fairspectral.rounding.requests import ROUNDING_PARAMS

N = 60


class Case:
    """A fit with its data, its labels and its certificate as JSON."""

    def __init__(self, X, groups, k=3, given=None, **parameters):
        self.X, self.groups, self.given = X, groups, given or {}
        model = FairSpectralClustering(k, random_state=0, effort="fast", **parameters)
        model.fit(X, sensitive_features=groups, **self.given)
        self.labels, self.text = model.labels_, model.certificate_.to_json()
        self.affinity = None if isinstance(model.affinity, str) else model.affinity

    @property
    def certificate(self):
        return json.loads(self.text)

    @property
    def all_given(self):
        return {**self.given, "affinity": self.affinity}


def make_graph():
    rng = np.random.default_rng(5)
    block = np.arange(N) % 3
    near = rng.random((N, N)) < np.where(block[:, None] == block, 0.4, 0.05)
    W = np.triu(near, 1) + np.roll(np.eye(N), 1, axis=0)
    return sp.csr_array(((W + W.T) > 0).astype(float))


def make_table():
    rng = np.random.default_rng(5)
    return rng.standard_normal((N, 3)) + 2 * (np.arange(N)[:, None] % 3 == np.arange(3))


class Own:
    """A user's operator."""

    def __init__(self):
        self._matrix = make_graph().toarray()
        self.shape, self.dtype, self.degrees = (N, N), np.dtype(float), self._matrix.sum(axis=1)

    def matmat(self, block):
        scale = 1 / np.sqrt(self.degrees)[:, None]
        return scale * (self._matrix @ (scale * block))


SEX = np.where(np.arange(N) % 5 < 2, "f", "m")
AGE = np.arange(N) % 7.0
MAKE = {
    "table": lambda: Case(make_table(), SEX),
    "one cluster": lambda: Case(make_table(), SEX, k=1),
    "neighbours": lambda: Case(make_table(), SEX, affinity="nearest_neighbors", n_neighbors=8),
    "graph": lambda: Case(make_graph(), SEX, affinity="precomputed", gamma=2.0, n_neighbors=7),
    "operator": lambda: Case(None, SEX, affinity=Own(), gamma=2.0),
    "function": lambda: Case(make_table(), SEX, affinity=lambda a, b: np.exp(-np.abs(a - b).sum())),
    "k-means": lambda: Case(make_table(), SEX, assign_labels="kmeans"),
    "no groups": lambda: Case(make_table(), None),
    "sizes": lambda: Case(
        make_table(), None, rounding_params={"min_cluster_size": np.int64(8), "row_scaling": "auto"}
    ),
    "quotas": lambda: Case(make_table(), SEX, rounding_params={"shares": {"f": (0.3, 0.6)}}),
    "means": lambda: Case(make_table(), SEX, given={"constraints": AGE}),
    "weights": lambda: Case(
        make_table(), SEX, given={"sample_weight": 1 + np.arange(N) % 3, "must_link": [(0, 1)]}
    ),
}


@pytest.fixture(scope="module")
def cases():
    return {name: make() for name, make in MAKE.items()}


def seal(certificate):
    """Seal it again, as somebody would who changes it on purpose."""
    body = {name: value for name, value in certificate.items() if name != "seal"}
    return {**body, "seal": fingerprint_text(body)}


def verify(case, certificate=None):
    given = {name: value for name, value in case.all_given.items() if name != "constraints"}
    claims = case.certificate if certificate is None else certificate
    return verify_certificate(claims, case.labels, case.X, case.groups, **given)


@pytest.mark.parametrize("name", MAKE)
def test_what_a_fit_wrote_is_accepted(cases, name):
    found = verify(cases[name])
    assert found.accepted, str(found)


def test_the_names_of_parameters_are_those_of_the_estimator():
    assert set(PARAMETERS) == set(FairSpectralClustering().get_params())
    assert set(ROUNDING_PARAMETERS) == set(ROUNDING_PARAMS)


# --- forms ------------------------------------------------------------------------------------


def put(certificate, path, value):
    """Write a value at a place such as ``labels.attributes.0.most.0.1``, and seal it again."""
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = certificate
    for step in steps:
        place = place[step]
    place[last] = value(place[last]) if callable(value) else value
    return seal(certificate)


HUGE = [
    "cut.value", "cut.lower_bound", "cut.plain_bound", "cut.multiplier", "cut.budget",
    "cut.failure", "labels.largest_deviation", "labels.persons_outside", "labels.floor",
    "labels.ceiling", "labels.unit", "labels.sizes.0", "labels.attributes.0.most.0.1",
    "labels.attributes.0.members.1.0", "labels.attributes.0.shares.0",
    "parameters.fairness_tol", "parameters.gamma", "parameters.n_components",
    "embedding.objective", "embedding.failure", "embedding.people", "n_clusters", "data.rows",
]  # fmt: skip


@pytest.mark.parametrize("path", HUGE)
@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_beyond_floating_point_are_refused_by_name(cases, path, sign):
    case = cases["table"]
    found = verify(case, put(case.certificate, path, sign * 10**400))
    assert [check.part for check in found.wrong] == ["certificate"]
    name = re.sub(r"\.(\d)", r"[\1]", path)
    assert f"{name} is a number that is too large" in str(found)
    claims = Certificate.from_dict(put(case.certificate, path, sign * 10**400))
    assert not verify(case, claims)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("labels.attributes.0.members.0.1", float, ".0, but it is "),
        ("labels.attributes.0.members.0.1", str, "', but it is "),
        ("labels.attributes.0.most.1.0", float, "an upper bound of "),
        ("labels.sizes.0", float, "The clusters have sizes"),
        ("labels.sizes.0", True, "The clusters have sizes"),
        ("embedding.people", float, "The embedding should have 60 people"),
        ("embedding.columns", float, "not 60, 3.0 and 0"),
    ],
)
def test_counts_are_whole_numbers(cases, path, value, words):
    case = cases["table"]
    found = verify(case, put(case.certificate, path, value))
    assert not found
    assert words in str(found)


@pytest.mark.parametrize("table", [7, [1, 2], [[1], [2]], [[1, 2, 3], [4]], None, [["a"] * 3] * 2])
def test_tables_of_another_form_are_refused(cases, table):
    case = cases["table"]
    found = verify(case, put(case.certificate, "labels.attributes.0.members", table))
    assert [check.part for check in found.wrong] == ["cells"]


# --- what follows from the rest ---------------------------------------------------------------

CHANGED = [
    ("table", "not_covered", ["All is well."], "not_covered should say nothing"),
    ("no groups", "not_covered", [], "not_covered should say Nothing is claimed of the shares"),
    ("weights", "not_covered", [], "not_covered should say The lower bounds on the cut do not"),
    ("table", "parameters.n_clusters", 4, "parameters.n_clusters is 4, but n_clusters is 3"),
    ("table", "parameters.n_clusters", 3.0, "parameters.n_clusters is 3.0, but n_clusters is 3"),
    ("table", "labels.floor", 3, "labels.floor is 3, but without min_cluster_size it is 2"),
    ("table", "labels.floor", 1, "labels.floor is 1, but without min_cluster_size it is 2"),
    ("no groups", "labels.floor", 2, "labels.floor is 2, but without min_cluster_size it is 1"),
    ("k-means", "labels.floor", 2, "labels.floor is 2, but without min_cluster_size it is 1"),
    ("sizes", "labels.floor", 7, "The parameters ask for at least 8 people"),
    ("sizes", "labels.floor", 8.0, "A cluster cannot have at least 8.0 people"),
    ("sizes", "parameters.rounding_params.min_cluster_size", 7, "ask for at least 7 people"),
    ("sizes", "parameters.rounding_params.min_cluster_size", 8.0, "min_cluster_size is 8.0, which"),
    ("sizes", "parameters.rounding_params.min_cluster_size", None, "labels.floor is 8, but"),
    ("k-means", "parameters.rounding_params", {"min_cluster_size": 9}, "at least 9 people"),
    ("table", "parameters.rounding_params", {"max_cluster_size": 90.5}, "is 90.5, which no fit"),
    ("table", "data.kind", "operator", "data.kind is 'operator', but the data are features or aff"),
    ("table", "data.kind", "gossip", "data.kind is 'gossip', but the data are features"),
    ("graph", "data.kind", "features", "data.kind is 'features', but the data are affinities"),
    ("operator", "data.kind", "affinities", "but the data are operator"),
    ("table", "data.sha256", None, "data.sha256 is to be null exactly where data.files has"),
    ("table", "data.files", {"data": "00"}, "data.sha256 is to be null exactly where"),
    ("graph", "parameters.gamma", 2.0, "parameters.gamma is 2.0, but affinities were given"),
    ("graph", "parameters.n_neighbors", 7, "parameters.n_neighbors is 7, but affinities were"),
    ("graph", "parameters.kernel_params", {"degree": 3}, "parameters.kernel_params is {'degree"),
    ("operator", "parameters.gamma", "scale", "parameters.gamma is 'scale', but affinities"),
    ("operator", "parameters.affinity", "rbf", "parameters.affinity is 'rbf', but it is 'Own'"),
    ("function", "parameters.affinity", "rbf", "parameters.affinity is 'rbf', but it is"),
    ("table", "parameters.n_neighbors", None, "parameters.n_neighbors is None, which no fit"),
    ("table", "parameters.gamma", [1], "parameters.gamma is [1], which no fit"),
    ("table", "parameters.kernel_params", 3, "parameters.kernel_params is 3, which no fit"),
    ("table", "parameters.fairness_tol", True, "parameters.fairness_tol is True, which no fit"),
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGED, ids=lambda change: f"{change[0]}: {change[1]}")
def test_what_contradicts_the_rest_is_refused_by_name(cases, change):
    name, path, value, words = change
    found = verify(cases[name], put(cases[name].certificate, path, value))
    assert not found
    assert words in str(found)


def test_a_graph_has_the_affinity_precomputed(cases):
    """A graph is clustered by its edges, whatever a certificate says."""
    case = cases["graph"]
    changed = put(case.certificate, "parameters.affinity", "rbf")
    found = verify_certificate(changed, case.labels, case.X, case.groups, affinity="precomputed")
    assert "parameters.affinity is 'rbf', but it is 'precomputed' here" in str(found)


def test_sentences_about_means_may_be_there(cases):
    """Whoever verifies does not know whether means were to be equal."""
    assert "the means" in cases["means"].certificate["not_covered"][-1]
    assert verify(cases["means"], put(cases["means"].certificate, "not_covered", [])).accepted


@pytest.mark.parametrize("path", ["parameters", "parameters.rounding_params", "data.files"])
def test_unknown_names_are_refused(cases, path):
    case = cases["sizes"]
    changed = put(case.certificate, path, lambda given: {**given, "blessed": True})
    with pytest.raises(ValueError, match=f"{path} in the certificate has 'blessed', which no fit"):
        verify(case, changed)


def test_rounding_parameters_of_another_form_are_refused(cases):
    changed = put(cases["table"].certificate, "parameters.rounding_params", [1])
    with pytest.raises(ValueError, match=r"rounding_params .* must be a JSON object"):
        verify(cases["table"], changed)


def test_the_default_floor_is_that_of_the_rounding(cases):
    assert cases["table"].certificate["labels"]["floor"] == default_floor(N, 3) == 2
