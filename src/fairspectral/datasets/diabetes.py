"""442 diabetes patients, bundled with scikit-learn: real data without a download."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

from fairspectral.datasets._fetch import Source
from fairspectral.datasets.base import Dataset

SOURCE = Source(
    name="Diabetes patients",
    files=(),
    url="scikit-learn (sklearn.datasets.load_diabetes), from "
    "https://www4.stat.ncsu.edu/~boos/var.select/diabetes.html",
    licence="not stated by the publisher",
    citation="B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, "
    '"Least angle regression", Annals of Statistics 32 (2004) 407-499',
)


def load_diabetes_patients() -> Dataset:
    """Load the diabetes patients of Efron et al. (2004), grouped by sex.

    Nine of the ten baseline variables (age, body mass index, blood pressure, six blood serum
    measurements), each with mean 0 and variance 1. Sex is the group and not a feature.
    The published table codes it as 1 (235 patients) and 2 (207 patients) and does not say
    which is which; the groups are therefore called "sex 1" and "sex 2".

    Returns
    -------
    Dataset
        With `X` of shape (442, 9), `feature_names` and `sensitive_features`.
    """
    table = load_diabetes(scaled=False)
    sex = table.feature_names.index("sex")
    return SOURCE.dataset(
        sensitive_features=np.array([f"sex {int(code)}" for code in table.data[:, sex]]),
        X=StandardScaler().fit_transform(np.delete(table.data, sex, axis=1)),
        feature_names=tuple(name for name in table.feature_names if name != "sex"),
    )
