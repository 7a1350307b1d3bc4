"""The certificate in the report: when it is computed, and its cells as a table."""

from __future__ import annotations

from typing import Any

from fairspectral.certificate import Certificate
from fairspectral.weighting import shown

# Up to so many multiplications in a product with one vector, the bounds take seconds.
MOST_WORK = 3e7


def find_certificate(model: Any, wanted: Certificate | bool | None) -> Certificate | None:
    """The certificate to show; None where it is not wanted.

    `wanted` None means: if the model has it already, or if it takes seconds.
    """
    if isinstance(wanted, Certificate):
        return wanted
    operator = model.affinity_operator_
    in_memory = operator.stored_weights is not None
    cheap = in_memory and operator.density * operator.shape[0] ** 2 <= MOST_WORK
    if wanted is None:
        known = model._certificate is not None
        wanted = cheap or known
    return model.certificate_ if wanted else None


def certified_cells(certificate: Certificate) -> list[list[str]]:
    """A row for each cell: attribute, group, cluster, members or their weight, least, most."""
    unit = certificate.labels.unit or 1
    return [
        [
            attribute.name,
            group,
            str(cluster),
            shown(members * unit),
            "–" if attribute.least is None else shown(attribute.least[s][cluster] * unit),
            "–" if attribute.most is None else shown(attribute.most[s][cluster] * unit),
        ]
        for attribute in certificate.labels.attributes
        for s, group in enumerate(attribute.groups)
        for cluster, members in enumerate(attribute.members[s])
    ]
