"""`verify_certificate` accepts what a fit wrote, and refuses what was changed, by name.

`make test` tries a part of the changes, `make fuzz` two hundred and more.
"""

import json
import os

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fairspectral import Certificate, FairSpectralClustering, verify_certificate
from fairspectral.fingerprints import fingerprint_text

FUZZ = os.environ.get("FAIRSPECTRAL_PROPERTIES") == "fuzz"
CHANGES = 25 if FUZZ else 5


class Case:
    """A fit with its data, its labels and its certificate as JSON."""

    def __init__(self, X, groups, **parameters):
        self.X, self.groups = X, groups
        model = FairSpectralClustering(random_state=0, effort="fast", **parameters)
        model.fit(X, sensitive_features=groups)
        self.labels = model.labels_
        self.text = model.certificate_.to_json()
        self.k = model.n_clusters

    @property
    def certificate(self):
        return json.loads(self.text)


def make_case(kind):
    rng = np.random.default_rng(5)
    n = 60
    groups = pd.DataFrame(
        {"sex": rng.choice(["f", "m"], n, p=[0.4, 0.6]), "old": rng.random(n) < 0.4}
    )
    X = rng.standard_normal((n, 3)) + 2 * (np.arange(n)[:, None] % 3 == np.arange(3))
    if kind == "kernel":
        return Case(X, groups["sex"], n_clusters=3)
    if kind == "attributes":
        return Case(X, groups, n_clusters=2, fairness_tol=0.4, gamma=0.3)
    if kind == "neighbours":
        return Case(X, groups["sex"], n_clusters=3, affinity="nearest_neighbors", n_neighbors=8)
    block = np.arange(n) % 3
    near = rng.random((n, n)) < np.where(block[:, None] == block, 0.4, 0.05)
    W = np.triu(near, 1) + np.roll(np.eye(n), 1, axis=0)
    graph = sp.csr_array(((W + W.T) > 0).astype(float))
    return Case(graph, groups["sex"].to_numpy(), n_clusters=3, affinity="precomputed")


CASES = ("kernel", "attributes", "neighbours", "graph")


@pytest.fixture(scope="module")
def cases():
    return {kind: make_case(kind) for kind in CASES}


def verify(case, certificate=None, labels=None, X=None, groups=None):
    return verify_certificate(
        case.certificate if certificate is None else certificate,
        case.labels if labels is None else labels,
        case.X if X is None else X,
        case.groups if groups is None else groups,
    )


@pytest.mark.parametrize("kind", CASES)
def test_what_a_fit_wrote_is_accepted(cases, kind):
    found = verify(cases[kind])
    assert found.accepted, str(found)
    assert str(found).endswith("agrees.")
    claims = Certificate.from_json(cases[kind].text)
    assert verify(cases[kind], claims).accepted


# --- other labels -----------------------------------------------------------------------------


def other_labels(case, rng):
    """Two persons swapped, one moved, or two clusters that exchanged their names."""
    labels = case.labels.copy()
    way = rng.integers(3)
    a = int(rng.integers(len(labels)))
    b = int(rng.choice(np.flatnonzero(labels != labels[a])))
    if way == 0:
        labels[a], labels[b] = labels[b], labels[a]
    elif way == 1:
        labels[a] = labels[b]
    else:
        one, two = labels == labels[a], labels == labels[b]
        labels[one], labels[two] = case.labels[b], case.labels[a]
    return labels


@pytest.mark.parametrize("seed", range(2 * CHANGES))
def test_other_labels_are_refused(cases, seed):
    rng = np.random.default_rng([0, seed])
    case = cases[CASES[seed % len(CASES)]]
    found = verify(case, labels=other_labels(case, rng))
    assert not found
    assert "labels" in {check.part for check in found.wrong}


