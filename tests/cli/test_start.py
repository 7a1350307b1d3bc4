"""The first moments of the command, in processes of their own."""

import subprocess
import sys

import pytest

from fairspectral._start import is_command, short_of_memory


@pytest.mark.parametrize(
    ("argv", "words", "expected"),
    [
        (["/usr/bin/fairspectral", "audit"], ["python", "/usr/bin/fairspectral", "audit"], True),
        (["C:/Scripts/fairspectral.exe"], ["python.exe"], True),
        (["-m", "audit"], ["python", "-X", "dev", "-m", "fairspectral.cli", "audit"], True),
        (["-m"], ["python", "-m", "fairspectral.experiments.worker"], False),
        (["script.py", "fairspectral"], ["python", "script.py", "fairspectral"], False),
        ([], [], False),
    ],
)
def test_only_the_command_is_guarded(argv, words, expected):
    assert is_command(argv, words) is expected


def test_what_says_that_memory_was_short():
    assert short_of_memory(MemoryError())
    assert short_of_memory(ImportError("libgomp.so: failed to map segment from shared object"))
    assert not short_of_memory(ValueError("x"))


def fail_in_the_command(error, *words):
    """Raise an error in a process that looks like the command, outside of all its own guards."""
    script = f"import sys; sys.argv[0] = 'fairspectral'; import fairspectral; raise {error}"
    return subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("ImportError('failed to map segment')", "Error: there is not enough memory to load the"),
        ("ImportError('no x')", "Error: the libraries cannot be loaded (no x); install the pack"),
        ("KeyError('x')", "Error: something went wrong that should not (KeyError: 'x'); report"),
    ],
)
def test_a_failure_outside_of_all_guards_is_not_the_status_of_unfair(error, said):
    done = fail_in_the_command(error)
    assert done.returncode == 2
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1


def test_debug_shows_the_traceback():
    done = fail_in_the_command("KeyError('x')", "--debug")
    assert done.returncode == 2
    assert done.stderr.startswith("Traceback")


def test_a_program_that_uses_the_library_keeps_its_hooks():
    script = (
        "import signal, sys; hook = sys.excepthook; import fairspectral; "
        "assert sys.excepthook is hook; "
        "assert signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_IGN)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
