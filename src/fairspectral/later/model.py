"""What a fitted model does with people who come later: `predict`, `assign`, `save`."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted, validate_data

from fairspectral.later.batch import place_within_bounds
from fairspectral.later.groups import everyone, read_groups, tables_of
from fairspectral.later.placing import ClusterTerms, Placing, place
from fairspectral.later.reading import read_rows
from fairspectral.later.result import BatchAssignment
from fairspectral.later.saving import save_model
from fairspectral.later.standing import Standing
from fairspectral.later.training import Training
from fairspectral.rounding.plan import make_rules
from fairspectral.rounding.requests import SHARE_PARAMS
from fairspectral.tensors import on_host
from fairspectral.validation import Attribute, FairSpectralWarning
from fairspectral.weighting import check_later_weights


class LaterPeople:
    """Methods of a fitted estimator for new people."""

    labels_: np.ndarray
    arrivals_: tuple[np.ndarray, ...]
    _heaviest_arrival: int
    _asked: dict[str, Any]
    _attributes: tuple[Attribute, ...]
    _weights: Any
    _training: Training
    _terms: ClusterTerms

    # Otherwise scikit-learn routes groups to `fit_predict` only where both are set to get them.
    __metadata_request__predict = {"sensitive_features": UNUSED}  # noqa: RUF012

    def predict(self, X: Any, sensitive_features: Any = None) -> np.ndarray:
        """The cluster of each new person.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, d), or affinities of shape (m, n)
            New rows with the columns of the fit. Where affinities or a graph were fitted, the
            affinities or edges of each new person to the n people of the fit, in their order.
        sensitive_features : array, Series, DataFrame, dict or None
            None: each person's most similar cluster, and nothing is said of the shares. With
            groups it is ``assign(X, sensitive_features=...).labels``, and where the bounds cannot
            hold a warning says by how much.

        Returns
        -------
        ndarray of shape (m,), int32
            The cluster in which the normalised cut would be lowest. A row of the fit has its own
            label; of equal rows of the fit the first stands for the first such row, and so on.
        """
        if sensitive_features is None:
            return self._place(X).labels
        placed = self.assign(X, sensitive_features=sensitive_features)
        if not placed.within_bounds:
            warnings.warn(placed.verdict, FairSpectralWarning, stacklevel=2)
        return placed.labels

    def assign(
        self,
        X: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        update: bool = False,
    ) -> BatchAssignment:
        """Place new people so that they and everyone before keep the bounds on the shares.

        Nobody who was placed before moves. Where the bounds cannot hold, as few persons as
        possible are beyond them, and the result says where.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix
            As in `predict`.
        sensitive_features : array, Series, DataFrame or dict
            The groups of the new people, as in `fit`.
        sample_weight : array-like of shape (m,) or None
            The weights of the new people, where the fit had weights: shares then count the weight
            of everyone, and the bounds are up to the largest weight of a person.
        update : bool, default=False
            Count these people in the next calls of `assign`, as `arrivals_`; the model is not
            changed otherwise.

        Returns
        -------
        BatchAssignment
            Its ``labels``, and every cell with its bounds; print it.
        """
        check_is_fitted(self, "labels_")
        k = len(self._terms.volumes)
        asked = self._asked["rounding_params"] or {}  # of the fit, whatever was set since
        most = asked.get("max_cluster_size")
        if not self._attributes:
            sizes = "" if most is None else ", which keeps no sizes"
            raise ValueError(
                "the model was fitted without sensitive_features, so there are no shares to keep; "
                f"use predict{sizes}, or fit with sensitive_features."
            )
        if self._weights is None and sample_weight is not None:
            raise ValueError(
                "the model was fitted without sample_weight, or with equal weights, and counts "
                "heads; leave sample_weight out, or fit with weights."
            )
        if self._weights is not None and sample_weight is None:
            raise ValueError(
                "the model was fitted with sample_weight, and its shares count weight; pass the "
                "weights of the new people as assign(..., sample_weight=...), or use predict "
                "without groups."
            )
        if sensitive_features is None:
            raise ValueError(
                "assign keeps the shares of groups, so it needs the groups of the new people; pass "
                "them as sensitive_features, or use predict, which needs none."
            )
        if self._asked["assign_labels"] == "kmeans":
            raise ValueError(
                "the model was fitted with assign_labels='kmeans', which keeps no bounds; use "
                "predict, or fit with assign_labels='fair'."
            )
        placing = self._place(X)
        codes = read_groups(sensitive_features, self._attributes, len(placing.labels), rows=X)
        weights, m = None, len(placing.labels)
        if self._weights is not None:
            so_far = self._weights.total + int(self.arrivals_[0].sum())
            weights = check_later_weights(sample_weight, m, self._weights, so_far, X)
        fitted = tables_of(self._attributes, self.labels_, k)
        before = [table + more for table, more in zip(fitted, self.arrivals_, strict=True)]
        rules = make_rules(
            everyone(self._attributes, before, codes, weights, self._heaviest_arrival),
            k,
            self._asked["fairness_tol"],
            refuse=False,  # the new people may exclude a quota that the fit could keep
            **{name: asked[name] for name in SHARE_PARAMS if name in asked},
        )
        if most is not None:  # with weights, persons of the mean weight of the fit
            most = int(most) if self._weights is None else self._weights.at_most(int(most))
        result = place_within_bounds(placing, codes, Standing(before, rules, most), weights)
        if update:
            self.arrivals_ = tuple(
                more + new for more, new in zip(self.arrivals_, result.arrivals, strict=True)
            )
            if weights is not None:
                self._heaviest_arrival = max(self._heaviest_arrival, weights.largest)
        return result

    def save(self, path: Any) -> Path:
        """Write the fitted model to a file, from which `fairspectral.load` reads it.

        The file holds the rows of the fit (of a graph only the labels and groups of its nodes),
        so keep it as you keep the data.

        Parameters
        ----------
        path : path-like
            The file, ``.npz``; it appears whole or not at all.

        Returns
        -------
        Path
            The file written.
        """
        check_is_fitted(self, "labels_")
        self._training.check_rows_are_here()
        return save_model(self, path)

    def __getattr__(self, name: str) -> Any:
        """Only for attributes that are missing: say of a model from a file what it lacks."""
        if self.__dict__.get("_loaded") and not name.startswith("__"):
            what = "" if name.startswith("_") else f", and so has no {name}"
            raise AttributeError(
                "this model was loaded from a file, which holds neither the affinities nor the "
                f"search{what}; fit it again to have them."
            )
        if isinstance(getattr(type(self), name, None), property):
            check_is_fitted(self, "labels_")  # the error that the property lost
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _place(self, X: Any) -> Placing:
        check_is_fitted(self, "labels_")
        self._training.check_rows_are_here()
        check = partial(validate_data, self, reset=False)
        rows = read_rows(on_host(X), self._training, len(self.labels_), type(self).__name__, check)
        return place(rows, self._training, self.labels_, self._terms)
