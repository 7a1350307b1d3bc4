"""The people of a fit, validated: their data, groups, covariates, weights and links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairspectral.affinity import is_operator
from fairspectral.affinity.dask_table import WorkerTable, is_dask, read_dask
from fairspectral.constraints import encode_groups
from fairspectral.covariates import Covariate, check_constraints
from fairspectral.fingerprints import fingerprint
from fairspectral.graphs.door import as_graph, names_of, unpack_graph
from fairspectral.links import Links, read_links
from fairspectral.validation import Attribute, check_n_clusters
from fairspectral.weighting import Weights, check_sample_weight


@dataclass(frozen=True)
class People:
    """Who is clustered, and what is known of them.

    Attributes
    ----------
    X : any
        The checked data; None where `affinity` is an operator.
    affinity : str, callable or operator
        How they are compared; ``"precomputed"`` where a graph was passed.
    attributes : tuple of Attribute
        The groups; empty where there are none.
    covariates : tuple of Covariate
        Further constraints.
    weights : Weights or None
        None where everybody counts as one.
    links : Links or None
        Who must be together, or apart.
    nodes : sequence or None
        The names of the nodes of a graph.
    """

    X: Any
    affinity: Any
    attributes: tuple[Attribute, ...]
    covariates: tuple[Covariate, ...]
    weights: Weights | None
    links: Links | None
    nodes: Any

    @property
    def n(self) -> int:
        """How many they are."""
        return int(self.affinity.shape[0] if self.X is None else self.X.shape[0])

    @property
    def move_as_nodes(self) -> bool:
        """Whether the search moves nodes of several persons or of unequal weight."""
        return self.weights is not None or self.links is not None

    @property
    def come_with_affinities(self) -> bool:
        """Whether the data are affinities and not features."""
        given = isinstance(self.affinity, str) and self.affinity == "precomputed"
        # The data of a cluster are not here: a certificate is about the affinities then.
        elsewhere = isinstance(self.X, WorkerTable)
        return given or elsewhere or is_operator(self.affinity) or is_operator(self.X)

    def fingerprints(self) -> dict[str, str]:
        """Of the data, groups and covariates, by name."""
        operator = self.affinity if is_operator(self.affinity) else self.X
        data = operator.degrees if is_operator(operator) else self.X
        if isinstance(self.X, WorkerTable):
            data = self.X.fingerprint()
        return {
            "X": fingerprint(data),
            "sensitive_features": fingerprint(self.attributes),
            "constraints": fingerprint(tuple((one.name, one.values) for one in self.covariates)),
        }


def read_people(
    X: Any,
    affinity: Any,
    sensitive_features: Any,
    constraints: Any,
    sample_weight: Any,
    must_link: Any,
    cannot_link: Any,
    *,
    n_clusters: int,
    attribute_mode: str,
    check: Callable[[Any, Any], Any],
) -> People:
    """Validate what `fit` was given, before anything takes long.

    Parameters
    ----------
    X, affinity, sensitive_features, constraints, sample_weight, must_link, cannot_link :
        As in `FairSpectralClustering`.
    n_clusters : int
        At most as many as there are people.
    attribute_mode : str
        How several attributes are combined.
    check : callable
        From data in memory and the affinity to the checked data.
    """
    if is_dask(X):
        X, sensitive_features = read_dask(X, sensitive_features, affinity)
    graph = as_graph(X)
    X = X if graph is None else graph  # read once: reading it may warn
    names = names_of(X)
    X, sensitive_features, affinity = unpack_graph(X, sensitive_features, affinity)
    given, X = X, check(X, affinity)
    n = affinity.shape[0] if X is None else X.shape[0]
    check_n_clusters(n_clusters, n, 0)
    weights = None
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, n, given)
    attributes: tuple[Attribute, ...] = ()
    if sensitive_features is not None:
        attributes = encode_groups(
            sensitive_features, n, attribute_mode, rows=given, weights=weights
        )
    links = read_links(must_link, cannot_link, range(n) if names is None else names, n_clusters)
    covariates: tuple[Covariate, ...] = ()
    if constraints is not None:
        covariates = check_constraints(constraints, n, rows=given)
        if weights is not None or links is not None:
            raise ValueError(
                "constraints cannot be combined with sample_weight, must_link or cannot_link; "
                "leave out one or the other."
            )
    nodes = None if graph is None else graph.nodes
    return People(X, affinity, attributes, covariates, weights, links, nodes)
