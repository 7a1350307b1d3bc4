"""What is refused, in every command that reads a file: one sentence, status 2, nothing written."""

import os

import pytest


def cluster(call, path, *words):
    return call("cluster", path, "--sensitive", "sex", "--clusters", "2", *words)


def refused(done, *words):
    """One sentence on standard error, status 2, nothing on standard output."""
    assert done.status == 2
    assert done.out == ""
    (line,) = [line for line in done.err.splitlines() if not line.startswith("Note:")]
    assert line.startswith("Error: ")
    assert "Traceback" not in done.err
    for word in words:
        assert word in line


# --- files ------------------------------------------------------------------------------------

BAD_FILES = {
    "empty": (b"", "is empty"),
    "one row": (b"x,sex\n1,f\n", "has 1 row of data"),
    "wrong encoding": ("x,sex\n1,caf\xe9\n2,b\n".encode("latin-1"), "--encoding latin-1"),
    "duplicate header": (b"x,x,sex\n1,2,f\n3,4,m\n", "2 columns called 'x'"),
    "huge field": (b"x,sex\n" + b"1" * 200_000 + b",f\n2,m\n", "200,000 characters"),
    "not text": (bytes(range(256)) * 4, "not UTF-8 text"),
    "short line": (b"x,sex\n1,f\n2\n", "has 1 field(s) in line 3 but 2 columns"),
}
COMMANDS = {
    "cluster": ("-s", "sex", "-k", "2"),
    "audit": ("-s", "sex", "-l", "x"),
    "choose-k": ("-s", "sex"),
    "frontier": ("-s", "sex", "-k", "2"),
}
# The commands that read a graph read its groups as a table.
GRAPH_COMMANDS = ("cluster", "choose-k", "frontier")


@pytest.mark.parametrize("kind", BAD_FILES)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_kind_of_bad_table(call, tmp_path, command, kind):
    content, words = BAD_FILES[kind]
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    refused(call(command, path, *COMMANDS[command]), "bad.csv", words)


@pytest.mark.parametrize("kind", BAD_FILES)
@pytest.mark.parametrize("command", GRAPH_COMMANDS)
def test_every_kind_of_bad_groups(call, graph, tmp_path, command, kind):
    content, words = BAD_FILES[kind]
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    words_of_command = ("--graph", "--groups", path, *COMMANDS[command])
    refused(call(command, graph[0], *words_of_command), "bad.csv", words)


BAD_GRAPHS = {
    "empty": (b"", "is empty"),
    "no edges": (b"source,target\n", "no edges"),
    "wrong encoding": ("v0,v\xe9\n".encode("latin-1"), "--encoding latin-1"),
    "one node per line": (b"v0\nv1\n", "not an edge list"),
    "huge field": (b"v0," + b"1" * 200_000 + b"\n", "200,000 characters"),
    "unknown node": (b"v0,v1\nv0,v77\n", "'v77', which is not in the groups"),
}


@pytest.mark.parametrize("kind", BAD_GRAPHS)
@pytest.mark.parametrize("command", GRAPH_COMMANDS)
def test_every_kind_of_bad_graph(call, graph, tmp_path, command, kind):
    content, words = BAD_GRAPHS[kind]
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    size = () if command == "choose-k" else ("-k", "2")
    done = call(command, path, "--graph", "--groups", graph[1], *size)
    refused(done, "bad.txt", words)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unreadable_file_and_a_wrong_column(call, people, tmp_path, command, monkeypatch):
    refused(call(command, tmp_path / "none.csv", *COMMANDS[command]), "does not exist")
    refused(call(command, tmp_path, *COMMANDS[command]), "is a folder")
    words = [word.replace("sex", "sexx") for word in COMMANDS[command]]
    refused(call(command, people, *words), "did you mean 'sex'?")

    def forbidden(self):
        raise PermissionError(13, "Permission denied")

    # Permissions do not bind an administrator, who may be the one to run this.
    monkeypatch.setattr("pathlib.Path.read_bytes", forbidden)
    refused(call(command, people, *COMMANDS[command]), "may not be read")


def test_other_options_that_name_columns(call, people):
    refused(cluster(call, people, "--drop", "citty"), "--drop", "did you mean 'city'?")
    refused(cluster(call, people, "--keep", "ID"), "--keep", "did you mean 'id'?")


