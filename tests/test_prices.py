"""A cost relative to the loosest one, and which searches were stopped, in words."""

from types import SimpleNamespace as Space

import numpy as np
import pytest

from fairspectral.prices import (
    clipped_cut,
    negligible_cut,
    relative_price,
    stopped_in_words,
    tolerance_in_words,
)


def test_a_price_is_relative_to_what_is_not_zero():
    assert relative_price(1.5, 1.0, negligible_cut(3)) == 1.5
    assert relative_price(1.5, 1e-4, negligible_cut(3)) == pytest.approx(1.5e4)
    for zero in (0.0, 3e-9, -3e-9):  # as single precision leaves it
        assert np.isnan(relative_price(1.5, zero, negligible_cut(3)))
        assert np.isnan(relative_price(zero, zero, negligible_cut(3)))


def test_equal_cuts_have_no_price_of_minus_nothing():
    assert relative_price(0.8 * (1 - 1e-16), 0.8, negligible_cut(3)) == 1.0
    assert relative_price(0.3 - 2e-16, 0.3, negligible_cut(3)) == 1.0
    assert relative_price(0.801, 0.8, negligible_cut(3)) > 1.001


def test_a_cut_of_floating_point_error_is_shown_as_zero():
    assert [clipped_cut(cut, 3) for cut in (2e-16, -3e-9, 0.0)] == [0.0, 0.0, 0.0]
    assert str(clipped_cut(-1e-16, 3)) == "0.0"  # without a sign
    assert clipped_cut(1e-4, 3) == 1e-4


def test_tolerances_in_words():
    assert tolerance_in_words({"sex": 0.1, "region": None}) == "sex 10%, region none"


def test_several_searches_that_were_stopped_are_named_in_the_plural():
    stopped, not_searched = Space(stopped=True, searched=True), Space(stopped=False, searched=False)
    said = stopped_in_words(
        ["0%", "1%", "none"], [stopped, stopped, Space(stopped=True, searched=True)]
    )
    assert said == (
        "The searches at tolerances 0%, 1% and none were stopped early: their cuts may be higher "
        "than those of whole ones."
    )
    said = stopped_in_words(["0%", "1%"], [stopped, not_searched])
    assert said.endswith("Tolerance 1% was not searched, so there is no price of fairness.")
