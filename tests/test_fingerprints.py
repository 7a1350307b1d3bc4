"""Fingerprints of values do not depend on how they are held; those of objects count types too."""

import functools
import hashlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from fairspectral.fingerprints import (
    fingerprint,
    fingerprint_codes,
    fingerprint_file,
    fingerprint_text,
    fingerprint_values,
    in_words,
)


def test_of_a_file_it_is_what_sha256sum_prints(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"a,b\n1,2\n")
    assert fingerprint_file(path) == hashlib.sha256(b"a,b\n1,2\n").hexdigest()


def test_equal_values_in_other_memory_are_equal():
    X = np.arange(12.0).reshape(3, 4)
    same = [np.asfortranarray(X), X.astype(np.float32), X.astype(int), X.astype(">f8"), X[::1]]
    assert {fingerprint_values(x) for x in same} == {fingerprint_values(X)}


@pytest.mark.parametrize("change", ["value", "order", "shape"])
def test_other_values_are_others(change):
    X = np.arange(12.0).reshape(3, 4)
    Y = {"value": X + (X == 5) * 1e-12, "order": X[::-1], "shape": X.reshape(4, 3)}[change]
    assert fingerprint_values(X) != fingerprint_values(Y)


def test_long_arrays_are_read_in_parts():
    X = np.random.default_rng(0).random((5000, 300))
    expected = fingerprint_values(X)
    X[4321, 7] += 1e-9
    assert fingerprint_values(X) != expected


def test_sparse_matrices_by_their_entries():
    W = sp.random(30, 30, 0.2, random_state=0, format="csr")
    twice = sp.coo_array(
        (np.r_[W.tocoo().data / 2, W.tocoo().data / 2], np.tile(np.stack(W.nonzero()), 2)), W.shape
    )
    assert fingerprint_values(W.tocsc()) == fingerprint_values(W) == fingerprint_values(twice)
    other = W.copy()
    other.data[0] += 1
    assert fingerprint_values(other) != fingerprint_values(W)


def test_codes_with_their_names():
    codes = np.array([0, 1, 1])
    assert fingerprint_codes("ab", codes) == fingerprint_codes(["a", "b"], codes.astype(np.int8))
    assert fingerprint_codes("ab", codes) != fingerprint_codes("ba", codes)
    assert fingerprint_codes("ab", codes) != fingerprint_codes("ab", 1 - codes)


def test_text_does_not_depend_on_the_order_of_keys():
    assert fingerprint_text({"a": 1, "b": "é"}) == fingerprint_text({"b": "é", "a": 1})


# --- of objects ---------------------------------------------------------------------------


def test_equal_objects_are_equal_in_any_memory_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7, 5))
    assert fingerprint(X) == fingerprint(np.asfortranarray(X)) == fingerprint(X.copy())
    graph = sp.random(6, 6, density=0.5, random_state=0)
    assert fingerprint(graph) == fingerprint(graph.tocsr())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.arange(4.0), np.arange(4)),
        (np.arange(6.0), np.arange(6.0).reshape(2, 3)),
        (np.array(["a", "b"], dtype=object), np.array(["a", "c"], dtype=object)),
        (["ab", "c"], ["a", "bc"]),
        ({"a": 1}, {"a": 2}),
        (np.random.RandomState(0), np.random.RandomState(1)),
        (np.mean, np.median),
        (np.float64(1.0), 1),
    ],
)
def test_other_objects_differ(one, other):
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(one)


def width(gamma):
    return lambda a, b: np.exp(-gamma * np.sum((a - b) ** 2))


class Width:
    def __init__(self, gamma):
        self.gamma = gamma

    def __call__(self, a, b):
        return np.exp(-self.gamma * np.sum((a - b) ** 2))

    def method(self, a, b):
        return self(a, b)


def from_text(text, **around):
    """A function of one name, module and place, with other code or other values around it."""
    around = {"__name__": "edited", "np": np, **around}
    exec(f"def f(a, b, power=2):\n    {text}", around)
    return around["f"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda a, b: np.exp(-abs(a - b).sum()), lambda a, b: np.exp(-2 * abs(a - b).sum())),
        (width(1.0), width(2.0)),
        (functools.partial(pow, 2), functools.partial(pow, 3)),
        (functools.partial(width(1.0), b=1), functools.partial(width(1.0), b=2)),
        (Width(1.0), Width(2.0)),
        (Width(1.0).method, Width(2.0).method),
        (from_text("return a @ b"), from_text("return b @ a")),
        (from_text("return a.sum()"), from_text("return a.max()")),
        (from_text("return (lambda: 1)()"), from_text("return (lambda: 2)()")),
        (from_text("return scale", scale=1), from_text("return scale", scale=2)),
        (from_text("return g(a)", g=width(1)), from_text("return g(a)", g=width(2))),
        (from_text("return a", power=3), from_text("return power(a)", power=3)),
        (functools.cache(width(1)), functools.cache(width(2))),
    ],
)
def test_other_functions_of_one_name_differ(one, other):
    assert fingerprint(one) != fingerprint(other)


def test_the_same_functions_are_the_same_again():
    assert fingerprint(width(1.0)) == fingerprint(width(1.0))
    assert fingerprint(Width(1.0)) == fingerprint(Width(1.0))
    text = "return f(a, b) if a in {'x', 'y', 'z'} else b"
    assert fingerprint(from_text(text)) == fingerprint(from_text(f"# Why.\n    {text}"))


def test_defaults_count():
    one, other = from_text("return a"), from_text("return a")
    other.__defaults__ = (3,)
    assert fingerprint(one) != fingerprint(other)


def test_a_function_has_one_fingerprint_in_every_process(tmp_path):
    (tmp_path / "own.py").write_text(
        "import logging, threading\n"
        "import numpy as np\n"
        "from sklearn.metrics.pairwise import rbf_kernel\n"
        "log, lock, words = logging.getLogger('own'), threading.Lock(), {'a', 'b', 'c'}\n"
        "def f(a, b):\n"
        "    with lock:\n"
        "        log.debug('%s', words)\n"
        "    near = rbf_kernel(a[None], b[None])[0, 0]\n"
        "    return near if a[0] not in {'x', 'y', 'z'} else f(b, a)\n"
    )
    code = (
        "import own; from fairspectral.fingerprints import fingerprint; print(fingerprint(own.f))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(3)
    }
    assert len(found) == 1


def test_words_are_short():
    assert in_words("rbf") == "'rbf'"
    assert in_words(None) == "None"
    assert len(in_words({"min_cluster_size": 5})) == 64
