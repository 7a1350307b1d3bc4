"""The claims of a certificate in sentences."""

from __future__ import annotations

from fairspectral.certificate.parts import (
    CutClaim,
    DataClaim,
    EmbeddingClaim,
    LabelsClaim,
    LinksClaim,
)
from fairspectral.weighting import shown


def failure_in_words(failure: float) -> str:
    """The probability that a bound is wrong."""
    if not failure:
        return "from all eigenvalues"
    return f"wrong with probability at most {failure:.0e}"


def data_words(data: DataClaim) -> str:
    """What was clustered."""
    sha = data.sha256 or next(iter(data.files.values()), "")
    return f"Data: {data.rows:,} rows, SHA-256 {sha[:16]}…"


def embedding_words(found: EmbeddingClaim) -> str:
    """How near the embedding is to the best fair one."""
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


def labels_words(labels: LabelsClaim, rows: int) -> str:
    """Whether the clusters of so many rows keep their bounds and links."""
    k = len(labels.sizes)
    cells = sum(len(a.groups) for a in labels.attributes) * k
    links = "" if labels.links is None else f" {_links_words(labels.links, rows)}"
    if labels.within_bounds is None:
        return f"Labels: {k} clusters, without bounds on shares.{links}"
    verdict = "all" if labels.within_bounds else "not all"
    ceiling = "" if labels.ceiling is None else f" and at most {max(labels.sizes)}"
    most = "" if labels.ceiling is None else f", ceiling {labels.ceiling}"
    people = f"{min(labels.sizes)}{ceiling} people (floor {labels.floor}{most})"
    forced = f"{labels.persons_outside:.3g} person(s)"
    if labels.weights is not None and labels.unit is not None:
        mean = sum(labels.weights) * labels.unit / rows
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


def cut_words(cut: CutClaim, within: bool | None) -> str:
    """The cut, and how much lower it could be."""
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
