"""Fits side by side: the same labels in threads and processes of every kind, and no deadlock.

Each test runs a program of its own, because what is tested is a process; the time limit is
there to end a deadlock, not to measure.
"""

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Saved as a file, because a spawned process imports the program that started it.
PROGRAM = """
import json
import multiprocessing
import os
import sys

import numpy as np
from fairspectral import FairSpectralClustering

N = 600  # enough for the iterative solver and for threads of our own


def fit(seed, n=N):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)) + 6 * rng.integers(0, 3, n)[:, None]
    groups = rng.choice(["a", "b"], n)
    affinity = "rbf" if seed == 1 else "nearest_neighbors"
    model = FairSpectralClustering(3, affinity=affinity, random_state=0, solver="krylov", n_init=2)
    return model.fit_predict(X, sensitive_features=groups).tolist()


def tasks():
    return len(os.listdir("/proc/self/task"))


def main():
    how = sys.argv[1]
    seeds = [1, 2]
    if how == "serial":
        found = [fit(seed) for seed in seeds]
    elif how in ("threading", "loky"):
        from joblib import Parallel, delayed

        found = Parallel(n_jobs=2, backend=how)(delayed(fit)(seed) for seed in seeds)
    elif how in ("fork", "spawn"):
        if how == "fork":
            fit(1), fit(2)  # threads and compiled code are there when the process forks
        with multiprocessing.get_context(how).Pool(2) as pool:
            found = pool.map(fit, seeds)
    elif how == "count":
        fit(1), fit(2)  # libraries have started their threads
        before = tasks()
        fit(1), fit(2)
        found = [before, tasks()]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("parallel") / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def run(program, how, threads):
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    finished = subprocess.run(
        [sys.executable, program, how],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


@pytest.fixture(scope="module")
def serial(program):
    """Labels of the fits one after another, with one thread each."""
    found = run(program, "serial", "1")
    assert found[0] != found[1]
    return found


# Asked one by one: joblib adds start methods of its own to the list.
STARTS = [kind for kind in ("fork", "spawn") if kind in multiprocessing.get_all_start_methods()]


@pytest.mark.parametrize("how", ["threading", "loky", *STARTS])
def test_fits_side_by_side_give_the_labels_of_fits_one_after_another(program, serial, how):
    assert run(program, how, "2") == serial


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted on Linux")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_fit_leaves_no_more_threads_than_allowed(program, threads):
    before, after = run(program, "count", threads)
    assert after <= before
