import re
from pathlib import Path

import pytest

import fairspectral

COMMANDS = ("cluster", "assign", "audit", "choose-k", "frontier", "app", "demo", "datasets",
            "reproduce", "doctor")  # fmt: skip
SHARED = ("--sensitive", "--graph", "--groups", "--missing-sensitive", "--encoding", "--no-header",
          "--drop", "--keep", "--use-sensitive", "--affinity", "--gamma", "--neighbors",
          "--attribute-mode", "--solver", "--seed", "--memory-budget", "--threads",
          "--json", "--debug")  # fmt: skip
OPTIONS = {
    "cluster": (*SHARED, "--clusters", "--tolerance", "--output", "--label-column", "--report",
                "--min-cluster-size", "--max-cluster-size", "--share", "--balance", "--plain"),
    "assign": ("--sensitive", "--output", "--label-column", "--similar", "--update",
               "--missing-sensitive", "--encoding", "--json", "--debug"),
    "audit": ("--labels", "--sensitive", "--require-tolerance", "--min-cluster-size",
              "--attribute-mode", "--missing-sensitive", "--encoding", "--no-header", "--json",
              "--debug"),
    "choose-k": (*SHARED, "--min-clusters", "--max-clusters", "--tolerance"),
    "frontier": (*SHARED, "--clusters", "--tolerances", "--plot", "--at", "--output",
                 "--label-column"),
    "app": ("--port", "--no-browser", "--debug"),
    "demo": ("--output", "--debug"),
    "datasets": ("fetch", "--json"),
    "reproduce": ("--scale", "--out", "--limit", "--only", "--trials", "--no-figures", "--debug"),
    "doctor": ("--json", "--debug"),
}  # fmt: skip
WIDE = {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}


def plain(text):
    """A page without colours and frames, each run of blanks one blank."""
    return " ".join(re.sub(r"\x1b\[[\d;]*m|[│╭╮╰╯─]", " ", text).split())


def test_the_first_page_names_every_command(call):
    page = plain(call("--help", env=WIDE).out)
    for name in COMMANDS:
        assert f" {name} " in page


def test_no_words_show_the_first_page(call):
    assert "Usage" in call().out + call().err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_complete(call, name):
    done = call(name, "--help", env=WIDE)
    assert done.status == 0
    page = plain(done.out)
    assert f"Example: fairspectral {name}" in page
    for option in OPTIONS[name]:
        # Every option is followed by words of its own.
        assert re.search(rf"{option} .*\w", page), option


def test_help_of_a_command_below_another(call):
    page = plain(call("datasets", "fetch", "--help", env=WIDE).out)
    assert "Example: fairspectral datasets fetch census" in page
    assert re.search(r"--output .*\w", page)


def test_version(call):
    assert call("--version").out == f"fairspectral {fairspectral.__version__}\n"


def test_demo(call, monkeypatch):
    seen = []

    def main(words):
        seen.append(words)
        return 0

    monkeypatch.setattr("fairspectral.demo.main", main)
    done = call("demo", "-o", "somewhere")
    assert done.status == 0, done.err
    assert seen == [["--output", str(Path("somewhere"))]]
