"""Every bad input in Python works correctly, or is refused in one sentence."""

from __future__ import annotations

import math
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
from affinity_cases import AFFINITIES
from bad_input_case import WORKS, K, N, kernel, plain, two_groups
from feature_cases import FEATURES
from function_cases import FUNCTIONS
from graph_object_cases import GRAPH_FUNCTIONS, GRAPH_OBJECTS
from group_cases import SENSITIVE
from later_cases import LATERS
from mixed_cases import MIXED
from parameter_cases import PARAMETERS
from people_cases import PEOPLE
from sentences import check_sentence

from fairspectral import FairSpectralClustering, FairSpectralWarning, metrics

TABLES = {
    "X": FEATURES,
    "affinity": AFFINITIES,
    "mixed": MIXED,
    "groups": SENSITIVE,
    "parameter": PARAMETERS,
    "function": [*FUNCTIONS, *GRAPH_FUNCTIONS, *PEOPLE, *LATERS],
    "graph": GRAPH_OBJECTS,
}


def rows(*tables):
    return [
        pytest.param(case, id=f"{table}: {case.name}") for table in tables for case in TABLES[table]
    ]


def fit(X, groups, params):
    quick = {"n_init": 1, "effort": "fast", "rounding_params": {"refine_rounds": 5}}
    defaults = {"n_clusters": K, "affinity": "rbf", "random_state": 0, **quick}
    return FairSpectralClustering(**{**defaults, **params}).fit(X, sensitive_features=groups)


@pytest.fixture(scope="module")
def cuts():
    """The cut of the plain input, of features and of affinities."""
    return {
        affinity: fit(data(), two_groups(), {"affinity": affinity}).audit_.normalized_cut
        for affinity, data in (("rbf", plain), ("precomputed", kernel))
    }


def check_certificate(model, tolerance):
    """Count the groups of every cluster again, in exact arithmetic."""
    labels, k = model.labels_, model.n_clusters
    assert labels.shape == (N,)
    sizes = np.bincount(labels, minlength=k)
    assert len(sizes) == k
    assert sizes.min() >= 1
    assert model.fair_assignment_.certified
    for attribute in model._attributes:
        for s, count in enumerate(attribute.counts.tolist()):
            for cluster, size in enumerate(sizes.tolist()):
                have = int(np.sum((attribute.codes == s) & (labels == cluster)))
                share = Fraction(count * size, N)
                assert have >= min(math.ceil((1 - tolerance) * share), math.floor(share))
                assert have <= max(math.floor((1 + tolerance) * share), math.ceil(share))


def check_refusal(call, outcome):
    with warnings.catch_warnings():
        # numpy warns of what the case itself makes, and another package of its own future.
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", FairSpectralWarning)
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
    said = str(caught.value)
    check_sentence(said)
    if isinstance(outcome, re.Pattern):
        assert outcome.fullmatch(said), said
    else:
        assert said == outcome


@pytest.mark.parametrize("case", rows("X", "affinity", "mixed", "groups", "parameter", "graph"))
def test_fits(case, cuts):
    if case.needs:
        pytest.importorskip(case.needs, reason=f"{case.needs} is not installed: pip install it")
    if case.outcome != WORKS:
        check_refusal(lambda: fit(case.X(), case.groups(), case.params), case.outcome)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fit(case.X(), case.groups(), case.params)
    said = [str(one.message) for one in caught if issubclass(one.category, FairSpectralWarning)]
    assert len(said) == bool(case.warns), said
    assert all(case.warns in sentence for sentence in said)
    check_certificate(model, Fraction(str(case.params.get("fairness_tol", 0.2))))
    cut = metrics.normalized_cut(model.labels_, model.affinity_operator_)
    assert model.audit_.normalized_cut == pytest.approx(cut, abs=1e-6 * K)
    if case.same:  # affinities of float32 make a cut that is exact to about 1e-7
        assert cut == pytest.approx(cuts[case.params.get("affinity", "rbf")], abs=1e-6 * K)


@pytest.mark.parametrize("case", rows("function"))
def test_functions(case):
    if case.needs:
        pytest.importorskip(case.needs, reason=f"{case.needs} is not installed: pip install it")
    if case.outcome == WORKS:
        assert case.call()
    else:
        check_refusal(case.call, case.outcome)


def test_names_are_unique():
    for table, cases in TABLES.items():
        names = [case.name for case in cases]
        assert len(set(names)) == len(names), table
