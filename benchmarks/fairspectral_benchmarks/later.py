"""New people placed by a model of 80 % of everyone, against a fit on everyone.

``python benchmarks/later.py`` runs it. The other rule, the Nystroem extension of the embedding, is
here only: each new person's row is the mean of the rows of the fit, weighted by affinity and over
the eigenvalues, and the cluster is that of the nearest centre, weighted by degree.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering, audit, datasets
from fairspectral.cells import judge_by_tolerance
from fairspectral.metrics import normalized_cut
from fairspectral_benchmarks.pages import fill_in, markdown_table

PAGE = Path(__file__).parents[2] / "docs" / "later.md"
TOLERANCE = 0.2
_TURNS = 5


@dataclass(frozen=True)
class Case:
    """Data by name, the affinity, k, and most rows (a random sample of more)."""

    name: str
    affinity: str
    k: int
    most: int = 10**9

    def load(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and groups."""
        data = getattr(datasets, f"fetch_{self.name}")()
        X, groups = data.X, np.asarray(data.sensitive_features)
        if len(X) > self.most:
            some = np.random.default_rng(0).choice(len(X), self.most, replace=False)
            X, groups = X[some], groups[some]
        return X, groups


CASES = (
    Case("thyroid", "rbf", 5),
    Case("census", "nearest_neighbors", 5),
    Case("census", "rbf", 5, most=6000),
    Case("4area", "nearest_neighbors", 4),
)


def fit(case: Case, X: np.ndarray, groups: np.ndarray, seed: int = 0) -> FairSpectralClustering:
    """A fit with the defaults."""
    model = FairSpectralClustering(
        case.k, affinity=case.affinity, fairness_tol=TOLERANCE, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of components and small groups
        return model.fit(X, sensitive_features=groups)


def nystroem(model: Any, X: np.ndarray) -> np.ndarray:
    """Labels by the extension of the embedding."""
    degrees, U = model.affinity_operator_.degrees, model.embedding_
    k = model.n_clusters
    weights = np.zeros((len(U), k))
    weights[np.arange(len(U)), model.labels_] = degrees
    centres = weights.T @ U / weights.sum(axis=0)[:, None]
    labels = np.empty(len(X), dtype=int)
    for rows, affinities in model._training.affinities(X):
        sums = affinities @ np.column_stack([U, np.ones(len(U))])
        extended = sums[:, :-1] / sums[:, -1:] / model.eigenvalues_
        labels[rows] = np.square(extended[:, None] - centres).sum(axis=2).argmin(axis=1)
    return labels


def seconds(call: Any) -> float:
    """The median time of some calls, after one."""
    call()
    found = []
    for _ in range(_TURNS):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return float(np.median(found))


def measure(case: Case) -> tuple[list[str], list[str]]:
    """A row of each table."""
    X, groups = case.load()
    n = len(X)
    order = np.random.default_rng(1).permutation(n)
    old, new = np.sort(order[: int(0.8 * n)]), np.sort(order[int(0.8 * n) :])
    whole, again = fit(case, X, groups), fit(case, X, groups, seed=1)
    model = fit(case, X[old], groups[old])
    predicted = model.predict(X[new])
    extended = nystroem(model, X[new])
    placed = model.assign(X[new], sensitive_features=groups[new])

    def together(labels: np.ndarray) -> np.ndarray:
        found = np.empty(n, dtype=int)
        found[old], found[new] = model.labels_, labels
        return found

    def agreement(labels: np.ndarray) -> str:
        return f"{adjusted_rand_score(whole.labels_[new], labels):.2f}"

    def cut(labels: np.ndarray) -> str:
        return f"{normalized_cut(together(labels), whole.affinity_operator_):.4g}"

    def beyond(labels: np.ndarray) -> int:
        counts = audit(together(labels), groups).attributes[0].counts
        return int(judge_by_tolerance(counts.T, TOLERANCE).beyond.sum())

    title = f"{case.name}, {case.affinity}, n={n:,}, k={case.k}"
    quality = [
        title,
        agreement(again.labels_[new]),
        f"{adjusted_rand_score(whole.labels_[old], model.labels_):.2f}",
        *(agreement(labels) for labels in (predicted, extended, placed.labels)),
        f"{whole.audit_.normalized_cut:.4g}",
        *(cut(labels) for labels in (predicted, extended, placed.labels)),
    ]
    some = new[:1000]
    shares = [
        title,
        f"{len(new):,}",
        str(beyond(predicted)),
        str(beyond(placed.labels)),
        f"{placed.n_moved:,} ({placed.n_moved / len(new):.1%})",
        str(stream(model, X[new], groups[new])),
        f"{seconds(lambda: model.predict(X[some])):.2f}",
        f"{seconds(lambda: model.assign(X[some], sensitive_features=groups[some])):.2f}",
    ]
    return quality, shares


def stream(model: Any, X: np.ndarray, groups: np.ndarray) -> int:
    """The most persons beyond the bounds after any of 50 small batches."""
    worst = 0
    for batch in np.array_split(np.arange(len(X)), 50):
        placed = model.assign(X[batch], sensitive_features=groups[batch], update=True)
        worst = max(worst, placed.beyond)
    return worst


QUALITY = ["data", "other seed", "the 80 %", "predict", "Nystroem", "assign",
           "cut: fit", "predict", "Nystroem", "assign"]  # fmt: skip
SHARES = ["data", "new people", "beyond: predict", "assign", "moved", "worst of 50 batches",
          "predict, s", "assign, s"]  # fmt: skip


def main() -> int:
    """Print the tables, and write them with --write."""
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    cases = [case for case in CASES if not names or case.name in names]
    rows = []
    for case in cases:
        rows.append(measure(case))
        print(*rows[-1], sep="\n", file=sys.stderr, flush=True)
    tables = {
        "agreement": markdown_table(QUALITY, [one for one, _ in rows]),
        "shares": markdown_table(SHARES, [one for _, one in rows]),
    }
    print("\n\n".join(tables.values()))
    if "--write" in sys.argv[1:]:
        fill_in(PAGE, tables)
    return 0
