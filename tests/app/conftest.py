"""The tests of the local page; without its extra they are skipped."""

from __future__ import annotations

import pytest

for _name in ("starlette", "uvicorn", "python_multipart", "typer"):
    pytest.importorskip(_name, reason=f"{_name} is not installed: pip install 'fairspectral[app]'")

from app_pages import Page, make_people  # noqa: E402


@pytest.fixture(scope="session")
def people():
    """A table as the bytes of a CSV file."""
    return make_people()


@pytest.fixture
def page():
    """The page without a table, with a client that was let in."""
    with Page() as page:
        yield page


@pytest.fixture(scope="module")
def finished(people):
    """The page after a run."""
    with Page() as page:
        assert page.upload(people).status == 200
        assert page.run().status == 200
        assert page.wait().status == 200
        yield page
