"""The base of the baselines: input and output as in `FairSpectralClustering`."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from fairspectral._sklearn import Interval, StrOptions, fit_context
from fairspectral.affinity import AffinityOperator, is_operator, make_operator
from fairspectral.affinity.features import read_features, takes_mixed
from fairspectral.affinity.mixed import MixedTable
from fairspectral.auditing import audit_attributes
from fairspectral.constraints import encode_groups
from fairspectral.graphs.door import unpack_graph
from fairspectral.parameters import refuse_booleans
from fairspectral.progress import AFFINITY, report
from fairspectral.validation import (
    Attribute,
    check_n_clusters,
    warn_of_ignored_y,
)


class Baseline(ClusterMixin, BaseEstimator):
    """Reads data, groups and affinity, and audits; a subclass clusters in `_cluster`.

    A subclass has at least the parameters below, each with the meaning that it has in
    `FairSpectralClustering`.
    """

    name: ClassVar[str]

    n_clusters: int
    affinity: Any
    gamma: float | str
    n_neighbors: int
    random_state: Any
    memory_budget: int | str | None

    labels_: np.ndarray

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 - sklearn's own convention
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "affinity": "no_validation",
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale", "auto"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "memory_budget": "no_validation",
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, d), affinities of shape (n, n), or graph
            The data, as in `FairSpectralClustering`; ignored with an operator as `affinity`.
        y : ignored
            For scikit-learn's interface; causes a warning without `sensitive_features`.
        sensitive_features : list, array, Series, Categorical, DataFrame, dict, str or None
            The groups, as in `FairSpectralClustering`.

        Returns
        -------
        self
        """
        warn_of_ignored_y(y, sensitive_features)
        refuse_booleans(self.get_params(deep=False), self._parameter_constraints)
        rng = check_random_state(self.random_state)
        X, sensitive_features, affinity = unpack_graph(X, sensitive_features, self.affinity)
        data, features = self._read(X, affinity)
        n = data.shape[0]
        check_n_clusters(self.n_clusters, n, 0)
        # Validate groups and size before computing the affinities, so that errors come early.
        attributes: tuple[Attribute, ...] = ()
        if sensitive_features is not None:
            attributes = encode_groups(sensitive_features, n, rows=X)
        self._check_size(n)
        report(AFFINITY, 0.0)
        operator = make_operator(
            data,
            affinity,
            gamma=self.gamma,
            n_neighbors=self.n_neighbors,
            memory_budget=self.memory_budget,
        )
        report(AFFINITY, 1.0)
        certificate = self._cluster(features, operator, attributes, rng)
        self.affinity_operator_ = operator
        clusters = tuple(range(self.n_clusters))
        self.audit_ = audit_attributes(self.labels_, clusters, attributes, operator, certificate)
        return self

    def fit_predict(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> np.ndarray:
        """Cluster the samples and return their labels; see `fit`."""
        return self.fit(X, y, sensitive_features=sensitive_features).labels_

    @abstractmethod
    def _cluster(
        self,
        features: Any,
        operator: AffinityOperator,
        attributes: tuple[Attribute, ...],
        rng: np.random.RandomState,
    ) -> str:
        """Set ``labels_``, ``embedding_``, ``n_iter_`` and ``converged_``; return the status.

        `features` is None where the affinities were given.
        """

    def _check_size(self, n_samples: int) -> None:
        """Refuse more samples than the method can hold."""

    def _read(self, X: Any, affinity: Any) -> tuple[Any, Any]:
        """The input of the affinity, and the features (None where there are none)."""
        for operator in (affinity, X):
            if is_operator(operator):
                return operator, None
        data = read_features(X, affinity, check=partial(validate_data, self))
        if isinstance(data, MixedTable):
            validate_data(self, X, skip_check_array=True)  # remembers the names of the columns
            return data, None
        precomputed = isinstance(affinity, str) and affinity == "precomputed"
        return data, None if precomputed else data

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.affinity, str) and self.affinity == "precomputed"
        tags.input_tags.sparse = not (isinstance(self.affinity, str) and self.affinity == "gower")
        tags.input_tags.allow_nan = tags.input_tags.categorical = takes_mixed(self.affinity)
        return tags
