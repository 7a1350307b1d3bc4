"""The parts of scikit-learn that it calls its own, imported here and nowhere else.

Its estimators check their parameters with these, and users know the messages; there is no public
name for them. If a release moves them, this is the only file to mend, and
``tests/test_internals.py`` says which part of the behaviour went missing.
"""

from __future__ import annotations

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["Interval", "StrOptions", "fit_context"]
