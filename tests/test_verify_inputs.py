"""Certificates that count weight, or are of people with links: accepted, or refused by name."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fairspectral import FairSpectralClustering, verify_certificate
from fairspectral.fingerprints import fingerprint_text

N = 48


class Case:
    """A fit with weights or links, and its certificate as JSON."""

    def __init__(self, given, groups=True, **parameters):
        rng = np.random.default_rng(3)
        self.given = given
        self.X = rng.standard_normal((N, 3)) + 2 * (np.arange(N)[:, None] % 3 == np.arange(3))
        self.groups = rng.choice(["f", "m"], N, p=[0.4, 0.6]) if groups else None
        if parameters.get("affinity") == "precomputed":
            near = np.exp(-((self.X[:, None] - self.X) ** 2).sum(axis=2))
            near[near < 1e-3] = 0.0
            near[0, :] = near[:, 0] = 0.01  # nobody is alone
            self.X = sp.csr_array(near)
        if parameters.pop("named", False):
            self.X = pd.DataFrame(self.X, index=[f"p{i}" for i in range(N)], columns=list("abc"))
        self.model = FairSpectralClustering(3, random_state=0, effort="fast", **parameters)
        self.model.fit(self.X, sensitive_features=self.groups, **given)
        self.labels = self.model.labels_
        self.text = self.model.certificate_.to_json()

    @property
    def certificate(self):
        return json.loads(self.text)

    def verify(self, certificate=None, labels=None, **given):
        """As a stranger would, with some of the inputs changed."""
        return verify_certificate(
            self.certificate if certificate is None else certificate,
            self.labels if labels is None else labels,
            self.X,
            self.groups,
            **{**self.given, **given},
        )


def whole_weights():
    return np.random.default_rng(0).integers(1, 9, N)


TOGETHER, APART = [(0, 1), (1, 2), (5, 9)], [(3, 4), (10, 11)]
CASES = {
    "whole weights": lambda: Case({"sample_weight": whole_weights()}),
    "any weights": lambda: Case(
        {"sample_weight": np.random.default_rng(0).random(N)}, affinity="precomputed"
    ),
    "links": lambda: Case({"must_link": TOGETHER, "cannot_link": APART}),
    "apart by name": lambda: Case({"cannot_link": [("p3", "p4")]}, named=True),
    "both": lambda: Case(
        {"sample_weight": whole_weights(), "must_link": TOGETHER, "cannot_link": APART},
        fairness_tol=0.4,
        rounding_params={"min_cluster_size": 8, "max_cluster_size": 30},
    ),
    "k-means": lambda: Case(
        {"sample_weight": whole_weights(), "must_link": TOGETHER}, assign_labels="kmeans"
    ),
    "no groups": lambda: Case({"must_link": TOGETHER}, groups=False),
    "a floor alone": lambda: Case(
        {"sample_weight": whole_weights()}, groups=False, rounding_params={"min_cluster_size": 1}
    ),
    "float32": lambda: Case({"must_link": TOGETHER}, dtype="float32"),
}


@pytest.fixture(scope="module")
def cases():
    return {name: make() for name, make in CASES.items()}


def seal(certificate):
    """Seal it again, as somebody would who changes it on purpose."""
    body = {name: value for name, value in certificate.items() if name != "seal"}
    return {**body, "seal": fingerprint_text(body)}


def parts(found):
    return {check.part for check in found.wrong}


@pytest.mark.parametrize("name", CASES)
def test_what_a_fit_wrote_is_accepted(cases, name):
    case = cases[name]
    found = case.verify()
    assert found.accepted, str(found)
    claims = case.model.certificate_
    assert claims.cut.plain_bound <= claims.cut.lower_bound <= claims.cut.value + 1e-9
    assert claims.embedding.objective <= claims.embedding.upper_bound + 1e-6
    assert claims.embedding.gap < 1e-3


@pytest.mark.parametrize("name", ["whole weights", "any weights", "both", "links"])
def test_the_numbers_are_those_of_the_rounding(cases, name):
    case = cases[name]
    fair, claim = case.model.fair_assignment_, case.model.certificate_.labels
    unit = claim.unit or 1
    (table,) = claim.attributes
    for found, expected in ((table.members, fair.table), (table.least, fair.lower)):
        np.testing.assert_allclose(np.array(found) * unit, expected, atol=1e-9)
    np.testing.assert_allclose(np.array(table.most) * unit, fair.upper, atol=1e-9)
    assert claim.persons_outside * unit == pytest.approx(fair.persons_outside, abs=1e-9)
    assert claim.largest_deviation == pytest.approx(fair.achieved_tol, abs=1e-12)
    kept = claim.links is None or not (claim.links.parted or claim.links.joined)
    assert (claim.within_bounds and kept) == fair.certified


def test_a_floor_of_one_person_of_mean_weight_is_judged(cases):
    case = cases["a floor alone"]
    claim = case.model.certificate_.labels
    assert claim.floor == 1
    assert claim.within_bounds is case.model.fair_assignment_.certified is True
    mean = case.given["sample_weight"].mean()
    assert f"of the weight (floor {mean:.1f}), without bounds on shares" in str(
        case.model.certificate_
    )
    changed = case.certificate
    changed["labels"]["within_bounds"] = None
    changed["seal"] = fingerprint_text({n: v for n, v in changed.items() if n != "seal"})
    assert [check.part for check in case.verify(changed).wrong] == ["cells"]


def test_cells_count_weight(cases):
    case = cases["whole weights"]
    (table,) = case.model.certificate_.labels.attributes
    weights = case.given["sample_weight"]
    women = weights * (case.groups == "f")
    assert table.members[0] == [women[case.labels == c].sum() for c in range(3)]
    assert table.shares[0] == pytest.approx(women.sum() / weights.sum(), abs=1e-12)
    assert "of the weight" in str(case.model.certificate_)


@pytest.mark.parametrize("name", ["whole weights", "any weights", "both", "k-means"])
@pytest.mark.parametrize("way", ["one", "two", "all", "none"])
def test_other_weights_are_refused(cases, name, way):
    case = cases[name]
    weights = case.given["sample_weight"].copy()
    if way == "one":
        weights[7] += 1
    elif way == "two":
        i, j = 0, int(np.argmax(weights != weights[0]))
        weights[i], weights[j] = weights[j], weights[i]
    found = case.verify(sample_weight={"all": 2 * weights, "none": None}.get(way, weights))
    scaled = way == "all" and name == "any weights"  # the same units, of twice the size
    assert ("cells" if scaled else "weights") in parts(found), str(found)


def test_weights_that_were_not_there_are_refused(cases):
    found = cases["links"].verify(sample_weight=whole_weights())
    assert "weights" in parts(found)
    assert "leave sample_weight out" in str(found)
    assert cases["links"].verify(sample_weight=np.full(N, 2.0)).accepted  # equal ones are none


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"must_link": TOGETHER[:-1]}, "must_link"),
        ({"must_link": [*TOGETHER, (20, 21)]}, "must_link"),
        ({"must_link": None}, "must_link"),
        ({"cannot_link": APART[:1]}, "cannot_link"),
        ({"cannot_link": [*APART, (30, 31)]}, "cannot_link"),
        ({"must_link": None, "cannot_link": None}, "cannot_link, must_link"),
    ],
)
def test_other_links_are_refused(cases, other, named):
    found = cases["links"].verify(**other)
    assert "links" in parts(found)
    assert f"The links are not those of the certificate: {named}." in str(found)


def test_the_same_links_in_other_words_are_accepted(cases):
    case = cases["links"]
    found = case.verify(must_link=[(9, 5), (2, 0), (0, 1)], cannot_link=APART[::-1])
    assert found.accepted, str(found)


@pytest.mark.parametrize("name", ["links", "both", "k-means"])
def test_a_broken_must_link_is_refused(cases, name):
    case = cases[name]
    labels = case.labels.copy()
    labels[1] = (labels[1] + 1) % 3
    found = case.verify(labels=labels)
    assert "links" in parts(found), str(found)
    assert "1 must-link(s)" in str(found)


def test_a_broken_cannot_link_is_refused(cases):
    case = cases["links"]
    labels = case.labels.copy()
    labels[3] = labels[4]
    found = case.verify(labels=labels)
    assert "links" in parts(found)
    assert "[[3, 4]]" in str(found)


def test_pairs_that_could_not_be_kept_apart_are_claimed_as_such():
    """A ring of five pairs in two clusters: one pair at least is together."""
    rng = np.random.default_rng(0)
    X, groups = rng.standard_normal((20, 2)), np.arange(20) % 2
    pairs = [(0, 2), (2, 4), (4, 6), (6, 8), (8, 0)]
    model = FairSpectralClustering(2, random_state=0, effort="fast")
    model.fit(X, sensitive_features=groups, cannot_link=pairs)
    certificate = json.loads(model.certificate_.to_json())
    joined = certificate["labels"]["links"]["joined"]
    assert len(joined) >= 1
    found = verify_certificate(certificate, model.labels_, X, groups, cannot_link=pairs)
    assert found.accepted, str(found)
    assert "Not all links are kept" in str(found)
    certificate["labels"]["links"]["joined"] = []
    found = verify_certificate(seal(certificate), model.labels_, X, groups, cannot_link=pairs)
    assert parts(found) == {"links"}


def change(certificate, *path, by):
    """One number of the certificate changed, and sealed again."""
    place = certificate
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = by(place[path[-1]])
    return seal(certificate)


@pytest.mark.parametrize(
    ("path", "by", "part"),
    [
        (("labels", "attributes", 0, "members", 0, 0), lambda x: x + 1, "cells"),
        (("labels", "attributes", 0, "least", 1, 2), lambda x: x - 1, "parameters"),
        (("labels", "attributes", 0, "most", 1, 1), lambda x: x + 1, "parameters"),
        (("labels", "weights", 0), lambda x: x + 1, "cells"),
        (("labels", "weights"), lambda x: None, "cells"),
        (("labels", "unit"), lambda x: 2 * x, "cells"),
        (("labels", "persons_outside"), lambda x: x + 0.5, "cells"),
        (("labels", "largest_deviation"), lambda x: x + 0.01, "cells"),
        (("labels", "sizes", 0), lambda x: x + 1, "cells"),
        (("labels", "links", "parted"), lambda x: 1, "links"),
        (("labels", "links", "nodes"), lambda x: x + 1, "links"),
        (("labels", "links", "nodes"), float, "links"),
        (("labels", "links", "parted"), bool, "links"),
        (("labels", "weights", 0), float, "cells"),
        (("labels", "links"), lambda x: None, "links"),
        (("data", "weights_sha256"), lambda x: x[::-1], "weights"),
        (("data", "weights_sha256"), lambda x: None, "weights"),
        (("data", "links_sha256", "must_link"), lambda x: x[::-1], "links"),
        (("data", "links_sha256"), lambda x: {}, "links"),
        (("cut", "lower_bound"), lambda x: x + 0.01, "bound"),
        (("cut", "budget"), lambda x: x / 2, "bound"),
        (("embedding", "upper_bound"), lambda x: x - 0.01, "embedding"),
        (("embedding", "people"), lambda x: N, "embedding"),
        (("embedding", "set_aside"), lambda x: 3, "embedding"),
    ],
)
def test_what_was_changed_is_refused_by_its_part(cases, path, by, part):
    case = cases["both"]
    found = case.verify(change(case.certificate, *path, by=by))
    assert part in parts(found), str(found)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (("labels", "attributes", 0, "members", 0, 0), "the certificate has a weight of {0}, but"),
        (("labels", "attributes", 0, "least", 0, 0), "has a lower bound of a weight of {0}, but"),
        (("labels", "weights", 0), "not weights of {0} and "),
        (("labels", "persons_outside"), "The weight beyond a band of shares is "),
    ],
)
def test_weight_is_said_in_the_units_of_the_weights(cases, path, words):
    case = cases["any weights"]
    certificate = change(case.certificate, *path, by=lambda x: x + 10**6)
    value = certificate
    for step in path:
        value = value[step]
    said = words.format(f"{value * certificate['labels']['unit']:.10g}")
    assert said in str(case.verify(certificate))


def test_links_of_another_form_are_not_read(cases):
    certificate = cases["both"].certificate
    del certificate["labels"]["links"]["parted"]
    with pytest.raises(ValueError, match="the part 'links'"):
        cases["both"].verify(seal(certificate))
