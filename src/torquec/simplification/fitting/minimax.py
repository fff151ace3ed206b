"""Minimax fits: the best approximation of a coefficient by given terms over the whole workspace box.

(1)  min over a of  max over q in the box  |f(q) - sum_i a_i B_i(q)| / w(q),   w = 1 (absolute) or |f(q)| (relative)

Chang & Lee, section IV, lemmas 3 and 4, on the continuous box instead of a grid: linear programs on points, with the
points exchanged until the largest error found over the box meets the lower bound that the points prove (semi-infinite
programming; :mod:`torquec.simplification.fitting.fit_problem`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.closedform.polynomial import Monomial, TrigPolynomial
from torquec.proof.torque.coefficient_tolerance import ErrorKind
from torquec.simplification.fitting.fit_problem import BoxFit, FitProblem
from torquec.trajectory.motion_box import MotionBox

GAP = 1e-6


@dataclass(frozen=True)
class MinimaxFit:
    """A fit, the largest error found over the box, and the error that no combination of its terms can go below.

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
        """How far the level is from the optimum at most, relative."""
        return (self.level - self.lower_bound) / self.level if self.level else 0.0


def minimax_fit(
    target: TrigPolynomial,
    basis: Sequence[Monomial],
    box: MotionBox,
    *,
    kind: ErrorKind = ErrorKind.ABSOLUTE,
    gap: float = GAP,
) -> MinimaxFit:
    """The best fit (1) of `target` by the terms of `basis` over `box`, to a relative `gap`.

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
    """A fit of a problem as a result of its own."""
    return MinimaxFit(
        polynomial=problem.polynomial(columns, fit.coefficients),
        basis=tuple(problem.candidates[i] for i in columns),
        kind=problem.kind,
        level=fit.level,
        lower_bound=fit.lower_bound,
        active=tuple(tuple(float(x) for x in row) for row in fit.active),
        rounds=fit.rounds,
    )
