"""The benchmark of GPUs: a trial of all its parts, here on the CPU."""

import json

import pytest
from fairspectral_benchmarks.gpu.command import main

torch = pytest.importorskip(
    "torch", reason="torch is not installed: pip install 'fairspectral[gpu]'"
)


def test_a_trial_measures_every_part(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("FAIRSPECTRAL_DATA", raising=False)
    main(["--small", "--runs", str(tmp_path / "gpu.json")])
    found = json.loads((tmp_path / "gpu.json").read_text())
    fits = {fit["problem"]: fit for fit in found["fits"]}
    assert set(fits) == {"blobs, exact kernel", "4area", "Census", "blobs, neighbours"}
    for name in ("4area", "Census"):
        assert fits[name]["note"].startswith("left out")
    for name in ("blobs, exact kernel", "blobs, neighbours"):
        fit = fits[name]
        assert fit["certified"]
        assert fit["fairness_residual"] <= 1e-5
        assert -1e-5 <= fit["gap"] <= 1e-3
        stages = [fit[stage] for stage in ("affinity", "embedding", "rounding")]
        assert min(stages) >= 0
        assert sum(stages) == pytest.approx(fit["seconds"], rel=0.05, abs=0.05)
    assert all(rate > 0 for rate in found["rates"].values())
    assert found["passes"][0]["error"] <= 5e-4
    assert len(found["peers"]) == 6
    printed = capsys.readouterr().out
    assert "| blobs, exact kernel | 600 |" in printed
    assert "| exponentials, 1.0e+06 |" in printed
    assert "| scikit-learn, CPU, not fair | 300 |" in printed


def test_a_trial_is_not_reported():
    with pytest.raises(SystemExit, match="do not belong on a page"):
        main(["--small", "--report"])


def test_without_a_gpu_it_says_so(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit, match="pass --small to try this on the CPU"):
        main([])
