"""Wrong usage: one sentence, the nearest right word, status 2; also in other versions of typer."""

from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

from fairspectral.cli.usage import Group, usage_sentence

MISTAKES = {
    ("clustr",): "there is no command 'clustr'; did you mean cluster?",
    ("zzz",): "there is no command 'zzz'; see root --help.",
    ("datasets", "fetc"): "there is no command 'fetc'; did you mean fetch?",
    ("cluster",): "FILE is missing; add it, or see root cluster --help.",
    ("cluster", "x.csv"): "--clusters is missing; add it, or see root cluster --help.",
    ("audit", "x.csv"): "--sensitive is missing; add it, or see root audit --help.",
    ("cluster", "x", "--sensitve", "sex"): "no option --sensitve; did you mean --sensitive?",
    ("cluster", "x", "-z"): "there is no option -z; see root cluster --help.",
    ("--versio",): "there is no option --versio; did you mean --version?",
    ("cluster", "x", "-k", "five"): "--clusters must be a whole number; see root cluster --help.",
    ("cluster", "x", "-k", "0"): "--clusters must be at least 1; see root cluster --help.",
    ("cluster", "x", "-k", "2", "--tolerance", "x"): "--tolerance has 'x', which is not a",
    ("cluster", "x", "-k", "2", "--attribute-mode", "margin"): "--attribute-mode must be one of "
    "'marginal', 'intersection' (did you mean marginal?); see root cluster --help.",
    ("cluster", "x", "-k"): "-k needs a value; --help shows how.",
    ("cluster", "x", "-k", "2", "--graph=yes"): "--graph takes no value; --help shows how.",
    ("cluster", "x", "-k", "2", "-s", "sex", "race"): "'race' is one word too many; put",
}  # fmt: skip


@pytest.mark.parametrize("words", MISTAKES, ids=" ".join)
def test_a_mistake_is_one_sentence(call, words):
    done = call(*words)
    assert done.status == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith("Error: ")
    assert MISTAKES[words] in line


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("0 is not in the range x>=1.", "--size must be at least 1; --help shows how."),
        ("'x' is not a valid integer.", "--size must be a whole number; --help shows how."),
        ("'x' is not a valid float.", "--size must be a number; --help shows how."),
        ("'smal' is not one of 'small', 'large'.", "'small', 'large' (did you mean small?); --"),
        ("Odd.", "--size has a value that it does not take (Odd); --help shows how."),
    ],
)
def test_the_words_of_other_versions(reason, said):
    option = SimpleNamespace(param_type_name="option", opts=["-s", "--size"])
    error = SimpleNamespace(param=option, message=reason, ctx=None, format_message=lambda: reason)
    assert said in usage_sentence(error)


def test_unknown_messages_are_kept():
    error = SimpleNamespace(message="Too late.", format_message=lambda: "Too\nlate.")
    assert usage_sentence(error) == "Too late; --help shows how."


def app_with(function):
    app = typer.Typer(cls=Group, pretty_exceptions_enable=False)
    app.command()(function)
    app.callback()(lambda: None)
    return app


def test_other_ends_are_kept():
    def give_up() -> None:
        raise typer.Abort

    def fail() -> None:
        raise KeyError("x")

    assert CliRunner().invoke(app_with(give_up), ["give-up"]).exit_code == 130
    assert isinstance(CliRunner().invoke(app_with(fail), ["fail"]).exception, KeyError)
    with pytest.raises(KeyError):
        typer.main.get_command(app_with(fail)).main(["fail"], standalone_mode=False)
