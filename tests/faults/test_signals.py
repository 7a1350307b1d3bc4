"""Ctrl-C and SIGTERM at random moments: the status says so, and no part of a file is left.

FAIRSPECTRAL_FAULTS=200 tries two hundred moments for each test, new ones each time.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from processes import OLD, PATIENCE, cluster_words, linux_only

pytestmark = linux_only

MOMENTS = os.environ.get("FAIRSPECTRAL_FAULTS")
LAST_WORDS = {signal.SIGINT: "Interrupted", signal.SIGTERM: "Terminated"}
# A command that only writes, so that signals meet it while it does.
WRITER = """
import sys
from pathlib import Path
sys.argv[0] = "fairspectral"
import fairspectral
import typer
from fairspectral.cli.command import command
from fairspectral.files import replacing

def write(output: Path) -> None:
    print("ready", flush=True)
    while True:
        for letter in "ab":
            with replacing(output) as attempt:
                attempt.write_text(letter * 100_000)

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(command(write))
app()
"""


@pytest.fixture
def moments():
    """Signals and parts of a span of time: a few, or as many as FAIRSPECTRAL_FAULTS says."""
    rng = random.Random(None if MOMENTS else 0)
    return [
        ((signal.SIGINT, signal.SIGTERM)[i % 2], rng.random()) for i in range(int(MOMENTS or 2))
    ]


def start(words):
    return subprocess.Popen(
        [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_first_import(process):
    """Until numpy is being loaded: what comes before that is Python's own start."""
    maps, until = Path(f"/proc/{process.pid}/maps"), time.monotonic() + PATIENCE
    while "_multiarray_umath" not in maps.read_text():
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.002)


def end(process, number):
    """Send a signal; the status, negative where the signal itself ended it, and what was said."""
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def assert_ended_well(number, status, said, signals=1):
    """By the command's own code in a sentence, or by the signal itself, maybe in silence.

    The latter where Python starts and ends, and at a second signal. What it wrote before is named.
    """
    sentence = f"{LAST_WORDS[number]}; no partial file is left."
    lines, written = said.split("\n"), " Written before: "
    named = [line.split(written)[1].removesuffix(".") for line in lines if written in line]
    assert all(os.path.exists(path) for path in named)
    lines = [line.split(written)[0] for line in lines]
    assert set(lines) <= {"", sentence}
    assert lines.count(sentence) <= signals
    if status != -number:
        assert status == 128 + number
        assert sentence in lines


def without_labels(text):
    return [line.rpartition(",")[0] for line in text.splitlines()]


def test_at_any_moment_of_a_clustering(people, folder, moments):
    output = folder / "out.csv"
    words = cluster_words(people, "-k", "2", "-o", output)
    whole = start(words)
    wait_for_first_import(whole)
    began = time.monotonic()
    _, said = whole.communicate(timeout=PATIENCE)
    assert whole.returncode == 0, said
    result, span = output.read_text(), time.monotonic() - began
    for number, part in moments:
        output.write_text(OLD)
        process = start(words)
        wait_for_first_import(process)
        time.sleep(part * span)
        status, said = end(process, number)
        assert os.listdir(folder) == ["out.csv"], (number, part)
        if status != 0:  # it may have ended sooner than the first one did
            assert_ended_well(number, status, said)
        # Python also ends itself by the signal where it met Ctrl-C in an `exec` while importing;
        # the command has said so by then.
        silent_end = (number, status) == (signal.SIGINT, -signal.SIGINT) and not said.strip()
        done = status == 0 or silent_end
        found = output.read_text()
        if number == signal.SIGINT and status == 0 and found != result:
            # The first Ctrl-C in the search takes the best so far.
            assert without_labels(found) == without_labels(result), part
        else:
            assert found in ([result] if done else [OLD, result]), (number, part)


def test_while_a_file_is_written(folder, moments):
    """One signal, or a second one at once, as if Ctrl-C was pressed twice."""
    output = folder / "out.csv"
    for i, (number, part) in enumerate(moments):
        signals = 2 - (i + i // 2) % 2  # both signals come once and twice
        process = start([sys.executable, "-c", WRITER, output])
        assert process.stdout.readline() == "ready\n"
        time.sleep(part / 20)
        for _ in range(signals - 1):
            process.send_signal(number)
            time.sleep(part / 1000)
        status, said = end(process, number)
        assert_ended_well(number, status, said, signals)
        assert os.listdir(folder) in ([], ["out.csv"]), (number, part)
        if output.exists():
            assert output.read_text() in ("a" * 100_000, "b" * 100_000)
