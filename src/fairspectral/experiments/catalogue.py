"""All items by name, in the paper's order."""

from __future__ import annotations

from fairspectral.experiments import table1, table2, table3
from fairspectral.experiments.spec import Spec

SPECS: dict[str, Spec] = {
    module.SPEC.name: module.SPEC
    for module in (
        table1,
        table2,
        table3,
    )
}
