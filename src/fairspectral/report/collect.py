"""The numbers of the report: the run and the verdict."""

from __future__ import annotations

import inspect
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from numbers import Real
from typing import Any

import numpy as np

from fairspectral.auditing import Audit
from fairspectral.cells import Cells
from fairspectral.constraints import encode_groups
from fairspectral.metrics import ratios_of
from fairspectral.validation import Attribute

FOUR_FIFTHS = 0.2

# Arguments of the fair rounding that replace the bounds of the tolerance.
CUSTOM_BOUNDS = ("bounds", "shares", "target_proportions", "lower", "upper")


@dataclass(frozen=True)
class Cell:
    """One group in one cluster: `count` of the cluster's `size`, `expected` of everyone.

    With weights, `count` and `size` are weights.
    """

    attribute: str
    group: str
    cluster: Any
    count: float
    size: float
    expected: float

    @property
    def share(self) -> float:
        """The group's share of the cluster."""
        return self.count / self.size

    @property
    def deviation(self) -> float:
        """Relative deviation of the share from the expected one."""
        return self.share / self.expected - 1


@dataclass(frozen=True)
class Judgement:
    """Whether the shares are within their bounds, up to whole persons or the largest weight.

    Attributes
    ----------
    tolerance : float
        The requested one, else that of the four-fifths rule.
    asked : bool
        Whether it was requested.
    custom : bool
        Whether other bounds than those of the tolerance were requested.
    outside : tuple of bool ndarray of shape (k, h)
        For each attribute, which cells are outside their bounds.
    worst : Cell
        The largest relative deviation from everyone's shares.
    up_to : str
        What bounds are rounded to, in words.
    """

    tolerance: float
    asked: bool
    custom: bool
    outside: tuple[np.ndarray, ...]
    worst: Cell
    up_to: str = "whole persons"

    @property
    def n_cells(self) -> int:
        """Cells (group, cluster) in all."""
        return sum(table.size for table in self.outside)

    @property
    def n_outside(self) -> int:
        """Cells outside their bounds."""
        return int(sum(table.sum() for table in self.outside))

    @property
    def fair(self) -> bool:
        """No cell is outside."""
        return self.n_outside == 0

    @property
    def whole_persons(self) -> bool:
        """The worst cell is beyond the tolerance, though by less than one person or weight."""
        beyond = abs(self.worst.deviation) > self.tolerance * (1 + 1e-9)
        return self.fair and not self.custom and beyond


def check_unchanged(model: Any) -> None:
    """Refuse a model whose parameters were set anew, which its labels know nothing of."""
    asked = model._asked.items()  # compared as text, since arrays are not equal or unequal
    changed = [name for name, value in asked if repr(getattr(model, name)) != repr(value)]
    if changed:
        raise ValueError(
            f"the model was fitted with another {changed[0]}; fit it again before the report."
        )


def read_attributes(model: Any, sensitive_features: Any) -> tuple[Attribute, ...]:
    """The groups of every sample: those passed, or those that the model kept, or none."""
    if sensitive_features is None:
        return tuple(getattr(model, "_attributes", ()))
    return encode_groups(
        sensitive_features, len(model.labels_), model.attribute_mode, weights=model._weights
    )


def judge(model: Any) -> Judgement | None:
    """Find the cells outside their bounds; None where no sensitive attribute is known."""
    found: Audit = model.audit_
    if not found.attributes:
        return None
    asked = model.fairness_tol is not None
    own = model.fairness_tol
    tolerance = float(own) if isinstance(own, Real) else FOUR_FIFTHS
    fair, custom = model.fair_assignment_, has_own_bounds(model)
    if custom and fair is not None:
        ends = np.cumsum([len(attribute.groups) for attribute in found.attributes])[:-1]
        cells = Cells(fair.table, fair.lower, fair.upper)
        outside = tuple(np.split(cells.outside.T, ends, axis=1))
    else:
        outside = tuple(
            attribute.judge(_of(model, attribute.name, tolerance)).outside.T
            for attribute in found.attributes
        )
    return Judgement(tolerance, asked, custom, outside, _worst(found), found.up_to)


