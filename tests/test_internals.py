"""Internals of other packages: where they are imported, and that they still work.

If a test fails here with a new release of scikit-learn, numba or llvmlite, the file that it names
is the one to mend.
"""

import ast
from numbers import Integral, Real
from pathlib import Path

import numpy as np
import pytest

import fairspectral
from fairspectral import FairSpectralClustering

PACKAGE = Path(fairspectral.__file__).parent
# Internal modules without an underscore.
INTERNAL = ("numba.core", "llvmlite")
ALLOWED = {
    "affinity/tile_kernels.py": {"llvmlite"},
    "_sklearn.py": {"sklearn.base._fit_context", "sklearn.utils._param_validation"},
    "linalg/compiled.py": {"numba.core.caching"},
    "linalg/product_kernels.py": {"llvmlite", "numba.core"},
    "progress.py": {"numba.core"},
}


def imported(tree):
    """The dotted names of everything that a module imports, wherever it does so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def internals(text):
    """Those of the imports that are another package's internals."""
    for name in imported(ast.parse(text)):
        first, *others = name.split(".")
        private = any(part.startswith("_") and not part.endswith("__") for part in others)
        if first not in ("fairspectral", "__future__") and (private or name.startswith(INTERNAL)):
            yield name


def test_private_imports_are_recognised():
    assert list(internals("from sklearn.base import _fit_context")) == ["sklearn.base._fit_context"]
    assert list(internals("def f():\n    import scipy.sparse._csr")) == ["scipy.sparse._csr"]
    assert list(internals("from numba.core import event")) == ["numba.core.event"]
    assert not list(internals("from fairspectral import _sklearn\nimport numba, numpy.linalg"))


def test_only_these_files_import_internals():
    paths = sorted(PACKAGE.rglob("*.py"))
    assert len(paths) > 100
    for path in paths:
        allowed = tuple(ALLOWED.get(path.relative_to(PACKAGE).as_posix(), ()))
        for name in internals(path.read_text(encoding="utf-8")):
            assert name.startswith(allowed), f"{path} imports {name}"


class TestScikitLearn:
    """src/fairspectral/_sklearn.py: the checks of parameters."""

    def test_intervals_and_options_list_what_they_accept(self):
        from fairspectral._sklearn import Interval, StrOptions

        positive = Interval(Real, 0, None, closed="neither")
        assert positive.is_satisfied_by(0.5)
        assert not positive.is_satisfied_by(0.0)
        assert not Interval(Integral, 1, None, closed="left").is_satisfied_by(1.5)
        assert StrOptions({"a"}).is_satisfied_by("a")
        assert not StrOptions({"a"}).is_satisfied_by("b")

    @pytest.mark.parametrize("wrong", [{"n_clusters": 0}, {"gamma": -1.0}, {"assign_labels": "x"}])
    def test_fit_refuses_a_parameter_before_it_looks_at_the_data(self, wrong):
        (name,) = wrong
        with pytest.raises(ValueError, match=f"The '{name}' parameter of FairSpectralClustering"):
            FairSpectralClustering(**wrong).fit(None)


class TestNumba:
    """src/fairspectral/linalg/product_kernels.py: a prefetch instruction made with llvmlite."""

    def test_the_prefetch_becomes_an_instruction(self):
        from numba import njit

        from fairspectral.linalg.product_kernels import _prefetch

        @njit
        def touch(matrix):
            _prefetch(matrix, 1, 0)
            return matrix[1, 0]

        assert touch(np.arange(6.0).reshape(3, 2)) == 2.0
        (code,) = touch.inspect_llvm().values()
        assert "llvm.prefetch" in code

    def test_the_product_that_prefetches(self, rng):
        from fairspectral.linalg.product_kernels import TILE_COLUMNS, dense_rows

        W, columns = rng.random((40, 40)), rng.random((TILE_COLUMNS, 40))
        out = np.empty((40, TILE_COLUMNS))
        dense_rows(W, columns, out, 0, 40)
        np.testing.assert_allclose(out, W @ columns.T, rtol=0, atol=1e-12)  # sums of 40 below 1
