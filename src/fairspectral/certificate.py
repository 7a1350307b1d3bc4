"""The certificate of a clustering: what is claimed, in numbers that anyone can recompute.

It holds no computation: `fairspectral.verify` computes the same numbers again from the data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from fairspectral.files import write_text
from fairspectral.fingerprints import fingerprint_text
from fairspectral.weighting import shown

FORMAT = "fairspectral certificate"
VERSION = 2


@dataclass(frozen=True)
class DataClaim:
    """What was clustered.

    Attributes
    ----------
    rows : int
        Number of people.
    kind : str
        ``"features"``, ``"affinities"`` or ``"operator"``: what `sha256` is of.
    sha256 : str or None
        Of the features, the affinities, or the degrees of a user's operator; None where `files`
        were read.
    groups_sha256 : dict
        Of each sensitive attribute, by name.
    weights_sha256 : str or None
        Of the weights in units; None where every person counts as one.
    links_sha256 : dict
        Of who must be together, ``"must_link"``, and of the pairs who must not, ``"cannot_link"``;
        empty where there are no links.
    files : dict
        SHA-256 of each file that the command read, by its part: ``"data"``, ``"groups"``.
    options : dict
        How the command read them.
    """

    rows: int
    kind: str
    sha256: str | None
    groups_sha256: dict[str, str]
    weights_sha256: str | None
    links_sha256: dict[str, str]
    files: dict[str, str]
    options: dict[str, Any]


@dataclass(frozen=True)
class EmbeddingClaim:
    """The fair embedding ``H`` and the best that there is.

    Attributes
    ----------
    people, columns : int
        Shape of ``H``; people who must be together are one row.
    set_aside : int
        People in components too small to be a cluster, who are not in it.
    objective : float
        ``tr(H^T M H)``.
    upper_bound : float or None
        No orthonormal ``H`` with ``F^T H = 0`` has a larger one; None where it was not computed.
    failure : float
        The probability that this bound is wrong.
    fairness_residual, orthogonality_residual : float
        ``||Q^T H||`` and ``||H^T H - I||``.
    """

    people: int
    columns: int
    set_aside: int
    objective: float
    upper_bound: float | None
    failure: float
    fairness_residual: float
    orthogonality_residual: float

    @property
    def gap(self) -> float | None:
        """How far at most the objective is from the best one, relatively."""
        if self.upper_bound is None:
            return None
        return max(0.0, self.upper_bound - self.objective) / abs(self.upper_bound)


@dataclass(frozen=True)
class AttributeClaim:
    """One sensitive attribute in every cluster: tables of h groups by k clusters.

    Attributes
    ----------
    name : str
        Of the attribute.
    groups : list of str
        Its values.
    shares : list of float
        Each group's share of everyone, or of the weight.
    lower, upper : list of float or None
        The band of shares that each group may have in a cluster; None where there is none.
    members : list of lists of int
        People in each cell, or units of weight.
    least, most : list of lists of int or None
        Bounds on them in whole persons, or units of weight.
    """

    name: str
    groups: list[str]
    shares: list[float]
    lower: list[float] | None
    upper: list[float] | None
    members: list[list[int]]
    least: list[list[int]] | None
    most: list[list[int]] | None


@dataclass(frozen=True)
class LinksClaim:
    """Who must be together or apart, and whether they are.

    Attributes
    ----------
    nodes : int
        How many there are if people who must be together count as one.
    parted : int
        How many of these are in more than one cluster, each counted as often as it is in one more.
    apart : int
        Pairs who must not be together.
    joined : list of lists of int
        Those of them who are, by the positions of their rows.
    """

    nodes: int
    parted: int
    apart: int
    joined: list[list[int]]


@dataclass(frozen=True)
class LabelsClaim:
    """The clusters and their shares.

    Attributes
    ----------
    sha256 : str
        Of the labels, in the order of the rows.
    sizes : list of int
        People in each cluster.
    weights : list of int or None
        Units of weight in each cluster; None where every person counts as one.
    unit : float or None
        How much weight one unit is.
    floor : int
        Fewest people that a cluster may have; with weights, people of mean weight.
    ceiling : int or None
        Most people that a cluster may have; None where there is no such bound.
    attributes : list of AttributeClaim
        One for each sensitive attribute.
    within_bounds : bool or None
        Whether every cell and every cluster's size is within its bounds; None where there are
        no bounds.
    largest_deviation : float
        Of any cell from its target share, relatively.
    persons_outside : float
        The slack that whole persons force: by how many persons, fractions included, or units of
        weight, the worst cell is outside its band of shares.
    links : LinksClaim or None
        None where there are no links.
    """

    sha256: str
    sizes: list[int]
    weights: list[int] | None
    unit: float | None
    floor: int
    ceiling: int | None
    attributes: list[AttributeClaim]
    within_bounds: bool | None
    largest_deviation: float
    persons_outside: float
    links: LinksClaim | None


@dataclass(frozen=True)
class CutClaim:
    """The normalised cut, and below which no cut can be.

    Attributes
    ----------
    value : float
        Of the labels.
    lower_bound : float or None
        Of every clustering within the bounds; None where it was not computed.
    plain_bound : float or None
        Of every clustering into as many clusters.
    multiplier, budget : float
        mu and the bound on ``||F^T H||^2`` that the lower bound rests on.
    failure : float
        The probability that one of the bounds is wrong.
    """

    value: float
    lower_bound: float | None
    plain_bound: float | None
    multiplier: float
    budget: float
    failure: float

    @property
    def gap(self) -> float | None:
        """How much lower, relatively, a cut within the bounds could be at most."""
        if self.lower_bound is None:
            return None
        return max(0.0, self.value - self.lower_bound) / self.value if self.value > 0 else 0.0


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
    data: DataClaim
    embedding: EmbeddingClaim
    labels: LabelsClaim
    cut: CutClaim
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
        if given.get("version") != VERSION:
            raise ValueError(
                f"the certificate has version {given.get('version')!r}, but this release reads "
                f"version {VERSION}; verify it with the release that wrote it."
            )
        parts = {name: value for name, value in given.items() if name not in _ENVELOPE}
        for name, kind in _PARTS.items():
            if name in parts:
                parts[name] = _read(kind, parts[name], name)
        found = _read(cls, parts, "the certificate")
        missing = sorted(_NEEDED - set(found.parameters))
        if missing:
            raise ValueError(
                f"the certificate has no {missing[0]} among its parameters; pass the file as "
                "cluster --certificate wrote it."
            )
        return found

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` returned."""
        return cls.from_dict(read_json(text))

    def __str__(self) -> str:
        lines = [_data_words(self.data), _embedding_words(self.embedding)]
        lines += [_labels_words(self), _cut_words(self.cut, self.labels.within_bounds)]
        return "\n".join([*lines, *self.not_covered])

    __repr__ = __str__


