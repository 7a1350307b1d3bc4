"""The loaders: on the real files where they are, and on small files of both forms."""

import os

import numpy as np
import pytest
from helpers import needs_real_data

from fairspectral import datasets
from fairspectral.datasets.census import COLUMNS

HERE = os.environ.get("FAIRSPECTRAL_DATA")

LOADERS = [
    datasets.fetch_4area,
    datasets.fetch_census,
    datasets.fetch_facebook,
    datasets.fetch_lastfm,
    datasets.fetch_thyroid,
]


def group_counts(data):
    names, counts = np.unique(data.sensitive_features, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


# --- the real files ---------------------------------------------------------------------


@needs_real_data
def test_lastfm():
    data = datasets.fetch_lastfm(data_home=HERE)
    assert (data.n, data.h, data.graph.shape) == (5576, 6, (5576, 5576))
    assert group_counts(data) == {
        "country 0": 1073,
        "country 3": 505,
        "country 6": 645,
        "country 10": 1266,
        "country 14": 558,
        "country 17": 1529,
    }
    assert data.graph.nnz == 2 * 19587
    assert abs(data.graph - data.graph.T).max() == 0


@needs_real_data
@pytest.mark.parametrize("standardize", [True, False])
def test_thyroid(standardize):
    data = datasets.fetch_thyroid(standardize=standardize, data_home=HERE)
    assert (data.n, data.h, data.X.shape) == (7200, 3, (7200, 21))
    assert group_counts(data) == {"class 1": 166, "class 2": 368, "class 3 (normal)": 6666}
    assert np.allclose(data.X.std(axis=0), 1, rtol=0, atol=1e-8) == standardize


@needs_real_data
@pytest.mark.parametrize(("encoding", "d"), [("ordinal", 12), ("onehot", 100)])
def test_census(encoding, d):
    data = datasets.fetch_census(encoding=encoding, data_home=HERE)
    assert (data.n, data.h, data.X.shape) == (32561, 7, (32561, d))
    assert len(data.feature_names) == d
    assert group_counts(data) == {
        "Divorced": 4443,
        "Married-AF-spouse": 23,
        "Married-civ-spouse": 14976,
        "Married-spouse-absent": 418,
        "Never-married": 10683,
        "Separated": 1025,
        "Widowed": 993,
    }
    np.testing.assert_allclose(data.X.std(axis=0), 1, rtol=0, atol=1e-8)


@needs_real_data
@pytest.mark.parametrize("standardize", [True, False])
def test_4area(standardize):
    data = datasets.fetch_4area(standardize=standardize, data_home=HERE)
    assert (data.n, data.h, data.X.shape) == (35385, 4, (35385, 8))
    assert group_counts(data) == {"area 0": 8963, "area 1": 9774, "area 2": 7461, "area 3": 9187}
    assert np.allclose(data.X.std(axis=0), 1, rtol=0, atol=1e-8) == standardize


@needs_real_data
def test_facebook():
    data = datasets.fetch_facebook(data_home=HERE)
    assert (data.n, data.h, data.graph.shape) == (155, 2, (155, 155))
    assert group_counts(data) == {"female": 70, "male": 85}
    assert data.graph.nnz == 2 * 1412
    assert data.licence
    assert data.source
    assert data.citation


@needs_real_data
def test_the_environment_variable_names_the_folder(monkeypatch):
    monkeypatch.setenv("FAIRSPECTRAL_DATA", HERE)
    assert datasets.fetch_facebook().n == 155


# --- small files ------------------------------------------------------------------------


def write(folder, **files):
    for name, text in files.items():
        (folder / name.replace("__", "-").replace("_dot_", ".")).write_text(text)


ROW = " ".join(["0.5", *["0"] * 19, "0.25"])


@pytest.mark.parametrize("separate", [lambda r: r + "  ", lambda r: r.replace(" ", ",") + ","])
def test_thyroid_reads_blanks_and_commas(tmp_path, separate):
    write(
        tmp_path,
        ann__train_dot_data=f"{separate(ROW + ' 3')}\n{separate(ROW + ' 1')}\n",
        ann__test_dot_data=separate(ROW + " 2"),
    )
    data = datasets.fetch_thyroid(standardize=False, data_home=tmp_path)
    assert data.X.shape == (3, 21)
    assert data.X[:, [0, 20]].tolist() == [[0.5, 0.25]] * 3
    assert data.sensitive_features.tolist() == ["class 3 (normal)", "class 1", "class 2"]


@pytest.mark.parametrize("content", ["", "1 2 3\n", "not numbers\n", "1,2\n" + ROW + " 1\n"])
def test_thyroid_refuses_another_table(tmp_path, content):
    write(tmp_path, ann__train_dot_data=content, ann__test_dot_data=content)
    with pytest.raises(ValueError, match=r"ann-train.data is not a table of 22 numbers per line"):
        datasets.fetch_thyroid(data_home=tmp_path)


def test_lastfm_keeps_large_countries_and_the_largest_component(tmp_path):
    # A path through countries 4 and 9 of 500 users each; user 1000 has a country of one.
    users = [*range(1001)]
    country = [4] * 500 + [9] * 500 + [1]
    edges = [(u, u + 1) for u in range(997)] + [(998, 999), (3, 2), (5, 5), (999, 1000)]
    write(
        tmp_path,
        lastfm_asia_edges_dot_csv="node_1,node_2\n" + "\n".join(f"{i},{j}" for i, j in edges),
        lastfm_asia_target_dot_csv="id,target\n"
        + "\n".join(f"{u},{c}" for u, c in reversed(list(zip(users, country, strict=True)))),
    )
    data = datasets.fetch_lastfm(data_home=tmp_path)
    assert group_counts(data) == {"country 4": 500, "country 9": 498}
    assert data.graph.nnz == 2 * 997
    assert data.graph.max() == 1
    assert data.graph.diagonal().sum() == 0


def test_facebook_keeps_friends_of_known_gender(tmp_path):
    write(
        tmp_path,
        Facebook__known__pairs_data_2013_dot_csv="1 2 1\n2 7 1\n7 9 1\n1 9 0\n2 5 1\n3 4 1\n",
        metadata_2013_dot_txt="7\tA\tF\n2\tA\tM\n1\tB\tF\n5\tB\tUnknown\n3\tB\tF\n4\tA\tM\n9\tA\tM\n",
    )
    data = datasets.fetch_facebook(data_home=tmp_path)
    assert data.sensitive_features.tolist() == ["female", "male", "female", "male"]
    assert data.graph.toarray().tolist() == [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    (tmp_path / "metadata_2013.txt").write_text("1 F\n")
    with pytest.raises(ValueError, match="not a table of id, class and gender"):
        datasets.fetch_facebook(data_home=tmp_path)


CENSUS = """\
39, State-gov, 7, Bachelors, 13, Never-married, Adm, Own-child, White, Male, 2, 0, 40, Cuba, <=50K
50, ?, 8, HS-grad, 9, Divorced, Exec, Husband, Black, Female, 0, 5, 13, Peru, >50K

"""


def test_census_columns(tmp_path):
    (tmp_path / "adult.data").write_text(CENSUS)
    data = datasets.fetch_census(data_home=tmp_path)
    assert data.feature_names == tuple(
        name for name in COLUMNS if name not in ("fnlwgt", "marital-status", "income")
    )
    assert data.sensitive_features.tolist() == ["Never-married", "Divorced"]
    # Standardised, two values are 1 and -1; "?" comes before the letters.
    np.testing.assert_allclose(data.X[:, :2], [[-1, 1], [1, -1]], rtol=0, atol=1e-12)
    onehot = datasets.fetch_census(encoding="onehot", data_home=tmp_path)
    assert "workclass=?" in onehot.feature_names
    assert onehot.X.shape == (2, 5 + 2 * 7)


def test_census_refuses_bad_input(tmp_path):
    with pytest.raises(ValueError, match=r"encoding='one-hot' is unknown .did you mean 'onehot'"):
        datasets.fetch_census(encoding="one-hot", data_home=tmp_path)
    (tmp_path / "adult.data").write_text("a, b\n")
    with pytest.raises(ValueError, match="not a table of 15 comma-separated values"):
        datasets.fetch_census(data_home=tmp_path)


def test_4area_reads_areas_and_coordinates(tmp_path):
    (tmp_path / "4area.csv").write_text("color,1,2,3,4,5,6,7,8\n2" + ",0.5" * 8 + "\n")
    data = datasets.fetch_4area(data_home=tmp_path)
    assert data.sensitive_features.tolist() == ["area 2"]
    assert data.X.tolist() == [[0.5] * 8]


def test_all_lists_every_loader():
    assert all(callable(getattr(datasets, name)) for name in datasets.__all__)
    assert {loader.__name__ for loader in LOADERS} <= set(datasets.__all__)
