"""The warnings of this package, by which users can filter them."""

from __future__ import annotations

import warnings
from typing import Any


class FairSpectralWarning(UserWarning):
    """A warning about the input or the result."""


def warn_of_ignored_y(y: Any, sensitive_features: Any) -> None:
    """Warn that groups are not passed as `y`; called by a `fit` without groups.

    A warning and not an error, because scikit-learn's pipelines and checks always pass a `y`.
    """
    if y is not None and sensitive_features is None:
        warnings.warn(
            "fit was given y but no sensitive_features; y is ignored, and the clustering is not "
            "constrained by any group: pass groups as fit(X, sensitive_features=groups).",
            FairSpectralWarning,
            stacklevel=4,  # over scikit-learn's wrapper of fit
        )
