"""Real processes: bars on a terminal, silence off it, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from fairspectral.cli.interrupt import INTERRUPTED

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
        except OSError:  # how Linux says that nobody writes any more
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
    """Start a process that hears Ctrl-C even where these tests run in the background.

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


def interrupt(process, sign, pause=0.0):
    """Press Ctrl-C a pause after the process has written a line with `sign` to standard error."""
    for line in process.stderr:
        if sign in line:
            break
    else:
        pytest.fail("the process ended before it could be interrupted")
    time.sleep(pause)
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=PATIENCE)
    finally:
        process.kill()  # one that hangs must not outlive its test


def test_ctrl_c_ends_with_130_and_no_file(tmp_path):
    rng = np.random.default_rng(0)
    n = 6000
    rows = [f"{i},{x:.4f},{y:.4f},{'fm'[i % 2]}" for i, (x, y) in enumerate(rng.random((n, 2)))]
    path = tmp_path / "many.csv"
    path.write_text("id,x,y,sex\n" + "\n".join(rows) + "\n")
    process = start(words(path, "-o", str(tmp_path / "out.csv"), "--threads", "1"))
    out, err = interrupt(process, "Dropped 'id'")
    assert process.returncode == INTERRUPTED
    assert "Interrupted; no partial file is left." in err
    assert "Traceback" not in err
    assert out == ""
    assert os.listdir(tmp_path) == ["many.csv"]


LONG_COMPILED_WORK = """
import hashlib, sys
from pathlib import Path
from fairspectral.cli.interrupt import prompt_interrupts
from fairspectral.tables import replacing

with prompt_interrupts(), replacing(Path(sys.argv[1])) as attempt:
    attempt.write_text("half")
    print("at work", file=sys.stderr, flush=True)
    hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2_000_000_000)
"""


def test_ctrl_c_ends_compiled_work_too(tmp_path):
    process = start([sys.executable, "-c", LONG_COMPILED_WORK, str(tmp_path / "out.csv")])
    _, err = interrupt(process, "at work", pause=2.0)  # by then it is inside the compiled code
    assert process.returncode == INTERRUPTED
    assert "Interrupted; no partial file is left." in err
    assert os.listdir(tmp_path) == []
