"""The tables on which affinities are compared."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from fairspectral.cli.tables import Table as ReadTable
from fairspectral.cli.tables import encode_features
from fairspectral.datasets import fetch_4area, fetch_thyroid, load_diabetes_patients
from fairspectral.datasets.census import GROUP, NOT_FEATURES, NUMERIC, SOURCE, read_columns

MOST_ROWS = 2000


@dataclass(frozen=True)
class Table:
    """Rows to cluster.

    Attributes
    ----------
    name : str
    X : ndarray or DataFrame
        Numbers, standardised unless they have one unit; or numbers, categories and missing values.
    k : int
        Clusters.
    classes : ndarray or None
        The right clusters, where they are known.
    groups : ndarray
        The sensitive attribute; two random groups where the data have none.
    """

    name: str
    X: Any
    k: int
    classes: np.ndarray | None
    groups: np.ndarray

    @property
    def mixed(self) -> bool:
        """Whether there are categories or missing values."""
        return isinstance(self.X, pd.DataFrame)

    def rows(self, rows: np.ndarray) -> Any:
        """Some rows of X."""
        return self.X.iloc[rows].reset_index(drop=True) if self.mixed else self.X[rows]


def as_numbers(X: Any) -> np.ndarray:
    """Mixed columns as the command encodes them for a kernel; numbers as they are."""
    if not isinstance(X, pd.DataFrame):
        return X
    return encode_features(ReadTable(Path("table"), X)).X


def standardised(X: np.ndarray) -> np.ndarray:
    return StandardScaler().fit_transform(X)


def table(name: str, X: Any, k: int, classes: Any = None, groups: Any = None) -> Table:
    """A table of at most `MOST_ROWS` rows, with random groups where there are none."""
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(X))[:MOST_ROWS])
    halves = rng.permutation(np.arange(len(X)) % 2) if groups is None else groups
    whole = Table(name, X, k, classes, halves)
    kept = None if classes is None else classes[rows]
    return Table(name, whole.rows(rows), k, kept, halves[rows])


def all_tables():
    """The tables of the page, in its order."""
    yield from of_scikit_learn()
    yield from of_the_paper()
    yield from generated()


def of_scikit_learn():
    for name, k in (("iris", 3), ("wine", 3), ("breast_cancer", 2)):
        data = getattr(datasets, f"load_{name}")()
        yield table(name.replace("_", " "), standardised(data.data), k, data.target)
    digits = datasets.load_digits()
    some = np.sort(np.random.default_rng(0).permutation(len(digits.data))[:1000])
    yield table("digits", digits.data[some], 10, digits.target[some])  # pixels have one unit
    patients = load_diabetes_patients()
    yield table("diabetes patients", patients.X, 4, groups=patients.sensitive_features)


def in_their_own_units() -> Iterator[Table]:
    """Tables as they were measured, each column in its unit, and principal components."""
    for name, k in (("iris", 3), ("wine", 3), ("breast_cancer", 2), ("digits", 10)):
        data = getattr(datasets, f"load_{name}")()
        name = name.replace("_", " ")
        yield table(name, data.data, k, data.target)
        X = data.data if name == "digits" else standardised(data.data)
        components = PCA(min(20, X.shape[1])).fit_transform(X)
        yield table(f"{name}, principal components", components, k, data.target)
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=600)
    age = 30 + 15 * kind + 4 * rng.standard_normal(600)
    income = 20_000 + 9_000 * (2 * kind % 3) + 4_000 * rng.standard_normal(600)
    yield table("age and income", np.c_[age, income], 3, kind)
    patients = datasets.load_diabetes(scaled=False)
    yield table("diabetes patients", patients.data, 4)


def of_the_paper():
    """The paper's tables, whose right clusters are not known."""
    if not os.environ.get("FAIRSPECTRAL_DATA"):
        return
    columns = read_columns(SOURCE.paths(None)[0])
    census = pd.DataFrame(
        {
            name: values.astype(float) if name in NUMERIC else missing_marks(values)
            for name, values in columns.items()
            if name not in NOT_FEATURES
        }
    )
    yield table("Census", census, 4, groups=columns[GROUP])
    for data, k in ((fetch_thyroid(), 3), (fetch_4area(), 4)):
        yield table(data.name, data.X, k, groups=data.sensitive_features)


def missing_marks(values: np.ndarray) -> Any:
    """Text with a missing value in place of every question mark."""
    return pd.Series(values, dtype=object).mask(values == "?")


def generated(seed: int = 0) -> Iterator[Table]:
    """Tables with planted clusters; another seed gives others of the same kind."""
    X, y = datasets.make_moons(500, noise=0.08, random_state=seed)
    yield table("moons", standardised(X), 2, y)
    X, y = datasets.make_circles(500, noise=0.06, factor=0.5, random_state=seed)
    yield table("circles", standardised(X), 2, y)
    X, y = datasets.make_blobs(
        [250, 250, 250],
        centers=[[0, 0], [6, 0], [3, 5]],
        cluster_std=[0.4, 1.0, 2.0],
        random_state=seed,
    )
    yield table("blobs of unequal variance", standardised(X), 3, y)
    yield noisy_blobs(16, seed)
    yield mixed_clusters(seed)


def noisy_blobs(extra: int, seed: int = 0) -> Table:
    """Four blobs in four columns, and `extra` columns of noise."""
    X, y = datasets.make_blobs(600, 4, centers=4, cluster_std=2.0, random_state=seed + 1)
    noise = np.random.default_rng(seed).standard_normal((600, extra))
    name = f"blobs with {extra} columns of noise"
    return table(name, np.hstack([standardised(X), noise]), 4, y)


def mixed_clusters(seed: int = 0, n: int = 600, k: int = 4) -> Table:
    """Clusters in four numbers, one of them skewed, and four categories; 10% missing."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(k, size=n)
    numbers = 1.4 * rng.standard_normal((k, 4))[classes] + rng.standard_normal((n, 4))
    numbers[:, 0] = np.exp(numbers[:, 0])
    frame = pd.DataFrame(numbers, columns=[f"number {j}" for j in range(4)])
    for j in range(4):
        names = np.array([f"value {v}" for v in range(3 + j)], dtype=object)
        usual = rng.integers(len(names), size=k)[classes]
        other = rng.integers(len(names), size=n)
        frame[f"category {j}"] = names[np.where(rng.random(n) < 0.7, usual, other)]
    return table("mixed, 10% missing", frame.mask(rng.random(frame.shape) < 0.1), k, classes)


def with_random_category(known: Table) -> Table:
    """A table of numbers with one more column, a category that means nothing."""
    frame = pd.DataFrame(known.X, columns=[f"column {j}" for j in range(known.X.shape[1])])
    letters = np.array(["x", "y", "z"], dtype=object)
    frame["category"] = letters[np.random.default_rng(0).integers(3, size=len(frame))]
    return Table(f"{known.name} and a category", frame, known.k, known.classes, known.groups)
