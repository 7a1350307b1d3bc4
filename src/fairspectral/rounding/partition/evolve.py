"""A small population of clusterings, of which pairs are combined into better ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy as np

from fairspectral.checkpoint import Section, section
from fairspectral.linalg.threads import allowed_threads, in_threads
from fairspectral.rounding.partition.search import Effort, Member, Search
from fairspectral.rounding.partition.watch import Watch

Job = Callable[[], Member]

# The chance that a child begins with the best clusters of both parents, and not with the better one
# as it is. `scripts/ablate_partition.py` has each alone.
INHERITING = 0.5
# Cuts that differ by less, and large ones by less of their size, are equal but for floating-point
# error.
_EQUAL = 1e-9

# "default" takes a few seconds of one processor for some thousand persons, "fast" a tenth to a
# fifth of that, "thorough" ten times as much. Many generations of short climbs end lower than few
# of long ones; twice those of "default" end 1 to 3 % lower on LastFMNet, in 1.5 times the time
# (`scripts/ablate_partition.py lastfm 5`).
EFFORTS = {
    "fast": Effort(steps=20_000, per_node=5, members=2, generations=2, quick=True),
    "default": Effort(steps=35_000, per_node=8, members=4, generations=4),
    "thorough": Effort(steps=70_000, per_node=15, members=8, generations=12),
}


def best_of(members: list[Member]) -> Member:
    """The lowest cut of those within the bounds; of all, if none is within."""
    return min(members, key=lambda one: (one.outside > 0.0, one.worth))


def evolve(
    search: Search,
    starts: list[np.ndarray],
    effort: Effort,
    rng: np.random.Generator,
    watch: Watch,
) -> tuple[list[Member | None], list[Member]]:
    """The members of the first generation, those from the starts first, and the best of all.

    The first one of the latter is within the bounds if any is. Those of the first generation
    that an interruption left out are None.

    Parameters
    ----------
    search : Search
        Makes one clustering of others.
    starts : list of ndarrays of shape (n,)
        Clusterings to begin with; the others begin with random labels.
    effort : Effort
        How many, and how often.
    rng : numpy Generator
        Every clustering has its own stream, so that threads do not change the result.
    watch : Watch
        Tells when to stop.
    """
    if not effort.members:
        return [], []
    fresh = max(effort.members - len(starts), effort.members // 2)
    streams = iter(rng.spawn(len(starts) + fresh))
    jobs: list[Job] = [_improving(search, one, next(streams)) for one in starts]
    jobs += [_making(search, next(streams)) for _ in range(fresh)]
    first = [one and replace(one, start=at) for at, one in enumerate(run_all(jobs, watch))]
    found = sorted((one for one in first if one is not None), key=lambda one: one.worth)
    if not found:
        return first, []
    members, best = found[: effort.members], best_of(found)
    evolved = evolve_on(search, members, effort.generations, rng, watch)
    return first, [best_of([best, evolved]), *members]


def evolve_on(
    search: Search,
    members: list[Member],
    generations: int,
    rng: np.random.Generator,
    watch: Watch,
) -> Member:
    """Replace members by better children, for so many generations or until all have one cut.

    Then they are most likely one clustering, and their children would be too. Returns the best of
    all that ever were: the one within the bounds may give way to a child that is lower, but not
    within them.
    """
    best = best_of(members)
    for _ in range(generations):
        lowest = best_of(members)
        agreed = len(members) > 1 and all(is_as_low(one, lowest) for one in members)
        if watch.interrupted or agreed:
            break
        best = best_of([best, *_next_generation(search, members, rng, watch)])
    return best


def is_as_low(one: Member, best: Member) -> bool:
    """Whether a member is worth as much as the best one, but for floating-point error."""
    alike = (one.outside > 0.0) == (best.outside > 0.0)
    return alike and one.worth <= best.worth + _EQUAL * max(1.0, best.worth)


def _next_generation(
    search: Search, members: list[Member], rng: np.random.Generator, watch: Watch
) -> list[Member]:
    """Combine each member with another; a better child takes the place of its worse parent.

    Returns all children.
    """
    count = len(members)
    pairs = []
    for i in range(count):
        j = (i + 1 + int(rng.integers(count - 1))) % count if count > 1 else i
        pairs.append((i, j) if members[i].worth <= members[j].worth else (j, i))
    jobs = [
        _combining(search, members[good].labels, members[other].labels, stream)
        for (good, other), stream in zip(pairs, rng.spawn(count), strict=True)
    ]
    children = run_all(jobs, watch)
    for pair, child in zip(pairs, children, strict=True):
        worse = max(pair, key=lambda at: members[at].worth)
        if child is not None and child.worth < members[worse].worth:
            members[worse] = child
    return [child for child in children if child is not None]


def _improving(search: Search, labels: np.ndarray, rng: np.random.Generator) -> Job:
    return lambda: search.improve(labels, labels, rng)


def _combining(
    search: Search, labels: np.ndarray, other: np.ndarray, rng: np.random.Generator
) -> Job:
    combine = search.inherit if rng.random() < INHERITING else search.improve
    return lambda: combine(labels, other, rng)


def _making(search: Search, rng: np.random.Generator) -> Job:
    return lambda: search.fresh(rng)


def run_all(jobs: list[Job], watch: Watch) -> list[Member | None]:
    """The results of all jobs, run in threads; None for those that an interruption left out.

    They begin in their order, so that an interruption leaves out the last ones.
    """
    saved = [section("clustering") for _ in jobs]
    results = [_restored(one) for one in saved]
    waiting = iter(range(len(jobs)))
    busy = [0]
    lock = threading.Lock()

    def run(_first: int, _last: int) -> None:
        with lock:
            busy[0] += 1
        try:
            while True:
                with lock:
                    at = next(waiting, None)
                if at is None or (watch.interrupted and at > 0):
                    break
                if results[at] is None:
                    results[at] = found = jobs[at]()
                    if not watch.interrupted:
                        saved[at].finish(asdict(found))
                _note(results[at], watch)
        finally:
            with lock:
                busy[0] -= 1

    try:
        in_threads(run, range(min(allowed_threads(), len(jobs)) + 1))
    except BaseException:
        watch.interrupted = True
        while busy[0]:  # they stop at their next look at the watch
            time.sleep(0.01)
        raise
    return results


def _restored(saved: Section) -> Member | None:
    """The result of a job in an earlier process."""
    state = saved.finished()
    return None if state is None else Member(**state)


def _note(member: Member | None, watch: Watch) -> None:
    if member is not None and member.outside == 0.0:
        watch.best = min(watch.best, member.cut)
