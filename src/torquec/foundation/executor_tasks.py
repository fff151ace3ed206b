"""Tasks of an executor: how many are submitted at a time, and the progress file that the parent process polls.

A process pool gets all tasks at once: an idle worker takes the next one. Dask assigns each task to a worker when it is
submitted. It therefore gets only as many tasks at a time as it has threads, unless there are many tasks.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from torquec.foundation.budget import Budget

_MANY_TASKS = 16
"""Tasks per thread above which all are submitted at once: load balancing matters less than waiting for each task."""


def tasks_at_once(executor: Executor, tasks: int, workers: int | None = None) -> int:
    """Number of `tasks` to submit to an executor before the first is done, with at most `workers` at a time.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> tasks_at_once(ThreadPoolExecutor(2), 7), tasks_at_once(ThreadPoolExecutor(2), 7, 1)
    (7, 1)
    """
    if workers is not None and getattr(executor, "_max_workers", math.inf) > workers:
        return workers
    threads = getattr(getattr(executor, "_client", None), "nthreads", None)
    if threads is None:
        return tasks
    count = max(sum(threads().values()), 1)
    return tasks if tasks > _MANY_TASKS * count else count


def workers_of(executor: Executor | None) -> int:
    """Number of tasks that run at a time, 1 where it is unknown.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> workers_of(ThreadPoolExecutor(2)), workers_of(None)
    (2, 1)
    """
    return int(getattr(executor, "_max_workers", 1))


def wake(executor: Executor | None) -> None:
    """Start the worker processes now, before their first task."""
    if executor is not None:
        for _ in range(workers_of(executor)):
            executor.submit(int)


LOOK_EVERY = 0.25
"""Polling interval [s] of tasks in other processes."""


@dataclass
class ProgressFile:
    """The meter of a task in another process: it writes its share into a file that `Work.map` polls."""

    path: str
    budget: Budget
    last: float = 0.0

    def __call__(self, done: float, whole: float, note: str = "") -> None:  # noqa: ARG002 - a note goes no further
        """Write the share, from time to time."""
        self.budget.check()
        now = time.monotonic()
        if now - self.last < LOOK_EVERY or not whole:
            return
        self.last = now
        try:
            Path(f"{self.path}.new").write_text(repr(min(done / whole, 1.0)), encoding="ascii")
            Path(f"{self.path}.new").replace(self.path)
        except OSError:
            return  # another machine, or a folder that is gone: the bar moves with the tasks only

    def share(self) -> float:
        """The latest report in the progress file."""
        try:
            return float(Path(self.path).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0.0
