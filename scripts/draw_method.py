"""Draw the method from the data to the certificate: ``python scripts/draw_method.py``.

Writes ``docs/images/method.svg``. The picture is of a real run on 48 people, in five panels: the
people, their graph of neighbours, their fair embedding, the shares with their bounds, the
certificate. It has a background of its own, so that it is legible on white and on dark pages.
"""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

from fairspectral import FairSpectralClustering
from fairspectral.palette import MARKERS, cluster_colour, group_colours, ink_on

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images" / "method.svg"
WIDTH, HEIGHT, SIDE, GAP, TOP = 960, 268, 168, 24, 58
PANELS = (
    ("Table or graph", "people of two groups"),
    ("Affinity", "who is similar to whom"),
    ("Fair embedding", "each axis blind to the groups"),
    ("Rounding in bounds", "shares in whole persons"),
    ("Certificate", "counted from the labels"),
)
STYLE = """
    text { fill: #102027; text-anchor: middle; font-size: 12px }
    .name { font-weight: bold; font-size: 14px }
    .what { fill: #37474f }
    .panel { fill: #f5f7f8; stroke: #90a4ae }
    .way { stroke: #37474f; stroke-width: 1.8; fill: none; marker-end: url(#tip) }
    .edge { stroke: #90a4ae; stroke-width: .5 }
    .bound { stroke: #102027; stroke-width: 1.5 }
"""


def main(target: Path = TARGET) -> None:
    """Cluster the people and write the picture."""
    people, groups = make_people()
    model = FairSpectralClustering(
        3, affinity="nearest_neighbors", n_neighbors=10, fairness_tol=0.25, random_state=0
    )
    model.fit(people, sensitive_features=groups)
    edges = np.argwhere(np.triu(model.affinity_operator_.stored_weights.toarray(), 1))
    at = placed(people)
    panels = (
        dots(at, groups),
        lines(at, edges) + dots(at, groups),
        dots(placed(model.embedding_[:, 1:]), groups, model.labels_),
        bars(model.fair_assignment_),
        certificate(model),
    )
    target.write_text(drawing(panels), encoding="utf-8")
    print(f"{target.name}: {target.stat().st_size / 1000:.0f} kB")


def make_people() -> tuple[np.ndarray, np.ndarray]:
    """Three neighbourhoods with two sides each; one side is mostly of one group."""
    rng = np.random.default_rng(1)
    centres = np.array([(x, y) for x in (0, 2.5, 5.0) for y in (0, 2.3)])
    side = np.repeat(np.arange(6), 8)
    people = centres[side] + 0.55 * rng.standard_normal((48, 2))
    return people, np.where(rng.random(48) < 0.88, side % 2, 1 - side % 2)


def placed(points: np.ndarray) -> np.ndarray:
    """Points moved and scaled into a panel, with a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    return 16 + (SIDE - 32) * (points - low) / (high - low)


def dots(at: np.ndarray, groups: np.ndarray, labels: np.ndarray | None = None) -> str:
    """The people: the shape is the group; the colour is the cluster, or without one the group."""
    drawn = []
    for place, group in enumerate(groups):
        colour = group_colours(2)[group] if labels is None else cluster_colour(labels[place])
        x, y = at[place]
        drawn.append(f'<path fill="{colour}" d="M{x:.1f} {y:.1f}{MARKERS[group].path}"/>')
    return "".join(drawn)


def lines(at: np.ndarray, edges: np.ndarray) -> str:
    """The edges of the graph."""
    ends = (f"M{at[a][0]:.1f} {at[a][1]:.1f}L{at[b][0]:.1f} {at[b][1]:.1f}" for a, b in edges)
    return f'<path class="edge" d="{"".join(ends)}"/>'


def bars(fair: object) -> str:
    """The persons of each group in each cluster, with the bounds of the first group."""
    scale, drawn = (SIDE - 40) / fair.sizes.max(), []
    for cluster, size in enumerate(fair.sizes.tolist()):
        y, x = 22 + 48 * cluster, 20.0
        for group, count in enumerate(fair.table[:, cluster].tolist()):
            colour = group_colours(2)[group]
            drawn.append(
                f'<rect x="{x:.1f}" y="{y}" width="{count * scale:.1f}" height="26" '
                f'fill="{colour}"/><text x="{x + count * scale / 2:.1f}" y="{y + 18}" '
                f'style="fill:{ink_on(colour)}">{count}</text>'
            )
            x += count * scale
        for bound in (fair.lower[0, cluster], fair.upper[0, cluster]):
            drawn.append(f'<path class="bound" d="M{20 + bound * scale:.1f} {y - 5}v36"/>')
        drawn.append(
            f'<circle cx="10" cy="{y + 13}" r="5" fill="{cluster_colour(cluster)}"/>'
            f"<title>cluster {cluster}: {size} persons</title>"
        )
    return "".join(drawn)


def certificate(model: FairSpectralClustering) -> str:
    """What the model claims, in four lines."""
    fair = model.fair_assignment_
    cells = fair.table.size
    said = (
        "Certified" if fair.certified else "Not certified",
        f"{cells} of {cells} cells in bounds",
        f"deviation {fair.achieved_tol:.0%} at most",
        f"cut {model.audit_.normalized_cut:.2f} of {model.n_clusters}",
    )
    mark = '<path d="M70 34l10 11l20-24" fill="none" stroke="#009E73" stroke-width="6"/>'
    text = "".join(
        f'<text class="{"what" if place else "name"}" x="{SIDE // 2}" y="{74 + 24 * place}">'
        f"{escape(line)}</text>"
        for place, line in enumerate(said)
    )
    return mark + text


def drawing(panels: tuple[str, ...]) -> str:
    """The five panels in a row, with arrows between them."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="Verdana, Helvetica, sans-serif">',
        "<title>From a table or a graph to fair clusters with a certificate</title>",
        "<!-- made by python scripts/draw_method.py -->",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#37474f"/></marker></defs>',
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#fff"/>',
    ]
    for place, ((name, what), panel) in enumerate(zip(PANELS, panels, strict=True)):
        left = 12 + place * (SIDE + GAP)
        parts.append(
            f'<g transform="translate({left} {TOP})"><text class="name" x="{SIDE // 2}" y="-26">'
            f'{place + 1}. {name}</text><text class="what" x="{SIDE // 2}" y="-9">{what}</text>'
            f'<rect class="panel" width="{SIDE}" height="{SIDE}" rx="6"/>{panel}</g>'
        )
        if place:
            parts.append(f'<path class="way" d="M{left - GAP + 2} {TOP + SIDE // 2}h{GAP - 5}"/>')
    parts.append(
        f'<text class="what" x="{WIDTH // 2}" y="{HEIGHT - 14}">circles and triangles: the two '
        "groups; colours in 3 and 4: the clusters; strokes in 4: the fewest and the most allowed"
        "</text></svg>\n"
    )
    return "\n".join(parts)


if __name__ == "__main__":
    main()
