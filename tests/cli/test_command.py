import builtins
import signal
import time
import warnings
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

import fairspectral.cli
from fairspectral.anytime import searching
from fairspectral.cli.bars import Bars, progress_bars, time_left
from fairspectral.cli.command import command
from fairspectral.cli.interrupt import end_now, prompt_interrupts
from fairspectral.files import forget_finished
from fairspectral.progress import report
from fairspectral.validation import FairSpectralWarning


def run(function, *words):
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(command(function))
    return CliRunner().invoke(app, list(words))


@dataclass(frozen=True)
class Group:
    """A group of options."""

    size: Annotated[int, typer.Option(help="How large.")]
    shade: Annotated[str, typer.Option(help="How dark.")] = "light"


def paint(wall: str, group: Group) -> None:
    """Paint a wall
    in one line."""
    typer.echo(f"{wall} {group.size} {group.shade}")


def test_a_group_becomes_its_options():
    assert run(paint, "north", "--size", "3").stdout == "north 3 light\n"
    assert run(paint, "north", "--size", "3", "--shade", "dark").stdout == "north 3 dark\n"
    page = run(paint, "--help").stdout
    assert "How large." in page
    assert "Paint a wall in one line." in page
    assert "--debug" in page


def test_the_value_is_the_status():
    def seven() -> int:
        return 7

    def leave() -> None:
        raise typer.Exit(5)

    assert run(seven).exit_code == 7
    assert run(leave).exit_code == 5


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("two\n  lines"), "Error: two lines\n"),
        (
            OSError(17, "File exists", "x"),
            "Error: x cannot be used (file exists); check the path.\n",
        ),
        (RuntimeError("cannot cache function 'f'"), "Error: compiled code cannot be kept, because"),
        (MemoryError(), "Error: there is not enough memory; free some, or pass fewer rows.\n"),
        (
            OSError("Could not find/load shared object file 'libllvmlite.so'"),
            "Error: there is not enough memory; free some",
        ),
        (OSError(12, "Cannot allocate memory"), "Error: there is not enough memory; free some"),
        (
            OSError(28, "No space left on device"),
            "Error: reading or writing failed (no space left on device); check the disk.\n",
        ),
        (ValueError("\x1b[31mred\x07"), "Error: \\x1b[31mred\\x07\n"),
        (KeyError("x"), "Error: unexpected error (KeyError: 'x'); run again"),
        (ValueError(), "Error: unexpected error (ValueError: ); run again"),
    ],
)
def test_errors_are_one_sentence(error, said):
    def fail() -> None:
        raise error

    done = run(fail)
    assert done.exit_code == 2
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
    done = run(fail, "--debug")
    assert done.exit_code == 2
    assert done.stderr.startswith("Traceback")
    assert said in done.stderr


def test_memory_can_be_limited_where_there_is_an_option():
    def fail(memory_budget: str = "1GB") -> None:
        raise MemoryError

    assert "pass --memory-budget (for example 2GB)" in run(fail).stderr


def test_a_termination_is_143():
    def stop() -> None:
        signal.raise_signal(signal.SIGTERM)
        time.sleep(5)

    done = run(stop)
    assert done.exit_code == 143
    assert done.stderr == "Terminated; no partial file is left.\n"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_an_interrupt_is_130():
    def stop() -> None:
        raise KeyboardInterrupt

    done = run(stop)
    assert done.exit_code == 130
    assert done.stderr == "Interrupted; no partial file is left.\n"


def test_warnings_of_ours_are_notes_once():
    def warn() -> None:
        for _ in range(2):
            warnings.warn("mind the gap.", FairSpectralWarning, stacklevel=1)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("for developers", UserWarning, stacklevel=1)

    assert run(warn).stderr == "Note: mind the gap.\n"


def test_an_abrupt_end(monkeypatch, capfd):
    forget_finished()
    ends = []
    monkeypatch.setattr("os._exit", ends.append)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    end_now()
    assert ends == [130]
    assert capfd.readouterr().err == "\x1b[?25h\nInterrupted; no partial file is left.\n"
    end_now(signal.SIGTERM)
    assert ends == [130, 143]
    assert capfd.readouterr().err == "\x1b[?25h\nTerminated; no partial file is left.\n"


