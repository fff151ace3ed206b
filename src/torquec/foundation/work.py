"""`Work`: where a long computation runs, how it reports progress, and where it keeps partial results.

A function that may take long takes `work: Work | None = None` as a keyword, and begins with

    work = as_work(work)                                          # None: `Work()`, in this process, silent

Public functions that already took `executor=` and `progress=` keep them: `as_work(work, executor=.., progress=..)`.
Every stage of the computation is a step with a name in plain words, which is what the user sees:

    with work.step("searching a motion", whole=evaluations) as step:
        step.show(done, note="condition 12.3")                    # may be called often
    results = work.map("fitting the coefficients", fit, tasks)    # spread over the executor, in the order of the tasks
    fewer = work.run("searching for fewer parameters", search, robot, motions)      # one task, in this process

(1)  `map` and `run` cache every result in the folder `keep`, if there is one, under a hash of function, arguments and
     this package's source: a program restarted after a kill reads them instead of computing them, and its final
     result is bit-identical. Calls that must run each time (a check) pass `kept=False`.
(2)  Long tasks report their progress: with `metered=True` the function gets a keyword `meter`, and calls
     `meter(done, whole)`. Progress is reported from this process and from others of this machine, not from a cluster.
(3)  `Work(report=..)` is called with a `StepReport`: step, done of whole, seconds, and the ETA where it is
     known (:mod:`torquec.foundation.budget`). `text_report` makes one that prints lines. The command line draws a
     bar from the same reports.
(4)  `with work.within(budget):` limits time and workers (:class:`torquec.foundation.budget.Budget`): after the deadline
     the meters of tasks raise `TimeLimitError`, which a search answers with its best result so far, and tasks without
     a meter are not started. Results from after the deadline may be incomplete, and are not cached.
(5)  `with work.ahead(function, ..) as asked:` starts a call in the background, where there is an executor;
     `asked()` waits for its result.
(6)  `work.seconds` are the times by step. Steps may be nested; time counts for the innermost, so that the times add up.

A `Work` belongs to the thread that made it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from torquec.errors import ArgumentError
from torquec.foundation.budget import Budget, SaidLeft, TimeLeft
from torquec.foundation.executor_tasks import LOOK_EVERY, ProgressFile, tasks_at_once, workers_of
from torquec.foundation.result_cache import ResultCache

Task = TypeVar("Task")
Result = TypeVar("Result")

_SHOW_EVERY = 0.1  # seconds between reports of one step without a note: a bar need not move more often
_LINE_EVERY = 10.0  # interval [s] of progress lines of a step without new notes: a log file stays short


@dataclass(frozen=True)
class StepReport:
    """Progress of a step: `done` of `whole` (which may be unknown), after `seconds`; `note` is an interim result.

    `left` is the remaining time, None where it is unknown.
    """

    step: str
    done: float
    whole: float | None
    seconds: float
    note: str = ""
    left: SaidLeft | None = None

    @property
    def share(self) -> float | None:
        """Completed share, from 0 to 1; None where the total is unknown."""
        return min(self.done / self.whole, 1.0) if self.whole else None

    def __str__(self) -> str:
        """
        >>> print(StepReport("pruning", 2.0, 8.0, 30.0, "53 mul, 38 add", SaidLeft(90.0)))
        pruning (25 %, about 90 s left): 53 mul, 38 add
        """
        facts = [] if self.share is None else [f"{100.0 * self.share:.0f} %"]
        if self.left is not None:
            facts.append(str(self.left))
        share = f" ({', '.join(facts)})" if facts else ""
        return f"{self.step}{share}: {self.note}" if self.note else f"{self.step}{share}"


class Meter(Protocol):
    """Progress callback of a long task (2)."""

    def __call__(self, done: float, whole: float, note: str = "") -> None:
        """`done` of `whole`, in whatever unit the task counts."""


def silent(done: float, whole: float, note: str = "") -> None:
    """The meter that reports nothing."""


class WorkStep:
    """A running stage of the work; `show` reports its progress."""

    def __init__(self, work: Work, name: str, whole: float | None) -> None:
        self.name, self.whole = name, whole
        self.done = 0.0
        self._work = work
        self._began = time.perf_counter()
        self._shown = 0.0
        self._left = TimeLeft()

    def show(self, done: float | None = None, whole: float | None = None, note: str = "") -> None:
        """Report that `done` of `whole` is done; what is not given stays as it was. A note is always reported."""
        self.done = self.done if done is None else done
        self.whole = self.whole if whole is None else whole
        now = time.perf_counter()
        if note or now - self._shown >= _SHOW_EVERY or self.done == self.whole:
            self._shown = now
            budget = self._work.budget
            news = StepReport(self.name, self.done, self.whole, now - self._began, note)
            left = self._left.update(news.share, news.seconds, budget.remaining if budget.is_timed else None)
            self._work.report(replace(news, left=left))

    def meter(self, done: float, whole: float, note: str = "") -> None:
        """`show` as a `Meter` (2), (4)."""
        self.show(done, whole, note)
        self._work.budget.check()


class Work:
    """A long computation: run by `executor` (None: this process), progress to `report`, results cached in `keep`.

    >>> with Work().step("counting", whole=3) as step:
    ...     step.show(3)
    >>> list(Work().map("doubling", abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    def __init__(
        self,
        *,
        executor: Executor | None = None,
        report: Callable[[StepReport], None] | None = None,
        keep: str | os.PathLike[str] | None = None,
    ) -> None:
        self.executor = executor
        self.report = report or (lambda _: None)
        self.kept = None if keep is None else ResultCache(keep)
        self.budget = Budget()
        self.seconds: dict[str, float] = {}
        self.notes: dict[str, tuple[str, ...]] = {}  # what steps found besides their results, by topic
        self._open: list[str] = []
        self._since = time.perf_counter()

    # --- steps ------------------------------------------------------------------------------------------------------

    @contextmanager
    def step(self, name: str, *, whole: float | None = None, shown: bool = True) -> Iterator[WorkStep]:
        """A named stage while the context lasts, reported when it begins and ends, or only timed."""
        self._count()
        self._open.append(name)
        self.seconds.setdefault(name, 0.0)
        step = WorkStep(self, name, whole)
        try:
            if shown:
                step.show()
            yield step
            if shown and step.whole is None:
                step.show(1.0, 1.0)
        finally:
            self._count()
            self._open.pop()

    @contextmanager
    def within(self, budget: Budget) -> Iterator[None]:
        """The budget while the context lasts (4), in place of the surrounding one, `work.budget`.

        Give a part of that (`Budget.share`), or the tighter of both (`Budget.within`), unless a pass may end later.
        """
        before, self.budget = self.budget, budget
        try:
            yield
        finally:
            self.budget = before

    @property
    def workers(self) -> int:
        """How many tasks run at a time, as far as that is known of the executor."""
        known = workers_of(self.executor)
        return known if self.budget.workers is None else min(known, self.budget.workers)

    def _count(self) -> None:
        """Give the time since the last change to the step that is innermost now (6)."""
        now = time.perf_counter()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    # --- tasks ------------------------------------------------------------------------------------------------------

    def run(
        self, name: str, function: Callable[..., Result], *arguments: Any, kept: bool = True, metered: bool = False
    ) -> Result:
        """`function(*arguments)` in this process, as one step; see (1) and (2)."""
        key = self._key(function, arguments, kept=kept)
        with self.step(name) as step:
            found, value = self._recall(key)
            if not found:
                self._begin(metered=metered)
                value = function(*arguments, meter=step.meter) if metered else function(*arguments)
                self._keep(key, value)
            return value  # type: ignore[no-any-return]

    @contextmanager
    def ahead(self, function: Callable[..., Result], *arguments: Any) -> Iterator[Callable[[], Result]]:
        """A callable for the result of `function(*arguments)`, started now (5); cancelled where it is not called.

        Without an executor, or under a time limit (its time is for the search), it runs when the result is requested.
        """
        if self.executor is None or self.budget.is_timed:
            yield lambda: function(*arguments)
            return
        begun = self.executor.submit(function, *arguments)
        try:
            yield begun.result
        finally:
            begun.cancel()

    def map(
        self,
        name: str,
        function: Callable[..., Result],
        tasks: Iterable[Task],
        *,
        kept: bool = True,
        metered: bool = False,
        note: Callable[[Task, Result], str] | None = None,
    ) -> Iterator[Result]:
        """`function(task)` of every task, as one step, in the order of the tasks; see (1) and (2).

        `note(task, result)` is reported with a result. Without an executor each task runs when its result is requested.
        After a failure, or when no more results are requested, tasks that have not started are cancelled.
        """
        every = list(tasks)
        with self.step(name, whole=float(len(every))) as step:
            ways = self._spread if self.executor is not None else self._one_by_one
            for k, value in enumerate(ways(step, function, every, kept=kept, metered=metered)):
                step.show(max(k + 1.0, step.done), note=note(every[k], value) if note else "")
                yield value

    def _one_by_one(
        self, step: WorkStep, function: Callable[..., Result], tasks: Sequence[Task], *, kept: bool, metered: bool
    ) -> Iterator[Result]:
        for k, task in enumerate(tasks):
            key = self._key(function, (task,), kept=kept)
            found, value = self._recall(key)
            if not found:
                self._begin(metered=metered)
                value = function(task, meter=self._part_of(step, k)) if metered else function(task)
                self._keep(key, value)
            yield value

    def _spread(
        self, step: WorkStep, function: Callable[..., Result], tasks: Sequence[Task], *, kept: bool, metered: bool
    ) -> Iterator[Result]:
        """Results of tasks on the executor, each cached as soon as it is ready."""
        assert self.executor is not None
        executor = self.executor
        folder = tempfile.mkdtemp(prefix="torquec-") if metered else ""
        results: dict[int, Any] = {}
        failures: dict[int, BaseException] = {}  # raised in the order of the tasks, so that it is always the same one
        waiting: dict[Future[Any], tuple[int, str | None, ProgressFile | None]] = {}
        coming = deque(enumerate(tasks))
        most = tasks_at_once(executor, len(tasks), self.budget.workers)

        def hand_out() -> None:
            while coming and len(waiting) < most:
                k, task = coming.popleft()
                key = self._key(function, (task,), kept=kept)
                found, value = self._recall(key)
                if found:
                    results[k] = value
                    continue
                meter = ProgressFile(str(Path(folder) / str(k)), self.budget) if metered else None
                options = {} if meter is None else {"meter": meter}
                waiting[executor.submit(function, task, **options)] = k, key, meter

        try:
            hand_out()
            for k in range(len(tasks)):
                while k not in results and k not in failures:
                    done, _ = wait(waiting, timeout=LOOK_EVERY, return_when=FIRST_COMPLETED)
                    for future in done:
                        place, key, _ = waiting.pop(future)
                        error = CancelledError() if future.cancelled() else future.exception()
                        if error is not None:
                            failures[place] = error
                            coming = deque(later for later in coming if later[0] < place)
                            _cancel(future for future, (later, _, _) in waiting.items() if later > place)
                            continue
                        results[place] = future.result()
                        self._keep(key, results[place])
                    if waiting or coming:
                        self._begin(metered=metered)
                    hand_out()
                    running = sum(meter.share() for _, _, meter in waiting.values() if meter is not None)
                    step.show(len(tasks) - len(coming) - len(waiting) + running)
                if k in failures:
                    raise failures[k]
                yield results[k]
        finally:
            _cancel(waiting)
            if folder:
                shutil.rmtree(folder, ignore_errors=True)

    def _begin(self, *, metered: bool) -> None:
        """Refuse a task that could not be stopped once the time is over (4); the others end by their meters."""
        if not metered:
            self.budget.check()

    def _part_of(self, step: WorkStep, index: int) -> Meter:
        """The meter of task number `index` of a step that counts tasks."""

        def meter(done: float, whole: float, note: str = "") -> None:
            step.show(index + (min(done / whole, 1.0) if whole else 0.0), note=note)
            self.budget.check()

        return meter

    # --- kept results -----------------------------------------------------------------------------------------------

    def _key(self, function: Callable[..., Any], arguments: tuple[Any, ...], *, kept: bool) -> str | None:
        return self.kept.key(function, arguments) if kept and self.kept is not None else None

    def _recall(self, key: str | None) -> tuple[bool, Any]:
        return (False, None) if self.kept is None or key is None else self.kept.recall(key)

    def _keep(self, key: str | None, value: Any) -> None:
        if self.kept is not None and key is not None and not self.budget.is_over:
            self.kept.keep(key, value)


def _cancel(futures: Iterable[Future[Any]]) -> None:
    for future in list(futures):
        future.cancel()


def as_work(
    work: Work | None = None, *, executor: Executor | None = None, progress: Callable[[str], None] | None = None
) -> Work:
    """The work that a function was given; or one by an executor, reported to `progress` line by line; or a silent one.

    Raises `ArgumentError` where both a work and an executor or progress are given.
    """
    if work is None:
        return Work(executor=executor, report=None if progress is None else text_report(progress))
    if executor is not None or progress is not None:
        raise ArgumentError(
            "work and executor or progress are given", remedy="give Work(executor=.., report=..) alone: it holds both"
        )
    return work


def text_report(say: Callable[[str], None]) -> Callable[[StepReport], None]:
    """A report callback that prints every note, and otherwise the progress at intervals (3)."""
    last: tuple[str, float] = ("", 0.0)

    def report(news: StepReport) -> None:
        nonlocal last
        now = time.monotonic()
        begins = news.step != last[0]
        if begins or news.note or now - last[1] >= _LINE_EVERY:
            last = (news.step, now)
            say(str(news))

    return report
