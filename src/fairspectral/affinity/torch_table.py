"""A tensor as data, checked where it is: nothing but what is wrong with it comes to the host."""

from __future__ import annotations

import warnings
from typing import Any

from fairspectral.feature_tables import check_table
from fairspectral.tensors import check_tensor, on_host
from fairspectral.validation import FairSpectralWarning, not_finite


def read_tensor(X: Any, *, precomputed: bool, missing: bool = False) -> Any:
    """A tensor of finite floats, or affinities; a sparse one as a CSR matrix of scipy.

    Parameters
    ----------
    X : tensor
        Features (n, d) or affinities (n, n), on any device; gradients are not used.
    precomputed : bool
        Whether these are affinities, whose values are checked by the operators.
    missing : bool
        Whether values may be missing; a tensor with NaN then comes back as an array.

    Returns
    -------
    tensor, ndarray or csr_array
        In float32 or float64, on the same device.
    """
    import torch

    check_tensor(X, "X")
    X = X.detach()
    check_table(X)
    if X.is_complex():
        raise ValueError(
            "Complex data not supported; pass real numbers, such as the real and imaginary parts "
            "as two columns."
        )
    if X.layout != torch.strided:
        return on_host(X)
    n, d = X.shape
    if n < 2 or d < 1:
        what, more = ("sample", "rows") if n < 2 else ("feature", "columns")
        raise ValueError(
            f"X has {min(n, d)} {what}(s) (shape={(n, d)}) while a minimum of "
            f"{2 if n < 2 else 1} is required; pass more {more}."
        )
    if X.dtype not in (torch.float32, torch.float64):
        # Whole numbers may have more digits than float32; numbers of 16 bits have fewer.
        X = X.to(torch.float32 if X.is_floating_point() else torch.float64)
    if missing and bool(X.isnan().any()):
        return on_host(X)
    if not precomputed:
        _check_finite(X)
        _warn_of_affinities(X)
    return X


def _check_finite(X: Any) -> None:
    # One sum decides, unless it overflows.
    if bool(X.sum().isfinite()) or bool(X.isfinite().all()):
        return
    row, column = divmod(int((~X.isfinite()).to(X.dtype).argmax()), X.shape[1])
    raise not_finite(float(X[row, column]), row, f"column {column}", ", or pass affinity='gower'")


def _warn_of_affinities(X: Any) -> None:
    """As for arrays: a symmetric matrix is compared row by row like any other table."""
    n, d = X.shape
    if n == d and n >= 3 and bool((X == X.T).all()):
        warnings.warn(symmetric_words(n), FairSpectralWarning, stacklevel=2)


def symmetric_words(n: int) -> str:
    """What is said of a table that looks like affinities."""
    return (
        f"X is a symmetric {n} × {n} matrix, whose rows are compared like those of any table; if "
        "it holds the affinities themselves, pass affinity='precomputed'."
    )
