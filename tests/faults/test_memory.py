"""A limit on memory, at which BLAS and OpenMP would hang, or end with the status for "unfair"."""

import os

import numpy as np
import pytest
from processes import OLD, assert_failed_in_a_sentence, cluster_words, limit_here, linux_only, run
from typer import Typer
from typer.testing import CliRunner

from fairspectral import FairSpectralClustering, fair_spectral_embedding
from fairspectral.cli.command import command
from fairspectral.linalg.room import MIB, NoRoomError, address_space_left, check_room_to_import

pytestmark = linux_only


def mapped():
    """Bytes of address space that this process has."""
    with open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[0]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.parametrize(("limit", "threads"), [(200 * MIB, "1"), (640 * MIB, "2")])
def test_too_little_memory(people, folder, limit, threads):
    """Too little to import the libraries, and enough for that but not to compute."""
    output = folder / "out.csv"
    output.write_text(OLD)
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    words = cluster_words(people, "-k", "2", "-o", output)
    done = run(words, limits={"RLIMIT_AS": limit}, env=environment)
    assert_failed_in_a_sentence(done, "there is not enough memory")
    assert output.read_text() == OLD
    assert os.listdir(folder) == ["out.csv"]


@pytest.mark.parametrize("function", [FairSpectralClustering(2).fit, fair_spectral_embedding])
def test_too_little_memory_in_python(function, rng):
    X = rng.normal(size=(30, 2))
    with limit_here("RLIMIT_AS", mapped() + 20 * MIB):
        with pytest.raises(NoRoomError, match=r"leaves \d+ MiB, and .* needs \d+ MiB; raise"):
            function(X)
        with pytest.raises(MemoryError, match="loading the libraries"):
            check_room_to_import()


def test_memory_that_runs_out_within_a_limit():
    def fill() -> None:
        np.ones(1024 * MIB)

    app = Typer(pretty_exceptions_enable=False)
    app.command()(command(fill))
    with limit_here("RLIMIT_AS", mapped() + 1024 * MIB):
        done = CliRunner().invoke(app)
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: there is not enough memory within the limit on this")


def test_enough_memory_within_a_limit(rng):
    X = rng.normal(size=(30, 2))
    labels = FairSpectralClustering(2, random_state=0).fit_predict(X)
    assert address_space_left() is None
    with limit_here("RLIMIT_AS", mapped() + 4096 * MIB):
        assert 3000 * MIB < address_space_left() < 4097 * MIB
        again = FairSpectralClustering(2, random_state=0).fit_predict(X)
    np.testing.assert_array_equal(again, labels)
