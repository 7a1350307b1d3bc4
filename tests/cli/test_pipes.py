"""Standard input and output: real processes, and in this one what a process does not change."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fairspectral import FairSpectralClustering

COMMAND = [sys.executable, "-m", "fairspectral.cli"]
PATIENCE = 300
METHOD = ["-s", "sex", "-k", "2", "--effort", "fast"]


def run(words, stdin=b"", **options):
    """Run the command to its end, with bytes as its standard input."""
    given = {"input": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    words = [*COMMAND, *map(str, words)]
    return subprocess.run(words, timeout=PATIENCE, check=False, **given)


def test_a_table_goes_in_and_comes_out_with_one_more_column(people, tmp_path, call):
    rows = people.read_bytes().replace(b"\n", b"\r\n")  # written back as they are
    expected = tmp_path / "out.csv"
    people.write_bytes(rows)
    call("cluster", people, *METHOD, "-o", expected)
    done = run(["cluster", "-", *METHOD, "-o", "-"], rows)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected.read_bytes()
    assert b"Shares of sex in every cluster" in done.stderr
    assert b"Labels: standard output" in done.stderr


def test_one_command_feeds_the_next(people):
    words = [*COMMAND, "cluster", str(people), *METHOD, "-o", "-"]
    first = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    gate = ["--require-tolerance", "0.2", "--json"]
    words = [*COMMAND, "audit", "-", "-s", "sex", *gate]
    second = subprocess.run(
        words, stdin=first.stdout, capture_output=True, timeout=PATIENCE, check=False
    )
    first.stdout.close()
    assert first.wait(PATIENCE) == 0
    assert second.returncode == 0, second.stderr
    audited = json.loads(second.stdout)
    assert (audited["input"], audited["rows"], audited["fair"]) == ("standard input", 80, True)


def test_json_has_the_labels_in_short_lines(people, tmp_path, call):
    output = tmp_path / "labels.npy"
    done = call("cluster", "-", *METHOD, "--json", "-o", output, stdin=people.read_bytes())
    assert done.status == 0, done.err
    found = done.json
    assert found["labels"] == np.load(output).tolist()
    assert [cluster["size"] for cluster in found["clusters"]] == np.bincount(
        found["labels"]
    ).tolist()
    assert list(found)[-1] == "labels"
    lines = done.out.splitlines()
    assert lines[-5] == '  "labels": ['
    assert [line.count(",") for line in lines[-4:]] == [40, 39, 0, 0]  # 80 labels


def test_labels_and_json_cannot_share_standard_output(people, call):
    done = call("cluster", people, *METHOD, "--json", "-o", "-")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("Error: --output - and --json would both write to standard")


def test_a_graph_on_standard_input(graph, call):
    edges, groups = graph
    words = ["cluster", "-", "--graph", "--groups", groups, "-k", "2", "--effort", "fast"]
    done = call(*words, "-o", "-", stdin=edges.read_bytes())
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "node,side,cluster"
    assert len(lines) == 21
    assert len({line.split(",")[-1] for line in lines[1:11]}) == 1  # the first ring


def test_packed_text_and_tabs(people, call):
    text = people.read_text().replace(",", "\t")
    words = ["audit", "-", "-s", "sex", "-l", "migrant", "--json"]
    done = call(*words, stdin=gzip.compress(text.encode()))
    assert done.status == 0, done.err
    assert done.json["rows"] == 80


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "standard input is empty; pass a file with a header line and rows."),
        (b"PAR1\x15\x04", "standard input is a Parquet file, but only text is read from there; "
         "name the file, or send CSV."),
        (b"a,b\n1\n", "standard input has 1 field(s) in line 2 but 2 columns; correct that line."),
        (b"a,b\n1,2\n3,4\n", "standard input has no column 'cluster' (asked for by --labels); its "
         "columns are 'a', 'b'."),
    ],
)  # fmt: skip
def test_messages_name_standard_input(content, sentence, call):
    done = call("audit", "-", "-s", "b", stdin=content)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"Error: {sentence}\n"


def test_standard_input_that_is_closed():
    words = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "audit", "-", "-s", "sex"]
    done = subprocess.run(words, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        b"Error: standard input is closed; name a file, or send the table to it.\n"
    )


def test_only_one_input_is_standard_input(call):
    done = call("cluster", "-", "--graph", "--groups", "-", "-k", "2")
    assert done.status == 2
    assert "FILE and --groups cannot both be standard input" in done.err


def test_a_closed_pipe_ends_it_quietly_after_the_report(people, tmp_path):
    report = tmp_path / "report.html"
    reader, writer = os.pipe()
    os.close(reader)
    words = ["cluster", people, *METHOD, "-o", "-", "--report", report]
    done = run(words, stdout=writer)
    os.close(writer)
    assert done.returncode == 141
    assert b"Error" not in done.stderr
    assert b"Exception" not in done.stderr
    assert report.read_text(encoding="utf-8").rstrip().endswith("</html>")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full: run on Linux")
@pytest.mark.parametrize("what", [["-o", "-"], ["--json"]])
def test_a_full_disk_behind_standard_output(people, what):
    with open("/dev/full", "wb") as full:
        done = run(["cluster", people, *METHOD, *what], stdout=full)
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[-1] == (
        "Error: reading or writing failed (no space left on device); check the disk."
    )


def test_other_commands_read_standard_input(people, call):
    words = ["-s", "sex", "--effort", "fast", "--json"]
    chosen = call("choose-k", "-", *words, "--max-clusters", "3", stdin=people.read_bytes())
    assert [found["k"] for found in chosen.json["candidates"]] == [2, 3]


def test_the_page_for_r_users_names_what_there_is(people, call):
    page = (Path(__file__).parents[2] / "docs" / "r.md").read_text(encoding="utf-8")
    labelled = people.read_text().replace("planet", "cluster", 1).encode()
    commands = re.findall(r"^  c\((.*)\)", page, flags=re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        words = re.findall(r'"(.*?)"', command)
        given = labelled if words[0] == "audit" else people.read_bytes()
        done = call(*words, *(["--effort", "fast"] if words[0] == "cluster" else []), stdin=given)
        assert done.status == 0, done.err
        keys = set(re.findall(r"result\$(\w+)", page)) if "--json" in words else set()
        assert keys <= set(done.json or {})
    rows = np.random.default_rng(0).normal(size=(30, 2))
    model = FairSpectralClustering(2, random_state=0).fit(rows, sensitive_features=["a", "b"] * 15)
    assert set(re.findall(r"model\$(\w+)", page)) <= set(dir(model))
    parameters = {name for made in re.findall(r"FairSpectralClustering\((.*)\)", page)
                  for name in re.findall(r"(\w+) =", made)}  # fmt: skip
    assert parameters
    assert parameters <= set(model.get_params())


def test_a_data_set_on_standard_output(call):
    done = call("datasets", "fetch", "diabetes", "-o", "-")
    assert done.status == 0, done.err
    assert done.out.startswith("age,")
    assert len(done.out.splitlines()) == 443
    refused = call("datasets", "fetch", "lastfm", "-o", "-")
    assert refused.status == 2
    assert "lastfm is a graph, which takes two files" in refused.err
