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

# Whoever verifies a certificate does not know whether means were to be equal.
MEANS_NOT_COVERED = (
    "Nothing is claimed of the means that were to be equal, and the bound on the embedding is that "
    "without them."
)


def not_covered(cut: CutClaim, labels: LabelsClaim) -> list[str]:
    """What is not claimed, as far as it follows from what is."""
    notes = []
    if cut.lower_bound is None:
        notes.append(
            "There are no bounds, because this operator's products are in float32 only; one in "
            "float64 has them."
        )
    elif labels.links is not None:
        notes.append(
            "The lower bounds on the cut do not use the links: they hold with and without them."
        )
    if not labels.bounds_shares:
        notes.append("Nothing is claimed of the shares: no bounds on them were asked for.")
    return notes


def failure_in_words(failure: float) -> str:
    """The probability that a bound is wrong."""
    if not failure:
        return "from all eigenvalues"
    return f"wrong with probability at most {failure:.0e}"


def data_words(data: DataClaim) -> str:
    """What was clustered."""
    sha = data.sha256 or next(iter(data.files.values()), "")
    return f"Data: {data.rows:,} rows, SHA-256 {sha[:16]}…"


def embedding_words(found: EmbeddingClaim, groups: bool) -> str:
    """How near the embedding is to the best one, which with groups is the best fair one."""
    residuals = (
        f"||QᵀH|| = {found.fairness_residual:.0e}, ||HᵀH - I|| = {found.orthogonality_residual:.0e}"
    )
    kind = "fair embedding" if groups else "embedding"
    if found.upper_bound is None or found.gap is None:
        return f"Embedding: objective {found.objective:.6g}, without a bound; {residuals}."
    return (
        f"Embedding: objective {found.objective:.6g}; no {kind} has more than "
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
    sizes = f"every cluster with {sizes_words(labels)}"
    if not labels.bounds_shares:
        beyond = "" if labels.within_bounds else ", not all within these bounds"
        return f"Labels: {k} clusters, {sizes}{beyond}, without bounds on shares.{links}"
    verdict = "all" if labels.within_bounds else "not all"
    forced = f"{labels.persons_outside:.3g} person(s)"
    if labels.unit is not None:
        forced = f"a weight of {labels.persons_outside * labels.unit:.3g}"
    forced = f"; whole persons force {forced} beyond a band" if labels.persons_outside else ""
    return (
        f"Labels: {verdict} {cells} cells within their bounds, {sizes}, largest deviation from a "
        f"target share {labels.largest_deviation:.2%}{forced}.{links}"
    )


def sizes_words(labels: LabelsClaim) -> str:
    """The smallest cluster and, where there is a ceiling, the largest, with their bounds."""
    counted, whom, unit, one = labels.sizes, "people", 1.0, 1.0
    if labels.weights is not None and labels.unit is not None:
        counted, whom, unit = labels.weights, "of the weight", labels.unit
        one = sum(counted) * unit / sum(labels.sizes)
    least, floor = shown(min(counted) * unit), shown(labels.floor * one)
    if labels.ceiling is None:
        return f"at least {least} {whom} (floor {floor})"
    most, ceiling = shown(max(counted) * unit), shown(labels.ceiling * one)
    return f"at least {least} and at most {most} {whom} (floor {floor}, ceiling {ceiling})"


def _links_words(links: LinksClaim, rows: int) -> str:
    together = rows - links.nodes
    return (
        f"Links: {together - links.parted:,} of {together:,} must-link(s) and "
        f"{links.apart - len(links.joined):,} of {links.apart:,} cannot-link pair(s) are kept."
    )


def cut_words(cut: CutClaim, labels: LabelsClaim) -> str:
    """The cut, and how much lower it could be; bounds on sizes alone do not change that."""
    if cut.lower_bound is None or cut.gap is None or cut.plain_bound is None:
        return f"Cut: {cut.value:.6g}, without a lower bound."
    kind = "clustering within these bounds" if labels.bounds_shares else "clustering"
    plain = ""
    if cut.lower_bound > cut.plain_bound:
        plain = f", and none at all below {cut.plain_bound:.6g}"
    beyond = ""
    if labels.bounds_shares and labels.within_bounds is False:
        beyond = " These labels are not within the bounds, so the first number is not for them."
    return (
        f"Cut: {cut.value:.6g}; no {kind} is below {cut.lower_bound:.6g}{plain} "
        f"({failure_in_words(cut.failure)}), so at most {cut.gap:.1%} could be gained.{beyond}"
    )
