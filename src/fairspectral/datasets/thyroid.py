"""Thyroid: patients of a clinic, by the state of their thyroid."""

from __future__ import annotations

import os

import numpy as np
from sklearn.preprocessing import StandardScaler

from fairspectral.datasets._fetch import RemoteFile, Source
from fairspectral.datasets._parse import read_numbers
from fairspectral.datasets.base import Dataset

_FOLDER = "https://archive.ics.uci.edu/ml/machine-learning-databases/thyroid-disease/"
# Of the publisher's blank-separated files. Copies with commas are in circulation; they hold
# the same numbers, digit by digit.
SOURCE = Source(
    name="Thyroid",
    files=(
        RemoteFile(
            "ann-train.data",
            _FOLDER + "ann-train.data",
            "3da53a156bda36cb0c97e9f4b6b111c9226c54c4aa00230de5604b787c47e3a6",
        ),
        RemoteFile(
            "ann-test.data",
            _FOLDER + "ann-test.data",
            "c649ea19416e78c7996cfaaa2a9e281cb597d4b075aaa68c494fc3e4ee3aa30b",
        ),
    ),
    url="https://archive.ics.uci.edu/dataset/102/thyroid+disease",
    licence="CC BY 4.0",
    citation='R. Quinlan, "Thyroid disease", UCI Machine Learning Repository, 1986, '
    "doi:10.24432/C5D010",
)

N_ATTRIBUTES = 21


def fetch_thyroid(
    *, standardize: bool = True, data_home: str | os.PathLike | None = None
) -> Dataset:
    """Load Thyroid: 7,200 patients with 21 attributes, grouped by diagnosis.

    The 3,772 rows of the publisher's training file, then the 3,428 of the test file. Of the
    attributes, which have no published names, 15 are binary and 6 continuous. The groups are
    the classes 1 (166 patients), 2 (368) and 3 (6,666). The publisher lists them as normal,
    hyperfunction and subnormal without their numbers, and says that the normal ones are 92%,
    so only class 3 has a name.

    Parameters
    ----------
    standardize : bool
        Give every attribute mean 0 and variance 1; otherwise they are as published, most of
        them in [0, 1].
    data_home : path-like, optional
        Folder with the data files; by default the one that the environment variable
        FAIRSPECTRAL_DATA names, else the user's cache, into which missing files are
        downloaded.

    Returns
    -------
    Dataset
        With `X` of shape (7200, 21) and three groups.
    """
    table = np.vstack([read_numbers(path, N_ATTRIBUTES + 1) for path in SOURCE.paths(data_home)])
    X, diagnosis = table[:, :-1], table[:, -1].astype(np.int64)
    return SOURCE.dataset(
        sensitive_features=np.array(
            ["class 3 (normal)" if code == 3 else f"class {code}" for code in diagnosis]
        ),
        X=StandardScaler().fit_transform(X) if standardize else np.ascontiguousarray(X),
        feature_names=tuple(f"attribute {j}" for j in range(1, N_ATTRIBUTES + 1)),
    )
