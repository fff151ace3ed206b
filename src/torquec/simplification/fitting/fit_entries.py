"""Parallel fits of many independent coefficients with few terms, on any executor.

Results are in the order of the entries (:mod:`torquec.foundation.work`). When the time limit is reached, fits that have
not started are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from torquec.closedform.polynomial import Monomial, TrigPolynomial
from torquec.errors import SpecificationError, TimeLimitError
from torquec.foundation.choice import chosen
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.simplification.fitting.minimal_basis import MinimalBasis, minimal_basis
from torquec.simplification.fitting.survivor_search import LayerOptions, min_basis_gen
from torquec.trajectory.motion_box import MotionBox

_LAYERS = LayerOptions(shrinks=1, positions=6, most_sets=100)
"""Options of MIN_BASIS_GEN. Few sets: their number explodes with the candidates of a layer, and `minimal_basis` finds
as few terms sooner. Trying more positions q^c helps far more often than smaller tolerances."""


class BasisSearch(StrEnum):
    """How the terms of a coefficient are chosen."""

    MINIMAL_BASIS = "minimal_basis"
    """The cheapest set of terms that the search of this package finds."""

    MIN_BASIS_GEN = "min_basis_gen"
    """The algorithm of Chang & Lee, layer by layer; falls back on the other if it finds no basis or takes too long."""


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
    box: MotionBox,
    *,
    search: BasisSearch = BasisSearch.MINIMAL_BASIS,
    work: Work | None = None,
) -> tuple[MinimalBasis | None, ...]:
    """The minimal basis of every entry, in their order; None where the time limit of the work was reached.

    Raises `SpecificationError` naming entry, joint and smallest achievable error where a tolerance cannot be kept;
    work that has not begun is then cancelled.
    """
    fits = as_work(work).map(
        "fitting the coefficients",
        _fit,
        [(task, box, chosen(BasisSearch, search, "search")) for task in tasks],
        metered=True,
        note=lambda task, fit: f"{task[0].name}: {'no time' if fit is None else f'{len(fit.polynomial)} terms'}",
    )
    return tuple(fits)


def _fit(task: tuple[EntryTask, MotionBox, BasisSearch], *, meter: Meter = silent) -> MinimalBasis | None:
    entry, box, search = task
    try:
        meter(0.0, 1.0)
    except TimeLimitError:
        return None
    with one_thread():
        return fit_entry(entry, box, search=search)


def fit_entry(task: EntryTask, box: MotionBox, *, search: BasisSearch = BasisSearch.MINIMAL_BASIS) -> MinimalBasis:
    """The minimal basis of one entry; see `fit_entries`."""
    if chosen(BasisSearch, search, "search") is BasisSearch.MIN_BASIS_GEN:
        layered = _by_layers(task, box)
        if layered is not None:
            return layered
    try:
        return minimal_basis(task.target, box, task.tolerance, kind=task.kind, candidates=task.candidates)
    except SpecificationError as error:
        raise SpecificationError(
            f"{task.name}, held to the tolerance of joint '{task.joint}': {error.found}", remedy=error.remedy
        ) from error


def _by_layers(task: EntryTask, box: MotionBox) -> MinimalBasis | None:
    """The basis of MIN_BASIS_GEN, or None where it finds none."""
    degree = 1 if task.name.startswith("g") else 2
    try:
        fit = min_basis_gen(task.target, box, task.tolerance, degree=degree, kind=task.kind, options=_LAYERS)
    except SpecificationError:
        return None
    return MinimalBasis(fit, len(fit.basis), by_layers=True)
