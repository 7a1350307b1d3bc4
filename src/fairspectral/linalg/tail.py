"""How far an increasing sequence still has to go."""

from __future__ import annotations

from collections.abc import Sequence

# Where growth may be uneven in a way that is not known, increments are compared over spans of one
# to this many terms, and the longest tail that any of them predicts counts.
_LONGEST_SPAN = 4
# Convergence slows down while an iteration works its way into a dense spectrum, so that the
# next increments fall less than the last ones did; the exponent takes that into account.
_SLOWING = 0.7
_SLOWEST_RATIO = 0.98


def geometric_tail(values: Sequence[float], span: int | None = None) -> float:
    """Predict ``limit - values[-1]`` for an increasing, roughly geometric sequence.

    The last two increments over a span of w terms give a ratio, and the ratio a geometric
    series.

    Parameters
    ----------
    values : sequence of float
        The sequence up to now.
    span : int or None
        The number w, where growth is known to be even over so many terms. None tries one to four
        and returns the largest prediction, infinity for fewer than three terms.
    """
    longest = min(_LONGEST_SPAN, (len(values) - 1) // 2)
    spans = range(1, longest + 1) if span is None else (span,)
    tail = 0.0 if spans else float("inf")
    for w in spans:
        last = values[-1] - values[-1 - w]
        before = values[-1 - w] - values[-1 - 2 * w]
        if last <= 0:
            continue
        ratio = min(last / before, _SLOWEST_RATIO) if before > 0 else _SLOWEST_RATIO
        ratio **= _SLOWING
        tail = max(tail, last * ratio / (1.0 - ratio))
    return tail
