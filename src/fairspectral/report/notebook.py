"""A model as a small table, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from fairspectral.audit import AttributeAudit, Audit
from fairspectral.report.collect import judge, parameters
from fairspectral.report.words import bounds, describe

_CELL = "text-align:right;padding:2px 10px"
_NAME = "text-align:left;padding:2px 10px"


def repr_html(model: Any) -> str:
    """What a notebook shows of a model: its parameters, and once fitted its audit.

    Parameters
    ----------
    model : FairSpectralClustering
        Fitted or not.

    Returns
    -------
    str
        HTML in which every name from the data is escaped.
    """
    changed = [f"{name}={shown}" for name, shown, differs in parameters(model) if differs]
    head = f"<b>{type(model).__name__}</b>(<code>{escape(', '.join(changed))}</code>)"
    if not hasattr(model, "audit_"):
        return f"<div>{head}<br><i>not fitted</i></div>"
    found: Audit = model.audit_
    parts = [head, f"<br>{_verdict(model)}"]
    if model.diagnosis_:
        parts.append(model.diagnosis_._repr_html_())
    parts += [_table(found, attribute) for attribute in found.attributes]
    if not found.attributes:
        parts.append(f"<br>sizes of the clusters: {', '.join(map(str, found.sizes))}")
    parts.append(f"<small>normalised cut {found.normalized_cut:.4g}; ")
    parts.append("<br>".join(escape(line) for line in found.certificate.splitlines()))
    return f"<div>{''.join(parts)}</small></div>"


def _verdict(model: Any) -> str:
    judgement = judge(model)
    if judgement is None:
        return "plain spectral clustering, no sensitive features"
    if judgement.fair:
        found = f"✓ fair within {bounds(judgement)}"
    else:
        outside = f"{judgement.n_outside} of {judgement.n_cells} shares"
        found = f"✕ {outside} are outside {bounds(judgement)}"
    return f"<b>{found}</b>. {escape(describe(judgement))}"


def _table(found: Audit, attribute: AttributeAudit) -> str:
    names = ["size", *(str(group) for group in attribute.groups), "balance"]
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in names)
    rows = [f'<tr><th style="{_NAME}">{escape(attribute.name)}</th>{head}</tr>']

    def row(name: str, size: int, shares: Any, balance: float) -> str:
        cells = [f"{size:,}", *(f"{share:.1%}" for share in shares), f"{balance:.3f}"]
        texts = "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)
        return f'<tr><th style="{_NAME}">{escape(name)}</th>{texts}</tr>'

    for i, cluster in enumerate(found.clusters):
        size = int(found.sizes[i])
        rows.append(row(f"cluster {cluster}", size, attribute.shares[i], attribute.balance[i]))
    everyone = int(found.sizes.sum())
    rows.append(row("everyone", everyone, attribute.population, attribute.population_balance))
    return f'<table style="border-collapse:collapse;margin:6px 0">{"".join(rows)}</table>'
