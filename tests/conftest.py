"""How the tests run. The environment is set before numpy and scipy are imported."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter

import pytest

# One BLAS thread for each test process: they run side by side, and a result must be the same
# bit for bit. And scikit-learn's check of array API input is skipped without the last one.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# Without a GPU, Triton's kernels run in its interpreter; it reads this when it is imported.
if not os.path.exists("/proc/driver/nvidia/version"):
    os.environ.setdefault("TRITON_INTERPRET", "1")
# Pictures are drawn into memory, also where there is a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

# Python attributes these to the line that called us, which in a test is not in our package;
# they are ours all the same, and a test that expects one says so.
OUR_WARNINGS = (
    "fairspectral.validation.FairSpectralWarning",
    "sklearn.exceptions.ConvergenceWarning",
)


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with Ctrl-C ignored, and the programs that we start would
    # inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "numpy" in sys.modules:  # a plugin imported it first, so the variables came too late
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)
    for category in OUR_WARNINGS:
        config.addinivalue_line("filterwarnings", f"error::{category}")


@pytest.fixture
def rng():
    """A generator of its own for each test, so that the order of the tests does not matter."""
    import numpy as np

    return np.random.default_rng(0)


def pytest_terminal_summary(terminalreporter) -> None:
    """Print for each reason how many tests were skipped; the reason says how to run them."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        terminalreporter.section("skipped, and how to run it")
        for reason, count in reasons.most_common():
            terminalreporter.write_line(f"{count:4d}  {reason}")
