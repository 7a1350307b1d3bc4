"""A fit that is killed goes on from its checkpoint to the labels of an undisturbed run."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral import FairSpectralClustering, checkpoint
from fairspectral.affinity import build
from fairspectral.checkpoint import Checkpoint, check_path, checkpointing, once, section
from fairspectral.datasets import make_msbm

PROBLEM = """
import numpy as np
from fairspectral import FairSpectralClustering
from fairspectral.datasets import make_msbm

def fit(affinity, file):
    if affinity == "precomputed":
        people = make_msbm(300, n_clusters=4, n_groups=2, random_state=0)
        X, groups = people.graph, people.sensitive_features
    else:
        rng = np.random.default_rng(0)
        X, groups = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    model = FairSpectralClustering(4, affinity=affinity, random_state=0, checkpoint=file)
    return model.fit(X, sensitive_features=groups)
"""
# Fits, and kills itself with SIGKILL when a section of this name has been saved so many times.
CHILD = """
import os, signal, sys
from fairspectral import checkpoint

affinity, name, times, file = sys.argv[1:]
checkpoint.SECONDS = checkpoint._TIMES = 0.0
write, left = checkpoint._write, int(times)

def write_and_die(path, identity, finished, under_way):
    global left
    write(path, identity, finished, under_way)
    newest = [*finished, *under_way][-1]
    left -= newest.startswith(name)
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

checkpoint._write = write_and_die
fit(affinity, file)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is for Unix")
@pytest.mark.parametrize(
    ("affinity", "deaths"),
    [
        # In the solver after some passes, and then in the search on a graph.
        ("precomputed", [("solve", 2), ("clustering", 4)]),
        # In the moves on a dense kernel.
        ("rbf", [("moves", 9)]),
    ],
)
def test_a_killed_fit_goes_on_to_the_same_labels(tmp_path, affinity, deaths):
    shared = {}
    exec(PROBLEM, shared)
    file = tmp_path / "run.ckpt"
    for name, times in deaths:
        words = [sys.executable, "-c", PROBLEM + CHILD, affinity, name, str(times), str(file)]
        process = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert process.returncode == -signal.SIGKILL, process.stderr
        assert os.listdir(tmp_path) == ["run.ckpt"]
    went_on = shared["fit"](affinity, file)
    undisturbed = shared["fit"](affinity, None)
    np.testing.assert_array_equal(went_on.labels_, undisturbed.labels_)
    assert went_on.solve_result_.passes == undisturbed.solve_result_.passes
    assert went_on.audit_.normalized_cut == pytest.approx(undisturbed.audit_.normalized_cut)
    assert os.listdir(tmp_path) == []


class Killed(BaseException):
    """Ends a fit as a signal would, in this process."""


def interrupted_fit(monkeypatch, file, **params):
    """Fit until the first save, with the people that were fitted."""
    people = make_msbm(400, n_clusters=3, n_groups=2, random_state=0)

    def write_and_die(*state):
        write(*state)
        raise Killed

    write = checkpoint._write
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_write", write_and_die)
        with pytest.raises(Killed):
            model(file, **params).fit(people.graph, sensitive_features=people.sensitive_features)
    return people


def model(file, **params):
    params = {"random_state": 0, "effort": "fast", "affinity": "precomputed", **params}
    return FairSpectralClustering(3, checkpoint=file, **params)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fairness_tol": 0.1}, "fairness_tol is 0.2 there and 0.1 here"),
        ({"random_state": 1}, "random_state is 0 there and 1 here"),
        ({"rounding_params": {"min_cluster_size": 5}}, "rounding_params"),
    ],
)
def test_other_parameters_are_refused(tmp_path, monkeypatch, change, words):
    file = tmp_path / "run.ckpt"
    people = interrupted_fit(monkeypatch, file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=rf"run\.ckpt is the checkpoint of another run: {words}"):
        model(file, **change).fit(people.graph, sensitive_features=people.sensitive_features)
    assert file.read_bytes() == before


def test_other_data_and_other_groups_are_refused(tmp_path, monkeypatch):
    file = tmp_path / "run.ckpt"
    people = interrupted_fit(monkeypatch, file)
    other = people.graph.copy()
    other[0, 1] = other[1, 0] = 2.0
    with pytest.raises(ValueError, match="another run: X differs"):
        model(file).fit(other, sensitive_features=people.sensitive_features)
    groups = np.array(people.sensitive_features)
    groups[[0, -1]] = groups[[-1, 0]]
    with pytest.raises(ValueError, match="another run: sensitive_features differs"):
        model(file).fit(people.graph, sensitive_features=groups)


def test_another_function_of_the_same_name_is_refused(tmp_path, monkeypatch, rng):
    X, groups = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)

    def width(gamma):
        return lambda a, b: np.exp(-gamma * np.sum((a - b) ** 2))

    file = tmp_path / "run.ckpt"
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "_save", killing(Checkpoint._save))
        with pytest.raises(Killed):
            model(file, affinity=width(0.1)).fit(X, sensitive_features=groups)
    with pytest.raises(ValueError, match="another run: affinity differs"):
        model(file, affinity=width(2.0)).fit(X, sensitive_features=groups)
    model(file, affinity=width(0.1)).fit(X, sensitive_features=groups)
    assert not file.exists()


