"""Tables on a Dask cluster that cannot be clustered: one sentence each."""

import numpy as np
import pytest

from fairspectral import FairSpectralClustering

pytest.importorskip("distributed", reason="needs Dask: pip install 'fairspectral[distributed]'")

import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import Client

ROWS = np.sin(np.arange(360.0) ** 2).reshape(120, 3)  # no generator, so no order of the tests
GROUPS = np.tile(["f", "m"], 60)


@pytest.fixture(scope="module")
def client():
    """A cluster within this process: it starts in a moment."""
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as one:
        yield one


def with_value(value):
    rows = ROWS.copy()
    rows[7, 1] = value
    return da.from_array(rows)


def frame(**columns):
    table = pd.DataFrame(ROWS, columns=list("abc")).assign(sex=GROUPS, **columns)
    return dd.from_pandas(table, npartitions=2)


def fit(X, groups=GROUPS, k=3, **params):
    return FairSpectralClustering(k, random_state=0, **params).fit(X, sensitive_features=groups)


CASES = {
    "missing number": (lambda: fit(with_value(np.nan)), "NaN in row 7, column 1"),
    "infinity": (lambda: fit(with_value(np.inf), affinity="rbf"), "infinity in row 7, column 1"),
    "one dimension": (lambda: fit(da.from_array(ROWS[:, 0])), "no table"),
    "no rows": (lambda: fit(da.from_array(ROWS[:0]), GROUPS[:0]), "0 row"),
    "no columns": (lambda: fit(da.from_array(ROWS[:, :0])), "0 column"),
    "text": (lambda: fit(da.from_array(ROWS.astype(str))), "pass real numbers"),
    "column of text": (lambda: fit(frame(town="x"), "sex"), "the column 'town'"),
    "unknown column": (lambda: fit(frame(), "gender"), "'gender', which is not a column"),
    "groups too short": (lambda: fit(da.from_array(ROWS), GROUPS[:50]), "50 values"),
    "too many clusters": (lambda: fit(da.from_array(ROWS), k=121), "n_clusters=121"),
    "gower": (lambda: fit(da.from_array(ROWS), affinity="gower"), "'gower' is not for"),
    "not square": (lambda: fit(da.from_array(ROWS), affinity="precomputed"), "square"),
    "not symmetric": (
        lambda: fit(da.from_array(np.triu(np.exp(ROWS @ ROWS.T))), affinity="precomputed"),
        "not symmetric",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_table_gets_a_sentence(client, name):
    call, sentence = CASES[name]
    with pytest.raises(ValueError, match=sentence):
        call()


def test_later_people_cannot_be_compared_with_rows_that_are_elsewhere(client, tmp_path):
    model = fit(da.from_array(ROWS), effort="fast")
    for call in (lambda: model.predict(ROWS), lambda: model.save(tmp_path / "model.npz")):
        with pytest.raises(ValueError, match="fitted on a Dask cluster"):
            call()
