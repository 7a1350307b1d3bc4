"""What is said of the starts of a search, and of the one that won."""

import pytest

from fairspectral.rounding.sources import (
    COMBINED,
    Source,
    in_words,
    none_won,
    one_after_another,
    winner_of,
)

PLAIN = Source("plain embedding", 1.2, False, 1.0)
FAIR = Source("fair embedding", 1.3, True, 1.1)
OUTSIDE = Source("fair flow", 1.3, False, None)
RANDOM = [Source("random", None, False, cut) for cut in (1.4, None, 1.05)]


def won(source):
    return Source(source.name, source.given, source.fair, source.found, won=True)


def test_one_start_may_have_won_alone():
    starts = (PLAIN, won(FAIR))
    assert winner_of(starts) == "fair embedding"
    assert in_words(starts, 1.1) == (
        "Searched from 2 starts (plain embedding: 1; fair embedding: 1.1): the labels come from "
        "“fair embedding” alone."
    )
    assert in_words((won(FAIR),), 1.1).endswith("the labels come from “fair embedding”.")


def test_a_combination_is_compared_with_the_best_start():
    starts = (PLAIN, FAIR, *RANDOM)
    assert winner_of(starts) == COMBINED
    words = in_words(starts, 0.9)
    assert words.startswith("Searched from 5 starts (plain embedding: 1; fair embedding: 1.1; 3 × ")
    assert "3 × random: 1.05 to 1.4, 1 gave nothing)" in words
    assert words.endswith("several, 10.0% below the best alone, “plain embedding”.")
    assert "several, as low as the best alone, “plain" in in_words(starts, 0.9999)


def test_starts_that_ended_outside_the_bounds_gave_nothing():
    words = in_words((OUTSIDE, RANDOM[1]), 0.9)
    assert "(fair flow: nothing; random: nothing)" in words
    assert words.endswith("combined from several, none within the bounds alone.")


def test_without_a_search_nothing_is_said():
    assert winner_of(()) == in_words((), 1.0) == ""


def test_of_two_searches_the_second_has_the_winner():
    starts = one_after_another((won(PLAIN), FAIR), (won(RANDOM[0]),))
    assert [one.won for one in starts] == [False, False, True]
    assert winner_of(starts) == "random"
    assert none_won(starts[:1]) == (PLAIN,)


@pytest.mark.parametrize("cut", [0.0, 1e-12])
def test_a_cut_of_nothing_has_no_percentage(cut):
    free = Source("fair embedding", 0.0, True, 0.0)
    assert "as low as the best alone" in in_words((free, PLAIN), cut)


def test_cuts_of_floating_point_error_are_nothing():
    starts = (Source("plain embedding", 0.0, True, 8e-15), Source("random", None, False, -9e-16))
    words = in_words(starts, -1e-15)
    assert "(plain embedding: 0; random: 0)" in words
    assert words.endswith("as low as the best alone, “random”.")