def test_a_missing_header_explains_a_missing_column(call, tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("39,Male\n50,Female\n38,Male\n")
    done = call("cluster", path, "-k", "2", "-s", "sex")
    assert "pass --no-header if it is data" in done.err
    refused(done, "no column 'sex'")


# --- groups -----------------------------------------------------------------------------------


def test_no_sensitive_column(call, people):
    refused(call("cluster", people, "-k", "2"), "pass --sensitive with a column of", "'id', 'name'")


@pytest.mark.parametrize("command", GRAPH_COMMANDS)
def test_columns_that_make_no_groups(call, people, command):
    def named(column):
        return [word.replace("sex", column) for word in COMMANDS[command]]

    refused(call(command, people, *named("planet")), "'planet' has the single group 'Earth'")
    refused(call(command, people, *named("name")), "'name' has a different value in every row")


def test_missing_sensitive_values(call, people):
    words = ("cluster", people, "-k", "2", "--sensitive", "age")
    refused(call(*words), "1 missing value(s)", "--missing-sensitive category")
    category = (*words, "--missing-sensitive", "category", "--json")
    refused(call(*category), "'age' has 47 values in 80 rows", "--bin age=5")
    done = call(*category, "--bin", "age=3")
    assert done.status == 0, done.err
    assert "(missing)" in done.json["attributes"][0]["groups"]


def test_groups_of_another_length(call, people, tmp_path):
    short = tmp_path / "short.csv"
    short.write_text("sex\nf\nm\n")
    refused(cluster(call, people, "--groups", short), "has 2 rows but", "has 80")
    refused(cluster(call, people, "--groups", tmp_path / "none.csv"), "does not exist")


# --- outputs ----------------------------------------------------------------------------------


def test_the_input_is_never_written_over(call, people):
    before = people.read_bytes()
    refused(cluster(call, people, "-o", people), "is the input")
    assert people.read_bytes() == before


def test_impossible_outputs(call, people, tmp_path):
    refused(cluster(call, people, "-o", tmp_path / "no" / "x.csv"), "does not exist")
    refused(cluster(call, people, "-o", tmp_path / "x.csv", "--label-column", " "), "is empty")
    assert os.listdir(tmp_path) == ["people.csv"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("cluster", "-k", "2", "-o", "x.xyz"), "ends in '.xyz', which is not written; choose"),
        (("cluster", "-k", "2", "-o", "labels"), "has no ending; choose a name that ends in"),
        (("cluster", "-k", "2", "-o", "x.npy.gz"), "ends in '.npy.gz'"),
        (("cluster", "-k", "2", "--report", "x.pdf"), "one of .html, .htm."),
        (("frontier", "-k", "2", "--plot", "x.csv"), "one of .png, .svg, .pdf."),
    ],
)
def test_endings_are_refused_before_anything_is_read(call, tmp_path, words, said):
    command, *options = words
    refused(call(command, tmp_path / "none.csv", "-s", "sex", *options), said)


def test_a_column_that_is_there_already(call, people, tmp_path):
    words = ("-o", tmp_path / "out.csv", "--label-column")
    refused(cluster(call, people, *words, "city"), "'city' already", "--label-column")
    assert cluster(call, people, *words, "fair").status == 0
    assert (tmp_path / "out.csv").read_text().startswith(people.read_text().split("\n")[0])


# --- options ----------------------------------------------------------------------------------

BAD_OPTIONS = {
    ("--affinity", "rbff"): "--affinity 'rbff' is unknown (did you mean 'rbf'?); choose one of",
    ("--solver", "krilov"): "--solver 'krilov' is unknown (did you mean 'krylov'?); choose one of",
    ("--gamma", "scal"): "--gamma 'scal' is not a width (did you mean 'scale'?); pass a positive",
    ("--gamma", "-1"): "--gamma '-1' is not a width; pass a positive number, scale or auto.",
    ("--memory-budget", "lots"): "--memory-budget 'lots' is not an amount of memory",
    ("--seed", "-1"): "--seed -1 must lie between 0 and 4294967295.",
}


@pytest.mark.parametrize("words", BAD_OPTIONS, ids=" ".join)
@pytest.mark.parametrize("command", GRAPH_COMMANDS)
def test_options_are_refused_before_anything_is_read(call, tmp_path, command, words):
    done = call(command, tmp_path / "none.csv", *COMMANDS[command], *words)
    refused(done, BAD_OPTIONS[words])


def test_the_sentences_of_the_library_speak_of_options(call, people):
    done = call("cluster", people, "-k", "200", "-s", "sex")
    refused(done, "--clusters 200 is larger than 80, the 80 samples; choose --clusters of at most")
    refused(cluster(call, people, "--min-cluster-size", "70"), "--min-cluster-size 70 is not")
    many = ("--affinity", "nearest_neighbors", "--neighbors", "500")
    refused(cluster(call, people, *many), "--neighbors 500 must lie between 1 and")
    refused(cluster(call, people, "--tolerance", "inf"), "--tolerance has inf; a tolerance is")
    done = call("audit", people, "-s", "sex", "-l", "city", "--require-tolerance", "inf")
    refused(done, "--require-tolerance has inf")
