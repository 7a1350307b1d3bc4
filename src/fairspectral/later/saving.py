"""From a fitted model to its file and back.

The file has what `predict`, `assign`, ``audit_`` and ``describe`` need: parameters, labels, groups,
embedding, the terms of the cut, and the table of the fit. Affinities that were given are not kept,
only fingerprints of their rows.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity.mixed import MixedColumn, MixedTable
from fairspectral.auditing import audit_attributes
from fairspectral.covariates import Covariate
from fairspectral.diagnosis import Diagnosis, Finding
from fairspectral.later.model_file import read_model_file, write_model_file
from fairspectral.later.placing import ClusterTerms
from fairspectral.later.plain_json import from_json, to_json
from fairspectral.later.training import PRECOMPUTED, Training
from fairspectral.rounding.requests import OF_THE_LABELS, one_group
from fairspectral.rounding.result import FairAssignment
from fairspectral.set_aside import SetAside, Trees
from fairspectral.validation import Attribute
from fairspectral.weighting import Weights

Model = TypeVar("Model")
_ARRAYS = ("labels_", "embedding_", "eigenvalues_")
# Parameters by which later people are compared with those of the fit.
_OF_THE_ROWS = ("n_neighbors", "gamma", "kernel_params")
# Of a `FairAssignment`: its arrays, and what is text and numbers.
_TABLES = ("sizes", "table", "lower", "upper")
_NUMBERS = (
    "certified",
    "certificate",
    "achieved_tol",
    "persons_outside",
    "min_cluster_size",
    "max_cluster_size",
    "embedding_cost",
    "normalized_cut",
    "notes",
)


def save_model(model: Any, path: Any, **extra: Any) -> Path:
    """Write a fitted model; `extra` is kept in the header, as JSON.

    Returns
    -------
    Path
        The file.
    """
    path, training = Path(path), model._training
    if not isinstance(training.affinity, str):
        raise TypeError(
            "the model compares people by a function, which a file cannot hold; pass its values as "
            "affinity='precomputed' to save the model."
        )
    # Those of the fit, whatever was set since.
    params = {**model.get_params(deep=False), **model._asked}
    params |= {name: getattr(training, name) for name in _OF_THE_ROWS}
    if not isinstance(params["affinity"], str):
        params["affinity"] = PRECOMPUTED  # an operator: later people come with their affinities
    for name in {"checkpoint", "device"} & params.keys():
        params[name] = None  # of that fit: a file, and a device that another machine may not have
    header = {
        "fairspectral": version("fairspectral"),
        "params": {name: to_json(value, f"the parameter {name}") for name, value in params.items()},
        "fitted": {
            "affinity": training.affinity,
            "n_features_in": getattr(model, "n_features_in_", None),
            "feature_names_in": to_json(
                getattr(model, "feature_names_in_", None), "feature_names_in_"
            ),
            "affinity_choice": model.affinity_choice_,
            "cut": model.audit_.normalized_cut,
            "certificate": model.audit_.certificate,
            "floor": model.set_aside_.floor,
            "trees": model.set_aside_.summary()["trees"],
            "rescaled": training.rescaled,
            "dtype": np.dtype(training.dtype).name,
            "diagnosis": [asdict(finding) for finding in model.diagnosis_],
            "heaviest_arrival": model._heaviest_arrival,
            "weight_unit": None if model._weights is None else model._weights.unit,
            "nodes": None if model._nodes is None else [_plain_name(one) for one in model._nodes],
            "covariates": [one.name for one in model._covariates],
            "fair": _pack_fair(model.fair_assignment_),
            "attributes": [
                {"name": a.name, "categories": to_json(a.categories, f"a group of {a.name!r}")}
                for a in model._attributes
            ],
        },
        "extra": to_json(extra, "the encoding"),
    }
    arrays = {name: getattr(model, name) for name in _ARRAYS}
    arrays |= {"within": model._terms.within, "volumes": model._terms.volumes}
    aside = model.set_aside_
    arrays |= {"aside": np.stack([aside.indices, aside.piece, aside.clusters])}
    for a, (attribute, arrivals) in enumerate(zip(model._attributes, model.arrivals_, strict=True)):
        arrays |= {f"codes_{a}": attribute.codes, f"arrivals_{a}": arrivals}
    for j, covariate in enumerate(model._covariates):
        arrays |= {f"covariate_{j}": covariate.values}
    if model._weights is not None:
        arrays |= {"weights": model._weights.units}
    if model.fair_assignment_ is not None:
        arrays |= {name: getattr(model.fair_assignment_, name) for name in _TABLES}
    header["rows"], kept = _pack(training)
    write_model_file(path, header, arrays | kept)
    return path


def load_model(make: type[Model], path: Any) -> tuple[Model, dict[str, Any]]:
    """A model of the class `make` as it was saved, and the `extra` that was saved with it."""
    header, arrays = read_model_file(Path(path))
    model: Any = make(**from_json(header["params"]))
    model._asked = {name: getattr(model, name) for name in OF_THE_LABELS}
    fitted = from_json(header["fitted"])
    for name in _ARRAYS:
        setattr(model, name, arrays[name])
    model._affinity = fitted["affinity"]
    unit = fitted.get("weight_unit")
    model._weights = None if unit is None else Weights(arrays["weights"], unit)
    model._attributes = tuple(
        Attribute(a["name"], arrays[f"codes_{i}"], tuple(a["categories"]), model._weights)
        for i, a in enumerate(fitted["attributes"])
    )
    model._heaviest_arrival = fitted.get("heaviest_arrival", 1)
    model.arrivals_ = tuple(arrays[f"arrivals_{i}"] for i in range(len(model._attributes)))
    model._terms = ClusterTerms(arrays["within"], arrays["volumes"])
    model._training = _unpack(header["rows"], arrays, model, fitted)
    indices, piece, clusters = arrays["aside"]
    trees = Trees(**fitted["trees"]) if fitted.get("trees") else None
    model.set_aside_ = SetAside(indices, piece, clusters, fitted["floor"], trees)
    model.affinity_choice_ = fitted["affinity_choice"]
    k = len(model._terms.volumes)
    model._nodes = fitted.get("nodes")
    model._covariates = tuple(
        Covariate(name, arrays[f"covariate_{j}"])
        for j, name in enumerate(fitted.get("covariates", ()))
    )
    found = audit_attributes(
        model.labels_, tuple(range(k)), model._attributes, None, "", model._covariates
    )
    model.audit_ = replace(found, normalized_cut=fitted["cut"], certificate=fitted["certificate"])
    model.diagnosis_ = Diagnosis(tuple(Finding(**finding) for finding in fitted["diagnosis"]))
    model.fair_assignment_ = _unpack_fair(fitted["fair"], arrays, model)
    if fitted["n_features_in"] is not None:
        model.n_features_in_ = fitted["n_features_in"]
    if fitted["feature_names_in"] is not None:
        model.feature_names_in_ = np.array(fitted["feature_names_in"], dtype=object)
    model._loaded = True
    return model, from_json(header["extra"])


def _plain_name(name: Any) -> Any:
    """The name of a node as a number or text, such as "(0, 1)" for a pair."""
    name = name.item() if isinstance(name, np.generic) else name
    return name if isinstance(name, bool | int | float | str) else str(name)


def _pack_fair(fair: FairAssignment | None) -> dict[str, Any] | None:
    if fair is None:
        return None
    return {name: to_json(getattr(fair, name), f"fair_assignment_.{name}") for name in _NUMBERS}


def _unpack_fair(
    packed: dict[str, Any] | None, arrays: dict[str, np.ndarray], model: Any
) -> FairAssignment | None:
    if packed is None:
        return None
    attributes = model._attributes or (one_group(len(model.labels_)),)
    groups = tuple((a.name, value) for a in attributes for value in a.categories)
    packed |= {"notes": tuple(packed["notes"]), "labels": model.labels_, "groups": groups}
    packed |= {name: arrays[name] for name in _TABLES}
    return FairAssignment(history=(), **packed)


def _pack(training: Training) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is needed of the people of the fit: a header and arrays."""
    rows = training.rows
    if training.affinity == PRECOMPUTED:
        marks = training.fingerprints
        return {"kind": "marks"}, {} if marks is None else {"marks": marks}
    if isinstance(rows, MixedTable):
        columns = [
            {name: to_json(value, f"a category of {column.name}")
             for name, value in asdict(column).items()}
            for column in rows.columns
        ]  # fmt: skip
        return (
            {"kind": "mixed", "columns": columns},
            {"rows": rows.values, "categorical": rows.categorical},
        )
    if sp.issparse(rows):
        parts = {"rows_data": rows.data, "rows_indices": rows.indices, "rows_indptr": rows.indptr}
        return {"kind": "sparse", "shape": list(rows.shape)}, parts
    return {"kind": "dense"}, {"rows": rows}


def _unpack(
    packed: dict[str, Any], arrays: dict[str, np.ndarray], model: Any, fitted: dict[str, Any]
) -> Training:
    rows: Any = arrays.get("rows")
    if packed["kind"] == "sparse":
        parts = (arrays["rows_data"], arrays["rows_indices"], arrays["rows_indptr"])
        rows = sp.csr_array(parts, shape=tuple(packed["shape"]))
    elif packed["kind"] == "mixed":
        columns = tuple(_column(from_json(column)) for column in packed["columns"])
        rows = MixedTable(arrays["rows"], arrays["categorical"], columns)
    return Training(
        fitted["affinity"],
        rows,
        n_neighbors=model.n_neighbors,
        gamma=model.gamma,
        kernel_params=model.kernel_params,
        rescaled=fitted["rescaled"],
        dtype=np.dtype(fitted["dtype"]),
        marks=arrays.get("marks"),
    )


def _column(fields: dict[str, Any]) -> MixedColumn:
    categories = fields.pop("categories")
    return MixedColumn(**fields, categories=None if categories is None else tuple(categories))
