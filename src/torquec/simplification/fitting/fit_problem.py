"""Minimax fits of a coefficient by given terms over the workspace box, and the points and worst cases they need.

A `FitProblem` is one coefficient: its exact form, the candidate terms, and the points collected so far.

(1)  the error of coefficients a at q is  e = (f(q) - sum_i a_i B_i(q)) / w(q),   w = 1 (absolute) or f(q) (relative)
(2)  a fit on points is a linear program; points at which its error peaks are added, and it is solved again (exchange).
     The level on points never falls, and is a lower bound for the whole box; the peaks are its upper bound.

All fits of one coefficient share the points, for any basis: where one fit was bad, others are.

A minimax fit is the best approximation by given terms over the whole workspace box:

(3)  min over a of  max over q in the box  |f(q) - sum_i a_i B_i(q)| / w(q),   w = 1 (absolute) or |f(q)| (relative)

Chang & Lee, section IV, lemmas 3 and 4, on the continuous box instead of a grid: linear programs on points, with the
points exchanged until the largest error found over the box meets the lower bound that the points prove (semi-infinite
programming, (2)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.compiled_terms import compile_terms, numbers
from torquec.closedform.polynomial import Monomial, TrigPolynomial
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.error_peaks import ErrorSurface, Peaks, checked_reference, error_peaks
from torquec.simplification.fitting.chebyshev_program import PointFit, point_fit
from torquec.simplification.fitting.point_exchange import Support
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox


@dataclass(frozen=True)
class BoxFit:
    """A fit on the whole box: coefficients (m,), largest error found, a lower bound of it, points where that is met."""

    coefficients: Array
    level: float
    lower_bound: float
    active: Array
    rounds: int


class FitProblem:
    """A target, its candidate terms and a growing pool of points; `columns` choose among the candidates."""

    def __init__(
        self,
        target: TrigPolynomial,
        candidates: Sequence[Monomial],
        box: MotionBox,
        *,
        kind: ErrorKind = ErrorKind.ABSOLUTE,
    ) -> None:
        self.target = target
        self.candidates = tuple(candidates)
        self.box = box
        self.kind = kind
        numbers(target)
        if len(set(self.candidates)) != len(self.candidates):
            raise ArgumentError("a term is given twice", remedy="give each term of a basis once")
        union = list(dict.fromkeys([*self.candidates, *target.terms]))
        self.terms = compile_terms(union)
        self.exact = np.array([float(target.terms.get(m, 0.0)) for m in union])
        # All terms of the target as columns fit it exactly; -1: the term is no candidate.
        place = {m: i for i, m in enumerate(self.candidates)}
        self._own = {place.get(m, -1) for m in target.terms}
        self.reference = checked_reference(self.terms, self.exact, box, kind)
        # The pool: points (N, n), the candidates there (N, m) and the target (N,), both divided by w (1).
        self.points = np.zeros((0, len(box)))
        self.rows = np.zeros((0, len(self.candidates)))
        self.right = np.zeros(0)
        self._supports: dict[frozenset[int], Support] = {}
        self.add(box.samples(self.terms.joints, 40 + 4 * min(len(self.candidates), 50 * len(self.terms.joints))))
        self.size = float(np.abs(self.right).max())

    def add(self, points: Array) -> None:
        """Put points (K, n) into the pool."""
        values = self.terms.values(points)
        right = values @ self.exact
        rows = values[:, : len(self.candidates)]
        if self.reference is not None:
            rows, right = rows / right[:, None], np.ones(len(points))
        self.points = np.concatenate([self.points, points])
        self.rows = np.concatenate([self.rows, rows])
        self.right = np.concatenate([self.right, right])

    def surface(self, columns: Sequence[int], coefficients: Array) -> ErrorSurface:
        """The error (1) of these coefficients of these candidates."""
        residual = self.exact.copy()
        residual[list(columns)] -= coefficients
        # Rounding residues of terms that are matched exactly are no error.
        residual[np.abs(residual) <= 4.0 * np.finfo(float).eps * np.abs(self.exact)] = 0.0
        used = np.flatnonzero(residual if self.reference is None else (residual != 0.0) | (self.exact != 0.0))
        reference = None if self.reference is None else self.reference[used]
        return ErrorSurface(self.terms.subset(used), residual[used], reference)

    def polynomial(self, columns: Sequence[int], coefficients: Array) -> TrigPolynomial:
        """The fit as a polynomial."""
        return TrigPolynomial(
            {self.candidates[i]: float(a) for i, a in zip(columns, coefficients, strict=True) if a != 0.0}
        )

    def fit_on_pool(
        self, columns: Sequence[int], *, near: Sequence[int] | None = None, reject: float = np.inf
    ) -> PointFit:
        """The best fit on the points of the pool; weights are those of the pool (N,).

        `near` are the columns of an earlier fit, one more or all but the last of these: it then begins where that one
        ended. It is given up, its level infinite, once more than `reject` is proven necessary.
        """
        chosen = list(columns)
        start = self._supports.get(frozenset(chosen))
        if start is None and near is not None:
            start = self._supports.get(frozenset(near))
        fit = point_fit(self.rows[:, chosen], self.right, start=start, reject=reject)
        if fit.support is not None and fit.level < np.inf:
            self._supports[frozenset(chosen)] = fit.support
        return fit

    def fit(
        self, columns: Sequence[int], *, gap: float = 1e-6, accept: float | None = None, reject: float | None = None
    ) -> BoxFit:
        """The best fit on the box by exchange (2), to a relative `gap` between level and lower bound.

        It ends early once an error of at most `accept` is reached, or once more than `reject` is proven necessary.
        """
        columns = list(columns)
        if self._own <= set(columns):
            return BoxFit(self.exact[columns], 0.0, 0.0, np.zeros((0, len(self.box))), 0)
        best: BoxFit | None = None
        lower = 0.0
        for step in range(TUNING.exchange_rounds):
            on_points = self.fit_on_pool(columns)
            lower = max(lower, on_points.lower_bound)
            active = self.points[np.abs(on_points.weights) > 1e-9]
            if reject is not None and lower > reject:
                level = max(on_points.level, best.level if best else 0.0)
                return best or BoxFit(on_points.coefficients, level, lower, active, step + 1)
            surface = self.surface(columns, on_points.coefficients)
            peaks = self._peaks(surface, active, step)
            if best is None or peaks.level < best.level:
                best = BoxFit(on_points.coefficients, peaks.level, lower, active, step + 1)
            done = best.level - lower <= gap * best.level or best.level <= TUNING.exact_fit_level * self.size
            if done or (accept is not None and best.level <= accept):
                # Confirm the result by a second, denser sampling.
                again = self._peaks(self.surface(columns, best.coefficients), best.active, step, dense=True)
                if again.level <= best.level * (1.0 + gap):
                    best = BoxFit(best.coefficients, max(best.level, again.level), best.lower_bound, best.active, step)
                    break
                best = BoxFit(best.coefficients, again.level, lower, best.active, step + 1)
                peaks = again
            self._exchange(peaks, lower, 10 + 2 * len(columns))
        assert best is not None
        return BoxFit(best.coefficients, best.level, min(lower, best.level), best.active, step + 1)

    def _peaks(self, surface: ErrorSurface, seeds: Array, step: int, *, dense: bool = False) -> Peaks:
        samples, climbs = (12000, 64) if dense else (2000, 24)
        return error_peaks(surface, self.box, samples=samples, climbs=climbs, seeds=seeds, start=1000 + step * samples)

    def _exchange(self, peaks: Peaks, lower: float, most: int) -> None:
        """Add the peaks that rise above the level on points."""
        above = peaks.points[np.abs(peaks.values) > lower * (1.0 + 1e-9)][:most]
        if len(above):
            self.add(above)


@dataclass(frozen=True)
class MinimaxFit:
    """A minimax fit, the largest error found over the box, and a lower bound of the error for its terms.

    `level` is what sampling and local search found: a certificate proves it. `active` are the positions (K, n) at which
    the lower bound is attained.
    """

    polynomial: TrigPolynomial
    basis: tuple[Monomial, ...]
    kind: ErrorKind
    level: float
    lower_bound: float
    active: tuple[tuple[float, ...], ...]
    rounds: int

    @property
    def gap(self) -> float:
        """Relative optimality gap of the level, at most."""
        return (self.level - self.lower_bound) / self.level if self.level else 0.0


def minimax_fit(
    target: TrigPolynomial,
    basis: Sequence[Monomial],
    box: MotionBox,
    *,
    kind: ErrorKind = ErrorKind.ABSOLUTE,
    gap: float = TUNING.exchange_gap,
) -> MinimaxFit:
    """The best fit (3) of `target` by the terms of `basis` over `box`, to a relative `gap`.

    Raises `ArgumentError` for a basis with a term twice, for coefficients that are no numbers and for a relative error
    of a target that has zeros in the box; `MissingExtraError` without scipy.

    >>> from torquec.closedform.polynomial import Variable
    >>> from torquec.robot.joints import PositionBasis
    >>> d = Variable(((0, 1),), PositionBasis.POLYNOMIAL)
    >>> square = TrigPolynomial({((d, 0, 2),): 1.0})
    >>> fit = minimax_fit(square, [(), ((d, 0, 1),)], MotionBox((0.0,), (1.0,)))        # d^2 by d - 1/8
    >>> round(fit.level, 6), {len(m): round(a, 6) for m, a in fit.polynomial}
    (0.125, {0: -0.125, 1: 1.0})
    """
    problem = FitProblem(target, basis, box, kind=kind)
    columns = range(len(problem.candidates))
    return to_minimax_fit(problem, columns, problem.fit(columns, gap=gap))


def to_minimax_fit(problem: FitProblem, columns: Sequence[int], fit: BoxFit) -> MinimaxFit:
    """A `BoxFit` as a `MinimaxFit`."""
    return MinimaxFit(
        polynomial=problem.polynomial(columns, fit.coefficients),
        basis=tuple(problem.candidates[i] for i in columns),
        kind=problem.kind,
        level=fit.level,
        lower_bound=fit.lower_bound,
        active=tuple(tuple(float(x) for x in row) for row in fit.active),
        rounds=fit.rounds,
    )
