"""The audit of a clustering: group counts, fairness, normalised cut and certificate."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from fairspectral.audit_views import draw_shares, html_rows
from fairspectral.axes import axes_or_new
from fairspectral.cells import Cells, judge_cells, tolerance_band
from fairspectral.covariates import (
    Covariate,
    CovariateAudit,
    audit_covariates,
    check_constraints,
)
from fairspectral.graphs.door import groups_of
from fairspectral.metrics import (
    balance_of,
    count_table,
    encode_labels,
    normalized_cut,
    population_of,
    ratios_of,
    shares_of,
)
from fairspectral.row_order import check_same_rows
from fairspectral.validation import Attribute, check_sensitive_features
from fairspectral.weighting import Weights, check_sample_weight, shown

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class AttributeAudit:
    """Clusters × groups for one sensitive attribute.

    Attributes
    ----------
    name : str
        Name of the attribute.
    groups : tuple
        Its values.
    counts : ndarray of shape (k, h)
        Members of each group in each cluster; with weights, their weight.
    weights : Weights or None
        The weight of every person; None where each counts as one.
    """

    name: str
    groups: tuple[Any, ...]
    counts: np.ndarray
    weights: Weights | None = None

    def judge(self, tolerance: float) -> Cells:
        """The cells with the bounds of a tolerance, up to whole persons or the largest weight.

        Tables are of shape (h, k), and count what `counts` does.
        """
        return self.judge_band(*tolerance_band(self.population, tolerance))

    def judge_band(self, lower: np.ndarray, upper: np.ndarray) -> Cells:
        """The same with the bounds of a band of shares, both of shape (h,)."""
        if self.weights is None:
            return judge_cells(self.counts.T, lower, upper)
        unit = self.weights.unit
        units = np.rint(self.counts.T / unit).astype(np.int64)
        found = judge_cells(units, lower, upper, self.weights.largest)
        return Cells(found.table * unit, found.lower * unit, found.upper * unit)

    @property
    def shares(self) -> np.ndarray:
        """Each group's share of each cluster, shape (k, h)."""
        return shares_of(self.counts)

    @property
    def population(self) -> np.ndarray:
        """Each group's share of everyone, shape (h,)."""
        return population_of(self.counts)

    @property
    def balance(self) -> np.ndarray:
        """The paper's balance of each cluster, shape (k,)."""
        return balance_of(self.counts)

    @property
    def average_balance(self) -> float:
        """The paper's average balance."""
        return float(self.balance.mean())

    @property
    def minimum_balance(self) -> float:
        """The paper's minimum balance."""
        return float(self.balance.min())

    @property
    def population_balance(self) -> float:
        """The balance of everyone together."""
        return float(balance_of(self.counts.sum(axis=0, keepdims=True))[0])

    @property
    def relative_balance(self) -> float:
        """Average balance over the population's own; 1.0 mirrors the population."""
        return self.average_balance / self.population_balance

    @property
    def representation_difference(self) -> float:
        """Largest difference between a group's share of a cluster and of everyone."""
        return float(np.abs(self.shares - self.population).max())

    @property
    def representation_ratio(self) -> float:
        """Smallest ratio of a group's share of a cluster to its share of everyone."""
        return float(ratios_of(self.counts).min())


