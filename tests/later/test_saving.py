"""Models in files: what comes back, and what is refused."""

import io
import json
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

import fairspectral
from fairspectral import FairSpectralClustering
from fairspectral.datasets import load_diabetes_patients


@pytest.fixture(scope="module")
def patients():
    found = load_diabetes_patients()
    return found.X[:200], np.asarray(found.sensitive_features)[:200]


def make(k, **params):
    """A model without the long search for a low cut, which has its own tests."""
    return FairSpectralClustering(k, **{"effort": "fast", "random_state": 0, **params})


def there_and_back(model, path):
    assert model.save(path) == path
    return fairspectral.load(path)


def same(model, loaded, X, groups, new):
    np.testing.assert_array_equal(loaded.labels_, model.labels_)
    np.testing.assert_array_equal(loaded.embedding_, model.embedding_)
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    one = model.assign(new, sensitive_features=groups[: new.shape[0]])
    other = loaded.assign(new, sensitive_features=groups[: new.shape[0]])
    np.testing.assert_array_equal(one.labels, other.labels)
    assert str(one) == str(other)
    assert str(loaded.audit_) == str(model.audit_)
    assert loaded.fair_assignment_.certificate == model.fair_assignment_.certificate
    assert str(loaded.diagnosis_) == str(model.diagnosis_)
    assert "FairSpectralClustering" in loaded._repr_html_()


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors", "gower", "auto"])
def test_tables(patients, tmp_path, affinity):
    X, groups = patients
    model = make(3, affinity=affinity)
    model.fit(X[:150], sensitive_features=groups[:150])
    loaded = there_and_back(model, tmp_path / "model.npz")
    same(model, loaded, X[:150], groups, X[150:])
    assert str(loaded.describe(X[:150])) == str(model.describe(X[:150]))
    assert loaded.get_params() == model.get_params()


def test_sparse_tables_and_graphs(patients, tmp_path):
    X, groups = patients
    counts = sp.csr_array(np.maximum(np.round(X[:60] * 50), 0))
    model = make(2).fit(counts, sensitive_features=groups[:60])
    same(model, there_and_back(model, tmp_path / "a.npz"), counts, groups, counts[5:9] * 1.01)
    W = sp.csr_array(np.exp(-np.square(X[:60, :1] - X[:60, 0]) * 1e3).astype(np.float32))
    model = make(2, affinity="precomputed")
    model.fit(W, sensitive_features=groups[:60])
    loaded = there_and_back(model, tmp_path / "b.npz")
    same(model, loaded, W, groups, W[5:9] * 0.5)
    assert str(loaded.describe()).startswith("cluster")


def test_names_of_nodes(tmp_path):
    networkx = pytest.importorskip("networkx", reason="the graph needs: pip install networkx")
    club = networkx.relabel_nodes(networkx.karate_club_graph(), lambda i: f"member {i}")
    model = make(2).fit(club, sensitive_features="club")
    loaded = there_and_back(model, tmp_path / "a.npz")
    again = there_and_back(loaded, tmp_path / "b.npz")
    typical = [cluster.typical for cluster in model.describe().clusters]
    for one in (loaded, again):
        assert [cluster.typical for cluster in one.describe().clusters] == typical
    pairs = networkx.grid_2d_graph(4, 4)
    model = make(2).fit(pairs, sensitive_features=np.arange(16) % 2)
    assert there_and_back(model, tmp_path / "c.npz")._nodes[1] == "(0, 1)"


def test_means_of_covariates(patients, tmp_path):
    X, groups = patients
    model = make(2).fit(X[:, 1:], sensitive_features=groups, constraints={"age": X[:, 0]})
    loaded = there_and_back(model, tmp_path / "model.npz")
    assert "age" in str(loaded.audit_)
    assert str(loaded.audit_) == str(model.audit_)


def test_a_table_of_categories(tmp_path):
    pandas = pytest.importorskip("pandas", reason="the table needs: pip install pandas")
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(
        {"age": rng.integers(20, 60, 60), "town": rng.choice(["Rome", "Oslo", "Lima"], 60)}
    )
    groups = pandas.DataFrame({"sex": rng.choice(["f", "m"], 60), "code": rng.integers(0, 2, 60)})
    model = make(2, affinity="gower", rounding_params={"lower": {"code": {0: 0.1}}})
    model.fit(table, sensitive_features=groups)
    loaded = there_and_back(model, tmp_path / "model.npz")
    assert loaded.rounding_params == {"lower": {"code": {0: 0.1}}}
    assert loaded.feature_names_in_.tolist() == ["age", "town"]
    np.testing.assert_array_equal(loaded.predict(table), model.labels_)
    later = table[:5].assign(age=[18, 70, 33, 41, 55])
    placed = loaded.assign(later, sensitive_features=groups[:5], update=True)
    again = there_and_back(loaded, tmp_path / "more.npz")  # the counts travel too
    assert [table.sum() for table in again.arrivals_] == [5, 5]
    np.testing.assert_array_equal(
        again.assign(later, sensitive_features=groups[:5]).table.sum(), placed.table.sum() + 10
    )


