"""A few of the exact sentences quote other packages, whose older versions say it otherwise."""

import pytest
import sklearn
from sklearn.utils.fixes import parse_version

OLD = parse_version(sklearn.__version__) < parse_version("1.7")
# By the name of the case; all others have the same outcome with the oldest versions.
WORDS_OF_OTHERS = (
    "function: plain: text",
    "function: FFSC-style: text",
    "function: UFSC: text",
    "affinity: sparse coo out of range",
    "audit: a tolerance of NaN",
    "audit: a negative tolerance",
    "option: tolerance NaN",
    "option: tolerance negative",
    "table: too large for a float",
)


def pytest_collection_modifyitems(items):
    skip = pytest.mark.skip(
        reason="its sentence quotes another package: run it with scikit-learn 1.7 or later"
    )
    for item in items:
        if OLD and item.name.endswith(tuple(f"[{name}]" for name in WORDS_OF_OTHERS)):
            item.add_marker(skip)
