"""``fairspectral choose-k``: eigengap, cut, silhouette and fairness over the number of clusters."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from fairspectral.cli.command import Json, command
from fairspectral.cli.options import InputOptions, MethodOptions, check_tolerance
from fairspectral.progress import report

if TYPE_CHECKING:
    from fairspectral.affinity.fringe import Fringe
    from fairspectral.cli.inputs import Prepared
    from fairspectral.rounding.plan import RoundingPlan
    from fairspectral.set_aside import SetAside
    from fairspectral.solvers.result import SolveResult
    from fairspectral.validation import Attribute

_SILHOUETTE_SAMPLE = 2000


@dataclass(frozen=True)
class Candidate:
    """One number of clusters and its criteria.

    Attributes
    ----------
    k : int
        Clusters.
    eigenvalue : float
        The k-th of the fair affinity; 1 is perfectly separated.
    eigengap : float
        Position of the k-th eigenvalue between the (k+1)-th and 1,
        ``(l_k - l_k+1) / (1 - l_k+1)``.
    normalized_cut : float
        Cut of the fair clusters, divided by k: the mean share of a cluster's affinity that
        leaves it.
    silhouette : float
        In the embedding, on a sample.
    balance : float
        The smallest ratio of a group's share of a cluster to its share of everyone.
    certified : bool
        Whether every group is within the tolerance.
    set_aside : int
        People in components too small to be a cluster, who had no part in the embedding.
    """

    k: int
    eigenvalue: float
    eigengap: float
    normalized_cut: float
    silhouette: float
    balance: float
    certified: bool
    set_aside: int = 0


@command
def choose_k(
    source: InputOptions,
    method: MethodOptions,
    min_clusters: Annotated[int, typer.Option(min=2, help="Smallest number to try.")] = 2,
    max_clusters: Annotated[int, typer.Option(min=2, help="Largest number to try.")] = 10,
    tolerance: Annotated[
        float, typer.Option(help="Of the shares, as in the command cluster.")
    ] = 0.2,
    json: Json = False,
) -> None:
    """Compare numbers of clusters by eigengap, cut, silhouette and fairness, and suggest one.

    The embedding is computed once, for the largest number: the one for fewer clusters is its
    first columns. Components too small to be a cluster are set aside before it; where these are
    others for fewer clusters, which must be larger, there is a second embedding.

    [bold]Example:[/bold] fairspectral choose-k people.csv --sensitive sex --max-clusters 12
    """
    from fairspectral.cli.bars import progress_bars
    from fairspectral.cli.display import print_json, print_lines, solver_summary
    from fairspectral.cli.embedding import limit_threads
    from fairspectral.cli.inputs import prepare

    if max_clusters < min_clusters:
        raise ValueError(
            f"--max-clusters {max_clusters} is less than --min-clusters {min_clusters}; swap them."
        )
    check_tolerance(tolerance)
    prepared = prepare(source, method)
    attributes = _check_max_clusters(prepared, method, max_clusters)
    with limit_threads(method.threads, prepared.n), progress_bars():
        trial = _Trial(prepared, attributes, method, tolerance, max_clusters)
        candidates = []
        for k in range(min_clusters, max_clusters + 1):
            done = (k - min_clusters) / (max_clusters + 1 - min_clusters)
            candidates.append(trial.candidate(k, done))
    best = suggest(candidates)
    if json:
        print_json(
            {
                "suggestion": best.k,
                "candidates": [asdict(c) for c in candidates],
                "affinity_choice": trial.affinity_choice,
                "solver": solver_summary(trial.result),
            }
        )
    else:
        print_lines(*filter(None, [trial.affinity_choice]))
        print_candidates(candidates, best)
        print_lines(*trial.said)


def _check_max_clusters(
    prepared: Prepared, method: MethodOptions, max_clusters: int
) -> tuple[Attribute, ...]:
    """The groups; refuse too many clusters for the embedding's dimensions, less one for the gap."""
    from fairspectral.constraints import encode_groups

    attributes = encode_groups(prepared.sensitive, prepared.n, str(method.attribute_mode))
    constraints = sum(len(attribute.categories) - 1 for attribute in attributes)
    most = prepared.n - constraints - 1
    if max_clusters > most:
        raise ValueError(
            f"--max-clusters {max_clusters} is too many for {prepared.n} rows and {constraints} "
            f"fairness constraint(s); choose at most {most}."
        )
    return attributes


