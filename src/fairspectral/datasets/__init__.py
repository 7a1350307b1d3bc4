"""Data sets: generators with their model in the docstring, and one loader per real data set."""

from fairspectral.datasets.base import Dataset
from fairspectral.datasets.census import fetch_census
from fairspectral.datasets.diabetes import load_diabetes_patients
from fairspectral.datasets.facebook import fetch_facebook
from fairspectral.datasets.fourarea import fetch_4area
from fairspectral.datasets.lastfm import fetch_lastfm
from fairspectral.datasets.msbm import make_msbm
from fairspectral.datasets.plane import make_ds577, make_elliptical
from fairspectral.datasets.randlaplace import make_randlaplace
from fairspectral.datasets.thyroid import fetch_thyroid

__all__ = [
    "Dataset",
    "fetch_4area",
    "fetch_census",
    "fetch_facebook",
    "fetch_lastfm",
    "fetch_thyroid",
    "load_diabetes_patients",
    "make_ds577",
    "make_elliptical",
    "make_msbm",
    "make_randlaplace",
]
