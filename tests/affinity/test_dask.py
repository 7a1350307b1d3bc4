"""On a cluster of processes: the labels of one process, also after a worker was killed."""

import os
import signal

import numpy as np
import pytest
import scipy.sparse as sp
from helpers import assert_close, needs_real_data

from fairspectral import FairSpectralClustering
from fairspectral.datasets import make_msbm

pytest.importorskip("distributed", reason="needs Dask: pip install 'fairspectral[distributed]'")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster

from fairspectral.affinity.dask_kernel import DaskKernelOperator
from fairspectral.affinity.dask_sparse import DaskGraphOperator, DaskRowsOperator, distribute_graph
from fairspectral.affinity.dask_workers import Workers

# Of the kernel problem; FAIRSPECTRAL_LARGE=1 takes the size of a real one.
N = 50_000 if os.environ.get("FAIRSPECTRAL_LARGE") else 2400


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 4, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster):
        yield cluster


@pytest.fixture
def killing(cluster, monkeypatch):
    """Kill a worker by its process id when the third block has been sent out."""
    sent = []
    broadcast = Workers.broadcast

    def broadcast_and_kill(self, block):
        found = broadcast(self, block)
        sent.append(block.shape)
        if len(sent) == 3:
            pid = next(iter(cluster.workers.values())).pid
            os.kill(pid, signal.SIGKILL)
        return found

    monkeypatch.setattr(Workers, "broadcast", broadcast_and_kill)
    return sent


def blobs(n=N):
    """Points around five centres, in three groups, with the columns of a table."""
    rng = np.random.default_rng(0)
    centres = 2.0 * rng.normal(size=(5, 4))
    X = centres[rng.integers(0, 5, n)] + rng.normal(size=(n, 4))
    return X, rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])


def fitted(X, groups, k=5, **params):
    params = {"random_state": 0, "effort": "fast", "affinity": "rbf", **params}
    return FairSpectralClustering(k, **params).fit(X, sensitive_features=groups)


def test_a_graph_gives_the_labels_of_one_process_although_a_worker_dies(killing):
    people = make_msbm(1500, n_clusters=5, n_groups=2, random_state=0)
    graph, groups = sp.csr_array(people.graph), people.sensitive_features
    expected = fitted(graph, groups, affinity="precomputed")
    found = fitted(distribute_graph(graph), groups, affinity="precomputed")
    assert len(killing) > 3
    assert isinstance(found.affinity_operator_, DaskGraphOperator)
    np.testing.assert_array_equal(found.labels_, expected.labels_)


@needs_real_data
def test_lastfm_gives_the_labels_of_one_process_although_a_worker_dies(killing):
    from fairspectral.datasets import fetch_lastfm

    people = fetch_lastfm()
    expected = fitted(people.graph, people.sensitive_features, affinity="precomputed")
    found = fitted(
        distribute_graph(people.graph), people.sensitive_features, affinity="precomputed"
    )
    assert len(killing) > 3
    np.testing.assert_array_equal(found.labels_, expected.labels_)


