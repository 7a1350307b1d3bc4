"""Threads of our own beside those of BLAS."""

import multiprocessing
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fairspectral.linalg.threads import (
    allowed_threads,
    in_threads,
    one_thread,
    threads_apart,
)


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_our_loops_get_the_threads_that_blas_had():
    with threadpool_limits(3, user_api="blas"):
        assert allowed_threads() == 3
        with threads_apart():
            assert blas_threads() == {1}
            assert allowed_threads() == 3
            with threads_apart():
                assert allowed_threads() == 3
        assert blas_threads() == {3}
        with one_thread():
            assert allowed_threads() == 1
    with pytest.raises(ZeroDivisionError), threads_apart():
        1 / 0
    assert allowed_threads() == max(blas_threads())


def test_every_part_is_worked_on_once_and_in_order():
    assert in_threads(lambda first, last: (first, last), [0, 4, 4, 9]) == [(0, 4), (4, 9)]
    assert in_threads(lambda first, last: last - first, [0, 7]) == [7]


@pytest.mark.parametrize("failing", [0, 5])
def test_an_error_in_any_part_reaches_the_caller(failing):
    def work(first, last):
        if first == failing:
            raise OSError("no")

    with pytest.raises(OSError, match="no"):
        in_threads(work, [0, 5, 9])


def test_a_thread_of_the_pool_does_not_wait_for_itself():
    def work(first, last):
        # In the pool, whatever BLAS is allowed by then.
        with threadpool_limits(2, user_api="blas"):
            return first, allowed_threads()

    assert in_threads(work, [0, 1, 2])[1] == (1, 1)


def test_parts_are_worked_on_side_by_side():
    everyone = threading.Barrier(2)
    in_threads(lambda first, last: everyone.wait(60), [0, 1, 2])  # side by side, or never


def test_more_parts_than_threads():
    parts = in_threads(lambda first, last: first, range(50))
    assert parts == list(range(49))


LATE = """
import threading
import time
from fairspectral.linalg.threads import in_threads

def late():
    threading.main_thread().join()
    time.sleep(0.1)  # by now the interpreter has closed the pools
    print(in_threads(lambda first, last: last - first, [0, 2, 5]))

in_threads(lambda first, last: None, [0, 1, 2])
threading.Thread(target=late).start()
"""


def test_work_in_a_thread_that_outlives_the_main_thread():
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[2, 3]"


def test_arguments_are_released_after_the_work():
    block = np.zeros(10)
    held = weakref.ref(block)
    in_threads(lambda first, last, block=block: block[first:last].sum(), [0, 5, 10])
    del block
    deadline = time.monotonic() + 60
    while held() is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert held() is None


def _sums(queue):
    queue.put(in_threads(lambda first, last: last - first, [0, 2, 5]))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(),
    reason="this system does not fork processes: run it on Linux",
)
def test_a_forked_process_has_threads_of_its_own():
    in_threads(lambda first, last: None, [0, 1, 2])  # the pool exists before the fork
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_sums, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == [2, 3]
    child.join(60)
    assert child.exitcode == 0
