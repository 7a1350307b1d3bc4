"""``cluster --save`` and ``assign``: later rows, encoded as those of the model were."""

import json

import numpy as np
import pandas as pd
import pytest

import fairspectral
from fairspectral import audit
from fairspectral.cells import judge_by_tolerance


def table(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "town": rng.choice(["Rome", "Oslo", "Lima"], n),
            "note": [f"note {i}" for i in range(n)],
            "sex": rng.choice(["f", "m"], n),
        }
    )


@pytest.fixture
def saved(call, tmp_path):
    table(80, 0).to_csv(tmp_path / "old.csv", index=False)
    done = call("cluster", tmp_path / "old.csv", "-s", "sex", "-k", "2", "--affinity", "rbf",
                "-o", tmp_path / "out.csv", "--save", tmp_path / "m.npz")  # fmt: skip
    assert done.status == 0, done.err
    assert f"Model: {tmp_path / 'm.npz'}" in done.out.replace("\n", "")
    return tmp_path / "m.npz"


def test_the_rows_of_the_model_have_their_clusters(call, saved, tmp_path):
    done = call("assign", saved, tmp_path / "old.csv", "--similar", "-o", tmp_path / "back.csv")
    assert done.status == 0, done.err
    out, back = (pd.read_csv(tmp_path / name) for name in ("out.csv", "back.csv"))
    np.testing.assert_array_equal(out["cluster"], back["cluster"])


def test_batches_keep_the_shares_of_everyone(call, saved, tmp_path):
    parts = [pd.read_csv(tmp_path / "out.csv")]
    for day in range(1, 4):
        table(20, day).to_csv(tmp_path / "new.csv", index=False)
        placed = tmp_path / f"day{day}.csv"
        done = call("assign", saved, tmp_path / "new.csv", "-o", placed, "--update")
        assert done.status == 0, done.err
        assert "within their bounds" in done.out
        parts.append(pd.read_csv(placed))
    everyone = pd.concat(parts)
    counts = audit(everyone["cluster"].to_numpy(), everyone["sex"].to_numpy()).attributes[0].counts
    assert judge_by_tolerance(counts.T, 0.2).n_outside == 0
    assert fairspectral.load(saved).arrivals_[0].sum() == 60


def test_json_has_cells_and_labels(call, saved, tmp_path):
    table(10, 5).to_csv(tmp_path / "new.csv", index=False)
    done = call("assign", saved, tmp_path / "new.csv", "--json")
    found = json.loads(done.out)
    assert len(found["labels"]) == found["rows"] == 10
    assert found["within_bounds"]
    assert {cell["group"] for cell in found["cells"]} == {"f", "m"}
    assert sum(cell["persons"] for cell in found["cells"]) == 90


def test_a_single_person_is_placed(call, saved, tmp_path):
    table(1, 5).to_csv(tmp_path / "one.csv", index=False)
    done = call("assign", saved, tmp_path / "one.csv", "--json")
    assert len(json.loads(done.out)["labels"]) == 1, done.err
    done = call("assign", saved, tmp_path / "one.csv", "--similar", "--json")
    assert done.status == 0, done.err


def test_a_header_alone_is_nobody(call, saved, tmp_path):
    table(0, 5).to_csv(tmp_path / "none.csv", index=False)
    done = call("assign", saved, tmp_path / "none.csv")
    assert done.status == 2
    assert "none.csv has no rows of data; at least 1 is needed." in done.err.replace("\n", "")


def test_new_categories_and_gaps_are_said(call, saved, tmp_path):
    new = table(5, 6)
    new.loc[0, "town"] = "Bern"
    new = new.astype({"age": object})
    new.loc[1, "age"] = ""
    new.to_csv(tmp_path / "new.csv", index=False)
    done = call("assign", saved, tmp_path / "new.csv")
    assert done.status == 0, done.err
    assert "'town' has 1 value(s) that nobody of the fit has, such as 'Bern'" in done.err
    assert "Nothing was written" in done.out


def test_mixed_tables(call, tmp_path):
    table(80, 0).to_csv(tmp_path / "old.csv", index=False)
    model, out = tmp_path / "m.npz", tmp_path / "out.csv"
    done = call("cluster", tmp_path / "old.csv", "-s", "sex", "-k", "2", "--affinity", "gower",
                "-o", out, "--save", model)  # fmt: skip
    assert done.status == 0, done.err
    done = call("assign", model, tmp_path / "old.csv", "--similar", "-o", tmp_path / "back.csv")
    assert done.status == 0, done.err
    np.testing.assert_array_equal(
        pd.read_csv(out)["cluster"], pd.read_csv(tmp_path / "back.csv")["cluster"]
    )


def test_refusals(call, saved, tmp_path):
    new = tmp_path / "new.csv"

    def refused(words, frame, *more):
        frame.to_csv(new, index=False)
        done = call("assign", saved, new, *more)
        assert done.status != 0
        assert words in " ".join(done.err.split()), done.err

    people = table(5, 7)
    refused("has no column 'town'", people.drop(columns="town"))
    refused("has text in the column 'age', which held numbers", people.assign(age="old"))
    refused("the group 'x', which nobody of the fit belongs to", people.assign(sex="x"))
    refused("has no column 'sex'", people.drop(columns="sex"))
    refused("has a column 'cluster' already", people.assign(cluster=1), "-o", tmp_path / "p.csv")
    refused("--similar counts nobody", people, "--similar", "--update")
    done = call("assign", tmp_path / "old.csv", new)
    assert "is not a model that fairspectral saved" in done.err
    fairspectral.load(saved).save(saved)
    refused("was saved in Python, without the way from columns", people)
    done = call("cluster", new, "-s", "sex", "-k", "2", "--bin", "age=2", "--save", saved)
    assert done.status != 0
    done = call("cluster", tmp_path / "old.csv", "-s", "sex", "-s", "age", "--bin", "age=2", "-k",
                "2", "--save", saved)  # fmt: skip
    assert "--save cannot keep the groups that --bin makes" in done.err


def test_weights_and_links(call, tmp_path):
    old, model = tmp_path / "old.csv", tmp_path / "m.npz"
    table(40, 0).assign(w=np.arange(40) % 3 + 1).to_csv(old, index=False)
    words = ("cluster", old, "-s", "sex", "-k", "2", "--affinity", "rbf", "--effort", "fast")
    assert call(*words, "--weight", "w", "--save", model).status == 0
    done = call("assign", model, old)
    assert done.status == 2
    assert "was made with --weight, and its shares count weight; pass --weight" in " ".join(
        done.err.split()
    )
    assert call("assign", model, old, "--similar").status == 0
    done = call("assign", model, old, "--similar", "--weight", "w")
    assert "--similar keeps no shares" in done.err
    done = call("assign", model, old, "--weight", "w", "--json")
    assert done.status == 0, done.err
    assert sum(cell["weight"] for cell in json.loads(done.out)["cells"]) == 2 * 79
    done = call("assign", model, old, "--weight", "town")
    assert done.status == 2
    assert "of the weights 'town', which is no finite number" in " ".join(done.err.split())
    (tmp_path / "must.csv").write_text("1,2\n")
    linked = call(*words, "--must-link", tmp_path / "must.csv", "--save", model)
    assert linked.status == 0, linked.err
    assert call("assign", model, old).status == 0
    done = call("assign", model, old, "--weight", "w")
    assert done.status == 2
    assert "was made without --weight" in " ".join(done.err.split())
