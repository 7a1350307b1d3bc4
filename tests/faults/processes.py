"""For the tests of faults: the command in a process with limits, and how it may end."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager

import pytest

pytest.importorskip("typer", reason="typer is not installed: pip install 'fairspectral[cli]'")

COMMAND = [sys.executable, "-m", "fairspectral.cli"]
# Longer than any of these can take on a busy machine; only a process that hangs gets there.
PATIENCE = 300
OLD = "what was there before\n"

linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits, /proc and /dev/full: run it on Linux"
)


def cluster_words(people, *more):
    return [*COMMAND, "cluster", str(people), "--sensitive", "sex", "--drop", "remark", *more]


def run(words, *, limits=None, **options):
    """Run to the end, with limits by name (``{"RLIMIT_AS": bytes}``)."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    if limits:
        words = [sys.executable, "-c", _LIMITED, repr(limits), *words]
    return subprocess.run(
        [str(word) for word in words], text=True, timeout=PATIENCE, check=False, **given
    )


# Not `preexec_fn`, which is unsafe where the tests run in threads.
_LIMITED = """
import os, resource, sys
for name, size in eval(sys.argv[1]).items():
    resource.setrlimit(getattr(resource, name), (size, size))
os.execv(sys.argv[2], sys.argv[2:])
"""


@contextmanager
def limit_here(name, size):
    """A limit on this process, for the time of the ``with`` block."""
    import resource

    kind = getattr(resource, name)
    before = resource.getrlimit(kind)
    resource.setrlimit(kind, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(kind, before)


def assert_failed_in_a_sentence(done, words):
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("Error: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
