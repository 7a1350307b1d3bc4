"""The private parts of scikit-learn that are used, imported here and nowhere else.

Its estimators check their parameters with these, and users know the messages; there is no public
name for them. If a release moves them, this is the only file to change, and
``tests/test_internals.py`` shows which behaviour is missing.
"""

from __future__ import annotations

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["Interval", "StrOptions", "fit_context"]
