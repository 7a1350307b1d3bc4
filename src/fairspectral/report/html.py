"""The report: one HTML file that can be read without network, server or scripts.

The charts are drawn here, as plain HTML and SVG, and the page's own script only adds hover, the
arrow keys and the theme switch. A charting library would add about 5 MB and show nothing where
scripts are off or on paper.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from fairspectral.anytime import searching
from fairspectral.certificate import Certificate
from fairspectral.describing.description import Description
from fairspectral.describing.fitted import describe_model
from fairspectral.files import write_text
from fairspectral.frontier import FairnessFrontier
from fairspectral.palette import cluster_colour
from fairspectral.report import collect, sections, words
from fairspectral.report.charts import HEIGHT, WIDTH, share_bars
from fairspectral.report.comeback import comeback_bars, compute_stability
from fairspectral.report.comparison import compare, comparison_table
from fairspectral.report.effects import effect_table
from fairspectral.report.moved import MOST_WAYS, find_moved
from fairspectral.report.page import check_target, file_link, labels_file, load_template, page_parts
from fairspectral.report.price import FULL_FRONTIER_SAMPLES, compute_frontier, drawn, own_place
from fairspectral.report.proof import certified_cells, find_certificate
from fairspectral.report.side_by_side import write_comparison
from fairspectral.resampling.result import Stability
from fairspectral.validation import Attribute


def write_report(
    model: Any,
    path: str | os.PathLike,
    *,
    sensitive_features: Any = None,
    title: str | None = None,
    snippet: str | None = None,
    notes: Iterable[str] = (),
    description: Description | None = None,
    plain: bool = True,
    frontier: FairnessFrontier | bool | None = None,
    stability: Stability | bool | None = None,
    certificate: Certificate | bool | None = None,
    random_state: Any = 0,
) -> Path:
    """Write the report of a fitted model as one self-contained HTML file.

    Parameters
    ----------
    model : FairSpectralClustering, or a list of them
        Fitted. Several are shown side by side, as by `write_comparison`.
    path : path-like
        The file to write; it appears whole or not at all.
    sensitive_features : array, Series, DataFrame or None
        As given to ``fit``; None takes those that the model kept.
    title : str or None
        Heading of the page.
    snippet : str or None
        Code that repeats the run; None writes it from the model's parameters.
    notes : iterable of str
        Sentences about the data that the reader should know, such as what was left out.
    description : Description or None
        What distinguishes the clusters, such as ``model.describe(X)``; None names typical members
        only, because the model does not keep the data.
    plain : bool
        Whether to cluster without groups and without bounds too, to show what fairness cost.
    frontier : FairnessFrontier, bool or None
        The price of fairness to draw; True computes it, False leaves it out, None computes it
        for up to 5,000 samples, and for up to 50,000 with little effort if the affinities are
        in memory. The model's own labels are its point at the model's tolerance; if a search
        at another tolerance finds a lower cut within the same bounds, the page says so.
    stability : Stability, bool or None
        Which clusters come back, to show; True computes it, False leaves it out, None computes
        it for up to 5,000 samples if the affinities are in memory.
    certificate : Certificate, bool or None
        What is claimed, to show and to download; True computes it, False leaves it out, None
        shows it if the model has it already, or if its bounds take seconds.
    random_state : int or None
        Seed of plain clustering and of the sample that is drawn.

    Returns
    -------
    Path
        The file written.
    """
    target = Path(path)
    check_target(target)
    if isinstance(model, list | tuple):
        if isinstance(stability, Stability):
            raise TypeError("stability is of one model; for several pass True, False or None.")
        return write_comparison(
            model, target, title=title, snippet=snippet, notes=notes, stability=stability
        )
    page = render_report(
        model,
        sensitive_features=sensitive_features,
        title=title,
        snippet=snippet,
        notes=notes,
        description=description,
        plain=plain,
        frontier=frontier,
        stability=stability,
        certificate=certificate,
        random_state=random_state,
    )
    write_text(target, page)
    return target


def render_report(
    model: Any,
    *,
    sensitive_features: Any = None,
    title: str | None = None,
    snippet: str | None = None,
    notes: Iterable[str] = (),
    description: Description | None = None,
    plain: bool = True,
    frontier: FairnessFrontier | bool | None = None,
    stability: Stability | bool | None = None,
    certificate: Certificate | bool | None = None,
    random_state: Any = 0,
) -> str:
    """The page itself; parameters as in `write_report`."""
    template = load_template("page.html.jinja")
    check_is_fitted(model, "labels_")
    collect.check_unchanged(model)
    attributes = collect.read_attributes(model, sensitive_features)
    fair = bool(model.audit_.attributes)
    # With few samples the threads of k-means spend their time waiting for each other.
    small = len(model.labels_) <= FULL_FRONTIER_SAMPLES
    with searching(), threadpool_limits(1, user_api="openmp") if small else nullcontext():
        price = _price(model, attributes, frontier, random_state)
        wanted = plain and fair
        other = compare(model, attributes, random_state, price) if wanted else None
        again = compute_stability(model, stability)
        claims = find_certificate(model, certificate)
    judgement = collect.judge(model)
    stopped = wanted and model.fair_assignment_ is not None and other is None
    moved = None
    if other is not None and judgement is not None and model.fair_assignment_ is not None:
        moved = find_moved(model, attributes, other, judgement)
    if description is None:
        description = describe_model(model, attributes=attributes)
    image = sections.picture(model, attributes, random_state)
    return template.render(
        **page_parts(title or "Fair spectral clustering"),
        notes=tuple(notes),
        verdict=words.verdict(model, judgement, other),
        diagnosis=model.diagnosis_,
        judgement=judgement,
        audit=model.audit_,
        shares=[share_bars(model.audit_.clusters, a) for a in model.audit_.attributes],
        other=other,
        stopped=stopped,
        other_shares=(
            [share_bars(model.audit_.clusters, a) for a in other.unbounded.audit.attributes]
            if other
            else []
        ),
        comparison=comparison_table(model, other) if other else None,
        moved=moved,
        moved_file=file_link(moved.to_csv([a.name for a in attributes])) if moved else "",
        labels_file=labels_file(model.labels_),
        most_ways=MOST_WAYS,
        description=description,
        effects=effect_table(description),
        stability=again,
        comeback=comeback_bars(again) if again else None,
        picture=image,
        width=WIDTH,
        height=HEIGHT,
        colours=[cluster_colour(i) for i in range(model.n_clusters)],
        certificate=claims,
        certificate_file=file_link(claims.to_json(), "application/json") if claims else "",
        certified_cells=certified_cells(claims) if claims else [],
        frontier=price,
        price_chart=sections.price_chart(price, model) if price and drawn(price) else None,
        price_marked=price is not None and own_place(price, model) is not None,
        price_words=words.price(price, model) if price else "",
        tolerance_names=price.tolerance_names if price else [],
        affinity_choice=model.affinity_operator_.choice,
        result=model.solve_result_,
        convergence=sections.convergence_chart(model),
        assignment=model.fair_assignment_,
        parameters=collect.parameters(model),
        versions=collect.versions(),
        snippet=snippet or collect.snippet(model),
        n=len(model.labels_),
        points={
            **image.scatter.points,
            "group": image.group_codes,
            "groups": image.groups,
            "attribute": image.attribute,
            "clusters": [str(c) for c in model.audit_.clusters],
        },
    )


def _price(
    model: Any, attributes: tuple[Attribute, ...], frontier: Any, random_state: Any
) -> FairnessFrontier | None:
    if isinstance(frontier, FairnessFrontier):
        return frontier
    if frontier is False:
        return None
    return compute_frontier(model, attributes, always=bool(frontier), random_state=random_state)