@dataclass(frozen=True)
class Audit:
    """The fairness of a clustering; print it to read it.

    Attributes
    ----------
    clusters : tuple
        The labels, sorted.
    sizes : ndarray of shape (k,)
        Members of each cluster, in heads.
    attributes : tuple of AttributeAudit
        One for each sensitive attribute; empty where there is none.
    normalized_cut : float or None
        None if the affinity is not known.
    covariates : tuple of CovariateAudit
        The means of numbers that were to be equal in all clusters.
    certificate : str
        How the solver and the rounding ended, in words; empty for labels from elsewhere.
    """

    clusters: tuple[Any, ...]
    sizes: np.ndarray
    attributes: tuple[AttributeAudit, ...] = ()
    normalized_cut: float | None = None
    certificate: str = ""
    covariates: tuple[CovariateAudit, ...] = ()

    @property
    def weights(self) -> Weights | None:
        """The weights that the shares count; None where they count heads."""
        return self.attributes[0].weights if self.attributes else None

    @property
    def up_to(self) -> str:
        """What bounds on shares are rounded to, in words."""
        return "whole persons" if self.weights is None else "the largest weight of a person"

    def to_frame(self) -> pandas.DataFrame:
        """One row for each cluster, attribute and group: counts and shares, as a DataFrame.

        With weights the column ``weight`` takes the place of ``count``.
        """
        import pandas

        rows = [
            {
                "cluster": cluster,
                "size": int(self.sizes[i]),
                "attribute": attribute.name,
                "group": group,
                ("count" if self.weights is None else "weight"): attribute.counts[i, s].item(),
                "share": float(attribute.shares[i, s]),
                "population_share": float(attribute.population[s]),
            }
            for attribute in self.attributes
            for i, cluster in enumerate(self.clusters)
            for s, group in enumerate(attribute.groups)
        ]
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        lines = []
        for attribute in self.attributes:
            lines += [attribute.name, *table_lines(self, attribute), *_summary(attribute), ""]
        if self.weights is not None:
            lines.append(str(self.weights))
        for covariate in self.covariates:
            table = covariate.table(self.clusters, self.sizes)
            lines += [f"mean of {covariate.name}", *ruled(table), str(covariate), ""]
        if not self.attributes:
            sizes = ", ".join(map(str, self.sizes))
            lines.append(f"{len(self.clusters)} clusters of sizes {sizes}")
        if self.normalized_cut is not None:
            lines.append(f"normalised cut {self.normalized_cut:.4g} of {len(self.clusters)}")
        if self.certificate:
            lines.append(self.certificate)
        return "\n".join(lines).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [html_table(self, attribute) for attribute in self.attributes]
        for one in self.covariates:
            parts.append(
                html_rows(f"mean of {one.name}", one.table(self.clusters, self.sizes, ","))
            )
        if not self.attributes:
            parts.append(f"sizes of the clusters: {', '.join(map(str, self.sizes))}<br>")
        lines = self.certificate.splitlines()
        if self.weights is not None:
            lines.insert(0, str(self.weights))
        if self.normalized_cut is not None:
            lines.insert(0, f"normalised cut {self.normalized_cut:.4g} of {len(self.clusters)}")
        return f"<div>{''.join(parts)}<small>{'<br>'.join(map(escape, lines))}</small></div>"

    def plot(self, ax: Any = None, *, attribute: int = 0) -> Any:
        """Draw the share of each group in each cluster as stacked bars, against everyone's.

        Parameters
        ----------
        ax : matplotlib Axes or None
            None makes a figure.
        attribute : int
            Which attribute, where there are several.

        Returns
        -------
        matplotlib Axes
        """
        if not self.attributes:
            raise ValueError(
                "the audit has no sensitive attribute, so there are no shares to draw; fit or "
                "audit with sensitive_features."
            )
        ax = axes_or_new(ax)
        draw_shares(ax, self.clusters, self.sizes, self.attributes[attribute])
        return ax


