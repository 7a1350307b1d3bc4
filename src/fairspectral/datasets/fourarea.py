"""4area: computer scientists, by research area."""

from __future__ import annotations

import os

import numpy as np
from sklearn.preprocessing import StandardScaler

from fairspectral.datasets._fetch import RemoteFile, Source
from fairspectral.datasets._parse import read_numbers
from fairspectral.datasets.base import Dataset

# The checksum is that of a copy of this file, not of our own download.
SOURCE = Source(
    name="4area",
    files=(
        RemoteFile(
            "4area.csv",
            "https://raw.githubusercontent.com/FaroukY/KFC-ScalableFairClustering/"
            "670a37f18d20fc5169a9b32cb4248eeb9adc3dc7/data/4area.csv",
            "17cf978e8fcc1c21263e6d6d8c69a77eed60538460501f65ee3464ce466f4c08",
        ),
    ),
    url="https://github.com/FaroukY/KFC-ScalableFairClustering",
    licence="MIT, by the README of the repository",
    citation='S. Ahmadian, A. Epasto, R. Kumar and M. Mahdian, "Clustering without '
    'over-representation", KDD 2019, doi:10.1145/3292500.3330987; recreated from DBLP for '
    'E. Harb and H. S. Lam, "KFC: a scalable approximation algorithm for k-center fair '
    'clustering", NeurIPS 2020',
)

N_COORDINATES = 8


def fetch_4area(
    *, standardize: bool = False, data_home: str | os.PathLike | None = None
) -> Dataset:
    """Load 4area: 35,385 researchers in eight coordinates, grouped by research area.

    The coordinates are an embedding of the co-authorship graph, made by the publisher. The
    areas are databases, data mining, information retrieval and machine learning; the file has
    only the numbers 0 to 3 and the publisher does not say which is which, so the groups are
    called "area 0" to "area 3".

    Parameters
    ----------
    standardize : bool
        Give every coordinate mean 0 and variance 1; otherwise they are as published.
    data_home : path-like, optional
        Folder with the data files; by default the one that the environment variable
        FAIRSPECTRAL_DATA names, else the user's cache, into which missing files are
        downloaded.

    Returns
    -------
    Dataset
        With `X` of shape (35385, 8) and four groups.
    """
    table = read_numbers(SOURCE.paths(data_home)[0], 1 + N_COORDINATES, header=True)
    X = np.ascontiguousarray(table[:, 1:])
    return SOURCE.dataset(
        sensitive_features=np.array([f"area {int(code)}" for code in table[:, 0]]),
        X=StandardScaler().fit_transform(X) if standardize else X,
        feature_names=tuple(f"coordinate {j}" for j in range(1, N_COORDINATES + 1)),
    )
