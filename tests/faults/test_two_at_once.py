"""Two processes that write one file: the result is one of the two, whole."""

import json
import os
import subprocess
import threading
from collections import Counter

import pytest
from processes import PATIENCE, cluster_words, linux_only

from fairspectral.files import replacing


@linux_only
def test_two_commands_with_one_output(people, folder):
    output = folder / "out.csv"
    words = ["--effort", "fast", "-o", str(output), "--json"]
    processes = [
        subprocess.Popen(cluster_words(people, "-k", k, *words), stdout=subprocess.PIPE)
        for k in "23"
    ]
    answers = [json.loads(process.communicate(timeout=PATIENCE)[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert os.listdir(folder) == ["out.csv"]
    rows = [line.rsplit(",", 1) for line in output.read_text().splitlines()]
    assert [row[0] for row in rows] == people.read_text().splitlines()
    sizes = sorted(Counter(row[1] for row in rows[1:]).values())
    assert sizes in [sorted(c["size"] for c in answer["clusters"]) for answer in answers]


def test_threads_with_one_output(folder):
    """Each attempt has a name of its own, also within one process."""
    path = folder / "out.txt"
    failures = []

    def write(letter):
        try:
            for _ in range(50):
                with replacing(path) as attempt, open(attempt, "w") as file:
                    for _ in range(20):
                        file.write(letter * 5000)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            text = path.read_text()
            assert text == text[:1] * 100_000
    assert not failures
    assert os.listdir(folder) == ["out.txt"]


def test_a_name_as_long_as_names_may_be(folder):
    path = folder / ("n" * 251 + ".csv")
    with replacing(path) as attempt:
        attempt.write_text("whole")
    assert path.read_text() == "whole"


@pytest.mark.parametrize("name", ["ü" * 120, "名" * 80])
def test_a_long_name_in_other_letters(folder, name):
    with replacing(folder / name) as attempt:
        attempt.write_text("whole")
    assert os.listdir(folder) == [name]
