"""Data sets: generators with their model in the docstring, and one loader per real data set."""

from fairspectral.datasets.base import Dataset
from fairspectral.datasets.diabetes import load_diabetes_patients
from fairspectral.datasets.msbm import make_msbm
from fairspectral.datasets.plane import make_ds577, make_elliptical
from fairspectral.datasets.randlaplace import make_randlaplace

__all__ = [
    "Dataset",
    "load_diabetes_patients",
    "make_ds577",
    "make_elliptical",
    "make_msbm",
    "make_randlaplace",
]