_ENVELOPE = ("format", "version", "seal")
# Parameters without which nothing can be computed again.
_NEEDED = {
    "affinity", "gamma", "n_neighbors", "kernel_params", "dtype", "attribute_mode",
    "assign_labels", "fairness_tol", "n_components",
}  # fmt: skip
_PARTS = {"data": DataClaim, "embedding": EmbeddingClaim, "labels": LabelsClaim, "cut": CutClaim}


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
    if kind is LabelsClaim:
        attributes = values["attributes"]
        if not isinstance(attributes, list):
            raise ValueError("the part 'labels' of the certificate has no list of attributes.")
        values["attributes"] = [_read(AttributeClaim, a, "attributes") for a in attributes]
        if values["links"] is not None:
            values["links"] = _read(LinksClaim, values["links"], "links")
    return kind(**values)


def failure_in_words(failure: float) -> str:
    """The probability that a bound is wrong."""
    if not failure:
        return "from all eigenvalues"
    return f"wrong with probability at most {failure:.0e}"


def _data_words(data: DataClaim) -> str:
    sha = data.sha256 or next(iter(data.files.values()), "")
    return f"Data: {data.rows:,} rows, SHA-256 {sha[:16]}…"


def _embedding_words(found: EmbeddingClaim) -> str:
    residuals = (
        f"||QᵀH|| = {found.fairness_residual:.0e}, ||HᵀH - I|| = {found.orthogonality_residual:.0e}"
    )
    if found.upper_bound is None or found.gap is None:
        return f"Embedding: objective {found.objective:.6g}, without a bound; {residuals}."
    return (
        f"Embedding: objective {found.objective:.6g}; no fair embedding has more than "
        f"{found.upper_bound:.6g} ({failure_in_words(found.failure)}), so it is within "
        f"{found.gap:.1e} of the best; {residuals}."
    )


def _labels_words(certificate: Certificate) -> str:
    labels = certificate.labels
    cells = sum(len(a.groups) for a in labels.attributes) * certificate.n_clusters
    links = "" if labels.links is None else f" {_links_words(labels.links, certificate.data.rows)}"
    if labels.within_bounds is None:
        return f"Labels: {certificate.n_clusters} clusters, without bounds on shares.{links}"
    verdict = "all" if labels.within_bounds else "not all"
    ceiling = "" if labels.ceiling is None else f" and at most {max(labels.sizes)}"
    most = "" if labels.ceiling is None else f", ceiling {labels.ceiling}"
    people = f"{min(labels.sizes)}{ceiling} people (floor {labels.floor}{most})"
    forced = f"{labels.persons_outside:.3g} person(s)"
    if labels.weights is not None and labels.unit is not None:
        mean = sum(labels.weights) * labels.unit / certificate.data.rows
        if labels.ceiling is not None:
            ceiling = f" and at most {shown(max(labels.weights) * labels.unit)}"
            most = f", ceiling {shown(labels.ceiling * mean)}"
        people = f"{shown(min(labels.weights) * labels.unit)}{ceiling} of the weight "
        people += f"(floor {shown(labels.floor * mean)}{most})"
        forced = f"a weight of {labels.persons_outside * labels.unit:.3g}"
    forced = f"; whole persons force {forced} beyond a band" if labels.persons_outside else ""
    return (
        f"Labels: {verdict} {cells} cells within their bounds, every cluster with at least "
        f"{people}, largest deviation from a target share {labels.largest_deviation:.2%}{forced}."
        f"{links}"
    )


def _links_words(links: LinksClaim, rows: int) -> str:
    together = rows - links.nodes
    return (
        f"Links: {together - links.parted:,} of {together:,} must-link(s) and "
        f"{links.apart - len(links.joined):,} of {links.apart:,} cannot-link pair(s) are kept."
    )


def _cut_words(cut: CutClaim, within: bool | None) -> str:
    if cut.lower_bound is None or cut.gap is None or cut.plain_bound is None:
        return f"Cut: {cut.value:.6g}, without a lower bound."
    kind = "clustering" if within is None else "clustering within these bounds"
    plain = ""
    if cut.lower_bound > cut.plain_bound:
        plain = f", and none at all below {cut.plain_bound:.6g}"
    beyond = ""
    if within is False:
        beyond = " These labels are not within the bounds, so the first number is not for them."
    return (
        f"Cut: {cut.value:.6g}; no {kind} is below {cut.lower_bound:.6g}{plain} "
        f"({failure_in_words(cut.failure)}), so at most {cut.gap:.1%} could be gained.{beyond}"
    )
