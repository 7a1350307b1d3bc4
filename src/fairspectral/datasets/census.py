"""Census: adults of the United States in 1994, by marital status."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
from sklearn.preprocessing import StandardScaler

from fairspectral.datasets._fetch import RemoteFile, Source
from fairspectral.datasets._parse import read_text, unreadable
from fairspectral.datasets.base import Dataset
from fairspectral.parameters import check_choice

SOURCE = Source(
    name="Census",
    files=(
        RemoteFile(
            "adult.data",
            "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
            "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        ),
    ),
    url="https://archive.ics.uci.edu/dataset/2/adult",
    licence="CC BY 4.0",
    citation='R. Kohavi, "Scaling up the accuracy of naive-Bayes classifiers: a '
    'decision-tree hybrid", KDD 1996; data doi:10.24432/C5XW20',
)

# The columns of the file, in order.
COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
GROUP = "marital-status"
# Not features: a sampling weight and the label of the classification task.
NOT_FEATURES = (GROUP, "fnlwgt", "income")
NUMERIC = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")


def fetch_census(
    *, encoding: str = "ordinal", data_home: str | os.PathLike | None = None
) -> Dataset:
    """Load Census: 32,561 adults with 12 attributes, grouped by marital status.

    The paper counts 12 attributes and 7 groups without naming them. Marital status is the one
    attribute with seven values; the attributes without it, the sampling weight ``fnlwgt`` and
    the label ``income`` are twelve. An unknown value ("?") is a category of its own.

    Parameters
    ----------
    encoding : {"ordinal", "onehot"}
        A category becomes its number in alphabetical order, which leaves 12 features as in the
        paper, or a column of its own.
    data_home : path-like, optional
        Folder with the data files; by default the one that the environment variable
        FAIRSPECTRAL_DATA names, else the user's cache, into which missing files are
        downloaded.

    Returns
    -------
    Dataset
        With `X` of shape (32561, 12), or (32561, 100) with "onehot", every column of mean 0
        and variance 1, and seven groups.
    """
    check_choice(encoding, ("ordinal", "onehot"), "encoding")
    columns = read_columns(SOURCE.paths(data_home)[0])
    features: dict[str, np.ndarray] = {}
    for name, values in columns.items():
        if name in NUMERIC:
            features[name] = values.astype(np.float64)
        elif name not in NOT_FEATURES:
            categories, codes = np.unique(values, return_inverse=True)
            if encoding == "ordinal":
                features[name] = codes.astype(np.float64)
            else:
                for code, category in enumerate(categories):
                    features[f"{name}={category}"] = (codes == code).astype(np.float64)
    return SOURCE.dataset(
        sensitive_features=columns[GROUP],
        X=StandardScaler().fit_transform(np.stack(list(features.values()), axis=1)),
        feature_names=tuple(features),
    )


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """The columns of the file as text, by name."""
    expected = f"a table of {len(COLUMNS)} comma-separated values per line"
    lines = read_text(path, expected).splitlines()
    rows = [row for row in csv.reader(lines, skipinitialspace=True) if row]
    if not rows or any(len(row) != len(COLUMNS) for row in rows):
        raise unreadable(path, expected)
    columns = dict(zip(COLUMNS, np.array(rows).T, strict=True))
    for name in NUMERIC:
        if not np.char.isdecimal(columns[name]).all():
            raise unreadable(path, f"{expected} with a number as {name}")
    return columns
