"""Groups from numbers: an age or a balance as a few ranges of about equal size."""

from __future__ import annotations

from typing import Any

import numpy as np


def bin_numeric(values: Any, n_bins: int = 5) -> np.ndarray:
    """Put numbers into a few groups of about equal size, cut at quantiles.

    A numeric attribute with many values (an age, a balance) makes too many groups to mirror in
    every cluster. Equal numbers always go to the same group, so there may be fewer groups than
    asked for.

    Parameters
    ----------
    values : array-like of shape (n,)
        Finite numbers.
    n_bins : int
        Groups at most, at least 2.

    Returns
    -------
    ndarray of shape (n,), str
        Each number's group, named after the smallest and the largest number in it.

    Examples
    --------
    >>> from fairspectral import bin_numeric
    >>> bin_numeric([18, 25, 31, 40, 52, 70], 2).tolist()
    ['18 to 31', '18 to 31', '18 to 31', '40 to 70', '40 to 70', '40 to 70']
    """
    if isinstance(n_bins, bool) or not isinstance(n_bins, int | np.integer) or n_bins < 2:
        raise ValueError(f"n_bins={n_bins!r} must be a whole number of at least 2.")
    numbers = _finite_numbers(values)
    distinct = np.unique(numbers)
    if len(distinct) <= n_bins:
        edges = distinct[:-1]
    else:
        parts = np.arange(1, n_bins) / n_bins
        edges = np.quantile(numbers, parts, method="inverted_cdf")
        # If most samples have the largest value, all others would end up in its group.
        edges = np.unique(np.minimum(edges, distinct[-2]))
    # Group b holds the values above edge b - 1 and up to edge b.
    codes = np.searchsorted(edges, numbers, side="left")
    lowest = distinct[np.searchsorted(distinct, np.r_[-np.inf, edges], side="right")]
    highest = np.r_[edges, distinct[-1]]
    return np.array(_range_names(lowest, highest))[codes]


def _finite_numbers(values: Any) -> np.ndarray:
    if np.ma.isMaskedArray(values):
        values = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
    try:
        array = np.asarray(values)
        if array.dtype.kind in "USmMc":
            raise TypeError
        numbers = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            "values must be numbers, one per sample; convert text with pandas.to_numeric, and "
            "fill or drop missing values first."
        ) from None
    if numbers.ndim != 1 or not len(numbers):
        raise ValueError(f"values must be one number per sample, but has shape {numbers.shape}.")
    if not np.isfinite(numbers).all():
        at = int(np.argmin(np.isfinite(numbers)))
        raise ValueError(
            f"values has no finite number at row {at} ({numbers[at]}); give those rows a group of "
            "their own or drop them, and bin the others."
        )
    return numbers


def _range_names(lowest: np.ndarray, highest: np.ndarray) -> list[str]:
    """Names of the ranges, with the fewest digits that keep their ends distinct."""
    ends = np.unique(np.r_[lowest, highest])
    for digits in range(4, 18):
        shown = [_short(end, digits) for end in ends]
        if len(set(shown)) == len(ends):
            break
    name = dict(zip(ends.tolist(), shown, strict=True))
    return [
        name[low] if low == high else f"{name[low]} to {name[high]}"
        for low, high in zip(lowest.tolist(), highest.tolist(), strict=True)
    ]


def _short(number: float, digits: int) -> str:
    if number == int(number) and abs(number) < 2**53:
        return str(int(number))
    return f"{number:.{digits}g}"