class _Trial:
    """Clusters the same data into several numbers of clusters.

    Parameters
    ----------
    prepared, attributes, method, tolerance
        The data and the options.
    max_clusters : int
        The largest number that will be asked for.

    Attributes
    ----------
    result : SolveResult
        How the solver of the last embedding ended.
    """

    result: SolveResult

    def __init__(
        self,
        prepared: Prepared,
        attributes: tuple[Attribute, ...],
        method: MethodOptions,
        tolerance: float,
        max_clusters: int,
    ) -> None:
        from fairspectral.cli.embedding import make_input_operator

        self._operator = make_input_operator(prepared, method)
        self._attributes, self._sensitive = attributes, prepared.sensitive
        self._method, self._tolerance = method, tolerance
        # One more than requested: the last eigengap needs the next eigenvalue.
        self._columns = max_clusters + 1
        self._fringe: Fringe | None = None
        # Who was set aside, and from which number of clusters on.
        self._aside: list[tuple[int, SetAside]] = []

    @property
    def affinity_choice(self) -> str:
        """Which affinity was chosen and why; empty where the user chose."""
        return self._operator.choice

    @property
    def said(self) -> list[str]:
        """Who was set aside, in sentences."""
        if len(self._aside) == 1:
            (_, aside), *_ = self._aside
            return [f"{aside.people}."] if aside else []
        return [f"From {k} clusters on: {aside.people}." for k, aside in self._aside]

    def candidate(self, k: int, done: float) -> Candidate:
        """The criteria of one number of clusters; `done` is the fraction of all numbers so far."""
        from sklearn.metrics import silhouette_score

        from fairspectral.auditing import audit
        from fairspectral.rounder import Rounder
        from fairspectral.rounding.placement import complete_rows
        from fairspectral.rounding.plan import plan_rounding

        method = self._method
        plan = plan_rounding(
            self._attributes,
            k,
            fairness_tol=self._tolerance,
            effort=str(method.effort),
            time_budget=method.time_budget,
        )
        fringe = self._embed_for(plan)
        report("clusterings", done)
        rounder = Rounder(
            self._rows[:, :k],
            self._attributes,
            self._operator,
            fringe=fringe,
            random_state=method.seed,
        )
        fair = rounder.round(plan)
        assert fair.normalized_cut is not None
        rows = complete_rows(rounder.rows, fair.labels, fringe, k)
        sample = _SILHOUETTE_SAMPLE if len(rows) > _SILHOUETTE_SAMPLE else None
        value, following = (float(x) for x in self.result.eigenvalues[k - 1 : k + 1])
        found = audit(fair.labels, self._sensitive)
        return Candidate(
            k=k,
            eigenvalue=value,
            eigengap=(value - following) / max(1.0 - following, 1e-300),
            normalized_cut=fair.normalized_cut / k,
            silhouette=float(
                silhouette_score(rows, fair.labels, sample_size=sample, random_state=method.seed)
            ),
            balance=min(attribute.representation_ratio for attribute in found.attributes),
            certified=fair.certified,
            set_aside=len(rows) - len(fringe.kept),
        )

    def _embed_for(self, plan: RoundingPlan) -> Fringe:
        """Who is set aside for these clusters; embed the others, unless they are the same again."""
        import numpy as np

        from fairspectral.cli.embedding import embed_kept
        from fairspectral.set_aside import SetAside, choose_aside

        fringe = choose_aside(self._operator, plan, self._columns)
        if self._fringe is None or not np.array_equal(fringe.piece, self._fringe.piece):
            self._rows, self.result = embed_kept(
                self._operator, self._attributes, fringe, self._method, self._columns
            )
            self._fringe = fringe
            aside = SetAside.of(fringe, fringe.piece, plan.smallest)
            self._aside.append((plan.n_clusters, aside))
        return fringe


def suggest(candidates: list[Candidate]) -> Candidate:
    """The number with the largest eigengap; the smaller of two equal ones."""
    return max(candidates, key=lambda c: (c.eigengap, -c.k))


def print_candidates(candidates: list[Candidate], best: Candidate) -> None:
    """The table, and the suggestion in words."""
    from fairspectral.cli.display import print_lines, print_table

    header = ["k", "eigenvalue", "eigengap", "cut / k", "silhouette", "smallest ratio", "fair"]
    rows = [
        [
            f"{c.k}{' *' if c is best else ''}",
            f"{c.eigenvalue:.4f}",
            f"{c.eigengap:.1%}",
            f"{c.normalized_cut:.4f}",
            f"{c.silhouette:.3f}",
            f"{c.balance:.3f}",
            "yes" if c.certified else "no",
        ]
        for c in candidates
    ]
    print_table(header, rows)
    compact = max(candidates, key=lambda c: c.silhouette)
    advice = f"Suggestion: {best.k} clusters, where the eigengap is largest"
    if compact is best:
        print_lines(f"{advice}; the silhouette agrees.")
    else:
        print_lines(f"{advice}; the silhouette is best at {compact.k}.")
