import sys
from types import SimpleNamespace

import fairspectral
from fairspectral.cli import doctor


def test_doctor_shows_versions_machine_and_folders(call):
    facts = call("doctor", "--json").json
    assert facts["versions"]["fairspectral"] == fairspectral.__version__
    assert facts["versions"]["python"] == sys.version.split()[0]
    assert facts["machine"]["cores"] >= 1
    assert facts["machine"]["memory"].endswith("GiB")
    assert "openmp" in facts["machine"]["threads"]
    done = call("doctor", env={"FAIRSPECTRAL_DATA": "", "COLUMNS": "120"})
    assert done.status == 0, done.err
    assert "none; set FAIRSPECTRAL_DATA" in done.out


def test_missing_packages(monkeypatch):
    assert doctor._version("no-such-thing") is None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "torch is not installed" in doctor._gpu()
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    assert doctor._cores() >= 1


def test_memory_where_it_is_unknown(monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError

    monkeypatch.setattr("builtins.open", refuse)
    assert doctor._available() == "unknown on this system"


def fake_torch(available):
    return SimpleNamespace(
        __version__="9.9",
        cuda=SimpleNamespace(
            is_available=lambda: available,
            device_count=lambda: 1,
            get_device_name=lambda i: "Big GPU",
            get_device_properties=lambda i: SimpleNamespace(total_memory=2**34),
        ),
    )


def test_gpus(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: True)
    monkeypatch.setitem(sys.modules, "torch", fake_torch(True))
    assert doctor._gpu() == "Big GPU (16.0 GiB)"
    monkeypatch.setitem(sys.modules, "torch", fake_torch(False))
    assert doctor._gpu() == "none that torch 9.9 can use"


def test_the_cache_of_compiled_code(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "not" / "yet"))
    assert doctor._numba_cache() == str(tmp_path)
    monkeypatch.setattr("os.access", lambda *args: False)
    assert "not writable" in doctor._numba_cache()


def test_a_relative_folder_for_compiled_code(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "not/yet/there")
    done = call("doctor")
    assert done.status == 0, done.err
    assert tmp_path.name in "".join(done.out.split())
