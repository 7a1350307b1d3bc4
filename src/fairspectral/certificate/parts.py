"""The parts of a certificate: what is claimed of data, embedding, labels and cut.

`fairspectral.claims` computes them from the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DataClaim:
    """What was clustered.

    Attributes
    ----------
    rows : int
        Number of people.
    kind : str
        ``"features"``, ``"affinities"`` or ``"operator"``: what `sha256` is of.
    sha256 : str or None
        Of the features, the affinities, or the degrees of a user's operator; None where `files`
        were read.
    groups_sha256 : dict
        Of each sensitive attribute, by name.
    weights_sha256 : str or None
        Of the weights in units; None where every person counts as one.
    links_sha256 : dict
        Of who must be together, ``"must_link"``, and of the pairs who must not, ``"cannot_link"``;
        empty where there are no links.
    files : dict
        SHA-256 of each file that the command read, by its part: ``"data"``, ``"groups"``.
    options : dict
        How the command read them.
    """

    rows: int
    kind: str
    sha256: str | None
    groups_sha256: dict[str, str]
    weights_sha256: str | None
    links_sha256: dict[str, str]
    files: dict[str, str]
    options: dict[str, Any]


@dataclass(frozen=True)
class EmbeddingClaim:
    """The fair embedding ``H`` and the best that there is.

    Attributes
    ----------
    people, columns : int
        Shape of ``H``; people who must be together are one row.
    set_aside : int
        People in components too small to be a cluster, who are not in it.
    objective : float
        ``tr(H^T M H)``.
    upper_bound : float or None
        No orthonormal ``H`` with ``F^T H = 0`` has a larger one; None where it was not computed.
    failure : float
        The probability that this bound is wrong.
    fairness_residual, orthogonality_residual : float
        ``||Q^T H||`` and ``||H^T H - I||``.
    """

    people: int
    columns: int
    set_aside: int
    objective: float
    upper_bound: float | None
    failure: float
    fairness_residual: float
    orthogonality_residual: float

    @property
    def gap(self) -> float | None:
        """How far at most the objective is from the best one, relatively."""
        if self.upper_bound is None:
            return None
        return max(0.0, self.upper_bound - self.objective) / abs(self.upper_bound)


@dataclass(frozen=True)
class AttributeClaim:
    """One sensitive attribute in every cluster: tables of h groups by k clusters.

    Attributes
    ----------
    name : str
        Of the attribute.
    groups : list of str
        Its values.
    shares : list of float
        Each group's share of everyone, or of the weight.
    lower, upper : list of float or None
        The band of shares that each group may have in a cluster; None where there is none.
    members : list of lists of int
        People in each cell, or units of weight.
    least, most : list of lists of int or None
        Bounds on them in whole persons, or units of weight.
    """

    name: str
    groups: list[str]
    shares: list[float]
    lower: list[float] | None
    upper: list[float] | None
    members: list[list[int]]
    least: list[list[int]] | None
    most: list[list[int]] | None


@dataclass(frozen=True)
class LinksClaim:
    """Who must be together or apart, and whether they are.

    Attributes
    ----------
    nodes : int
        How many there are if people who must be together count as one.
    parted : int
        How many of these are in more than one cluster, each counted as often as it is in one more.
    apart : int
        Pairs who must not be together.
    joined : list of lists of int
        Those of them who are, by the positions of their rows.
    """

    nodes: int
    parted: int
    apart: int
    joined: list[list[int]]


@dataclass(frozen=True)
class LabelsClaim:
    """The clusters and their shares.

    Attributes
    ----------
    sha256 : str
        Of the labels, in the order of the rows.
    sizes : list of int
        People in each cluster.
    weights : list of int or None
        Units of weight in each cluster; None where every person counts as one.
    unit : float or None
        How much weight one unit is.
    floor : int
        Fewest people that a cluster may have; with weights, people of mean weight.
    ceiling : int or None
        Most people that a cluster may have; None where there is no such bound.
    attributes : list of AttributeClaim
        One for each sensitive attribute.
    within_bounds : bool or None
        Whether every cell and every cluster's size is within its bounds; None where there are
        bounds neither on shares nor on sizes.
    largest_deviation : float
        Of any cell from its target share, relatively.
    persons_outside : float
        The slack that whole persons force: by how many persons, fractions included, or units of
        weight, the worst cell is outside its band of shares.
    links : LinksClaim or None
        None where there are no links.
    """

    sha256: str
    sizes: list[int]
    weights: list[int] | None
    unit: float | None
    floor: int
    ceiling: int | None
    attributes: list[AttributeClaim]
    within_bounds: bool | None
    largest_deviation: float
    persons_outside: float
    links: LinksClaim | None

    @property
    def bounds_shares(self) -> bool:
        """Whether the groups' shares have bounds; the sizes of clusters may have some without."""
        return any(attribute.lower is not None for attribute in self.attributes)


@dataclass(frozen=True)
class CutClaim:
    """The normalised cut, and below which no cut can be.

    Attributes
    ----------
    value : float
        Of the labels.
    lower_bound : float or None
        Of every clustering within the bounds; None where it was not computed.
    plain_bound : float or None
        Of every clustering into as many clusters.
    multiplier, budget : float
        mu and the bound on ``||F^T H||^2`` that the lower bound rests on.
    failure : float
        The probability that one of the bounds is wrong.
    """

    value: float
    lower_bound: float | None
    plain_bound: float | None
    multiplier: float
    budget: float
    failure: float

    @property
    def gap(self) -> float | None:
        """How much lower, relatively, a cut within the bounds could be at most."""
        if self.lower_bound is None:
            return None
        return max(0.0, self.value - self.lower_bound) / self.value if self.value > 0 else 0.0