def has_own_bounds(model: Any) -> bool:
    """Whether there are other bounds than one tolerance for all."""
    if isinstance(model.fairness_tol, Mapping):
        return True
    given = model.rounding_params or {}
    return model.fair_assignment_ is not None and any(
        given.get(name) is not None for name in CUSTOM_BOUNDS
    )


def _of(model: Any, name: str, otherwise: float) -> float:
    """The tolerance of one attribute; without bounds on it, everything is within."""
    if not isinstance(model.fairness_tol, Mapping):
        return otherwise
    own = model.fairness_tol.get(name, otherwise)
    return np.inf if own is None else own


def _worst(found: Audit) -> Cell:
    """The cell whose share is furthest from everyone's, relative to it."""
    deviations = [np.abs(ratios_of(attribute.counts) - 1) for attribute in found.attributes]
    at = int(np.argmax([table.max() for table in deviations]))
    attribute = found.attributes[at]
    i, s = np.unravel_index(int(np.argmax(deviations[at])), attribute.counts.shape)
    return Cell(
        attribute=attribute.name,
        group=str(attribute.groups[s]),
        cluster=found.clusters[i],
        count=attribute.counts[i, s].item(),
        size=attribute.counts[i].sum().item(),
        expected=float(attribute.population[s]),
    )


def sample_rows(n: int, limit: int, random_state: Any) -> np.ndarray:
    """Indices of the samples to draw: all, or `limit` of them at random, in order."""
    if n <= limit:
        return np.arange(n)
    rng = np.random.default_rng(random_state)
    return np.sort(rng.choice(n, size=limit, replace=False))


def parameters(model: Any) -> list[tuple[str, str, bool]]:
    """Name, value and whether it was changed from the default, of every parameter."""
    defaults = inspect.signature(type(model).__init__).parameters
    rows = []
    for name, value in model.get_params(deep=False).items():
        default = defaults[name].default
        changed = not (value is default or (type(value) is type(default) and value == default))
        rows.append((name, _show(value), changed))
    return rows


def _show(value: Any) -> str:
    """A short ``repr``; arrays and operators are named, not printed."""
    if value is None or isinstance(value, str | int | float | bool | dict | list | tuple):
        return repr(value)
    if isinstance(value, np.number):
        return repr(value.item())
    if isinstance(value, type):
        return f"<{value.__name__}>"
    return f"<{type(value).__name__}>"


def snippet(model: Any) -> str:
    """Python that repeats the run."""
    names = [attribute.name for attribute in model.audit_.attributes]
    n = len(model.labels_)
    used = getattr(model, "_affinity", model.affinity)  # of a graph it is "precomputed"
    if isinstance(used, str) and used == "precomputed":
        data = f"the affinities, {n} × {n}" if used == model.affinity else f"the graph, {n} nodes"
    else:
        data = f"the data, {n} rows"
        if hasattr(model, "n_features_in_"):
            data += f" × {model.n_features_in_} features, as they were clustered"
    lines = ["from fairspectral import FairSpectralClustering", "", f"# X: {data}"]
    if names:
        # As literals, so that a line break in a name does not end the comment.
        shown = ", ".join(repr(name) for name in names)
        lines.append(f"# sensitive: {shown}, one value per row")
    given = [(name, value) for name, value, changed in parameters(model) if changed]
    lines.append("model = FairSpectralClustering(")
    for name, value in given:
        # A value without a literal must be filled in by the reader.
        opaque = value.startswith("<")
        lines.append(f"    {name}=...,  # {value}" if opaque else f"    {name}={value},")
    lines.append(")")
    argument = ", sensitive_features=sensitive" if names else ""
    lines.append(f"labels = model.fit_predict(X{argument})")
    lines.append('model.report("report.html")')
    return "\n".join(lines)


def versions() -> list[tuple[str, str]]:
    """Versions of all software that computed the result."""
    packages = ["fairspectral", "numpy", "scipy", "scikit-learn", "numba"]
    return [
        *((name, version(name)) for name in packages),
        ("Python", platform.python_version()),
        ("system", f"{platform.system()} {platform.machine()}"),
    ]