def audit(
    labels: Any,
    sensitive_features: Any = None,
    affinity: Any = None,
    *,
    sample_weight: Any = None,
    constraints: Any = None,
    certificate: str = "",
) -> Audit:
    """Audit any clustering, from any tool.

    Parameters
    ----------
    labels : array of shape (n,)
        The clustering.
    sensitive_features : array, Series, DataFrame, str or None
        One or several sensitive attributes; where `affinity` is a graph, also the name of a node
        attribute. Where labels and these are pandas objects, their indexes must be equal.
    affinity : array, sparse matrix, operator, graph or None
        For the normalised cut.
    sample_weight : array of shape (n,) or None
        How many people each person stands for: the shares then count weight, not heads.
    constraints : array of shape (n,) or (n, m), Series, DataFrame, dict or None
        Numbers, such as an age, whose means in the clusters are to be compared.
    certificate : str
        Text to keep with the table.
    """
    codes, clusters = encode_labels(labels)
    if affinity is not None:
        check_same_rows(affinity, labels, "affinity", "labels")
        affinity, sensitive_features = groups_of(affinity, sensitive_features)
    attributes: tuple[Attribute, ...] = ()
    if sensitive_features is not None:
        attributes = check_sensitive_features(
            sensitive_features, len(codes), constrain=False, rows=labels, rows_name="labels"
        )
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, len(codes), labels, "labels")
        attributes = tuple(attribute.weighted(weights) for attribute in attributes)
    covariates: tuple[Covariate, ...] = ()
    if constraints is not None:
        covariates = check_constraints(constraints, len(codes), rows=labels, rows_name="labels")
    return audit_attributes(codes, clusters, attributes, affinity, certificate, covariates)


def audit_attributes(
    codes: np.ndarray,
    clusters: tuple[Any, ...],
    attributes: tuple[Attribute, ...],
    affinity: Any,
    certificate: str,
    covariates: tuple[Covariate, ...] = (),
) -> Audit:
    """Audit labels, attributes and covariates that are already validated."""
    k = len(clusters)
    return Audit(
        clusters=clusters,
        sizes=np.bincount(codes, minlength=k),
        attributes=tuple(
            AttributeAudit(a.name, a.categories, count_table(codes, k, a), a.weights)
            for a in attributes
        ),
        normalized_cut=None if affinity is None else normalized_cut(codes, affinity),
        certificate=certificate,
        covariates=audit_covariates(covariates, codes, k),
    )


def audit_table(whole: Audit, attribute: AttributeAudit, size_format: str = "") -> list[list[str]]:
    """The table of one attribute as text: a header, a row for each cluster, and one for everyone.

    Parameters
    ----------
    whole : Audit
        The audit.
    attribute : AttributeAudit
        One of its attributes.
    size_format : str
        How sizes are written: ``","`` sets thousands apart.
    """
    weighted = attribute.weights is not None

    def row(name: Any, size: int, weight: float, shares: np.ndarray, balance: float) -> list[str]:
        weights = [shown(weight)] if weighted else []
        percents = (f"{share:.1%}" for share in shares)
        return [str(name), f"{size:{size_format}}", *weights, *percents, f"{balance:.3f}"]

    weights = attribute.counts.sum(axis=1)
    clusters = zip(
        whole.clusters, whole.sizes, weights, attribute.shares, attribute.balance, strict=True
    )
    everyone = (
        "everyone",
        whole.sizes.sum(),
        weights.sum(),
        attribute.population,
        attribute.population_balance,
    )
    more = ["weight"] if weighted else []
    header = ["cluster", "size", *more, *map(str, attribute.groups), "balance"]
    return [header, *(row(*cluster) for cluster in clusters), row(*everyone)]


def table_lines(whole: Audit, attribute: AttributeAudit) -> list[str]:
    """The same as lines of text, with rules below the header and above everyone."""
    return ruled(audit_table(whole, attribute))


def ruled(table: list[list[str]]) -> list[str]:
    """A table as lines, with rules below its header and above its last row."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    header, *clusters, everyone = (
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in table
    )
    rule = "  ".join("-" * width for width in widths)
    return [header, rule, *clusters, rule, everyone]


def _summary(attribute: AttributeAudit) -> list[str]:
    return [
        f"average balance {attribute.average_balance:.3f} "
        f"({attribute.relative_balance:.0%} of the population's own), "
        f"minimum {attribute.minimum_balance:.3f}",
        f"largest difference from the population's shares "
        f"{100 * attribute.representation_difference:.1f} points, "
        f"smallest ratio {attribute.representation_ratio:.2f}",
    ]


def html_table(whole: Audit, attribute: AttributeAudit) -> str:
    """The table of one attribute for a notebook; every name from the data is escaped."""
    return html_rows(attribute.name, audit_table(whole, attribute, ","))
