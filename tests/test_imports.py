"""What `import fairspectral` needs, and what it must not load."""

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
    "triton",
    "pyarrow",
    "networkx",
    "igraph",
    "torch_geometric",
    "starlette",
    "uvicorn",
    "python_multipart",
)


NEEDS_TYPER = "typer is not installed: pip install 'fairspectral[cli]'"


def python(code, *words):
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=600
    )


LOADED = """
import sys
import sklearn.cluster
# scikit-learn itself looks for pandas in places; what it loads is not ours.
before = set(sys.modules)
import fairspectral
print(*set(sys.modules) - before)
import fairspectral.baselines
print(*set(sys.modules) - before)
"""


def test_no_optional_package_is_imported():
    done = python(LOADED)
    assert done.returncode == 0, done.stderr
    package, baselines = (set(line.split()) for line in done.stdout.splitlines())
    assert "fairspectral.baselines" not in package
    assert "fairspectral.baselines" in baselines
    assert not {name.split(".")[0] for name in baselines} & {*OPTIONAL, "numba"}


AUDIT = """
import sys
import importlib
import fairspectral
from fairspectral import Audit, audit
for name in sorted(m for m in sys.modules if m.startswith("fairspectral.")):
    importlib.import_module(name)
assert fairspectral.audit is audit
assert "fairspectral.audit" not in sys.modules
found = fairspectral.audit([0, 0, 1, 1], ["a", "b", "a", "b"])
assert isinstance(found, Audit)
try:
    import fairspectral.audit
except ModuleNotFoundError:
    print(fairspectral.audit.__name__)
"""


def test_audit_is_a_function_and_no_module():
    """Importing a module of that name would put the module in the place of the function."""
    done = python(AUDIT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["audit"]


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
model = fairspectral.FairSpectralClustering(2, effort="fast", random_state=0)
model.fit(X, sensitive_features=["a", "b"] * 20)
print(model.audit_)
"""


EACH_IN_TURN = f"""
fit = {FIT!r}
for name in sys.argv[1].split(","):
    Absent.names = {{name}}
    for module in [m for m in sys.modules if m.split(".")[0] == "fairspectral"]:
        del sys.modules[module]
    print("without", name)
    exec(fit)
"""


def test_it_works_without_any_extra():
    done = python(WITHOUT + FIT, ",".join(OPTIONAL))
    assert done.returncode == 0, done.stderr
    assert "everyone" in done.stdout


def test_it_works_without_each_extra():
    # One process for all, in which the package is imported anew each time; pandas comes first,
    # because scikit-learn loads it where it is found.
    assert OPTIONAL[0] == "pandas"
    done = python(WITHOUT + EACH_IN_TURN, ",".join(OPTIONAL))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("everyone") == len(OPTIONAL)


RUN = """
import fairspectral.cli
sys.argv[1:] = sys.argv[2:]
fairspectral.cli.main()
"""


def test_the_command_without_rich_says_so():
    done = python(WITHOUT + RUN, "rich")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'fairspectral[cli]'" in done.stderr


def test_help_needs_neither_pandas_nor_matplotlib():
    pytest.importorskip("typer", reason=NEEDS_TYPER)
    done = python(WITHOUT + RUN, "pandas,matplotlib,jinja2", "cluster", "--help")
    assert done.returncode == 0, done.stderr
    assert "--sensitive" in done.stdout


@pytest.mark.parametrize("module", ["starlette", "python_multipart"])
def test_the_page_without_its_extra_is_a_sentence(module):
    pytest.importorskip("typer", reason=NEEDS_TYPER)
    done = python(WITHOUT + RUN, module, "app", "--no-browser")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: the page needs")
    assert "pip install 'fairspectral[app]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_table_without_pandas_is_a_sentence(tmp_path):
    pytest.importorskip("typer", reason=NEEDS_TYPER)
    path = tmp_path / "people.csv"
    path.write_text("x,sex\n1,f\n2,m\n")
    done = python(WITHOUT + RUN, "pandas", "cluster", str(path), "-s", "sex", "-k", "2")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: tables need pandas")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["reproduce"], ["reproduce", "table1", "--scale", "tiny"]])
def test_the_paper_is_not_installed_with_the_library(words):
    pytest.importorskip("typer", reason=NEEDS_TYPER)
    done = python(WITHOUT + RUN, "fairspectral_benchmarks", *words)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: the paper's tables and figures are not installed")
    assert "make reproduce" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_first_page_needs_no_benchmarks():
    pytest.importorskip("typer", reason=NEEDS_TYPER)
    done = python(WITHOUT + RUN, "fairspectral_benchmarks", "--help")
    assert done.returncode == 0, done.stderr
    assert "reproduce" in done.stdout