# --- other data -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2 * CHANGES))
def test_other_data_are_refused(cases, seed):
    rng = np.random.default_rng([1, seed])
    kind = CASES[seed % len(CASES)]
    case = cases[kind]
    i, j = rng.choice(len(case.labels), 2, replace=False)
    if seed % 3 == 0:  # the group of one person
        groups = pd.DataFrame(case.groups).copy()
        column = groups.iloc[:, 0].to_numpy(copy=True)
        column[i] = next(value for value in np.unique(column) if value != column[i])
        groups[groups.columns[0]] = column
        groups = groups.iloc[:, 0] if groups.shape[1] == 1 else groups
        groups = groups.rename(getattr(case.groups, "name", None)) if groups.ndim == 1 else groups
        found, part = verify(case, groups=groups), "groups"
    else:
        X = case.X.copy()
        if kind == "graph":
            X = X.tolil()
            X[i, j] = X[j, i] = X[i, j] + 1
            X = sp.csr_array(X)
        else:
            X[i, 0] += 1e-6
        found, part = verify(case, X=X), "data"
    assert not found
    assert part in {check.part for check in found.wrong}


@pytest.mark.parametrize("kind", CASES)
def test_other_numbers_of_rows_are_refused(cases, kind):
    found = verify(cases[kind], labels=cases[kind].labels[:-1])
    assert not found
    assert "59 labels" in str(found)


# --- another certificate ----------------------------------------------------------------------


def seal(certificate):
    """Seal it again, as somebody would who changes it on purpose."""
    body = {name: value for name, value in certificate.items() if name != "seal"}
    return {**body, "seal": fingerprint_text(body)}


def change_cell(certificate, rng):
    attribute = rng.choice(certificate["labels"]["attributes"])
    name = rng.choice(["members", "least", "most"])
    row = attribute[name][rng.integers(len(attribute[name]))]
    row[rng.integers(len(row))] += int(rng.choice([-1, 1, 5]))
    return {"members": "cells"}.get(name, "parameters")


def change_number(certificate, rng):
    """One of the numbers that are computed again, and the part that must be named."""
    place, name, part, way = NUMBERS[rng.integers(len(NUMBERS))]
    certificate[place][name] = way(certificate[place][name])
    return part


NUMBERS = [
    ("labels", "largest_deviation", "cells", lambda x: x + 0.01),
    ("labels", "persons_outside", "cells", lambda x: x + 0.5),
    ("labels", "within_bounds", "cells", lambda x: not x),
    ("labels", "sizes", "cells", lambda x: [x[0] + 1, *x[1:]]),
    ("labels", "floor", "cells", lambda x: 1000),
    ("labels", "floor", "cells", lambda x: "many"),
    ("labels", "ceiling", "parameters", lambda x: 40),
    ("cut", "value", "cut", lambda x: 0.99 * x),
    ("cut", "value", "cut", lambda x: x + 1e-4),
    ("cut", "lower_bound", "bound", lambda x: x + 0.01),
    ("cut", "lower_bound", "bound", lambda x: x - 0.01),
    ("cut", "plain_bound", "bound", lambda x: x + 0.01),
    ("cut", "budget", "bound", lambda x: x + 0.01),
    ("cut", "failure", "bound", lambda x: 1e-12),
    ("embedding", "objective", "embedding", lambda x: x + 0.01),
    ("embedding", "upper_bound", "embedding", lambda x: x - 0.01),
    ("embedding", "upper_bound", "embedding", lambda x: None),
    ("embedding", "fairness_residual", "embedding", lambda x: 0.3),
    ("embedding", "orthogonality_residual", "embedding", lambda x: -1.0),
    ("embedding", "columns", "embedding", lambda x: x + 1),
    ("embedding", "set_aside", "embedding", lambda x: 3),
    ("embedding", "failure", "embedding", lambda x: "none"),
    ("data", "rows", "data", lambda x: x + 1),
    ("data", "sha256", "data", lambda x: x[::-1]),
    ("data", "sha256", "certificate", lambda x: 7),
    ("labels", "attributes", "cells", lambda x: [{**x[0], "groups": 5, "members": 1}]),
    ("data", "groups_sha256", "groups", lambda x: {name: sha[::-1] for name, sha in x.items()}),
]


