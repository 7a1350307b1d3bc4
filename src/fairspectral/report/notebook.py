"""A model as a small table, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from fairspectral.auditing import AttributeAudit, Audit, audit_table
from fairspectral.report.collect import judge, parameters
from fairspectral.report.words import bounds, describe

_CELL = "text-align:right;padding:2px 10px"
_NAME = "text-align:left;padding:2px 10px"


def repr_html(model: Any) -> str:
    """A model as shown in a notebook: its parameters, and its audit once fitted.

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
    header, *clusters, everyone = audit_table(found, attribute, ",")
    rows = [_row(attribute.name, header[1:], "th")]
    rows += [_row(f"cluster {name}", cells, "td") for name, *cells in clusters]
    rows.append(_row(everyone[0], everyone[1:], "td"))
    return f'<table style="border-collapse:collapse;margin:6px 0">{"".join(rows)}</table>'


def _row(name: str, cells: list[str], tag: str) -> str:
    texts = "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells)
    return f'<tr><th style="{_NAME}">{escape(name)}</th>{texts}</tr>'
