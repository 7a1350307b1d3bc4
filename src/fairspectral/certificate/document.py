"""The certificate of a clustering: what is claimed, in numbers that anyone can recompute."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from fairspectral.certificate import parts
from fairspectral.certificate.words import cut_words, data_words, embedding_words, labels_words
from fairspectral.files import write_text
from fairspectral.fingerprints import fingerprint_text

FORMAT = "fairspectral certificate"
VERSION = 2


@dataclass(frozen=True)
class Certificate:
    """What a fit claims; print it, or write it as JSON for `fairspectral verify`.

    Attributes
    ----------
    n_clusters : int
        k.
    parameters : dict
        The parameters of the estimator.
    versions : dict
        Of the software that computed it.
    data : DataClaim
    embedding : EmbeddingClaim
    labels : LabelsClaim
    cut : CutClaim
    not_covered : list of str
        What is not claimed, in sentences.
    """

    n_clusters: int
    parameters: dict[str, Any]
    versions: dict[str, str]
    data: parts.DataClaim
    embedding: parts.EmbeddingClaim
    labels: parts.LabelsClaim
    cut: parts.CutClaim
    not_covered: list[str]

    def to_dict(self) -> dict[str, Any]:
        """As nested dictionaries, with the format and a seal."""
        body = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return {**body, "seal": fingerprint_text(body)}

    def to_json(self, path: Any = None) -> str:
        """As JSON text; if a path is given, it is also written there, whole or not at all."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        if path is not None:
            write_text(Path(path), text)
        return text

    @classmethod
    def from_dict(cls, given: Any) -> Self:
        """Read what `to_dict` wrote; whether the seal holds is `sealed`'s question."""
        if not isinstance(given, Mapping) or given.get("format") != FORMAT:
            raise ValueError(
                "this is not a certificate of fairspectral; pass the JSON that cluster "
                "--certificate or model.certificate_.to_json() wrote."
            )
        read = given.get("version")
        if type(read) is not int or read != VERSION:  # 2.0 is no version
            raise ValueError(
                f"the certificate has version {read!r:.40}, but this release reads "
                f"version {VERSION}; verify it with the release that wrote it."
            )
        claims = {name: value for name, value in given.items() if name not in _ENVELOPE}
        for name, kind in _PARTS.items():
            if name in claims:
                claims[name] = _read(kind, claims[name], name)
        found = _read(cls, claims, "the certificate")
        missing = sorted(set(PARAMETERS) - set(found.parameters))
        if missing:
            raise ValueError(
                f"the certificate has no {missing[0]} among its parameters; pass the file as "
                "cluster --certificate wrote it."
            )
        rounding = found.parameters["rounding_params"]
        if rounding is not None and type(rounding) is not dict:
            raise ValueError(
                f"rounding_params in the certificate is {rounding!r:.40}, but must be a JSON "
                "object; pass the file as cluster --certificate wrote it."
            )
        _refuse_unknown("parameters", found.parameters, PARAMETERS)
        _refuse_unknown("parameters.rounding_params", rounding or {}, ROUNDING_PARAMETERS)
        _refuse_unknown("data.files", found.data.files, _FILES)
        return found

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` returned."""
        return cls.from_dict(read_json(text))

    def __str__(self) -> str:
        groups = bool(self.labels.attributes)
        lines = [data_words(self.data), embedding_words(self.embedding, groups)]
        lines.append(labels_words(self.labels, self.data.rows))
        lines.append(cut_words(self.cut, self.labels))
        return "\n".join([*lines, *self.not_covered])

    __repr__ = __str__


_ENVELOPE = ("format", "version", "seal")
# The parameters of `FairSpectralClustering` and of its rounding, which are not imported here so
# that a certificate is read without the code that found the clusters.
PARAMETERS = (
    "n_clusters", "affinity", "gamma", "n_neighbors", "kernel_params", "n_components",
    "attribute_mode", "solver", "tol", "max_iter", "solver_params", "assign_labels",
    "fairness_tol", "effort", "time_budget", "rounding_params", "n_init", "random_state", "dtype",
    "memory_budget", "device", "checkpoint", "n_jobs", "verbose",
)  # fmt: skip
ROUNDING_PARAMETERS = (
    "bounds", "shares", "min_cluster_size", "max_cluster_size", "target_proportions", "lower",
    "upper", "refine_rounds", "row_scaling",
)  # fmt: skip
# The files that the command may have read, by their part.
_FILES = ("data", "groups", "must_link", "cannot_link")
# Fields that are read before they are compared, with the form that they must have.
_FORMS: dict[type, dict[str, type]] = {
    Certificate: {"n_clusters": int, "parameters": dict, "versions": dict, "not_covered": list},
    parts.DataClaim: {
        "rows": int, "groups_sha256": dict, "links_sha256": dict, "files": dict, "options": dict,
    },
}  # fmt: skip
_IN_WORDS = {int: "a whole number", dict: "a JSON object", list: "a list"}
_PARTS = {
    "data": parts.DataClaim,
    "embedding": parts.EmbeddingClaim,
    "labels": parts.LabelsClaim,
    "cut": parts.CutClaim,
}


def read_json(text: str) -> Any:
    """JSON as it stands in a file."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(
            "the certificate is not valid JSON; pass the file as cluster --certificate wrote it."
        ) from None


def sealed(given: Mapping[str, Any]) -> bool:
    """Whether a certificate is as it was written: its seal is the SHA-256 of the rest.

    It shows changes by accident. Whoever changes a certificate on purpose can seal it again;
    then the recomputation has to show it.
    """
    body = {name: value for name, value in given.items() if name != "seal"}
    return given.get("seal") == fingerprint_text(body)


def _refuse_unknown(where: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    odd = [name for name in given if name not in known]
    if odd:
        raise ValueError(
            f"{where} in the certificate has {odd[0]!r:.40}, which no fit writes; pass the file as "
            "cluster --certificate wrote it."
        )


def _read(kind: Any, given: Any, name: str) -> Any:
    """A dataclass from a dictionary with exactly its fields."""
    names = [field.name for field in fields(kind)]
    if not isinstance(given, Mapping) or set(given) != set(names):
        found = set(given) if isinstance(given, Mapping) else set()
        odd = sorted(map(str, found ^ set(names)))
        raise ValueError(
            f"the part {name!r} of the certificate is not complete, or has something of its own "
            f"({', '.join(odd[:3])}); pass the file as cluster --certificate wrote it."
        )
    values = dict(given)
    for field, form in _FORMS.get(kind, {}).items():
        if type(values[field]) is not form:
            raise ValueError(
                f"{field} in the certificate is {values[field]!r:.40}, but must be "
                f"{_IN_WORDS[form]}; pass the file as cluster --certificate wrote it."
            )
    if kind is parts.LabelsClaim:
        attributes = values["attributes"]
        if not isinstance(attributes, list):
            raise ValueError("the part 'labels' of the certificate has no list of attributes.")
        values["attributes"] = [_read(parts.AttributeClaim, a, "attributes") for a in attributes]
        if values["links"] is not None:
            values["links"] = _read(parts.LinksClaim, values["links"], "links")
    return kind(**values)
