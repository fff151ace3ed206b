"""How many tasks an executor is given at a time, so that those of uneven length part evenly.

A pool takes them all: who is free takes the next. Dask gives each to a worker at once, the third of two workers' to the
one that has the first, however long that takes; so it gets as many as it has threads, unless there are many.
"""

from __future__ import annotations

import math
from concurrent.futures import Executor

_MANY = 16
"""Tasks for each thread from which on it does not matter who has which, while waiting for each of them would."""


def handed_out(executor: Executor, tasks: int, workers: int | None = None) -> int:
    """How many of so many tasks are given to an executor before one of them is done, by at most so many `workers`.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> handed_out(ThreadPoolExecutor(2), 7), handed_out(ThreadPoolExecutor(2), 7, 1)
    (7, 1)
    """
    if workers is not None and getattr(executor, "_max_workers", math.inf) > workers:
        return workers
    threads = getattr(getattr(executor, "_client", None), "nthreads", None)
    if threads is None:
        return tasks
    count = max(sum(threads().values()), 1)
    return tasks if tasks > _MANY * count else count


def workers_of(executor: Executor | None) -> int:
    """How many tasks are done at a time, as far as that is known of the executor.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> workers_of(ThreadPoolExecutor(2)), workers_of(None)
    (2, 1)
    """
    return int(getattr(executor, "_max_workers", 1))


def wake(executor: Executor | None) -> None:
    """Have processes that are started when work comes started now, beside what is done here until it comes."""
    if executor is not None:
        for _ in range(workers_of(executor)):
            executor.submit(_nothing)


def _nothing() -> None:
    """What a process does that is only to be there."""