def test_parameters_that_were_set_after_the_fit_change_nothing(patients, tmp_path):
    X, groups = patients
    asked = {"fairness_tol": 0.3, "rounding_params": {"max_cluster_size": np.int64(120)}}
    model = make(2, affinity="rbf", gamma=2.0, **asked)
    model.fit(X[:150], sensitive_features=groups[:150])
    placed = str(model.assign(X[150:], sensitive_features=groups[150:]))
    model.set_params(fairness_tol=0.0, rounding_params={"lower": {"x": 1.0}}, gamma=9.0)
    assert str(model.assign(X[150:], sensitive_features=groups[150:])) == placed
    loaded = there_and_back(model, tmp_path / "model.npz")
    assert str(loaded.assign(X[150:], sensitive_features=groups[150:])) == placed
    assert (loaded.fairness_tol, loaded.gamma) == (0.3, 2.0)


def test_what_the_file_does_not_hold_is_said(patients, tmp_path):
    X, groups = patients
    model = make(2).fit(X, sensitive_features=groups)
    loaded = there_and_back(model, tmp_path / "model.npz")
    for call in (
        lambda: loaded.solve_result_,
        loaded.stability,
        lambda: loaded.report(tmp_path / "report.html"),
        lambda: fairspectral.fairness_frontier(loaded),
    ):
        with pytest.raises(AttributeError, match="loaded from a file, which holds neither"):
            call()


def test_nothing_in_the_file_is_pickled(patients, tmp_path):
    X, groups = patients
    path = make(2).fit(X, sensitive_features=groups).save(tmp_path / "m.npz")
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype.kind in "biuf" for name in file.files)
        header = json.loads(file["header"].tobytes())
    assert header["format"] == 1
    assert header["fairspectral"] == fairspectral.__version__
    assert header["params"]["affinity"] == "auto"


def test_models_that_a_file_cannot_hold(patients, tmp_path):
    X, groups = patients

    def product(a, b):
        return float(np.exp(a @ b))

    model = make(2, affinity=product).fit(X[:30], sensitive_features=groups[:30])
    assert (model.predict(X[:30]) == model.labels_).all()
    with pytest.raises(TypeError, match="compares people by a function, which a file cannot hold"):
        model.save(tmp_path / "m.npz")
    seeded = make(2, random_state=np.random.RandomState(0))
    seeded.fit(X[:30], sensitive_features=groups[:30])
    with pytest.raises(TypeError, match="the parameter random_state is a RandomState, which"):
        seeded.save(tmp_path / "m.npz")
    with pytest.raises(ValueError, match=r"must end in \.npz; rename it"):
        make(2).fit(X).save(tmp_path / "model.bin")
    assert not list(tmp_path.iterdir())


def rewritten(path, change):
    """The file with its arrays changed, as a careless tool would write it."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    change(arrays)
    np.savez(path, **arrays)


def test_damaged_foreign_and_newer_files_are_refused(patients, tmp_path):
    X, groups = patients
    path, model = tmp_path / "model.npz", make(2).fit(X, sensitive_features=groups)

    def saved():
        return model.save(path)

    def newer(arrays):
        header = json.loads(arrays["header"].tobytes()) | {"format": 7, "fairspectral": "9.0"}
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)

    rewritten(saved(), newer)
    with pytest.raises(ValueError, match=r"has format 7 of fairspectral 9\.0, .* update"):
        fairspectral.load(path)
    rewritten(saved(), lambda arrays: arrays["labels_"].__setitem__(0, 1 - arrays["labels_"][0]))
    with pytest.raises(ValueError, match="is damaged: its content is not what was saved"):
        fairspectral.load(path)
    content = bytearray(saved().read_bytes())
    content[len(content) // 2] ^= 1
    for bad in (bytes(content), bytes(content[:1000]), b"", b"not a model", _other_zip()):
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=r"model\.npz is (not a model that|damaged)"):
            fairspectral.load(path)
    with pytest.raises(FileNotFoundError):
        fairspectral.load(tmp_path / "none.npz")


def _other_zip():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "text")
    return file.getvalue()
