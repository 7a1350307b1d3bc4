"""A table and a graph as files, and a way to call the command."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer", reason="typer is not installed: pip install 'fairspectral[cli]'")

from typer.testing import CliRunner

from fairspectral.cli.app import app


@pytest.fixture
def people(tmp_path):
    """80 people in two bunches that follow their sex, with an id, gaps and a constant."""
    rng = np.random.default_rng(0)
    n = 80
    sex = np.where(rng.random(n) < 0.5, "f", "m")
    x = rng.normal(size=n) + 3 * (sex == "f")
    age = rng.integers(18, 90, n).astype(str)
    age[3] = ""
    table = pd.DataFrame(
        {
            "id": np.arange(n),
            "name": [f"person {i}" for i in range(n)],
            "x": np.round(x, 3),
            "age": age,
            "city": rng.choice(["Rome", "Oslo", "Bonn"], n),
            "planet": "Earth",
            "sex": sex,
            "migrant": rng.choice(["yes", "no"], n),
        }
    )
    path = tmp_path / "people.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture
def graph(tmp_path):
    """Two rings of ten nodes with one bridge; groups alternate."""
    edges = [(f"v{10 * r + i}", f"v{10 * r + (i + 1) % 10}") for r in (0, 1) for i in range(10)]
    edges.append(("v0", "v10"))
    edges_path = tmp_path / "edges.csv"
    pd.DataFrame(edges, columns=["source", "target"]).to_csv(edges_path, index=False)
    groups_path = tmp_path / "groups.csv"
    nodes = [f"v{i}" for i in range(20)]
    pd.DataFrame({"node": nodes, "side": ["a", "b"] * 10}).to_csv(groups_path, index=False)
    return edges_path, groups_path


@pytest.fixture
def graph_with_pairs(tmp_path):
    """Three blocks of fifty and two detached pairs; groups alternate."""
    rng = np.random.default_rng(0)
    block = np.repeat([0, 1, 2], 50)
    near = np.triu(rng.random((150, 150)) < np.where(block[:, None] == block, 0.3, 0.02), 1)
    edges = [*zip(*np.nonzero(near), strict=True), *((i, i + 1) for i in range(149))]
    edges += [(150, 151), (152, 153)]
    edges = [(f"v{a}", f"v{b}") for a, b in sorted(set(edges))]
    edges_path, groups_path = tmp_path / "edges.csv", tmp_path / "groups.csv"
    pd.DataFrame(edges, columns=["source", "target"]).to_csv(edges_path, index=False)
    nodes = [f"v{i}" for i in range(154)]
    pd.DataFrame({"node": nodes, "side": ["a", "b"] * 77}).to_csv(groups_path, index=False)
    return edges_path, groups_path


@pytest.fixture
def call():
    """Run the command in this process: status, both outputs, and JSON where there is some."""

    def run(*words, env=None, stdin=None):
        done = CliRunner().invoke(app, [str(word) for word in words], env=env, input=stdin)
        parsed = None
        if done.stdout.startswith("{"):
            parsed = json.loads(done.stdout)
        return SimpleNamespace(
            status=done.exit_code,
            out=done.stdout,
            err=done.stderr,
            json=parsed,
            exception=done.exception,
        )

    return run
