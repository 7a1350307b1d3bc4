"""The start of the command, in separate processes."""

import subprocess
import sys

import pytest

from fairspectral._start import exit_with_a_sentence, is_command, short_of_memory


@pytest.mark.parametrize(
    ("argv", "words", "expected"),
    [
        (["/usr/bin/fairspectral", "audit"], ["python", "/usr/bin/fairspectral", "audit"], True),
        (["C:/Scripts/fairspectral.exe"], ["python.exe"], True),
        (["-m", "audit"], ["python", "-X", "dev", "-m", "fairspectral.cli", "audit"], True),
        (["-m"], ["python", "-m", "fairspectral_benchmarks.paper.worker"], False),
        (["script.py", "fairspectral"], ["python", "script.py", "fairspectral"], False),
        ([], [], False),
    ],
)
def test_only_the_command_is_guarded(argv, words, expected):
    assert is_command(argv, words) is expected


def test_errors_that_mean_a_lack_of_memory():
    assert short_of_memory(MemoryError())
    assert short_of_memory(ImportError("libgomp.so: failed to map segment from shared object"))
    assert not short_of_memory(ValueError("x"))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ImportError("failed to map segment"), "Error: there is not enough memory to load the"),
        (ImportError("no x"), "Error: the libraries cannot be loaded (no x); install the pack"),
        (KeyError("x"), "Error: unexpected error (KeyError: 'x'); report"),
    ],
)
@pytest.mark.parametrize("debug", [False, True])
def test_the_last_sentence(monkeypatch, capfd, error, said, debug):
    ends = []
    monkeypatch.setattr("os._exit", ends.append)
    monkeypatch.setattr("sys.argv", ["fairspectral", *["--debug"] * debug])
    exit_with_a_sentence(type(error), error, None)
    assert ends == [2]
    *before, last = capfd.readouterr().err.splitlines()
    assert last.startswith(said)
    assert bool(before) is debug


def test_a_failure_outside_of_all_guards_is_not_the_status_of_unfair():
    script = "import sys; sys.argv[0] = 'fairspectral'; import fairspectral; raise KeyError('x')"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: unexpected error")
    assert done.stderr.count("\n") == 1


def test_a_program_that_uses_the_library_keeps_its_hooks():
    script = (
        "import signal, sys; hook = sys.excepthook; import fairspectral; "
        "assert sys.excepthook is hook; "
        "assert signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_IGN)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