def change_parameter(certificate, rng):
    parameters = certificate["parameters"]
    name, value, part = PARAMETERS[rng.integers(len(PARAMETERS))]
    if name == "n_clusters":
        certificate["n_clusters"] = value
    parameters[name] = value
    return part


PARAMETERS = [
    ("fairness_tol", 0.1, "parameters"),
    ("fairness_tol", None, "parameters"),
    ("assign_labels", "kmeans", "parameters"),
    ("rounding_params", {"bounds": "lower"}, "parameters"),
    ("rounding_params", {"max_cluster_size": 30}, "parameters"),
    ("rounding_params", {"min_cluster_size": 5}, "parameters"),
    ("rounding_params", {"shares": {"f": [0.2, 0.7]}}, "parameters"),
    ("n_clusters", 5, "labels"),
    ("n_components", 7, "embedding"),
    ("affinity", "laplacian", "cut"),
    ("fairness_tol", "much", "parameters"),
]


def certificate_case(cases, seed):
    """For a changed affinity only a kernel will do."""
    return cases["kernel"] if seed % 2 else cases["attributes"]


@pytest.mark.parametrize("change", [change_cell, change_number, change_parameter])
@pytest.mark.parametrize("seed", range(CHANGES))
def test_a_certificate_that_was_changed_and_sealed_again_is_refused(cases, change, seed):
    rng = np.random.default_rng([2, seed])
    case = certificate_case(cases, seed)
    certificate = case.certificate
    part = change(certificate, rng)
    found = verify(case, seal(certificate))
    assert not found
    assert part in {check.part for check in found.wrong}, str(found)
    unsealed = verify(case, certificate)
    assert unsealed.wrong[0].part == "seal"


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: ".".join(number[:2]))
def test_every_number_counts(cases, number):
    place, name, part, way = number
    case = cases["kernel"]
    certificate = case.certificate
    certificate[place][name] = way(certificate[place][name])
    found = verify(case, seal(certificate))
    assert part in {check.part for check in found.wrong}, str(found)


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda p: f"{p[0]}={p[1]}")
def test_every_parameter_of_the_result_counts(cases, parameter):
    name, value, part = parameter
    case = cases["kernel"]
    certificate = case.certificate
    certificate["parameters"][name] = value
    if name == "n_clusters":
        certificate["n_clusters"] = value
    found = verify(case, seal(certificate))
    assert part in {check.part for check in found.wrong}, str(found)


@pytest.mark.parametrize("name", ["solver", "random_state", "effort"])
def test_parameters_that_leave_no_trace_are_under_the_seal(cases, name):
    case = cases["kernel"]
    certificate = case.certificate
    certificate["parameters"][name] = "another"
    found = verify(case, certificate)
    assert [check.part for check in found.wrong] == ["seal"]


# --- special inputs ---------------------------------------------------------------------------


def test_an_operator_is_passed_again():
    rng = np.random.default_rng(0)
    W = rng.random((40, 40))
    W = W + W.T

    class Own:
        shape, dtype, degrees = (40, 40), W.dtype, W.sum(axis=1)

        def matmat(self, block):
            scale = 1 / np.sqrt(self.degrees)[:, None]
            return scale * (W @ (scale * block))

    groups = np.arange(40) % 2
    model = FairSpectralClustering(2, affinity=Own(), random_state=0, effort="fast")
    model.fit(None, sensitive_features=groups)
    certificate = model.certificate_
    assert certificate.data.kind == "operator"
    found = verify_certificate(certificate, model.labels_, None, groups, affinity=Own())
    assert found.accepted, str(found)
    with pytest.raises(ValueError, match="pass the same object as affinity="):
        verify_certificate(certificate, model.labels_, None, groups)


