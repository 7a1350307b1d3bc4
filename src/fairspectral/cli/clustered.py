"""What ``fairspectral cluster`` says of a fitted model, in words and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairspectral.auditing import Audit
    from fairspectral.cli.inputs import Prepared
    from fairspectral.clustering import FairSpectralClustering
    from fairspectral.frontier import FairnessFrontier
    from fairspectral.resampling.result import Stability


def audit_prepared(model: FairSpectralClustering, prepared: Prepared) -> Audit:
    """The model's audit; for a plain clustering, one that includes the groups."""
    if model.audit_.attributes or (prepared.sensitive is None and prepared.covariates is None):
        return model.audit_
    from fairspectral.auditing import audit

    return audit(
        model.labels_,
        prepared.sensitive,
        model.affinity_operator_,
        constraints=prepared.covariates,
        sample_weight=prepared.people.weights,
        certificate=model.audit_.certificate,
    )


def print_clustering(
    model: FairSpectralClustering,
    found: Audit,
    prepared: Prepared,
    outputs: dict[str, Path | None],
    again: Stability | None,
    seconds: float,
    ended_early: list[str],
) -> None:
    """For people: what was compared, the audit, the verdict, and where everything is."""
    from fairspectral.cli.display import print_audit, print_lines, print_table
    from fairspectral.cli.tables import is_standard

    used = prepared.columns
    if used["numeric"] or used["categorical"]:
        print_lines(
            f"{prepared.n:,} rows compared by {len(used['numeric'])} numeric and "
            f"{len(used['categorical'])} categorical column(s)."
        )
    else:
        print_lines(f"A graph of {prepared.n:,} nodes and {prepared.X.nnz // 2:,} edges.")
    if model.affinity_operator_.choice or model.affinity_operator_.storage:
        print_lines(model.affinity_choice_)
    print_audit(found)
    print_lines(f"Normalised cut {found.normalized_cut:.4g}; {seconds:.1f} s in all.")
    if model.fair_assignment_ is not None and model.fair_assignment_.search:
        print_lines(model.fair_assignment_.search)
    print_lines(*found.certificate.splitlines())
    if model.diagnosis_:
        print_lines(*str(model.diagnosis_).splitlines())
    if again is not None:
        header, *rows = again.table(",")
        print_table(header, rows, title="Which clusters come back on resamples")
        print_lines(again.words)
    print_lines(*ended_early)
    output = outputs["output"]
    if output is not None:
        print_lines(f"Labels: {'standard output' if is_standard(output) else output}")
    for name, key in (("Report", "report"), ("Model", "model_file")):
        if outputs[key] is not None:
            print_lines(f"{name}: {outputs[key]}")
    if output is None and outputs["report"] is None:
        what = "Labels were not" if any(outputs.values()) else "Nothing was"
        print_lines(f"{what} written; pass -o FILE to keep the labels.")


def print_clustering_json(
    model: FairSpectralClustering,
    found: Audit,
    prepared: Prepared,
    outputs: dict[str, Path | None],
    frontier: FairnessFrontier | None,
    again: Stability | None,
    seconds: float,
    ended_early: list[str],
) -> None:
    """For machines: the same as one object, with the labels."""
    from fairspectral.cli.display import audit_summary, print_json, solver_summary

    fair = model.fair_assignment_
    summary: dict[str, Any] = {
        "input": str(prepared.inputs[0]),
        "rows": prepared.n,
        "columns": prepared.columns,
        "affinity": prepared.affinity,
        "affinity_choice": model.affinity_choice_,
        **audit_summary(found),
        "tolerance": None if fair is None else model.fairness_tol,
        "certified": None if fair is None else fair.certified,
        "certificate": found.certificate,
        "links": prepared.people.link_summary(model.labels_, model.n_clusters),
        "diagnosis": [asdict(finding) for finding in model.diagnosis_],
        "set_aside": model.set_aside_.summary(),
        "search": None if fair is None else fair.search_summary(),
        "achieved_tolerance": None if fair is None else fair.achieved_tol,
        "solver": solver_summary(model.solve_result_),
        **{name: None if path is None else str(path) for name, path in outputs.items()},
        "frontier": None if frontier is None else frontier.rows(),
        "stability": None if again is None else again.summary(),
        "notes": [*prepared.notes, *ended_early],
        "seconds": seconds,
    }
    print_json(summary, labels=model.labels_)
