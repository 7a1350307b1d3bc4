"""From the form to the options of the command, and back to a command."""

import shlex

import pytest

from fairspectral.app.choices import read_choices
from fairspectral.app.limits import Limits
from fairspectral.app.sheet import open_upload


@pytest.fixture
def read(people):
    sheet = open_upload("my people.csv", people, Limits())

    def read_form(compare=("1", "2", "3", "4"), fair=("5",), **form):
        lists = {"compare": compare, "fair": fair}
        return read_choices({"clusters": "3", **form}, lists.__getitem__, sheet, Limits())

    return read_form


def test_the_defaults_are_those_of_the_command(read):
    words = shlex.split(read().command(0.2))
    assert words == ["fairspectral", "frontier", "my people.csv", "--sensitive", "sex",
                     "--clusters", "3", "--at", "0.2", "--output", "labels.csv"]  # fmt: skip


def test_every_choice_is_in_the_command(read):
    choices = read(
        compare=("0", "1"), fair=("3", "5"), affinity="nearest_neighbors", neighbors="7",
        attribute_mode="intersection", effort="thorough", seed="4", missing="category",
        **{"groups-3": "4", "groups-1": "9"},
    )  # fmt: skip
    words = shlex.split(choices.command(None))
    assert words[3:] == [
        "--sensitive", "age", "--sensitive", "sex", "--bin", "age=4",
        "--missing-sensitive", "category", "--drop", "y", "--drop=-city", "--keep", "id",
        "--clusters", "3", "--affinity", "nearest_neighbors", "--neighbors", "7",
        "--attribute-mode", "intersection", "--effort", "thorough", "--seed", "4",
        "--tolerances", "0,0.05,0.1,0.2,0.5,none", "--at", "none", "--output", "labels.csv",
    ]  # fmt: skip


def test_the_encoding_is_in_the_command_where_it_was_guessed():
    lists = {"compare": ["0"], "fair": ["1"]}
    for encoding, option in (("cp1252", "--encoding cp1252"), ("utf-16", "--sensitive sex")):
        sheet = open_upload("t.csv", "x,sex\n1,f\n2,\u00e4\n3,f\n".encode(encoding), Limits())
        command = read_choices({"clusters": "2"}, lists.__getitem__, sheet, Limits()).command(0.0)
        assert option in command
        assert ("--encoding" in command) == (encoding == "cp1252")


def test_a_name_for_the_labels_that_is_free():
    content = b"x,cluster,fair_cluster,sex\n" + b"1,2,3,f\n2,3,4,m\n" * 3
    sheet = open_upload("-t.tsv", content.replace(b",", b"\t"), Limits())
    lists = {"compare": ["0"], "fair": ["3"]}
    choices = read_choices({"clusters": "2"}, lists.__getitem__, sheet, Limits())
    words = shlex.split(choices.command(0.0))
    assert words[2] == "./-t.tsv"
    assert words[-6:] == ["--label-column", "cluster_2", "--at", "0", "--output", "labels.tsv"]


WRONG = {
    "no sensitive column": ({"fair": ()}, "tick at least one column under fair shares"),
    "a column that is not there": ({"compare": ("99",)}, "a column has '99'"),
    "a column that is no number": ({"fair": ("sex",)}, "a column has 'sex'"),
    "no clusters": ({"clusters": ""}, "--clusters has ''"),
    "one cluster": ({"clusters": "1"}, "from 2 to 50"),
    "many clusters": ({"clusters": "51"}, "from 2 to 50"),
    "clusters in words": ({"clusters": "three"}, "--clusters has 'three'"),
    "no such affinity": ({"affinity": "rbff"}, "did you mean 'rbf'"),
    "no such effort": ({"effort": "more"}, "--effort has 'more'"),
    "no such mode": ({"attribute_mode": "x"}, "--attribute-mode has 'x'"),
    "one group": ({"groups-5": "1"}, "the groups of 'sex' has '1'"),
    "a negative seed": ({"seed": "-1"}, "--seed has '-1'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_choices_are_sentences(read, case):
    form, words = WRONG[case]
    with pytest.raises(ValueError, match=words):
        read(**form)
