"""Real processes: bars on a terminal, silence off it, Ctrl-C."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from fairspectral._start import INTERRUPTED

pty = pytest.importorskip("pty", reason="no terminals here: run it on Linux or macOS")

COMMAND = [sys.executable, "-m", "fairspectral.cli"]
# Longer than any of these can take on a busy machine; only a process that hangs gets there.
PATIENCE = 600


def words(path, *more):
    return [*COMMAND, "cluster", str(path), "--sensitive", "sex", "--clusters", "2", *more]


def read_all(terminal):
    """What was written to a terminal, until its last writer closed it."""
    shown = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # on Linux: the last writer has closed it
            return shown.decode()
        if not part:
            return shown.decode()
        shown += part


def test_a_terminal_sees_a_bar_for_every_stage(people):
    terminal, end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        words(people, "--json"), stdout=subprocess.PIPE, stderr=end, env=environment
    )
    os.close(end)
    shown = read_all(terminal)
    os.close(terminal)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, shown
    assert json.loads(out)["certified"] is True
    for stage in ("affinity", "embedding", "rounding"):
        assert stage in shown
    assert "done" in shown


def test_no_bars_off_a_terminal(call, people):
    done = call("cluster", people, "--sensitive", "sex", "--clusters", "2")
    assert done.status == 0, done.err
    assert all(line.startswith("Note: ") for line in done.err.splitlines())
    assert "\x1b" not in done.out + done.err


def test_a_reader_that_has_seen_enough(people):
    process = subprocess.Popen(words(people), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=PATIENCE) == 141
    assert "Error" not in err
    assert "Traceback" not in err


def start(command):
    """Start a process that reacts to Ctrl-C even if these tests run in the background.

    A shell starts background jobs with SIGINT ignored, and children inherit that.
    """
    listen = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    return subprocess.Popen(
        [sys.executable, "-S", "-c", listen, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupt(process, sign, pause=0.0, number=signal.SIGINT):
    """Press Ctrl-C a pause after the process has written a line with `sign` to standard error."""
    for line in process.stderr:
        if sign in line:
            break
    else:
        pytest.fail("the process ended before it could be interrupted")
    time.sleep(pause)
    process.send_signal(number)
    try:
        return process.communicate(timeout=PATIENCE)
    finally:
        process.kill()  # one that hangs must not outlive its test


@pytest.fixture
def many(tmp_path):
    """Enough people for a clustering that takes a while."""
    rng = np.random.default_rng(0)
    n = 6000
    rows = [f"{i},{x:.4f},{y:.4f},{'fm'[i % 2]}" for i, (x, y) in enumerate(rng.random((n, 2)))]
    path = tmp_path / "many.csv"
    path.write_text("id,x,y,sex\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, INTERRUPTED, "Interrupted"), (signal.SIGTERM, 143, "Terminated")],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_a_signal_ends_it_and_leaves_no_file(many, tmp_path, number, status, said):
    process = start(words(many, "-o", str(tmp_path / "out.csv"), "--threads", "1"))
    out, err = interrupt(process, "Dropped 'id'", number=number)
    assert process.returncode == status
    assert f"{said}; no partial file is left." in err
    assert "Traceback" not in err
    assert out == ""
    assert os.listdir(tmp_path) == ["many.csv"]


SEARCHING = """
import sys
from fairspectral.cli import main
from fairspectral.progress import listening

def say(stage, words):
    print("best so far:", words, file=sys.stderr, flush=True)

sys.argv[0] = "fairspectral"
with listening(lambda stage, done: None, say):
    main()
"""


def test_the_first_ctrl_c_in_the_search_takes_the_best_so_far(many, tmp_path):
    output = tmp_path / "out.csv"
    command = ["-k", "5", "--affinity", "nearest_neighbors", "--effort", "thorough", "-o", output]
    arguments = ["cluster", many, "--sensitive", "sex", *command]
    process = start([sys.executable, "-c", SEARCHING, *map(str, arguments)])
    out, err = interrupt(process, "best so far: cut")
    assert process.returncode == 0, err
    assert "The search for a low cut was stopped early" in " ".join(out.split())
    assert "Certified" in out
    assert len(output.read_text().splitlines()) == 6001


LONG_COMPILED_WORK = """
import hashlib, sys
from pathlib import Path
from fairspectral.cli.interrupt import prompt_interrupts
from fairspectral.files import replacing

with prompt_interrupts(), replacing(Path(sys.argv[1])) as attempt:
    attempt.write_text("half")
    print("at work", file=sys.stderr, flush=True)
    hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2_000_000_000)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_compiled_work_too(tmp_path, number):
    process = start([sys.executable, "-c", LONG_COMPILED_WORK, str(tmp_path / "out.csv")])
    # After the pause it is inside the compiled code.
    _, err = interrupt(process, "at work", pause=2.0, number=number)
    assert process.returncode == 128 + number
    assert "no partial file is left." in err
    assert os.listdir(tmp_path) == []


def test_ctrl_c_while_libraries_are_loaded(people):
    command = [sys.executable, "-X", "importtime", *words(people)[1:]]
    _, err = interrupt(start(command), "numpy.exceptions")
    assert "Traceback" not in err
    assert err.endswith("Interrupted; no partial file is left.\n")


# --- readers that go away ---------------------------------------------------------------------


@pytest.fixture
def unfair(tmp_path):
    path = tmp_path / "unfair.csv"
    path.write_text("cluster,sex\n" + "0,f\n1,m\n" * 30)
    return path


def closed(command):
    """The status and messages of a command whose output was closed before it wrote."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    return process.wait(timeout=PATIENCE), err


@pytest.mark.parametrize(
    ("gate", "status"),
    [
        (("--require-tolerance", "0.2"), 1),
        (("--require-tolerance", "5"), 0),
        ((), 141),
    ],
)
def test_the_gate_is_decided_by_the_verdict_only(unfair, gate, status):
    assert closed([*COMMAND, "audit", str(unfair), "-s", "sex", *gate]) == (status, "")


def test_outputs_that_the_shell_has_closed(unfair):
    command = shlex.join([*COMMAND, "audit", str(unfair), "-s", "sex", "--require-tolerance"])
    done = subprocess.run(["sh", "-c", f"{command} 5 >&- 2>&-"], check=False)
    assert done.returncode == 0


def test_unread_messages_do_not_change_the_status(unfair):
    ids = unfair.read_text().replace("sex", "39", 1)  # a header that gives a note
    unfair.write_text(ids)
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, "audit", str(unfair), "-s", "39", "--require-tolerance", "5"]
    done = subprocess.run(command, stdout=writer, stderr=writer, check=False)
    os.close(writer)
    assert done.returncode == 0
