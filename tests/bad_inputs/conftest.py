"""The exact sentences are those of current versions: some quote click and scikit-learn."""

import pytest
import sklearn
from sklearn.utils.fixes import parse_version

OLD = parse_version(sklearn.__version__) < parse_version("1.7")


def pytest_collection_modifyitems(items):
    skip = pytest.mark.skip(
        reason="exact sentences quote other packages: run them with scikit-learn 1.7 or later"
    )
    for item in items:
        if OLD and "bad_inputs" in item.nodeid:
            item.add_marker(skip)
