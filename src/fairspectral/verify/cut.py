"""The normalised cut of the labels, and what can be proved of every other."""

from __future__ import annotations

import numpy as np

from fairspectral.affinity import AffinityOperator
from fairspectral.certificate import Certificate, LabelsClaim
from fairspectral.claims import RequestedBand, measure_cut
from fairspectral.verification import Check
from fairspectral.verify.comparing import SAME, SAME_BOUND, close, shown


def check_cut(
    certificate: Certificate,
    operator: AffinityOperator,
    codes: np.ndarray,
    bands: list[RequestedBand],
    labels: LabelsClaim,
) -> list[Check]:
    """The normalised cut and the bounds below which none can be."""
    claim, k = certificate.cut, certificate.n_clusters
    found = measure_cut(operator, codes, k, bands, labels)
    same = close(claim.value, found.value, SAME * k)
    words = f"The normalised cut is {found.value:.6g}, as claimed."
    if not same:
        words = f"The normalised cut is {found.value:.6g}, not {shown(claim.value)}."
    checks = [Check("cut", same, words)]
    loose = (SAME_BOUND if found.failure else SAME) * k
    agree = all(
        close(getattr(claim, name), getattr(found, name), loose)
        for name in ("lower_bound", "plain_bound", "multiplier", "budget")
    ) and close(claim.failure, found.failure, 0.0)
    bounds = shown(found.plain_bound)
    if bands:
        bounds = f"{shown(found.lower_bound)} within the bounds, {bounds} at all"
    words = f"No cut can be below {bounds}, as claimed."
    if not agree:
        claimed = f"{shown(claim.lower_bound)} and {shown(claim.plain_bound)}"
        words = f"What can be proved is that no cut is below {bounds}; claimed are {claimed}."
    return [*checks, Check("bound", agree, words)]
