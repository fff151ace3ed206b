"""Many coefficients simplified at once: they are independent, so the work spreads over any executor.

Results come in the order of the entries, whoever made them (:mod:`torquec.foundation.work`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.closedform.polynomial import Monomial, TrigPolynomial
from torquec.errors import SpecificationError
from torquec.foundation.work import Work, as_work
from torquec.proof.error_peaks import ErrorKind
from torquec.simplification.fitting.minimal_basis import MinimalBasis, SearchOptions, minimal_basis
from torquec.simplification.fitting.term_cost import TermCost
from torquec.trajectory.box import Box


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
    work: Work | None = None,
) -> tuple[MinimalBasis, ...]:
    """The minimal basis of every entry, in their order.

    Raises `SpecificationError` naming entry, joint and smallest achievable error where a tolerance cannot be kept;
    work that has not begun is then cancelled.
    """
    fits = as_work(work).map(
        "fitting the coefficients",
        _fit,
        [(task, box, cost, options) for task in tasks],
        note=lambda task, fit: f"{task[0].name}: {len(fit.polynomial)} terms",
    )
    return tuple(fits)


def _fit(task: tuple[EntryTask, Box, TermCost | None, SearchOptions | None]) -> MinimalBasis:
    entry, box, cost, options = task
    return fit_entry(entry, box, cost=cost, options=options)


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
