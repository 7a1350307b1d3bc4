"""The fair flow that suits a plan: one attribute, or several."""

from __future__ import annotations

import numpy as np

from fairspectral.rounding.bounds import FairnessRule
from fairspectral.rounding.marginal import MarginalFlow
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.sizes import SizedFlow, apportion
from fairspectral.rounding.start import Assign


def fair_flow(
    plan: RoundingPlan, rules: list[FairnessRule], labels: np.ndarray, *, thorough: bool = False
) -> Assign:
    """The fair flow under `rules` for clusters of the sizes that they have in `labels`.

    Where small components made a cluster too large or left one too small, the sizes nearby.
    """
    sizes = np.bincount(labels, minlength=plan.n_clusters)
    if sizes.min() < plan.smallest or sizes.max() > plan.largest:
        sizes = apportion(sizes, len(labels), plan.smallest, plan.largest)
    if len(rules) == 1:
        return SizedFlow(rules[0], sizes, plan.smallest, plan.largest, thorough=thorough)
    return MarginalFlow(rules, plan.kinds, sizes)
