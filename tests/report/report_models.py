"""Fitted models that the tests of the report share."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from sklearn.metrics import pairwise_distances

from fairspectral import FairSpectralClustering, fairness_frontier

HOSTILE = ("<script>document.title='run'</script>", '</script><b>"it\'s"</b>', "plain & simple")


def make(k, **params):
    """A model without the long search for a low cut, of which a page shows only the result."""
    return FairSpectralClustering(k, effort="fast", random_state=0, **params)


def blobs(n=120, seed=0):
    """Four blobs in two dimensions, in which the third group prefers the first."""
    rng = np.random.default_rng(seed)
    blob = np.arange(n) % 4
    X = rng.normal(scale=0.6, size=(n, 2)) + 3 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[blob]
    group = np.where((blob == 0) & (rng.random(n) < 0.6), 2, rng.integers(0, 2, n))
    return X, group


@cache
def fair_model():
    """Three groups with names that attack a page."""
    X, group = blobs()
    sensitive = pd.Series(np.array(HOSTILE)[group], name="</script><i>origin</i>")
    return make(4).fit(X, sensitive_features=sensitive)


@cache
def fair_frontier():
    """The price of fairness of `fair_model`, without the search on the cut, which takes long."""
    model = fair_model()
    return fairness_frontier(
        model.embedding_, model._attributes[0].codes, 4, tolerances=(0, 0.2, None), random_state=0
    )


@cache
def kmeans_model():
    """Labels without a guarantee."""
    X, group = blobs()
    model = make(4, assign_labels="kmeans", fairness_tol=None)
    return model.fit(X, sensitive_features=group)


@cache
def plain_model():
    """No groups."""
    return make(3).fit(blobs()[0])


@cache
def crowded_model():
    """Twenty groups of 35 and thirty clusters: whole persons decide."""
    rng = np.random.default_rng(1)
    n = 700
    names = np.array([f"a region with a long name, number {i}" for i in range(20)])
    model = make(30, fairness_tol=0.5, rounding_params={"refine_rounds": 1})
    regions = pd.Series(names[rng.permutation(n) % 20], name="region")
    return model.fit(rng.normal(size=(n, 3)), sensitive_features=regions)


@cache
def two_attribute_model():
    """Two attributes, by the iterative solver."""
    X, group = blobs()
    sensitive = pd.DataFrame({"origin": group, "sex": np.arange(len(group)) // 4 % 2})
    model = make(3, solver="krylov")
    return model.fit(X, sensitive_features=sensitive)


@cache
def doubtful_model():
    """Distances passed as affinities: fair shares of clusters that mean nothing."""
    X, group = blobs()
    model = make(4, affinity="precomputed")
    return model.fit(pairwise_distances(X), sensitive_features=group)
