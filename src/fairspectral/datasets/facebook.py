"""FacebookNet: friends on Facebook in a French high school, by gender."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from fairspectral.datasets._fetch import RemoteFile, Source
from fairspectral.datasets._parse import largest_component, read_numbers, read_text, unreadable
from fairspectral.datasets.base import Dataset

_UPLOADS = "http://www.sociopatterns.org/wp-content/uploads/2015/"
# The checksums are those of copies of these files, not of our own downloads.
SOURCE = Source(
    name="FacebookNet",
    files=(
        RemoteFile(
            "Facebook-known-pairs_data_2013.csv",
            _UPLOADS + "07/Facebook-known-pairs_data_2013.csv.gz",
            "03e909c441bb4f7d48fbd7a34b7368cb211bcd94b582dc14ba8451bcb61682cd",
        ),
        RemoteFile(
            "metadata_2013.txt",
            _UPLOADS + "09/metadata_2013.txt",
            "b960986186214d2dede8496a6d5c270805d150b88a0b76419815f1b5ccca4dd8",
        ),
    ),
    url="http://www.sociopatterns.org/datasets/high-school-contact-and-friendship-networks/",
    licence="CC BY-NC-SA",
    citation='R. Mastrandrea, J. Fournet and A. Barrat, "Contact patterns in a high school: '
    "a comparison between data collected using wearable sensors, contact diaries and "
    'friendship surveys", PLoS ONE 10 (2015) e0136497',
)

GENDERS = {"F": "female", "M": "male"}


def fetch_facebook(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """Load FacebookNet: 155 high-school students, grouped by gender.

    The publisher lists the pairs of students of whom it is known whether they are friends on
    Facebook. Students whose gender is unknown are left out, pairs who are not friends are not
    edges, and the largest connected component is kept.

    Parameters
    ----------
    data_home : path-like, optional
        Folder with the data files; by default the one that the environment variable
        FAIRSPECTRAL_DATA names, else the user's cache, into which missing files are
        downloaded.

    Returns
    -------
    Dataset
        With a sparse `graph` of shape (155, 155) and the groups "female" and "male".
    """
    pairs_path, students_path = SOURCE.paths(data_home)
    first, second, friends = read_numbers(pairs_path, 3).astype(np.int64).T
    gender = _read_gender(students_path)
    students = np.array(sorted(gender))
    graph, kept = largest_component(np.stack([first, second], axis=1)[friends == 1], students)
    return SOURCE.dataset(
        sensitive_features=np.array([gender[student] for student in students[kept]]),
        graph=graph,
    )


def _read_gender(path: Path) -> dict[int, str]:
    """The gender of each student for whom it is known; a line is id, class, gender."""
    expected = "a table of id, class and gender"
    rows = [line.split() for line in read_text(path, expected).splitlines() if line.strip()]
    if not rows or any(len(row) != 3 or not row[0].isdecimal() for row in rows):
        raise unreadable(path, expected)
    return {int(student): GENDERS[code] for student, _, code in rows if code in GENDERS}
