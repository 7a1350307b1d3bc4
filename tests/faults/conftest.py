"""People as a file, and a folder for what is made of them."""

import numpy as np
import pytest


@pytest.fixture
def folder(tmp_path):
    """A folder for outputs, with nothing else in it."""
    path = tmp_path / "outputs"
    path.mkdir()
    return path


@pytest.fixture
def people(tmp_path):
    """150 people in two bunches that follow their sex, each with a long remark."""
    rng = np.random.default_rng(0)
    lines = ["sex,x,y,remark"]
    for i in range(150):
        x, y = rng.normal(2.0 * (i % 2)), rng.normal()
        lines.append(f"{'fm'[i % 2]},{x:.3f},{y:.3f},{'long ' * 200}")
    path = tmp_path / "people.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
