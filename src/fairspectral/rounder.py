"""One embedding, rounded at any bounds: the searches from several starts share one archive.

A result is never worse than any clustering within its bounds that was found at other bounds, or
was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np

from fairspectral.affinity import AffinityOperator
from fairspectral.affinity.fringe import Fringe
from fairspectral.anytime import Deadline, searching
from fairspectral.links import Links
from fairspectral.parameters import seeded
from fairspectral.progress import report
from fairspectral.rounding.archive import Archive, is_lower, numbered_by_appearance
from fairspectral.rounding.follow import KNOWN, SETTLED, follow_plan, measure_labels
from fairspectral.rounding.inputs import check_weights
from fairspectral.rounding.placement import beside_fringe, complete_rows, settle_pieces
from fairspectral.rounding.plan import RoundingPlan
from fairspectral.rounding.result import FairAssignment, certify, keeps_all
from fairspectral.rounding.rows import can_search, suits_levels
from fairspectral.rounding.sources import Source, none_won, one_after_another
from fairspectral.rounding.start import WeightedRows
from fairspectral.set_aside import Trees
from fairspectral.starts import Embeddings, choose_kinds, embed_starts, starts_from, without_trees
from fairspectral.validation import Attribute

# The stage of several searches, for those who show progress.
FRONTIER = "frontier"

# The name of a start that other searches found, at other bounds or with another effort.
EARLIER = "best of earlier searches"

# The embeddings of the starts, by what they depend on.
_ByKind = dict[tuple[Any, ...], Embeddings]


class Rounder:
    """Rounds the rows of one embedding, and remembers the clusterings.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The fair embedding ``D^-1/2 H``; of those who were set aside, any.
    attributes : tuple of Attribute
        The groups.
    operator : AffinityOperator or None
        The affinities of everybody. Sparse graphs in memory are searched from several
        embeddings; on others the one start is k-means on `rows`.
    fringe : Fringe or None
        Who was set aside before the embedding.
    links : Links or None
        Who must be together and who must not, in every clustering that is asked for.
    sample_weight, centroids, n_init
        As in `fair_assignment`; with weights or centroids there is one start.
    random_state : int, RandomState or None
        Seed. Every search begins with the same, so that the bounds alone make the difference.

    Attributes
    ----------
    archive : Archive
        All clusterings so far.
    """

    def __init__(
        self,
        rows: np.ndarray,
        attributes: tuple[Attribute, ...],
        operator: AffinityOperator | None = None,
        *,
        fringe: Fringe | None = None,
        links: Links | None = None,
        sample_weight: Any = None,
        centroids: np.ndarray | None = None,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.rows, self.attributes, self.operator = rows, attributes, operator
        self._links = links
        self.fringe = fringe or Fringe.none(len(rows))
        self.archive = Archive()
        self._weight, self._centroids, self._n_init = sample_weight, centroids, n_init
        rng = seeded(random_state)
        self._start_seed, self._search_seed = (rng.randint(2**31 - 1) for _ in range(2))
        # The results by what was asked for, so that nothing is searched twice.
        self._searched: dict[tuple[Any, ...], FairAssignment] = {}
        # Whether all searches within some bounds were stopped early, by the bounds.
        self._stopped: dict[tuple[Any, ...], bool] = {}
        # The clusterings in which no small component can go elsewhere, with the bounds.
        self._at_rest: set[tuple[Any, ...]] = set()
        # What starts set aside beside small components, by the floor.
        self._trees: dict[int, Fringe] = {}

    def know(self, labels: np.ndarray, plan: RoundingPlan) -> None:
        """Add a clustering from elsewhere: where it is within the bounds, no result is worse."""
        rows = complete_rows(self.rows, labels, self.fringe, plan.n_clusters)
        self.archive.add(measure_labels(plan, rows, labels, self.operator, self._weight))

    def spread(self, plan: RoundingPlan) -> float:
        """The k-means cost of everybody in one cluster, which says what is large for these rows."""
        weights = None if self._weight is None else check_weights(self._weight, len(self.rows))
        points = WeightedRows.scaled(self.rows, weights, plan.row_scaling, self.operator)
        together = np.zeros(len(self.rows), dtype=np.intp)
        return points.cost(together, points.centroids(together, 1))

    def round(self, plan: RoundingPlan) -> FairAssignment:
        """The best clustering that is known after a search within the plan's bounds."""
        return self.round_all([plan])[0]

    def round_all(self, plans: Sequence[RoundingPlan]) -> list[FairAssignment]:
        """The best clustering for each plan that is known after the searches for all of them.

        The embeddings of the starts are computed once. Put tight bounds first: where a looser
        search ends above the result of a tighter one, it begins again from that. One Ctrl-C ends
        all: no other search begins for bounds within which a clustering is known, and the result
        for these says that it was not searched for.
        """
        plans = [replace(plan, links=self._links) for plan in plans]
        embeddings: _ByKind = {}
        found: list[FairAssignment] = []
        with searching() as whole:
            for at, plan in enumerate(plans):
                if len(plans) > 1:
                    report(FRONTIER, at / len(plans))
                one = self._searched.get(_identity(plan))
                if one is None and whole.interrupted:
                    one = self._known(plan, embeddings)
                elif one is None:
                    one, bounds = self._search_both_ways(plan, embeddings), _bounds_of(plan)
                    self._stopped[bounds] = one.stopped and self._stopped.get(bounds, True)
                    if not whole.passed:  # else somebody ended it, and the next call may go on
                        self._searched[_identity(plan)] = one
                found.append(one)
            return [self._best(plan, one) for plan, one in zip(plans, found, strict=True)]

    def trees_of(self, found: FairAssignment) -> Trees | None:
        """The trees that starts of the search for this clustering set aside."""
        starts = sum(without_trees(one.name) for one in found.starts)
        fringe = self._trees.get(found.min_cluster_size)
        return Trees(*fringe.trees, starts) if starts and fringe else None

    def _best(self, plan: RoundingPlan, found: FairAssignment) -> FairAssignment:
        """The best that is known; `found` itself if nothing is better."""
        best = self._settled(plan, stopped=found.stopped, searched=found.searched)
        if best is None or (found.certified and not is_lower(best.cost, found.cost)):
            return found
        return best

    def _settled(
        self, plan: RoundingPlan, *, stopped: bool, searched: bool
    ) -> FairAssignment | None:
        """The best of the archive, with small components where they are best in these bounds."""
        known = self.archive.best(plan, stopped=stopped, searched=searched)
        # It takes long where there are thousands of components: not after the time is over.
        if known is None or not self.fringe or stopped or Deadline().passed:
            return known
        if _settling(plan, known.labels) in self._at_rest:
            return known
        beside = beside_fringe(plan, self.fringe)
        labels = settle_pieces(self.operator, known.labels, self.fringe, beside)
        self._note_at_rest(plan, known.labels, labels)
        if np.array_equal(labels, known.labels) or not keeps_all(plan, labels):
            return known
        rows = complete_rows(self.rows, labels, self.fringe, plan.n_clusters)
        stages = measure_labels(plan, rows, labels, self.operator, self._weight, SETTLED).history
        history = [*known.history, *stages]
        found = certify(labels, plan, history, known.starts, stopped=stopped, searched=searched)
        self.archive.add(found)
        return known if is_lower(known.cost, found.cost) else found

    def _note_at_rest(self, plan: RoundingPlan, *settled: np.ndarray) -> None:
        """Settle none of these labels within these bounds again, if they were to the end."""
        if self.fringe and not Deadline().passed:
            self._at_rest.update(_settling(plan, labels) for labels in settled)

    def _known(self, plan: RoundingPlan, embeddings: _ByKind) -> FairAssignment:
        """The best that is known after a Ctrl-C; where nothing is, only what the bounds need."""
        stopped = self._stopped.get(_bounds_of(plan))  # None: there was no search
        said = {"stopped": stopped is True, "searched": stopped is not None}
        best = self._settled(plan, **said)
        if best is None:
            best = self._search_both_ways(plan, embeddings)
            best = certify(best.labels, plan, best.history, best.starts, **said)
        return best

    def _search_both_ways(self, plan: RoundingPlan, embeddings: _ByKind) -> FairAssignment:
        """Search from the starts, and from what is known if that is better than what they gave."""
        with searching(plan.time_budget) as deadline:
            graph = self._is_graph(plan)
            starts = self._starts(plan, embeddings, deadline) if graph else []
            found = self._search(plan, starts)
            self._note_at_rest(plan, found.labels)
            self.archive.add(found)
            stopped = found.stopped
            for name, labels in self._further(plan, embeddings, found, deadline):
                again = self._search_from(plan, name, labels)
                self._note_at_rest(plan, again.labels)
                again = replace(again, starts=one_after_another(found.starts, again.starts))
                self.archive.add(again)
                stopped = stopped or again.stopped
                if again.certified and (not found.certified or is_lower(again.cost, found.cost)):
                    found = again  # with its own starts, also where it is as good as known before
            stopped = stopped or (not graph and deadline.passed)
            found = self._or_known(plan, found, stopped)
        if stopped and not found.stopped:
            found = certify(found.labels, plan, found.history, found.starts, stopped=True)
        return found

    def _or_known(self, plan: RoundingPlan, found: FairAssignment, stopped: bool) -> FairAssignment:
        """What is known as it was, where no search from it came as low; a start of this search."""
        best = self._best(plan, found)
        if best is found or self.operator is None:
            return found
        taken = Source(_name_of(best), best.cost, fair=True, found=best.cost, won=True)
        starts = (*none_won(found.starts), taken)
        return certify(best.labels, plan, best.history, starts, stopped=stopped)

    def _further(
        self,
        plan: RoundingPlan,
        embeddings: _ByKind,
        found: FairAssignment,
        deadline: Deadline,
    ) -> Iterator[tuple[str, np.ndarray]]:
        """Clusterings to search from again, until the deadline: what is better than `found`.

        Off graphs the other starts come first.
        """
        best = self._best(plan, found)
        if not self._is_graph(plan) and not deadline.passed:
            for start in self._starts(plan, embeddings, deadline):
                if not deadline.passed:
                    yield start
        if best is not found and not deadline.passed:
            yield _name_of(best), best.labels

    def _is_graph(self, plan: RoundingPlan) -> bool:
        held = self.operator is not None and can_search(self.operator)
        return held and (plan.in_nodes or suits_levels(self.operator))

    def _starts(
        self, plan: RoundingPlan, embeddings: _ByKind, deadline: Deadline
    ) -> list[tuple[str, np.ndarray]]:
        """Clusterings from several embeddings: the first, and others until the deadline."""
        if self.operator is None or self._weight is not None or self._centroids is not None:
            return []
        graph = self._is_graph(plan)
        kinds = choose_kinds(plan, dense=not graph)
        key = (kinds, plan.smallest)
        if key not in embeddings:
            embeddings[key] = embed_starts(
                kinds,
                self.operator,
                self.attributes,
                plan,
                self.rows,
                fringe=self.fringe,
                first_needed=graph,  # others are searched from k-means on `rows` already
                random_state=self._start_seed,
            )
        starts = starts_from(embeddings[key], self.operator, plan, deadline)
        for one in embeddings[key].made:
            if without_trees(one.name):
                self._trees[plan.smallest] = one.fringe
        return [(start.name, start.labels) for start in starts]

    def _search(
        self, plan: RoundingPlan, starts: Sequence[tuple[str, np.ndarray]]
    ) -> FairAssignment:
        return follow_plan(
            plan,
            self.rows,
            affinity=self.operator,
            sample_weight=self._weight,
            centroids=self._centroids,
            starts=starts,
            fringe=self.fringe,
            n_init=self._n_init,
            random_state=self._search_seed,
        )

    def _search_from(self, plan: RoundingPlan, name: str, labels: np.ndarray) -> FairAssignment:
        """Search again, from another start or from what is better than what was found."""
        if self._is_graph(plan):
            return self._search(plan, [(name, labels)])
        return follow_plan(
            plan,
            complete_rows(self.rows, labels, self.fringe, plan.n_clusters),
            affinity=self.operator,
            sample_weight=self._weight,
            initial_labels=labels,
            initial_name=name,
            fringe=self.fringe,
            random_state=self._search_seed,
        )


def _name_of(best: FairAssignment) -> str:
    """The name of a start from the best that is known: whether it was given, or found."""
    given = all(stage.name in (KNOWN, SETTLED) for stage in best.history)
    return KNOWN if given else EARLIER


def _settling(plan: RoundingPlan, labels: np.ndarray) -> tuple[Any, ...]:
    """What settling depends on: the clusters, whatever their numbers, and the bounds."""
    return sha256(numbered_by_appearance(labels).tobytes()).digest(), *_bounds_of(plan)


def _identity(plan: RoundingPlan) -> tuple[Any, ...]:
    """What makes two plans the same request."""
    return *_bounds_of(plan), plan.effort, plan.time_budget, plan.refine_rounds, plan.row_scaling


def _bounds_of(plan: RoundingPlan) -> tuple[Any, ...]:
    """What makes two plans ask for the same clusterings, however long they search for them."""
    bounds = tuple((rule.lower.tobytes(), rule.upper.tobytes()) for rule in plan.rules)
    return plan.n_clusters, plan.smallest, plan.largest, bounds
