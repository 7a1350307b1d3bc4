"""The library's messages for the command line: options instead of Python's arguments."""

from __future__ import annotations

import re
from collections.abc import Collection

# For each argument of the library its options; the first that the command has is used.
_OPTIONS = {
    "n_clusters": ("clusters", "max_clusters"),
    "n_components": ("clusters", "max_clusters"),
    "max_clusters": ("max_clusters",),
    "min_clusters": ("min_clusters",),
    "n_resamples": ("stability",),
    "fairness_tol": ("tolerance", "tolerances", "require_tolerance"),
    "min_cluster_size": ("min_cluster_size",),
    "max_cluster_size": ("max_cluster_size",),
    "n_neighbors": ("neighbors",),
    "least_effect": ("least_effect",),
    "memory_budget": ("memory_budget",),
    "device": ("device",),
    "sample_weight": ("weight",),
    "must_link": ("must_link",),
    "cannot_link": ("cannot_link",),
    "affinity": ("affinity",),
    "gamma": ("gamma",),
    "solver": ("solver",),
}
# These are English words too: they are arguments only where a value follows.
_ALSO_WORDS = ("affinity", "device", "gamma", "solver")


def in_options(text: str, parameters: Collection[str]) -> str:
    """Name the options of a command where a sentence names arguments of the library.

    Parameters
    ----------
    text : str
        A sentence of the library, such as ``"n_clusters=9 is larger than 8"``.
    parameters : collection of str
        The command's own parameters: ``"clusters"`` is the option ``--clusters``.
    """
    for argument, names in _OPTIONS.items():
        name = next((name for name in names if name in parameters), None)
        if name is None:
            continue
        option = f"--{name.replace('_', '-')}"
        text = re.sub(rf"(?<![-\w]){argument}=", f"{option} ", text)
        if argument not in _ALSO_WORDS:
            text = re.sub(rf"(?<![-\w]){argument}\b", option, text)
    return re.sub(r"(--[a-z-]+)=", r"\1 ", text)