def killing(save):
    """Save once, and end."""

    def save_and_die(*state):
        save(*state)
        raise Killed

    return save_and_die


@pytest.mark.parametrize("damage", ["cut short", "one byte changed", "no checkpoint", "empty"])
def test_a_damaged_file_is_refused_and_left_alone(tmp_path, monkeypatch, damage):
    file = tmp_path / "run.ckpt"
    people = interrupted_fit(monkeypatch, file)
    content = bytearray(file.read_bytes())
    if damage == "one byte changed":
        content[len(content) // 3] ^= 1
    content = {
        "cut short": content[: len(content) // 2],
        "one byte changed": content,
        "no checkpoint": b"a,b\n1,2\n",
        "empty": b"",
    }[damage]
    file.write_bytes(content)
    with pytest.raises(ValueError, match="is not a checkpoint of fairspectral, or is damaged"):
        model(file).fit(people.graph, sensitive_features=people.sensitive_features)
    assert file.read_bytes() == bytes(content)


@pytest.mark.parametrize("damage", ["a later version", "encrypted", "a shorter array"])
def test_whatever_was_damaged_is_refused_in_a_sentence(tmp_path, damage):
    file = tmp_path / "run.ckpt"
    checkpoint._write(file, {}, {"work 0": np.arange(20_000.0)}, {})
    content = bytearray(file.read_bytes())
    entry = content.index(b"PK\x01\x02")  # of the first array in the directory of the archive
    if damage == "a later version":
        content[entry + 6] = 0xFF
    elif damage == "encrypted":
        content[entry + 8] |= 1
    else:  # the first half of the array can be read, and would be taken for it
        content = content.replace(b"(20000,)", b"(10000,)")
    file.write_bytes(content)
    with pytest.raises(ValueError, match="is not a checkpoint of fairspectral, or is damaged"):
        Checkpoint(file, {})


def test_a_graph_of_neighbours_is_saved(tmp_path, monkeypatch, rng):
    X, groups = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    file = tmp_path / "run.ckpt"
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    again = model(file, affinity="nearest_neighbors")
    searches = []
    search = build._neighbour_graph
    monkeypatch.setattr(
        build, "_neighbour_graph", lambda *given: searches.append(1) or search(*given)
    )
    with monkeypatch.context() as patch:
        patch.setattr(build, "SparseOperator", lambda *_, **__: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            again.fit(X, sensitive_features=groups)
    again.fit(X, sensitive_features=groups)
    assert len(searches) == 1
    expected = model(None, affinity="nearest_neighbors").fit(X, sensitive_features=groups)
    np.testing.assert_array_equal(again.labels_, expected.labels_)


def test_without_a_seed_the_first_one_is_kept(tmp_path, monkeypatch):
    file = tmp_path / "run.ckpt"
    people = interrupted_fit(monkeypatch, file, random_state=None)
    copy = file.read_bytes()
    found = []
    for _ in range(2):
        file.write_bytes(copy)
        fitted = model(file, random_state=None)
        fitted.fit(people.graph, sensitive_features=people.sensitive_features)
        found.append(fitted.embedding_)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (3, "is not a file name"),
        ("", "is not a file name"),
        (".", "is a folder"),
        ("none/run.ckpt", "does not exist"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(tmp_path, monkeypatch, path, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words), checkpointing(path, dict):
        pass


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs Linux")
def test_a_folder_that_takes_no_files_is_refused_at_the_beginning():
    with pytest.raises(ValueError, match="cannot be written to the folder /proc"):
        check_path("/proc/run.ckpt")


def test_states_come_back_as_they_were(tmp_path, monkeypatch, rng):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    state = {
        "numbers": [1, 2.5, float("inf"), None, True, np.float64(0.1), 2**100],
        "array": rng.normal(size=(4, 6))[:, ::2],
        "graph": sp.csr_array(sp.random(5, 5, density=0.4, random_state=0)),
        "nested": {"words": ["a", "b"]},
    }
    file = tmp_path / "run.ckpt"
    first = Checkpoint(file, {})
    first.section("work").finish(state)
    later = Checkpoint(file, {}).section("work").finished()
    assert later["numbers"] == [1, 2.5, float("inf"), None, True, 0.1, 2**100]
    np.testing.assert_array_equal(later["array"], state["array"])
    np.testing.assert_array_equal(later["graph"].toarray(), state["graph"].toarray())
    assert later["nested"] == {"words": ["a", "b"]}


def test_saving_takes_a_small_part_of_the_time(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: clock[0])
    saves = []

    def slow_write(*state):
        saves.append(clock[0])
        clock[0] += 1.0

    monkeypatch.setattr(checkpoint, "_write", slow_write)
    part = Checkpoint(tmp_path / "run.ckpt", {}).section("work")
    while clock[0] < 1000.0:
        clock[0] += 0.5
        part.advance(dict)
    assert saves[0] == checkpoint.SECONDS
    assert 10 < len(saves) <= 21


def test_nothing_is_saved_without_a_checkpoint(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    part = section("work")
    part.finish({"a": 1})
    part.advance(lambda: pytest.fail("asked for a state"))
    assert part.finished() is None
    assert part.under_way() is None
    assert once("work", lambda: 3) == 3
    assert os.listdir(tmp_path) == []
