"""The benchmark of cuts: instances, the best known file, runs, repair, report."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from fairspectral_benchmarks.cut import large, runs
from fairspectral_benchmarks.cut.anneal import annealed, improve
from fairspectral_benchmarks.cut.instances import INSTANCES, QUICK, Instance, Task, chosen
from fairspectral_benchmarks.cut.known import PATH, BestKnown, pack, unpack
from fairspectral_benchmarks.cut.methods import BEFORE, EFFORTS, ours, peers
from fairspectral_benchmarks.cut.pairs import compare_pairs
from fairspectral_benchmarks.cut.repair import repaired
from fairspectral_benchmarks.cut.report import Results
from fairspectral_benchmarks.cut.vfc import _objective

from fairspectral.metrics import normalized_cut

BY_NAME = {instance.name: instance for instance in INSTANCES}


@pytest.fixture
def task():
    return BY_NAME["lfr120-k5-0.2"].load()


@pytest.fixture
def known(tmp_path):
    return BestKnown(tmp_path / "known.json")


def allowed_labels(task, seed):
    rng = np.random.default_rng(seed)
    return repaired(task, rng.integers(0, task.k, task.n))


def test_there_are_forty_instances_of_every_kind():
    assert len(BY_NAME) == len(INSTANCES) >= 40
    assert {instance.k for instance in INSTANCES} >= {2, 5, 10, 25}
    assert {instance.tolerance for instance in INSTANCES} >= {0.0, 0.05, 0.2, 0.5, None}
    assert set(QUICK) <= set(BY_NAME)
    assert [instance.name for instance in chosen("wine-k5", quick=True)] == ["wine-k5-0.2"]


@pytest.mark.parametrize(
    "name", ["lfr120-k5-0.2", "pairs-k4-0.2", "wine-k2-0.2", "cancer-rbf-k5-0.2", "msbm-k5-0.0"]
)
def test_affinities_are_symmetric_and_nobody_is_isolated(name):
    task = BY_NAME[name].load()
    assert abs(task.W - task.W.T).max() <= 1e-12
    assert task.degrees.min() > 0
    assert len(task.groups) == task.n >= task.k * task.floor


@pytest.mark.parametrize("name", ["lfr120-k5-0.2", "cancer-rbf-k5-0.2"])
def test_the_judgement_agrees_with_the_library(name):
    task = BY_NAME[name].load()
    labels = allowed_labels(task, 0)
    found = task.judge(labels)
    assert found["valid"]
    assert found["cut"] == pytest.approx(normalized_cut(labels, task.W), rel=0, abs=1e-9)
    one_group_away = np.where(task.groups == 0, 0, labels)
    assert task.judge(one_group_away)["outside"] > 0
    assert not task.judge(one_group_away)["valid"]


def test_labels_below_the_floor_are_not_valid_and_are_repaired(task):
    labels = np.zeros(task.n, dtype=int)
    labels[:4] = np.arange(1, 5)
    assert not task.judge(labels)["valid"]
    assert task.judge(repaired(task, labels))["valid"]


def test_the_best_known_only_ever_improves(task, known):
    first = allowed_labels(task, 0)
    better = annealed(task, first, hot=0.1, steps=20_000, seed=0)
    name = task.instance.name
    assert known.offer(task, first, "one")
    assert known.offer(task, better, "two")
    assert not known.offer(task, first, "three")
    assert not known.offer(task, better, "three")
    assert known.by(name) == "two"
    assert known.cut(name) == pytest.approx(task.cut(better), rel=0, abs=1e-12)
    np.testing.assert_array_equal(known.labels(name), better)


def test_labels_outside_their_bounds_are_never_the_best_known(task, known):
    plain = BY_NAME["lfr120-k5-none"].load()
    labels = annealed(plain, allowed_labels(task, 0), hot=1.0, steps=200_000, seed=0)
    assert task.judge(labels)["outside"] > 0
    assert not known.offer(task, labels, "plain")
    assert known.offer(plain, labels, "plain")


def test_what_a_tight_tolerance_allows_counts_at_looser_ones(known):
    tight = BY_NAME["lfr120-k5-0.05"].load()
    labels = allowed_labels(tight, 0)
    known.offer(tight, labels, "tight")
    for looser in ("lfr120-k5-0.2", "lfr120-k5-0.5", "lfr120-k5-none"):
        assert known.cut(looser) == known.cut("lfr120-k5-0.05")
    assert known.cut("lfr250-k5-0.2") is None


def test_a_lower_floor_is_looser():
    high, low = BY_NAME["lastfm-k10-none"], BY_NAME["lastfm-k10-none-floor5"]
    assert low.at_least_as_loose_as(high)
    assert not high.at_least_as_loose_as(low)
    assert low.at_least_as_loose_as(BY_NAME["lastfm-k10-0.2"])


def test_labels_are_packed_and_unpacked():
    labels = np.arange(25).repeat(7)
    np.testing.assert_array_equal(unpack(pack(labels)), labels)
    np.testing.assert_array_equal(unpack(pack(np.arange(256))), np.arange(256))


@pytest.mark.parametrize("label", [-1, 256])
def test_labels_that_a_byte_does_not_hold_are_refused(label):
    with pytest.raises(ValueError, match="from 0 to at most 255"):
        pack(np.array([0, label]))


# Nearest neighbours at equal distances may be others on another machine.
SAME_EVERYWHERE = ("lfr120", "lfr250", "lfr400", "blocks", "pairs", "cancer-rbf", "digits-rbf")


@pytest.mark.parametrize(
    "name", [instance.name for instance in INSTANCES if instance.data in SAME_EVERYWHERE]
)
def test_the_file_of_the_best_known_is_true(name):
    known = BestKnown(PATH)
    found = BY_NAME[name].load().judge(known.labels(name))
    assert found["valid"]
    assert found["cut"] == pytest.approx(known.cut(name), rel=0, abs=1e-8)


def test_every_best_known_is_of_an_instance_and_never_rises_with_the_tolerance():
    known = BestKnown(PATH)
    assert all(known.cut(name) is not None for name in BY_NAME)
    for tight in INSTANCES:
        for loose in INSTANCES:
            if loose.at_least_as_loose_as(tight):
                assert known.cut(loose.name) <= known.cut(tight.name) + 1e-8


@pytest.mark.parametrize("name", ["lfr120-k5-0.2", "wine-k5-none", "cancer-rbf-k5-0.2"])
def test_annealing_lowers_the_cut_within_the_bounds(name):
    task = BY_NAME[name].load()
    start = allowed_labels(task, 1)
    labels = annealed(task, start, hot=0.03, steps=30_000, seed=0)
    assert task.judge(labels)["valid"]
    assert task.cut(labels) < task.cut(start) - 1e-3
    again = annealed(task, start, hot=0.03, steps=30_000, seed=0)
    np.testing.assert_array_equal(labels, again)


@pytest.mark.parametrize("seed", range(20))
def test_a_few_steps_of_annealing_begin_hot(task, seed):
    # Raised a division by zero where the temperature fell to nothing before the first step.
    labels = annealed(task, allowed_labels(task, 0), hot=1.0, steps=3, seed=seed)
    assert task.judge(labels)["valid"]


def test_improving_fills_the_best_known(task, known):
    lines = list(improve(task, known, seconds=0))
    assert len(lines) == 2
    assert task.judge(known.labels(task.instance.name))["valid"]


def test_the_gradient_of_the_penalty_is_that_of_its_objective(rng):
    W = rng.random((30, 30))
    task = Task(Instance("tiny", 3, 0.2), W + W.T, rng.integers(0, 2, 30))
    S = rng.random((30, 3)) + 0.2
    direction = rng.standard_normal(S.shape)
    _, gradient = _objective(task, S, 2.0)
    step = 1e-5
    forward, backward = (_objective(task, S + sign * step * direction, 2.0)[0] for sign in (1, -1))
    expected = (forward - backward) / (2 * step)
    # The gradient leaves out terms that are the same in all clusters: none here.
    assert np.sum(gradient * direction) == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_runs_are_valid_kept_and_not_repeated(tmp_path, known, capsys):
    path = tmp_path / "cut.jsonl"
    instances = [BY_NAME["wine-k5-0.2"], BY_NAME["wine-k5-none"]]
    methods = ours(["default"]) + peers()
    runs.measure(path, instances, methods, 1, known)
    rows = runs.read(path)
    assert all(row["valid"] for row in rows)
    assert {"scikit-learn", "penalty (VFC)", "LP (Bera)"} <= {row["method"] for row in rows}
    before = path.read_text()
    runs.measure(path, instances, methods, 1)
    assert path.read_text() == before
    assert "2/2 wine-k5-none" in capsys.readouterr().out
    lowest = min(row["cut"] for row in rows if row["instance"] == "wine-k5-none")
    assert known.cut("wine-k5-none") <= lowest + 1e-9


def example_rows():
    def row(instance, method, seed, cut, outside=0):
        shown = {"instance": instance, "method": method, "seed": seed, "cut": cut}
        return shown | {"valid": outside == 0, "outside": outside, "processor_seconds": 1.0}

    return [
        row("wine-k5-0.2", "default", 0, 1.0),
        row("wine-k5-0.2", "default", 1, 1.1),
        row("wine-k5-none", "default", 0, 1.04),
        row("wine-k5-none", "default", 1, 1.04),
        row("wine-k5-none", "METIS", 0, 1.0),
        row("wine-k2-0.2", "default", 0, 1.0, outside=3),
    ]


def test_the_report_answers_what_must_be_true(known):
    results = Results(example_rows(), known)
    table, summary = results.table(), results.summary()
    assert "| wine-k5-0.2 | 1.0000 | default | 5.0 % | 10.0 % | 10.0 % | 1.00 | 2 |" in table
    assert "1 to 2 seed(s) of ours on 3 instances" in summary
    assert "found by these runs" in summary
    assert "within 2 % of the best known on 0 of 2" in summary
    assert "worst seed within 5 % on 1" in summary
    assert (
        "comparisons with a peer's lower median: 1: wine-k5-none (METIS, 4.0 %); 2 of 2" in summary
    )
    assert "on 1: wine-k5-0.2 to wine-k5-none" in summary
    assert "3 cells outside their bounds in 5 runs, 1 invalid" in summary


def test_cuts_and_times_are_held_against_those_of_the_version_before(known):
    old = [
        row | {"method": BEFORE, "cut": 1.0, "seconds": 2.0}
        for row in (example_rows()[i] for i in (0, 2))
    ]
    new = [row | {"seconds": 1.0} for row in example_rows()[:4]]
    new[1]["cut"], new[2]["seconds"], new[3]["seconds"] = 1.04, 6.0, 6.0
    summary = Results(old + new, known).summary()
    assert "the cut differs by +3.0 % in the median of 2 instances" in summary
    assert "more than 5 % higher on none; the time is 1.8 times as long in the median" in summary
    assert "and longer on 1." in summary
    new[1]["cut"] = 1.2
    assert "higher on 1: wine-k5-0.2 (10.0 %)" in Results(old + new, known).summary()


def test_an_effort_that_shares_no_instance_with_the_version_before_is_not_held_against_it(known):
    old = example_rows()[0] | {"method": BEFORE, "seconds": 2.0}
    new = example_rows()[2] | {"seconds": 1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        summary = Results([old, new], known).summary()
    assert "beside" not in summary
    assert "nan" not in summary


def test_a_run_that_is_not_valid_does_not_shift_the_seeds(known):
    rows = [row | {"valid": True} for row in example_rows()[:4]]
    rows[1]["cut"], rows[2]["cut"] = 1.05, 1.0  # each seed has its lowest cut without a bound
    assert "at any seed, on none" in Results(rows, known).summary()
    rows[2]["valid"] = False  # seed 1 would be held against seed 0
    assert "at any seed, on none" in Results(rows, known).summary()


def test_seeds_above_a_peer_are_counted_where_the_median_is_not(known):
    rows = [example_rows()[4] | {"cut": cut, "seed": at} for at, cut in enumerate([1.0, 1.1, 1.2])]
    rows += [example_rows()[2] | {"cut": cut, "seed": at} for at, cut in enumerate([0.9, 1.05])]
    summary = Results(rows, known).summary()
    assert "lower median: none; 1 of 2 runs are above the best seed of any peer." in summary


def test_the_picture_has_a_line_for_each_effort(tmp_path, known):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: fairspectral[plot]")
    Results(example_rows(), known).plot(tmp_path / "cut.svg")
    assert "default" in (tmp_path / "cut.svg").read_text()


def test_pairs_are_compared_with_none():
    lines = compare_pairs(1, ["fast"]).splitlines()
    assert len(lines) == 3
    assert lines[2].startswith(f"| {ours(EFFORTS)[0].name} | 1 |")


def test_detached_pairs_have_only_each_other():
    task = BY_NAME["pairs-k4-0.2"].load()
    tail = sp.csr_array(task.W)[400:]
    assert tail[:, :400].sum() == 0
    assert tail.sum() == 8


def test_the_large_network_is_timed_in_small(monkeypatch):
    monkeypatch.setattr(large, "PEOPLE", 600)
    monkeypatch.setattr(large, "PAIRS", 3)
    lines = list(large.time_large(["fast"]))
    assert lines[0].startswith("606 people")
    assert "0 cells outside" in lines[1]
    sizes = [int(size.replace(",", "")) for size in lines[2].split("sizes ")[1].split(", ")]
    assert sum(sizes) == 606