def test_people_who_were_set_aside():
    rng = np.random.default_rng(1)
    n = 90
    block = np.arange(n) % 3
    W = np.triu(rng.random((n, n)) < np.where(block[:, None] == block, 0.4, 0.02), 1)
    W = sp.block_diag([sp.coo_array((W + W.T).astype(float)), sp.coo_array(1.0 - np.eye(2))])
    groups = np.arange(n + 2) % 2
    model = FairSpectralClustering(3, affinity="precomputed", random_state=0, effort="fast")
    graph = sp.csr_array(W)
    model.fit(graph, sensitive_features=groups)
    assert model.certificate_.embedding.set_aside == 2
    found = verify_certificate(model.certificate_, model.labels_, graph, groups)
    assert found.accepted, str(found)


def test_without_groups_and_with_kmeans():
    rng = np.random.default_rng(2)
    X, groups = rng.standard_normal((50, 2)), np.arange(50) % 2
    plain = FairSpectralClustering(3, random_state=0).fit(X)
    assert verify_certificate(plain.certificate_, plain.labels_, X).accepted
    model = FairSpectralClustering(3, assign_labels="kmeans", random_state=0)
    model.fit(X, sensitive_features=groups)
    assert model.certificate_.labels.within_bounds is None
    assert verify_certificate(model.certificate_, model.labels_, X, groups).accepted


@pytest.fixture(scope="module")
def sized():
    """A clustering without groups whose clusters have a floor and a ceiling."""
    X = np.random.default_rng(2).standard_normal((50, 2))
    asked = {"min_cluster_size": 8, "max_cluster_size": 25}
    return Case(X, None, n_clusters=3, rounding_params=asked)


def test_sizes_are_claimed_and_checked_without_groups(sized):
    sizes = np.bincount(sized.labels)
    words = f"at least {sizes.min()} and at most {sizes.max()} people (floor 8, ceiling 25)"
    claims = Certificate.from_json(sized.text)
    assert claims.labels.within_bounds is True
    assert f"every cluster with {words}, without bounds on shares" in str(claims)
    assert "no clustering is below" in str(claims)
    assert "no embedding has more than" in str(claims)
    found = verify(sized)
    assert found.accepted
    assert f"Every cluster has {words}, as claimed." in str(found)
    assert "No embedding has an objective" in str(found)
    assert "within the bounds" not in str(found)


@pytest.mark.parametrize("end", ["floor", "ceiling"])
def test_false_sizes_without_groups_are_refused(sized, end):
    certificate, sizes = sized.certificate, np.bincount(sized.labels)
    name, size = ("min_cluster_size", 16) if end == "floor" else ("max_cluster_size", 17)
    assert sizes.min() < 16 < 17 < sizes.max()
    certificate["labels"][end] = size
    assert [check.part for check in verify(sized, seal(certificate)).wrong] == ["parameters"]
    certificate["parameters"]["rounding_params"][name] = size
    found = verify(sized, seal(certificate))
    assert [check.part for check in found.wrong] == ["cells"]
    certificate["labels"]["within_bounds"] = False
    found = verify(sized, seal(certificate))
    assert found.accepted, str(found)
    assert "not all are within these bounds, and the certificate says so" in str(found)
    assert "not all within these bounds" in str(Certificate.from_dict(certificate))
    certificate["labels"]["within_bounds"] = None
    assert not verify(sized, seal(certificate))


def test_labels_outside_their_bounds_are_said_to_be_so(cases):
    """An honest certificate of an unfair clustering is accepted: it claims no more."""
    case = cases["kernel"]
    codes = np.unique(case.groups, return_inverse=True)[1]
    labels = codes.copy()
    labels[np.flatnonzero(codes)[:5]] = 2
    found = verify(case, labels=labels)
    assert not found
    words = "Not all cells and sizes are within their bounds, but that is not what the certificate"
    assert words in str(found)
