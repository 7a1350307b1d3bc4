"""The measurement of scaling: one small run in a process of its own, and its table."""

from fairspectral_benchmarks.scaling import report
from fairspectral_benchmarks.scaling.run import run_apart


def test_a_run_has_stages_memory_and_a_fair_cut(tmp_path):
    run = run_apart("neighbours, fast", 600, 0)
    assert "note" not in run
    stages = [run[f"{stage} seconds"] for stage in ("affinity", "embedding", "rounding")]
    assert min(stages) >= 0
    assert abs(sum(stages) - run["seconds"]) < 1e-6
    assert run["peak_gb"] > 0.01
    assert 0 < run["cut"] < 25
    assert run["certified"]
    assert "In 1 of 1 runs" in report.sentence([run])
    report.draw([run], tmp_path / "scaling.png")
    assert (tmp_path / "scaling.png").stat().st_size > 1000


def test_the_table_has_the_exponent_and_says_what_was_stopped():
    numbers = dict.fromkeys(
        (
            "affinity seconds",
            "embedding seconds",
            "rounding seconds",
            "processor",
            "peak_gb",
            "cut",
        ),
        1.0,
    )
    runs = [
        {"path": "neighbours", "n": n, "seconds": seconds, "residual": 1e-4, **numbers}
        for n, seconds in ((10_000, 2.0), (1_000_000, 200.0))
    ]
    runs.append({"path": "kernel, stored", "n": 100_000, "note": "stopped after 3600 s"})
    rows = report.table(runs).splitlines()
    assert rows[2].startswith("| neighbours | 10,000 | 2.0 |")
    assert rows[3].endswith("| 1.00 |")
    assert "stopped after 3600 s" in rows[4]
