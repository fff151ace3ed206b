"""Many coefficients simplified at once: they are independent, so the work spreads over any executor.

`executor` is any `concurrent.futures.Executor` (a process pool, dask's `Client.get_executor()`); without one, entries
are fitted one after the other in this process. Results come in the order of the entries, whoever made them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass
from typing import TypeAlias

from torquec.closedform.polynomial import Monomial, TrigPolynomial
from torquec.errors import SpecificationError
from torquec.proof.error_peaks import ErrorKind
from torquec.simplification.fitting.minimal_basis import MinimalBasis, SearchOptions, minimal_basis
from torquec.simplification.fitting.term_cost import TermCost
from torquec.trajectory.box import Box

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called after each entry with its name, how many are done and how many there are."""


@dataclass(frozen=True)
class EntryTask:
    """A coefficient to simplify: its name ('M[1,2]'), the joint whose tolerance it must keep, and that tolerance."""

    name: str
    joint: str
    target: TrigPolynomial
    tolerance: float
    kind: ErrorKind = ErrorKind.ABSOLUTE
    candidates: tuple[Monomial, ...] | None = None


def fit_entries(
    tasks: Sequence[EntryTask],
    box: Box,
    *,
    cost: TermCost | None = None,
    options: SearchOptions | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> tuple[MinimalBasis, ...]:
    """The minimal basis of every entry, in their order.

    Raises `SpecificationError` naming entry, joint and smallest achievable error where a tolerance cannot be kept;
    work that has not begun is then cancelled.
    """
    if executor is None:
        done = []
        for task in tasks:
            done.append(fit_entry(task, box, cost=cost, options=options))
            if progress is not None:
                progress(task.name, len(done), len(tasks))
        return tuple(done)
    futures: dict[Future[MinimalBasis], EntryTask] = {
        executor.submit(fit_entry, task, box, cost=cost, options=options): task for task in tasks
    }
    try:
        for count, future in enumerate(as_completed(futures), start=1):
            future.result()
            if progress is not None:
                progress(futures[future].name, count, len(tasks))
    finally:
        for future in futures:
            future.cancel()
    return tuple(future.result() for future in futures)


def fit_entry(
    task: EntryTask, box: Box, *, cost: TermCost | None = None, options: SearchOptions | None = None
) -> MinimalBasis:
    """The minimal basis of one entry; see `fit_entries`."""
    try:
        return minimal_basis(
            task.target, box, task.tolerance, kind=task.kind, candidates=task.candidates, cost=cost, options=options
        )
    except SpecificationError as error:
        raise SpecificationError(
            f"{task.name}, held to the tolerance of joint '{task.joint}': {error.found}", remedy=error.remedy
        ) from error
