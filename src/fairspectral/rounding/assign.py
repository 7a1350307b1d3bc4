"""The fair flow that suits a plan: one attribute, or several."""

from __future__ import annotations

import numpy as np

from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.marginal import MarginalFlow
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.sizes import SizedFlow
from fairspectral.rounding.start import Assign


def fair_flow(
    plan: RoundingPlan, rules: list[FairnessRule], labels: np.ndarray, *, thorough: bool = False
) -> Assign:
    """The fair flow under `rules` for clusters of the sizes that they have in `labels`."""
    sizes = np.bincount(labels, minlength=plan.n_clusters)
    if len(rules) == 1:
        return SizedFlow(rules[0], sizes, plan.smallest, thorough=thorough)
    return MarginalFlow(rules, plan.kinds, sizes)
