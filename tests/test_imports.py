"""What `import fairspectral` needs, and what it must leave alone."""

import subprocess
import sys

import pytest

# Each stands for an extra, or is heavy.
OPTIONAL = (
    "pandas",
    "matplotlib",
    "typer",
    "rich",
    "jinja2",
    "plotly",
    "pooch",
    "torch",
    "pyarrow",
)


def python(code, *words):
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=120
    )


def test_nothing_optional_is_imported_unasked():
    done = python("import sys, fairspectral; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    # scikit-learn itself looks for pandas in places; what it loads is not ours.
    bare = python("import sys, sklearn.cluster; print(*sys.modules)")
    loaded -= {name.split(".")[0] for name in bare.stdout.split()}
    assert not loaded & {*OPTIONAL, "numba"}


# As if the modules named on the command line were not installed.
WITHOUT = """
import sys

class Absent:
    names = set(sys.argv[1].split(","))

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
FIT = """
import numpy as np
import fairspectral
X = np.random.default_rng(0).random((40, 3))
model = fairspectral.FairSpectralClustering(2, random_state=0)
model.fit(X, sensitive_features=["a", "b"] * 20)
print(model.audit_)
"""


@pytest.mark.parametrize("name", [*OPTIONAL, "all"])
def test_it_works_without_each_extra(name):
    done = python(WITHOUT + FIT, ",".join(OPTIONAL) if name == "all" else name)
    assert done.returncode == 0, done.stderr
    assert "everyone" in done.stdout


RUN = """
import fairspectral.cli
sys.argv[1:] = sys.argv[2:]
fairspectral.cli.main()
"""


@pytest.mark.parametrize("name", ["typer", "rich"])
def test_the_command_without_its_extra_says_so(name):
    done = python(WITHOUT + RUN, name)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'fairspectral[cli]'" in done.stderr


def test_help_needs_neither_pandas_nor_matplotlib():
    pytest.importorskip("typer")
    done = python(WITHOUT + RUN, "pandas,matplotlib,jinja2", "cluster", "--help")
    assert done.returncode == 0, done.stderr
    assert "--sensitive" in done.stdout


def test_a_table_without_pandas_is_a_sentence(tmp_path):
    pytest.importorskip("typer")
    path = tmp_path / "people.csv"
    path.write_text("x,sex\n1,f\n2,m\n")
    done = python(WITHOUT + RUN, "pandas", "cluster", str(path), "-s", "sex", "-k", "2")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: tables need pandas")
    assert done.stderr.count("\n") == 1
