"""A pool of worker processes for one command: it ends with the command, however the command ends.

Workers are started afresh (no forked threads), compute with one thread each, end silently on Ctrl-C, and end by
themselves when the command is killed.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor

_THREAD_SETTINGS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@contextlib.contextmanager
def worker_pool(jobs: int) -> Iterator[Executor | None]:
    """A pool of `jobs` processes, started with the first task; None for one job, which needs no other process."""
    if jobs < 2:
        yield None
        return
    context = multiprocessing.get_context("spawn")
    with _environment(dict.fromkeys(_THREAD_SETTINGS, "1")):
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin_worker)
        try:
            yield pool
        except BaseException:
            # Cancel pending tasks, and do not wait for running ones.
            workers = list((getattr(pool, "_processes", None) or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in workers:
                worker.terminate()
            raise
        pool.shutdown(wait=True)


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """End this process when the one that started it is gone."""
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


@contextlib.contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    """Environment variables that new processes inherit, put back afterwards; what the user set stays."""
    added = [name for name in changes if name not in os.environ]
    os.environ.update({name: changes[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
