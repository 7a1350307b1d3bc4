"""``--affinity auto`` and ``--affinity gower``."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from fairspectral import FairSpectralClustering

FAST = ("--effort", "fast", "--sensitive", "sex")


@pytest.fixture
def half_moons(tmp_path):
    """Two half moons, without words and gaps."""
    X, moon = make_moons(300, noise=0.05, random_state=0)
    table = pd.DataFrame(
        {"x": X[:, 0], "y": X[:, 1], "sex": np.where(np.arange(300) % 2, "f", "m")}
    )
    path = tmp_path / "moons.csv"
    table.to_csv(path, index=False)
    return path, moon


def test_numbers_are_clustered_by_a_graph_and_the_command_says_so(call, half_moons):
    path, moon = half_moons
    done = call("cluster", path, "-k", "2", "--affinity", "auto", *FAST)
    assert done.status == 0, done.err
    assert "affinity='auto' took a connected graph of 20 nearest neighbours" in done.out
    result = call("cluster", path, "-k", "2", "--affinity", "auto", "--json", *FAST).json
    assert result["affinity"] == "auto"
    assert result["affinity_choice"] in done.out
    assert adjusted_rand_score(moon, result["labels"]) > 0.95


@pytest.mark.parametrize("affinity", ["auto", "gower"])
def test_mixed_columns_are_compared_as_they_are(call, people, affinity):
    done = call("cluster", people, "-k", "2", "--affinity", affinity, *FAST)
    assert done.status == 0, done.err
    assert "Gower's distance" in done.out
    assert "Compared are 2 numeric and 2 categorical column(s); 0.3% of the values" in done.out
    assert "Dropped 'id'" in done.err
    assert "Dropped 'planet': it has the same value in every row." in done.err
    assert "Filled" not in done.err


def test_the_command_and_the_estimator_agree(call, people):
    labels = call("cluster", people, "-k", "2", "--affinity", "gower", "--json", *FAST).json[
        "labels"
    ]
    table = pd.read_csv(people)
    model = FairSpectralClustering(2, affinity="gower", effort="fast", random_state=0)
    model.fit(table[["x", "age", "city", "migrant"]], sensitive_features=table["sex"])
    assert adjusted_rand_score(labels, model.labels_) == 1


def test_other_affinities_say_what_was_asked_for(call, people):
    options = ("-k", "2", "--affinity", "rbf", *FAST)
    done = call("cluster", people, "--json", *options)
    assert done.json["affinity_choice"] == "affinity='rbf', as given."
    assert "took" not in call("cluster", people, *options).out


def test_frontier_and_choose_k_say_it_too(call, people):
    options = ("--affinity", "auto", *FAST)
    frontier = ("frontier", people, "-k", "2", "--tolerances", "0.2", *options)
    numbers = ("choose-k", people, "--max-clusters", "3", *options)
    for command in (frontier, numbers):
        done = call(*command)
        assert done.status == 0, done.err
        assert "affinity='auto' took Gower's distance" in done.out
        assert call(*command, "--json").json["affinity_choice"] in done.out


def test_the_report_says_it(call, people, tmp_path):
    page = tmp_path / "report.html"
    done = call("cluster", people, "-k", "2", "--affinity", "gower", "--report", page, *FAST)
    assert done.status == 0, done.err
    assert "How the samples were compared: Gower" in page.read_text(encoding="utf-8")


def test_a_row_without_a_value_is_refused(call, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("age,city,sex\n30,Rome,f\n,,m\n40,Oslo,f\n50,Rome,m\n")
    for affinity in ("gower", "auto"):
        done = call("cluster", path, "-k", "2", "--affinity", affinity, *FAST)
        assert done.status == 2
        assert (
            "has no value in data row 2 in any column that is compared (1 such row(s))" in done.err
        )
        assert "--affinity rbf, which fills missing values" in done.err
    assert call("cluster", path, "-k", "2", "--affinity", "rbf", *FAST).status == 0


def test_a_column_with_one_value_and_gaps_is_dropped(call, tmp_path):
    path = tmp_path / "gaps.csv"
    rows = [f"{20 + i},{'yes' if i % 3 else ''},{'f' if i % 2 else 'm'}" for i in range(30)]
    path.write_text("\n".join(["age,member,sex", *rows]) + "\n")
    done = call("cluster", path, "-k", "2", "--affinity", "gower", "--keep", "age", *FAST)
    assert done.status == 0, done.err
    assert "Dropped 'member': it has the same value wherever it has one." in done.err


def test_a_category_that_looks_like_a_number(call, people):
    words = ("--affinity", "gower", "--categorical", "age", *FAST)
    used = call("cluster", people, "-k", "2", "--json", *words).json["columns"]
    assert "age" in used["categorical"]