def test_an_interrupt_that_a_search_took_as_it_ended_does_not_end_the_command(monkeypatch):
    ends = []
    monkeypatch.setattr("os._exit", ends.append)
    monkeypatch.setattr("fairspectral.cli.interrupt._GRACE_SECONDS", 0.1)
    with prompt_interrupts():
        with searching() as deadline:
            signal.raise_signal(signal.SIGINT)
        time.sleep(0.3)  # the thread that waits for signals has its turn only now
    assert deadline.interrupted
    assert ends == []


def test_interrupts_elsewhere_than_in_the_main_thread(monkeypatch):
    monkeypatch.setattr("threading.main_thread", lambda: None)
    with prompt_interrupts():
        pass


def test_an_interrupt_where_nothing_can_be_raised_leaves_no_traceback(monkeypatch):
    class Falls:
        def __init__(self, error):
            self.error = error

        def __del__(self):
            raise self.error

    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: seen.append(unraisable.exc_type))
    with prompt_interrupts():
        Falls(KeyboardInterrupt)
        Falls(ValueError)
    assert seen == [ValueError]
    Falls(KeyboardInterrupt)
    assert seen == [ValueError, KeyboardInterrupt]


# --- main -------------------------------------------------------------------------------------


def test_main_without_typer(monkeypatch, capsys):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "typer":
            raise ImportError("no typer", name="typer")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SystemExit) as ended:
        fairspectral.cli.main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "needs typer; install it with pip install 'fairspectral[cli]'" in said
    assert said.count("\n") == 1


def test_main_runs_the_app_and_ends_on_an_interrupt(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["fairspectral", "--version"])
    with pytest.raises(SystemExit) as ended:
        fairspectral.cli.main()
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"fairspectral {fairspectral.__version__}\n"

    def stop(**kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("fairspectral.cli.app.app", stop)
    with pytest.raises(SystemExit) as ended:
        fairspectral.cli.main()
    assert ended.value.code == 130


# --- bars -------------------------------------------------------------------------------------


class FakeProgress:
    def __init__(self):
        self.tasks = []

    def add_task(self, name, total):
        self.tasks.append([name, None])
        return len(self.tasks) - 1

    def update(self, task, total=None, completed=None, description=None):
        if description is None:
            self.tasks[task][1] = completed
        else:
            self.tasks[task][0] = description


def test_stages_begin_in_turn_and_end():
    progress = FakeProgress()
    bars = Bars(progress)
    bars.show("affinity", 0.0)
    assert progress.tasks == [["affinity", None]]  # it pulses
    bars.show("affinity", 0.5)
    bars.show("embedding", None)
    assert progress.tasks == [["affinity", 1.0], ["embedding", None]]
    bars.show("affinity", 0.1)  # after the stage: ignored
    assert progress.tasks[0] == ["affinity", 1.0]
    bars.finish()
    assert progress.tasks == [["affinity", 1.0], ["embedding", 1.0]]


def test_compiling_is_shown_beside_the_stage():
    progress = FakeProgress()
    bars = Bars(progress)
    bars.compile(True)  # before any stage: there is no bar to show it
    bars.show("embedding", 0.5)
    bars.show("rounding", 0.0)
    bars.compile(True)
    names = [name for name, _ in progress.tasks]
    assert names == ["embedding", "rounding (compiling, once per machine)"]
    bars.compile(False)
    assert progress.tasks[1][0] == "rounding"


def test_time_left():
    assert time_left(None, 3.0) == "-:--:-- left"
    assert time_left(0.25, 20.0) == "0:01:00 left"
    assert time_left(1.0, 20.0) == "0:00:00 left"


def test_bars_are_drawn_on_a_terminal_only(monkeypatch, capsys):
    with progress_bars():
        report("affinity", 0.5)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bars():
        report("affinity", 0.5)
        report("embedding")
    assert "embedding" in capsys.readouterr().err
