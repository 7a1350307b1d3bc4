"""``fairspectral choose-k``: eigengap, cut, silhouette and fairness over the number of clusters."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairspectral.cli.command import Json, command
from fairspectral.cli.options import InputOptions, MethodOptions, check_tolerance
from fairspectral.progress import report

if TYPE_CHECKING:
    import numpy as np

    from fairspectral.cli.inputs import Prepared

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
    """

    k: int
    eigenvalue: float
    eigengap: float
    normalized_cut: float
    silhouette: float
    balance: float
    certified: bool


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
    first columns.

    [bold]Example:[/bold] fairspectral choose-k people.csv --sensitive sex --max-clusters 12
    """
    from fairspectral.cli.bars import progress_bars
    from fairspectral.cli.display import print_json, solver_summary
    from fairspectral.cli.embedding import embed_input, limit_threads
    from fairspectral.cli.inputs import prepare

    if max_clusters < min_clusters:
        raise ValueError(
            f"--max-clusters {max_clusters} is less than --min-clusters {min_clusters}; swap them."
        )
    check_tolerance(tolerance)
    prepared = prepare(source, method)
    _check_max_clusters(prepared, method, max_clusters)
    with limit_threads(method.threads, prepared.n), progress_bars():
        # One more than requested: the last eigengap needs the next eigenvalue.
        operator, embedding, result = embed_input(prepared, method, max_clusters + 1)
        candidates = []
        for k in range(min_clusters, max_clusters + 1):
            report("rounding", (k - min_clusters) / (max_clusters + 1 - min_clusters))
            candidates.append(
                _candidate(k, prepared.sensitive, operator, embedding, result.eigenvalues,
                           tolerance, method)
            )  # fmt: skip
    best = suggest(candidates)
    if json:
        print_json(
            {
                "suggestion": best.k,
                "candidates": [asdict(c) for c in candidates],
                "solver": solver_summary(result),
            }
        )
    else:
        print_candidates(candidates, best)


def _check_max_clusters(prepared: Prepared, method: MethodOptions, max_clusters: int) -> None:
    """Refuse too many clusters for the fair embedding's dimensions, less one for the last gap."""
    from fairspectral.constraints import encode_groups

    attributes = encode_groups(prepared.sensitive, prepared.n, str(method.attribute_mode))
    constraints = sum(len(attribute.categories) - 1 for attribute in attributes)
    most = prepared.n - constraints - 1
    if max_clusters > most:
        raise ValueError(
            f"--max-clusters {max_clusters} is too many for {prepared.n} rows and {constraints} "
            f"fairness constraint(s); choose at most {most}."
        )


def _candidate(
    k: int,
    sensitive: Any,
    operator: Any,
    embedding: np.ndarray,
    eigenvalues: np.ndarray,
    tolerance: float,
    method: MethodOptions,
) -> Candidate:
    from sklearn.metrics import silhouette_score

    from fairspectral.auditing import audit
    from fairspectral.rounding.fair import fair_assignment

    rows = embedding[:, :k]
    fair = fair_assignment(
        rows,
        sensitive,
        k,
        fairness_tol=tolerance,
        attribute_mode=str(method.attribute_mode),
        affinity=operator,
        effort=str(method.effort),
        time_budget=method.time_budget,
        random_state=method.seed,
    )
    n = len(rows)
    sample = _SILHOUETTE_SAMPLE if n > _SILHOUETTE_SAMPLE else None
    silhouette = silhouette_score(rows, fair.labels, sample_size=sample, random_state=method.seed)
    value, following = float(eigenvalues[k - 1]), float(eigenvalues[k])
    found = audit(fair.labels, sensitive)
    assert fair.normalized_cut is not None
    return Candidate(
        k=k,
        eigenvalue=value,
        eigengap=(value - following) / max(1.0 - following, 1e-300),
        normalized_cut=fair.normalized_cut / k,
        silhouette=float(silhouette),
        balance=min(attribute.representation_ratio for attribute in found.attributes),
        certified=fair.certified,
    )


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
