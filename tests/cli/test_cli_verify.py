"""``cluster --certificate`` and ``verify``: from a file to a certificate and back."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def written(people, tmp_path, call):
    """Labels and certificate of the people."""
    labels, certificate = tmp_path / "labels.csv", tmp_path / "c.json"
    words = ("-s", "sex", "-k", 2, "-o", labels, "--certificate", certificate, "--effort", "fast")
    done = call("cluster", people, *words)
    assert done.status == 0, done.err
    assert "no clustering within these bounds is below" in done.out
    assert f"Certificate: {certificate}" in done.out
    return labels, certificate


def test_what_cluster_wrote_is_accepted(people, written, call):
    labels, certificate = written
    done = call("verify", labels, people, "--certificate", certificate)
    assert done.status == 0, done.out + done.err
    assert done.out.rstrip().endswith("everything was computed again from the data and agrees.")
    done = call("verify", labels, people, "--certificate", certificate, "--json")
    assert done.json["accepted"] is True
    assert {check["part"] for check in done.json["checks"]} == {
        "seal", "data", "groups", "labels", "cells", "sizes", "cut", "bound", "embedding",
    }  # fmt: skip


def test_changed_labels_end_with_status_1(people, written, call):
    labels, certificate = written
    lines = labels.read_text(encoding="utf-8").splitlines()
    head, last = lines[5].rsplit(",", 1)
    lines[5] = f"{head},{1 - int(last)}"
    labels.write_text("\n".join(lines), encoding="utf-8")
    done = call("verify", labels, people, "--certificate", certificate)
    assert done.status == 1
    assert "somebody is in another cluster" in done.out
    assert "Refused:" in done.out


def test_another_file_is_named(people, written, tmp_path, call):
    labels, certificate = written
    other = tmp_path / "other.csv"
    other.write_bytes(people.read_bytes() + b"\n")
    done = call("verify", labels, other, "--certificate", certificate)
    assert done.status == 1
    assert f"{other} is not the file of the certificate" in done.out


def test_a_changed_certificate_is_named(people, written, call):
    labels, certificate = written
    claims = json.loads(certificate.read_text(encoding="utf-8"))
    claims["data"]["options"]["sensitive"] = ["migrant"]
    certificate.write_text(json.dumps(claims), encoding="utf-8")
    done = call("verify", labels, people, "--certificate", certificate, "--json")
    assert done.status == 1
    wrong = {check["part"] for check in done.json["checks"] if not check["holds"]}
    assert {"seal", "groups"} <= wrong


def test_a_graph_with_groups_and_people_set_aside(graph_with_pairs, tmp_path, call):
    edges, groups = graph_with_pairs
    labels, certificate = tmp_path / "labels.csv", tmp_path / "c.json"
    words = ("-k", 3, "-o", labels, "--certificate", certificate, "--effort", "fast", "--json")
    done = call("cluster", edges, "--graph", "--groups", groups, *words)
    assert done.json["certificate_file"] == str(certificate)
    assert json.loads(certificate.read_text(encoding="utf-8"))["embedding"]["set_aside"] == 4
    verify = ("verify", labels, edges, "--certificate", certificate)
    done = call(*verify, "--groups", groups)
    assert done.status == 0, done.out + done.err
    done = call(*verify)
    assert done.status == 2
    assert "the certificate is also of a table of groups; pass it with --groups" in done.err


def test_plain_clusters_and_labels_alone(people, tmp_path, call):
    labels, certificate = tmp_path / "labels.npy", tmp_path / "c.json"
    words = ("-k", 3, "-o", labels, "--certificate", certificate, "--plain")
    assert call("cluster", people, "-s", "sex", *words).status == 0
    verify = ("verify", labels, people, "--certificate", certificate)
    assert call(*verify).status == 0
    np.save(labels, np.load(labels)[::-1])
    assert call(*verify).status == 1


@pytest.mark.parametrize("affinity", ["auto", "gower", "nearest_neighbors"])
def test_other_affinities(people, tmp_path, call, affinity):
    labels, certificate = tmp_path / "labels.csv", tmp_path / "c.json"
    words = ("-s", "sex", "-s", "migrant", "--attribute-mode", "intersection", "-k", 2)
    more = ("-o", labels, "--certificate", certificate, "--affinity", affinity, "--effort", "fast")
    assert call("cluster", people, *words, *more).status == 0
    done = call("verify", labels, people, "--certificate", certificate)
    assert done.status == 0, done.out + done.err


def test_a_certificate_needs_a_file(people, call, tmp_path):
    text = people.read_text(encoding="utf-8")
    words = ("-s", "sex", "-k", 2, "--certificate", tmp_path / "c.json")
    done = call("cluster", "-", *words, stdin=text)
    assert done.status == 2
    assert "--certificate needs the input as a file" in done.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no", "not valid JSON"),
        (b"\xff\xfe\x00", "is not text"),
        (b"{}", "not a certificate of fairspectral"),
    ],
)
def test_files_that_are_no_certificates(people, written, call, content, words):
    labels, certificate = written
    certificate.write_bytes(content)
    done = call("verify", labels, people, "--certificate", certificate)
    assert done.status == 2
    assert words in done.err


def test_a_certificate_of_python_says_how_to_verify_it(people, written, call):
    labels, certificate = written
    claims = json.loads(certificate.read_text(encoding="utf-8"))
    for options in ({}, {n: v for n, v in claims["data"]["options"].items() if n != "plain"}):
        claims["data"]["options"] = options
        certificate.write_text(json.dumps(claims), encoding="utf-8")
        done = call("verify", labels, people, "--certificate", certificate)
        assert done.status == 2
        assert "fairspectral.verify_certificate in Python" in done.err
    done = call("verify", labels, people, "--certificate", certificate, "--must-link", people)
    assert done.status == 2


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_labels_are_read_in_the_encoding_of_the_table(people, tmp_path, call, encoding):
    table = pd.read_csv(people).replace("Oslo", "Tromsø")
    table.to_csv(people, index=False, encoding=encoding)
    labels, certificate = tmp_path / "labels.csv", tmp_path / "c.json"
    words = ("-s", "sex", "-k", 2, "--encoding", encoding, "-o", labels, "--effort", "fast")
    assert call("cluster", people, *words, "--certificate", certificate).status == 0
    done = call("verify", labels, people, "--certificate", certificate)
    assert done.status == 0, done.out + done.err


@pytest.mark.parametrize(
    ("damage", "words"), [(b"\xff", "is not UTF-8 text (byte 0xff"), (b"\0", "is not a text file")]
)
def test_damaged_labels_are_to_be_passed_as_they_were_written(people, written, call, damage, words):
    labels, certificate = written
    labels.write_bytes(labels.read_bytes() + damage)
    done = call("verify", labels, people, "--certificate", certificate)
    assert done.status == 2
    assert words in done.err
    assert "; pass the labels as cluster -o wrote them." in done.err
    assert "--encoding" not in done.err


@pytest.mark.parametrize(
    ("name", "value"), [("encoding", 5), ("sensitive", 5), ("label_column", None), ("plain", "no")]
)
def test_options_of_another_form_are_named(people, written, call, name, value):
    labels, certificate = written
    claims = json.loads(certificate.read_text(encoding="utf-8"))
    claims["data"]["options"][name] = value
    certificate.write_text(json.dumps(claims), encoding="utf-8")
    done = call("verify", labels, people, "--certificate", certificate)
    assert done.status == 2
    assert f"the certificate has {value!r} as its option {name}" in done.err


def test_names_that_cannot_be_written_are_refused_before_work(people, call, tmp_path):
    done = call("cluster", people, "-s", "sex", "-k", 2, "--certificate", tmp_path / "c.txt")
    assert done.status == 2
    assert "ends in '.txt'" in done.err


def test_weights_and_links_are_verified(people, tmp_path, call):
    table = pd.read_csv(people)
    table["stands for"] = np.random.default_rng(0).integers(1, 9, len(table)) / 4
    table.to_csv(people, index=False)
    labels, certificate = tmp_path / "labels.csv", tmp_path / "c.json"
    must, cannot = tmp_path / "must.csv", tmp_path / "cannot.csv"
    must.write_text("1,2\n2,3\n")
    cannot.write_text("4,5\n")
    links = ("--must-link", must, "--cannot-link", cannot)
    words = ("-s", "sex", "-k", 2, "--weight", "stands for", "-o", labels, "--effort", "fast")
    done = call("cluster", people, *words, *links, "--certificate", certificate)
    assert done.status == 0, done.err
    assert "2 of 2 must-link(s) and 1 of 1 cannot-link pair(s) are kept" in done.out
    done = call("verify", labels, people, "--certificate", certificate, *links, "--json")
    assert done.status == 0, done.out + done.err
    assert {"weights", "links"} <= {check["part"] for check in done.json["checks"]}
    done = call("verify", labels, people, "--certificate", certificate, "--must-link", must)
    assert done.status == 2
    assert "also of a table of pairs who must be apart; pass it with --cannot-link" in done.err
    must.write_text("1,2\n")
    done = call("verify", labels, people, "--certificate", certificate, *links)
    assert done.status == 1
    assert f"{must} is not the file of the certificate" in done.out
