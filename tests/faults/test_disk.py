"""A disk that is full, or files that may not grow: the old file stays, and a sentence says why."""

import os
import shutil
import subprocess

import pytest
from processes import (
    COMMAND,
    OLD,
    assert_failed_in_a_sentence,
    cluster_words,
    limit_here,
    linux_only,
    run,
)

from fairspectral import FairSpectralClustering
from fairspectral.cli.tables import read_table, write_table

pytestmark = linux_only


@pytest.fixture
def small_disk(folder):
    """The words that begin a command for which `folder` is a disk of 64 kB."""
    mount = f"mount -t tmpfs -o size=64k tmpfs '{folder}'"
    root = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
    words = ["unshare", *root, "--mount", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*words, mount], check=False).returncode:
        pytest.skip("a small disk needs mount: run it as root, or where unshare --user may mount")
    return [*words, f'{mount} && printf "{OLD}" > "{folder}/out.csv" && "$@"; '
            f'status=$?; ls -A "{folder}"; cat "{folder}/out.csv"; exit $status', "sh"]  # fmt: skip


def test_a_full_disk(small_disk, people, folder):
    output = folder / "out.csv"
    done = run([*small_disk, *cluster_words(people, "-k", "2", "--effort", "fast", "-o", output)])
    assert_failed_in_a_sentence(
        done, f"{output} cannot be used (no space left on device); check the disk"
    )
    assert done.stdout == f"out.csv\n{OLD}"


def test_files_that_may_not_grow(folder):
    """The table of 442 patients has some 50 kB."""
    output = folder / "out.csv"
    output.write_text(OLD)
    words = [*COMMAND, "datasets", "fetch", "diabetes", "-o", output]
    done = run(words, limits={"RLIMIT_FSIZE": 10_000})
    assert_failed_in_a_sentence(done, f"{output} cannot be used (file too large); check the disk")
    assert output.read_text() == OLD
    assert os.listdir(folder) == ["out.csv"]


def test_a_result_that_cannot_be_printed():
    with open("/dev/full", "w") as full:
        done = run([*COMMAND, "--version"], stdout=full)
    assert_failed_in_a_sentence(done, "writing failed (no space left on device); check the disk")


def test_messages_that_cannot_be_printed(tmp_path):
    """A full log does not change the status, which says that the shares are unfair."""
    table = tmp_path / "labels.csv"
    table.write_text("sex,cluster\n" + "f,0\nm,1\n" * 20)
    words = ["audit", table, "--sensitive", "sex", "--labels", "cluster"]
    with open("/dev/full", "w") as full:
        done = run([*COMMAND, *words, "--require-tolerance", "0.2"], stderr=full)
    assert done.returncode == 1


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "npy", "parquet"])
def test_labels_of_every_kind(people, folder, rng, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet files need: pip install pyarrow")
    table, output = read_table(people), folder / f"out.{ending}"
    output.write_text(OLD)
    with limit_here("RLIMIT_FSIZE", 100), pytest.raises(OSError, match="File too large") as failed:
        write_table(table, output, "cluster", rng.integers(0, 9, len(table.frame)))
    assert failed.value.filename == str(output)
    assert os.listdir(folder) == [output.name]
    assert output.read_text() == OLD


def test_a_report(folder, rng):
    pytest.importorskip("jinja2", reason="reports need: pip install 'fairspectral[report]'")
    X = rng.normal(size=(40, 2))
    model = FairSpectralClustering(2, effort="fast", random_state=0)
    model.fit(X, sensitive_features=["f", "m"] * 20)
    page = folder / "report.html"
    page.write_text(OLD)
    with (
        limit_here("RLIMIT_FSIZE", 10_000),
        pytest.raises(OSError, match="File too large") as failed,
    ):
        model.report(page)
    assert failed.value.filename == str(page)
    assert os.listdir(folder) == ["report.html"]
    assert page.read_text() == OLD
