"""The report: one HTML file that can be read without network, server or scripts.

The charts are drawn here, as plain HTML and SVG, and the page's own script only adds hover, the
arrow keys and the theme switch. A charting library would add about 5 MB and show nothing where
scripts are off or on paper.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable
from contextlib import nullcontext
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from fairspectral.describing.description import Description
from fairspectral.describing.fitted import describe_model
from fairspectral.files import write_text
from fairspectral.frontier import FairnessFrontier
from fairspectral.palette import cluster_colour
from fairspectral.report import collect, sections, words
from fairspectral.report.charts import HEIGHT, WIDTH, share_bars
from fairspectral.report.comparison import compare, comparison_table
from fairspectral.report.effects import effect_table
from fairspectral.report.moved import MOST_WAYS, csv_text, find_moved
from fairspectral.report.price import FULL_FRONTIER_SAMPLES, compute_frontier, own_place
from fairspectral.validation import Attribute

# Above this many, the labels are not in the page.
MOST_LABELS = 100_000


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
    random_state: Any = 0,
) -> Path:
    """Write the report of a fitted model as one self-contained HTML file.

    Parameters
    ----------
    model : FairSpectralClustering
        Fitted.
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
    random_state : int or None
        Seed of plain clustering and of the sample that is drawn.

    Returns
    -------
    Path
        The file written.
    """
    target = Path(path)
    _check_target(target)
    page = render_report(
        model,
        sensitive_features=sensitive_features,
        title=title,
        snippet=snippet,
        notes=notes,
        description=description,
        plain=plain,
        frontier=frontier,
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
    random_state: Any = 0,
) -> str:
    """The page itself; parameters as in `write_report`."""
    environment = make_environment()
    check_is_fitted(model, "labels_")
    collect.check_unchanged(model)
    attributes = collect.read_attributes(model, sensitive_features)
    fair = bool(model.audit_.attributes)
    # With few samples the threads of k-means spend their time waiting for each other.
    small = len(model.labels_) <= FULL_FRONTIER_SAMPLES
    with threadpool_limits(1, user_api="openmp") if small else nullcontext():
        price = _price(model, attributes, frontier, random_state)
        wanted = plain and fair
        other = compare(model, attributes, random_state, price) if wanted else None
    judgement = collect.judge(model)
    moved = None
    if other is not None and judgement is not None and model.fair_assignment_ is not None:
        moved = find_moved(model, attributes, other, judgement)
    if description is None:
        description = describe_model(model, attributes=attributes)
    image = sections.picture(model, attributes, random_state)
    script = asset("base.js") + asset("script.js")
    return environment.get_template("page.html.jinja").render(
        title=title or "Fair spectral clustering",
        style=asset("style.css"),
        script=script,
        # The page may only run this script and load nothing, whatever the data contain.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        notes=tuple(notes),
        verdict=words.verdict(model, judgement, other),
        diagnosis=model.diagnosis_,
        judgement=judgement,
        audit=model.audit_,
        shares=[share_bars(model.audit_.clusters, a) for a in model.audit_.attributes],
        other=other,
        other_shares=(
            [share_bars(model.audit_.clusters, a) for a in other.unbounded.audit.attributes]
            if other
            else []
        ),
        comparison=comparison_table(model, other) if other else None,
        moved=moved,
        moved_file=_file(moved.to_csv([a.name for a in attributes])) if moved else "",
        labels_file=_labels_file(model.labels_),
        most_ways=MOST_WAYS,
        description=description,
        effects=effect_table(description),
        picture=image,
        width=WIDTH,
        height=HEIGHT,
        colours=[cluster_colour(i) for i in range(model.n_clusters)],
        frontier=price,
        price_chart=sections.price_chart(price, model) if price else None,
        price_marked=price is not None and own_place(price, model) is not None,
        price_words=words.price(price, model) if price else "",
        tolerance_names=price.tolerance_names if price else [],
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


def _file(text: str) -> str:
    """A file in a link, so that the page needs no other."""
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()


def _labels_file(labels: np.ndarray) -> str:
    """Everybody's cluster to download, unless that would make the page slow."""
    if len(labels) > MOST_LABELS:
        return ""
    return _file(csv_text({"row": np.arange(1, len(labels) + 1), "cluster": labels}))


def make_environment(*folders: str) -> Any:
    """Where the templates are found: in the report's folder, and in others of the package."""
    try:
        import jinja2
    except ImportError:
        raise ImportError(
            "the report needs jinja2; install it with pip install 'fairspectral[report]'."
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("fairspectral", at) for at in (*folders, "report/template")]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["signed"] = words.signed

    return environment


def asset(name: str) -> str:
    """A file of the page: its style, or a script."""
    return files("fairspectral.report").joinpath("template", name).read_text(encoding="utf-8")


def _check_target(target: Path) -> None:
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"the folder {str(target.parent)!r} of the report does not exist; make it first or "
            "choose another path."
        )
    if target.is_dir():
        raise IsADirectoryError(
            f"the report's path {str(target)!r} is a folder; add a file name such as report.html."
        )
