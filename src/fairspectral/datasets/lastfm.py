"""LastFMNet: who follows whom on Last.fm, and in which country."""

from __future__ import annotations

import os

import numpy as np

from fairspectral.datasets._fetch import RemoteFile, Source
from fairspectral.datasets._parse import largest_component, read_numbers
from fairspectral.datasets.base import Dataset

_ARCHIVE = "https://snap.stanford.edu/data/lastfm_asia.zip"
SOURCE = Source(
    name="LastFMNet",
    files=(
        RemoteFile(
            "lastfm_asia_edges.csv",
            _ARCHIVE,
            "548eacff61bff564ab5007831fa4a7a30e1a3956075ffd24e43310ed33555842",
        ),
        RemoteFile(
            "lastfm_asia_target.csv",
            _ARCHIVE,
            "91f19215f6eca8321feec038bd32900cf13fd4f7e041a9976cf202807c72ac16",
        ),
    ),
    url="https://snap.stanford.edu/data/feather-lastfm-social.html",
    licence="not stated by the publisher",
    citation='B. Rozemberczki and R. Sarkar, "Characteristic functions on graphs: birds of '
    'a feather, from statistical descriptors to parametric models", CIKM 2020',
)

SMALLEST_COUNTRY = 500


def fetch_lastfm(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """Load LastFMNet: 5,576 users of Last.fm in Asia, grouped by country.

    Of the 7,624 users of the published graph, those from the six countries with at least 500
    users are kept, and of these the largest connected component. The countries are published
    as numbers only, and named after them ("country 17").

    Parameters
    ----------
    data_home : path-like, optional
        Folder with the data files; by default the one that the environment variable
        FAIRSPECTRAL_DATA names, else the user's cache, into which missing files are
        downloaded.

    Returns
    -------
    Dataset
        With a sparse `graph` of shape (5576, 5576) and six groups.
    """
    edges_path, target_path = SOURCE.paths(data_home)
    edges = read_numbers(edges_path, 2, header=True).astype(np.int64)
    users, country = read_numbers(target_path, 2, header=True).astype(np.int64).T
    order = np.argsort(users)
    users, country = users[order], country[order]
    large = np.bincount(country)[country] >= SMALLEST_COUNTRY
    graph, kept = largest_component(edges, users[large])
    return SOURCE.dataset(
        sensitive_features=np.array([f"country {code}" for code in country[large][kept]]),
        graph=graph,
    )
