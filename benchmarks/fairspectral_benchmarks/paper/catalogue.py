"""All items by name, in the paper's order."""

from __future__ import annotations

from fairspectral_benchmarks.paper import (
    curves,
    ds577,
    elliptical,
    facebook,
    min_balance,
    randlaplace,
    scalability,
    table1,
    table2,
    table3,
    table4,
    table5,
)
from fairspectral_benchmarks.paper.spec import Spec

SPECS: dict[str, Spec] = {
    module.SPEC.name: module.SPEC
    for module in (
        table1,
        table2,
        table3,
        table4,
        table5,
        randlaplace,
        min_balance,
        facebook,
        elliptical,
        ds577,
        curves,
        scalability,
    )
}
