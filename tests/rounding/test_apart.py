"""Several populations on a small graph: when there are some, and when they end."""

import numpy as np
import pytest
import scipy.sparse as sp
from rounding_cases import make_block_graph, store

from fairspectral.constraints import encode_groups
from fairspectral.rounding.partition import apart, partition
from fairspectral.rounding.partition.apart import POPULATIONS, suits_populations
from fairspectral.rounding.partition.coarsen import Level
from fairspectral.rounding.partition.graph import make_graph
from fairspectral.rounding.partition.search import TINY, Effort, Member
from fairspectral.rounding.partition.watch import Watch
from fairspectral.rounding.plan import plan_rounding


def ring(n):
    return sp.csr_array(sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(n, n)))


@pytest.mark.parametrize(
    ("W", "expected"),
    [
        (ring(TINY), True),
        (ring(TINY + 1), False),
        (np.ones((TINY + 1, TINY + 1)), True),
        (np.ones((800, 800)), False),
    ],
    ids=["small", "larger", "complete", "large and complete"],
)
def test_small_graphs_and_kernels_of_few_people_have_several(W, expected):
    n = W.shape[0]
    plan = plan_rounding(encode_groups(np.arange(n) % 2, n), 2)
    storage = "sparse" if sp.issparse(W) else "dense"
    assert suits_populations(Level(make_graph(store(W, storage), plan.rules))) == expected


class Populations:
    """Stands for `evolve`: each population ends at the next of the given cuts."""

    def __init__(self, cuts):
        self.cuts, self.combined = list(cuts), None

    def evolve(self, search, starts, effort, rng, watch):
        member = Member(np.zeros(1, dtype=np.int32), self.cuts.pop(0), 0.0, start=len(starts))
        return [*[None] * len(starts), member], [member]

    def evolve_on(self, search, members, generations, rng, watch):
        self.combined = [one.cut for one in members]
        return min(members, key=lambda one: one.cut)


@pytest.mark.parametrize(
    ("cuts", "used", "combined"),
    [
        ([2.0] * 6, 3, False),
        ([3.0, 2.0, 3.0, 2.0, 2.0, 1.0], 5, False),
        ([3.0, 2.0, 3.0, 4.0, 5.0, 2.0], 6, True),
    ],
    ids=["agree at once", "agree at last", "never agree"],
)
def test_populations_begin_until_three_agree_on_the_lowest_cut(monkeypatch, cuts, used, combined):
    given = Populations(cuts)
    monkeypatch.setattr(apart, "evolve", given.evolve)
    monkeypatch.setattr(apart, "evolve_on", given.evolve_on)
    effort, rng = Effort(steps=1, per_node=1, members=1, generations=1), np.random.default_rng(0)
    first, champions = apart.evolve_apart(None, [np.zeros(1)], effort, rng, Watch(1.0))
    assert POPULATIONS - len(given.cuts) == used
    assert (given.combined is not None) == combined
    assert min(one.cut for one in champions) == min(cuts[:used])
    # The given start, and one that each population made, are numbered in a row.
    assert len(first) == 1 + used
    assert [one.start for one in champions[:used]] == list(range(1, 1 + used))


def test_the_winner_of_a_later_population_is_among_the_sources():
    W, groups, clusters = make_block_graph()
    plan = plan_rounding(encode_groups(groups, len(groups)), 4)
    effort = Effort(steps=500, per_node=5, members=2, generations=1)
    given = [("planted", clusters)]
    found = partition(store(W, "sparse"), given, plan, np.random.default_rng(0), effort)
    assert len(groups) <= TINY
    assert sum(one.won for one in found.sources) <= 1
    assert len(found.sources) > 1 + effort.members  # those of several populations