def test_a_kernel_gives_the_labels_of_one_process_although_a_worker_dies(killing):
    X, groups = blobs()
    budget = "15MB" if N < 10_000 else "2GB"
    expected = fitted(X, groups, memory_budget=budget)
    found = fitted(da.from_array(X, chunks=(N // 3, 2)), groups, memory_budget=budget)
    assert len(killing) > 3
    assert isinstance(found.affinity_operator_, DaskKernelOperator)
    degrees = expected.affinity_operator_.degrees
    assert_close(found.affinity_operator_.degrees, degrees, dtype=np.float32)
    np.testing.assert_array_equal(found.labels_, expected.labels_)


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_parquet_that_only_the_workers_read(cluster, tmp_path, monkeypatch, affinity):
    X, groups = blobs(min(N, 2400))
    frame = pd.DataFrame(X, columns=["height", "weight", "age", "income"])
    frame.insert(1, "group", groups)
    dd.from_pandas(frame, npartitions=3).to_parquet(tmp_path)
    budget = "15MB" if affinity == "rbf" else None
    expected = fitted(X, groups, affinity=affinity, memory_budget=budget)
    table = dd.read_parquet(tmp_path)

    def refuse(*_, **__):
        pytest.fail("the client reads the rows")

    # In this process only: the workers have the packages as they are.
    from dask.dataframe.io.parquet.arrow import ArrowDatasetEngine

    monkeypatch.setattr(ArrowDatasetEngine, "read_partition", refuse)
    found = fitted(table, "group", affinity=affinity, memory_budget=budget)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.feature_names_in_.tolist() == ["height", "weight", "age", "income"]
    assert found.n_features_in_ == 4


def test_a_graph_too_large_for_the_client_stays_on_the_workers(cluster):
    X, groups = blobs(1500)
    found = fitted(da.from_array(X), groups, affinity="nearest_neighbors", memory_budget="600KB")
    operator = found.affinity_operator_
    assert isinstance(operator, DaskRowsOperator)
    assert operator.stored_weights is None
    expected = fitted(X, groups, affinity="nearest_neighbors").affinity_operator_
    block = np.random.default_rng(1).normal(size=(1500, 3)).astype(np.float32)
    np.testing.assert_allclose(operator.matmat(block), expected.matmat(block), atol=1e-5)
    assert found.fair_assignment_.certified


def test_precomputed_affinities_in_chunks(cluster):
    graph = make_msbm(600, n_clusters=3, n_groups=2, random_state=0)
    W = sp.csr_array(graph.graph).toarray()
    groups = da.from_array(np.asarray(graph.sensitive_features))
    found = fitted(da.from_array(W, chunks=(200, 300)), groups, 3, affinity="precomputed")
    assert found.fair_assignment_.certified
    W[0, 1] += 1.0
    with pytest.raises(ValueError, match="not symmetric"):
        fitted(da.from_array(W), groups, 3, affinity="precomputed")


def test_a_dict_of_dask_series_are_the_groups(cluster):
    X, groups = blobs(600)
    other = np.tile(["x", "y"], 300)
    frame = dd.from_pandas(pd.DataFrame({"one": groups, "other": other}), npartitions=2)
    expected = fitted(X, {"one": groups, "other": other}, affinity="nearest_neighbors")
    given = {"one": frame["one"], "other": da.from_array(other)}
    found = fitted(da.from_array(X), given, affinity="nearest_neighbors")
    np.testing.assert_array_equal(found.labels_, expected.labels_)


def bad_number():
    X, _ = blobs(1500)
    X[1100, 2] = np.nan
    return da.from_array(X, chunks=(500, 4))


@pytest.mark.parametrize(
    ("make", "groups", "affinity", "words"),
    [
        (bad_number, None, "rbf", "NaN in row 1100, column 2"),
        (lambda: da.ones(5), None, "rbf", "two dimensions"),
        (lambda: dask.delayed(1), None, "rbf", "Delayed.*, which is no table"),
        (lambda: da.ones((9, 2), dtype=complex), None, "rbf", "real numbers"),
        (lambda: da.ones((9, 2)), None, "gower", "affinity='gower' is not for tables on a Dask"),
        (lambda: da.ones((9, 2)), None, "precomputed", "square"),
        (lambda: words_table(), "sex", "rbf", "'sex', which is not a column of X; it has a, city"),
        (lambda: words_table(), None, "rbf", "the column 'city' of X has values of type"),
        (lambda: words_table(), ["a", "city"], "rbf", "no column besides the groups"),
    ],
)
def test_bad_input_is_refused(cluster, make, groups, affinity, words):
    with pytest.raises(ValueError, match=words):
        fitted(make(), groups, 2, affinity=affinity)


def words_table():
    frame = pd.DataFrame({"a": np.arange(9.0), "city": ["Rome", "Oslo", "Bern"] * 3})
    return dd.from_pandas(frame, npartitions=2)


def test_without_a_client_it_says_how_to_make_one(monkeypatch):
    monkeypatch.setattr(
        Client, "current", classmethod(lambda *_: (_ for _ in ()).throw(ValueError))
    )
    with pytest.raises(ValueError, match="there is no client of a Dask cluster; make one"):
        fitted(da.ones((9, 2)), None, 2)
