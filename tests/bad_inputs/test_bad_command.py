"""Every bad input of the command works correctly, or is refused in one sentence."""

from __future__ import annotations

import io
import json
import math
import re
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("typer", reason="typer is not installed: pip install 'fairspectral[cli]'")

from bad_input_case import WORKS, N
from command_case import Command, csv
from graph_cases import GRAPHS
from option_cases import AUDITS, OPTIONS
from people_cases import PEOPLE_COMMANDS
from sentences import check_sentence
from table_cases import TABLES
from typer.main import get_command

from fairspectral.cli.app import app

COMMAND = get_command(app)
CASES = [*TABLES, *GRAPHS, *AUDITS, *OPTIONS, *PEOPLE_COMMANDS]
TOLERANCE = Fraction("0.2")


def run(case, folder):
    """Write the files of a case and call the command in this process."""
    path = folder / case.file
    if callable(case.content):
        case.content(path)
    else:
        path.write_bytes(case.content)
    (folder / "made.csv").mkdir()
    sides = "".join(f"n{i},{'ab'[i // 2 % 2]}\n" for i in range(N))
    (folder / "groups.csv").write_text(f"node,side\n{sides}")
    (folder / "short.csv").write_text("sex\nf\nm\n")
    (folder / "pairs.csv").write_text(case.pairs)
    before = {one: one.read_bytes() for one in folder.iterdir() if one.is_file()}
    places = {
        "{in}": path,
        "{out}": folder / "out.npy",
        "{groups}": folder / "groups.csv",
        "{short}": folder / "short.csv",
        "{pairs}": folder / "pairs.csv",
        "{folder}": folder,
    }

    def with_paths(word):
        for name, place in places.items():
            word = word.replace(name, str(place))
        return word

    out, err = io.StringIO(), io.StringIO()
    # Without the runner of typer, which rebuilds the commands and their options in every call.
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
        COMMAND.main(list(map(with_paths, case.words)), prog_name="fairspectral")
    error = err.getvalue()
    for name, place in places.items():
        error = error.replace(str(place), name)
    lines = error.splitlines()
    return SimpleNamespace(
        status=end.value.code,
        out=out.getvalue(),
        before=before,
        notes=[line for line in lines if line.startswith("Note: ")],
        lines=[line for line in lines if not line.startswith("Note: ")],
        output=folder / "out.npy",
    )


@pytest.fixture(scope="module")
def plain_cut(tmp_path_factory):
    found = run(Command("plain", csv()), tmp_path_factory.mktemp("plain"))
    return json.loads(found.out)["normalized_cut"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_command(case, tmp_path, plain_cut):
    if case.needs:
        pytest.importorskip(case.needs, reason=f"{case.needs} is not installed: pip install it")
    found = run(case, tmp_path)
    if case.outcome == WORKS:
        check_result(case, found, plain_cut)
    else:
        check_refusal(case, found, tmp_path)


def check_refusal(case, found, folder):
    """Status 2, one sentence, and no file made or changed."""
    assert found.status == 2
    assert found.out == ""
    (line,) = found.lines
    said = line.removeprefix("Error: ")
    assert said != line
    check_sentence(said)
    if isinstance(case.outcome, re.Pattern):
        assert case.outcome.fullmatch(said), said
    else:
        assert said == case.outcome
    assert {one: one.read_bytes() for one in folder.iterdir() if one.is_file()} == found.before


def check_result(case, found, plain_cut):
    """The status, what is noted, and a recount of the labels that were written."""
    assert found.status == case.status, found.lines
    assert found.lines == []
    assert len(found.notes) == bool(case.note), found.notes
    assert all(case.note in note for note in found.notes)
    result = json.loads(found.out)
    assert result["rows"] == N
    if "-o" not in case.words:
        assert sum(cluster["size"] for cluster in result["clusters"]) == N
        return
    labels = np.load(found.output)
    sizes = np.bincount(labels)
    assert labels.shape == (N,)
    assert sizes.tolist() == [cluster["size"] for cluster in result["clusters"]]
    assert result["certified"]
    for attribute in result["attributes"]:
        check_counts(np.array(attribute["counts"]), sizes)
    if case.same:  # affinities of float32 make a cut that is exact to about 1e-7
        assert result["normalized_cut"] == pytest.approx(plain_cut, abs=1e-6)


def check_counts(counts, sizes):
    """Every cell of cluster × group is within the bounds, in exact arithmetic."""
    assert counts.sum(axis=1).tolist() == sizes.tolist()
    for cluster, size in enumerate(sizes.tolist()):
        for group, members in enumerate(counts.sum(axis=0).tolist()):
            share = Fraction(members * size, N)
            have = int(counts[cluster, group])
            assert have >= min(math.ceil((1 - TOLERANCE) * share), math.floor(share))
            assert have <= max(math.floor((1 + TOLERANCE) * share), math.ceil(share))


def test_names_are_unique():
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
