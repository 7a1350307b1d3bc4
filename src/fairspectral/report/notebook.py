"""A model as a small table, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

from fairspectral.auditing import Audit, html_table
from fairspectral.report.collect import judge, parameters
from fairspectral.report.words import bounds, describe


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
    parts += [html_table(found, attribute) for attribute in found.attributes]
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
