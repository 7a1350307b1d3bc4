"""The guarantee and the cut on real data, as the document claims them."""

import warnings

import numpy as np
import pytest
from helpers import needs_real_data

from fairspectral.affinity import make_operator
from fairspectral.cells import cell_range
from fairspectral.constraints import encode_groups
from fairspectral.datasets import fetch_facebook, fetch_lastfm, fetch_thyroid
from fairspectral.embedding import embed
from fairspectral.metrics import normalized_cut
from fairspectral.rounding.fair import fair_assignment
from fairspectral.validation import FairSpectralWarning

pytestmark = needs_real_data
FETCH = {"LastFMNet": fetch_lastfm, "FacebookNet": fetch_facebook, "Thyroid": fetch_thyroid}


@pytest.fixture(scope="module", params=FETCH)
def problem(request):
    data = FETCH[request.param]()
    if data.graph is not None:
        operator = make_operator(data.graph, "precomputed")
    else:
        operator = make_operator(data.X, "rbf", gamma=1.0 / data.X.shape[1])
    (attribute,) = encode_groups(data.sensitive_features, data.n)
    with warnings.catch_warnings():
        # One patient of Thyroid is so far from all others that the kernel is zero in float32.
        warnings.simplefilter("ignore", FairSpectralWarning)
        embedding, _ = embed(operator, (attribute,), 25, random_state=0)
    return request.param, operator, attribute, embedding


# Normalised cut at tolerance 0.2 that must not be exceeded.
CEILINGS = {("LastFMNet", 5): 1.15, ("LastFMNet", 25): 12.0, ("Thyroid", 25): 20.0}


@pytest.mark.parametrize("tol", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("k", [2, 5, 10, 25])
def test_every_cell_of_every_clustering_is_within_its_bounds(problem, k, tol):
    name, operator, attribute, embedding = problem
    result = fair_assignment(
        embedding[:, :k],
        attribute.codes,
        k,
        fairness_tol=tol,
        affinity=operator,
        refine_rounds=5,
        random_state=0,
    )
    n, sizes = len(attribute.codes), np.bincount(result.labels, minlength=k)
    assert sizes.min() >= max(1, int(0.1 * n / k))
    for group, count in enumerate(attribute.counts.tolist()):
        inside = np.bincount(result.labels[attribute.codes == group], minlength=k)
        for persons, size in zip(inside.tolist(), sizes.tolist(), strict=True):
            low, high = cell_range((1 - tol) * count / n, (1 + tol) * count / n, count, n, size)
            assert low <= persons <= high
    assert result.certified
    if tol == 0.2:
        cut = normalized_cut(result.labels, operator)
        assert cut <= CEILINGS.get((name, k), np.inf)
        assert cut == pytest.approx(result.normalized_cut, rel=1e-5)
