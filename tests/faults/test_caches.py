"""Damaged caches, of compiled code and of data sets."""

import importlib.util
import os

import numba
import pytest
from processes import limit_here, linux_only

from fairspectral import datasets
from fairspectral.linalg import compiled as compiled_code
from fairspectral.validation import FairSpectralWarning

MODULE = """
from fairspectral.linalg.compiled import njit

@njit(cache=True, nogil=True)
def add(a, b):
    return a + b
"""
DAMAGES = {
    "garbage": lambda content: b"\x93garbage" * 20,
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "zeros": lambda content: bytes(len(content)),
}


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """Load a module with one compiled function as a new process would; its cache is beside it."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # where NUMBA_CACHE_DIR is set
    path = tmp_path / "kernels.py"
    path.write_text(MODULE)

    def load():
        spec = importlib.util.spec_from_file_location("kernels", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.add

    return load


def cached_files(folder, ending):
    return list((folder / "__pycache__").glob(f"*.{ending}"))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_compiled_code_is_compiled_again(compiled, tmp_path, damage, ending):
    assert compiled()(1, 2) == 3
    (path,) = cached_files(tmp_path, ending)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    again = compiled()
    assert again(1, 2) == 3
    assert sum(again.stats.cache_misses.values()) == 1
    kept = compiled()
    assert kept(1, 2) == 3
    assert sum(kept.stats.cache_hits.values()) == 1  # the cache works again


def test_code_compiled_with_other_files_of_kernels_is_not_used(compiled, monkeypatch):
    assert compiled()(1, 2) == 3
    monkeypatch.setattr(compiled_code, "_sources", lambda: (("state_kernels.py", 1, 2),))
    again = compiled()
    assert again(1, 2) == 3
    assert sum(again.stats.cache_misses.values()) == 1
    kept = compiled()
    assert kept(1, 2) == 3
    assert sum(kept.stats.cache_hits.values()) == 1


@linux_only
def test_compiled_code_that_cannot_be_kept(compiled, tmp_path):
    add = compiled()
    with limit_here("RLIMIT_FSIZE", 0):
        assert add(1, 2) == 3
    assert not cached_files(tmp_path, "nbc")


FETCHERS = {
    "adult.data": datasets.fetch_census,
    "4area.csv": datasets.fetch_4area,
    "lastfm_asia_edges.csv": datasets.fetch_lastfm,
    "lastfm_asia_target.csv": datasets.fetch_lastfm,
    "ann-train.data": datasets.fetch_thyroid,
    "metadata_2013.txt": datasets.fetch_facebook,
    "Facebook-known-pairs_data_2013.csv": datasets.fetch_facebook,
}
SOUND = {
    "lastfm_asia_edges.csv": b"node_1,node_2\n0,1\n1,2\n",
    "lastfm_asia_target.csv": b"id,target\n0,0\n1,0\n2,0\n",
    "ann-train.data": b"1 " * 21 + b"3\n",
    "ann-test.data": b"1 " * 21 + b"3\n",
    "metadata_2013.txt": b"1\tMP\tM\n2\tMP\tF\n",
    "Facebook-known-pairs_data_2013.csv": b"1 2 1\n",
}
BAD = [b"", b"\xff\xfe\x00garbage" * 9, bytes(500), b"<html>404</html>\n", b'"open quote, 1, 2\n']


@pytest.mark.parametrize("name", FETCHERS)
@pytest.mark.parametrize("bad", BAD, ids=["empty", "garbage", "zeros", "page", "quote"])
def test_a_damaged_data_file_is_named(tmp_path, name, bad):
    for other, content in SOUND.items():
        (tmp_path / other).write_bytes(content)
    (tmp_path / name).write_bytes(bad)
    with pytest.raises(ValueError, match="replace it by the publisher's file") as failed:
        FETCHERS[name](data_home=tmp_path)
    assert str(tmp_path / name) in str(failed.value)


def test_half_a_file_in_the_cache_is_not_used_in_silence(tmp_path, monkeypatch):
    """Half of a table can often be parsed like the whole one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("FAIRSPECTRAL_DATA", raising=False)
    cache = tmp_path / "fairspectral"
    cache.mkdir()
    for name in ("ann-train.data", "ann-test.data"):
        (cache / name).write_bytes(SOUND[name] * 3)
    with pytest.warns(FairSpectralWarning, match=r"ann-t.*damaged copy; delete it") as said:
        data = datasets.fetch_thyroid()
    assert data.n == 6
    assert {os.path.basename(str(w.message).split(" is not")[0]) for w in said} == {
        "ann-train.data",
        "ann-test.data",
    }
