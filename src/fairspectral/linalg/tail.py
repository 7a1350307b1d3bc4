"""How far an increasing sequence still has to go."""

from __future__ import annotations

from collections.abc import Sequence

# Increments are compared over spans of one to this many terms: the growth of a restarted
# Krylov space is uneven within a cycle, and the longest tail that any span predicts counts.
_LONGEST_SPAN = 4
# Convergence slows down while an iteration works its way into a dense spectrum, so that the
# next increments fall less than the last ones did; the exponent takes that into account.
_SLOWING = 0.7
_SLOWEST_RATIO = 0.98


def geometric_tail(values: Sequence[float]) -> float:
    """Predict ``limit - values[-1]`` for an increasing, roughly geometric sequence.

    For each span w the last two increments over w terms give a ratio, and the ratio a
    geometric series; the largest prediction is returned, infinity for fewer than three terms.
    """
    longest = min(_LONGEST_SPAN, (len(values) - 1) // 2)
    tail = 0.0 if longest else float("inf")
    for span in range(1, longest + 1):
        last = values[-1] - values[-1 - span]
        before = values[-1 - span] - values[-1 - 2 * span]
        if last <= 0:
            continue
        ratio = min(last / before, _SLOWEST_RATIO) if before > 0 else _SLOWEST_RATIO
        ratio **= _SLOWING
        tail = max(tail, last * ratio / (1.0 - ratio))
    return tail
