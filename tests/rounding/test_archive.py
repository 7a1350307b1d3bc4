from dataclasses import replace

import numpy as np
import pytest

from fairspectral.constraints import encode_groups
from fairspectral.rounding.archive import Archive, is_lower
from fairspectral.rounding.follow import measure_labels
from fairspectral.rounding.plan import plan_rounding

GROUPS = np.tile([0, 1], 12)
# Clusters of twelve: proportional, three of a group to nine of the other, and of one group each.
EVEN = np.repeat([0, 1], 12)
TILTED = np.where(np.arange(24) < 6, GROUPS, EVEN)
APART = GROUPS.copy()


@pytest.fixture
def plans():
    """Plans for two groups of the same size, by tolerance."""
    attributes = encode_groups(GROUPS, 24)
    return {tol: plan_rounding(attributes, 2, fairness_tol=tol) for tol in (0.0, 0.5, None)}


def measured(plan, labels, cost):
    """A clustering with a made-up cost."""
    found = measure_labels(plan, np.arange(24.0)[:, None], labels)
    return replace(
        found, embedding_cost=cost, history=(replace(found.history[0], embedding_cost=cost),)
    )


def test_every_clustering_counts_wherever_it_is_within_the_bounds(plans):
    archive = Archive()
    assert archive.best(plans[0.0]) is None
    # Found without bounds, but proportional.
    archive.add(measured(plans[None], EVEN, 3.0))
    archive.add(measured(plans[0.5], TILTED, 2.0))
    archive.add(measured(plans[None], APART, 1.0))
    costs = [archive.best(plans[tol]).cost for tol in (0.0, 0.5, None)]
    assert costs == [3.0, 2.0, 1.0]


def test_the_certificate_is_of_the_bounds_that_are_asked_for(plans):
    archive = Archive()
    archive.add(measured(plans[None], EVEN, 1.0))
    assert archive.best(plans[None]).certificate.startswith("No bounds on shares")
    found = archive.best(plans[0.0])
    assert found.certified
    assert found.certificate.startswith("Certified: all 4 cells")
    np.testing.assert_array_equal(found.labels, EVEN)


def test_what_is_outside_the_bounds_or_below_the_floor_is_never_the_answer(plans):
    archive = Archive()
    archive.add(measured(plans[None], APART, 1.0))
    assert archive.best(plans[0.5]) is None
    assert archive.best(replace(plans[None], smallest=13)) is None
    assert archive.best(replace(plans[None], n_clusters=3)) is None


def test_of_equal_ones_the_first_counts_and_other_numbers_are_no_news(plans):
    archive = Archive()
    archive.add(measured(plans[0.0], EVEN, 1.0))
    archive.add(measured(plans[0.0], 1 - EVEN, 1.0 - 1e-6))
    assert len(archive) == 1
    archive.add(measured(plans[0.0], np.roll(EVEN, 2), 1.0 - 1e-14))
    assert len(archive) == 2
    np.testing.assert_array_equal(archive.best(plans[0.0]).labels, EVEN)


def test_lower_by_more_than_floating_point_error():
    assert is_lower(0.9, 1.0)
    assert not is_lower(1.0, 1.0)
    assert not is_lower(0.1 + 0.2 - 1e-15, 0.3)
