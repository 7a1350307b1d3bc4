"""How many examples a property gets: a few in `make test`, thousands in `make fuzz`."""

import os

import pytest

hypothesis = pytest.importorskip("hypothesis", reason="the properties need: pip install hypothesis")

# The same examples in every run of the tests, so that a failure is the change's and not chance's;
# no deadline, since the first example of a process compiles. `make fuzz` draws new ones.
hypothesis.settings.register_profile(
    "test", max_examples=15, deadline=None, derandomize=True, database=None
)
hypothesis.settings.register_profile("fuzz", max_examples=1000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("FAIRSPECTRAL_PROPERTIES", "test"))
