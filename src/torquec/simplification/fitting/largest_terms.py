"""Subsets of terms that fit: largest contributions first, and the fewest by mixed-integer programming.

Largest terms first, for coefficients of hundreds of terms, where a search for the fewest would take too long:

(1)  terms in the order of their size |a_i| max |B_i|: the shortest beginning that keeps the tolerance on points, fitted
     by weighted least squares (:func:`torquec.simplification.fitting.chebyshev_program.rough_fit`)
(2)  of these, terms whose absence raises the sum of squares least go, a few at once, as long as the tolerance is kept
(3)  peaks of the error over the box join the points, until none of them exceeds the tolerance; terms that were left out
     come back, the largest first, where that does not help. All of them together are the coefficient itself

The smallest set of terms that fits on points is a mixed-integer program (HiGHS through scipy):

(4)  min sum_i z_i   subject to  |b - A a| <= level,  |a_i| <= R_i z_i,  z_i in {0, 1}
(5)  R_i: ten times the largest coefficient of a fit by all terms, in units of the term's height; larger ones would be
     ill-conditioned differences of large numbers
(6)  the tree is limited by a number of nodes, not by time: the result is the same on every machine
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.closedform.polynomial import TrigPolynomial
from torquec.errors import MissingExtraError
from torquec.foundation.arrays import Array
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.error_peaks import error_peaks
from torquec.simplification.fitting.chebyshev_program import rough_fit
from torquec.simplification.fitting.fit_problem import BoxFit, FitProblem, MinimaxFit, to_minimax_fit
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox


def largest_terms(
    target: TrigPolynomial, box: MotionBox, tolerance: float, *, kind: ErrorKind = ErrorKind.ABSOLUTE
) -> MinimaxFit:
    """A small subset of the target's terms, fitted within the tolerance as far as sampling and local ascent show."""
    problem = FitProblem(target, tuple(target.terms), box, kind=kind)
    problem.add(box.samples(problem.terms.joints, TUNING.term_points, start=500))
    heights = np.abs(problem.rows).max(axis=0)
    sizes = np.abs([float(a) for a in target.terms.values()]) * heights
    order = [int(k) for k in np.argsort(-sizes, kind="stable")]
    columns = _thinned(
        problem, _beginning(problem, order, TUNING.point_fit_share * tolerance), TUNING.point_fit_share * tolerance
    )
    while True:
        fit = _on_box(problem, columns, tolerance)
        if fit is not None or len(columns) == len(order):
            break
        back = [k for k in order if k not in columns][: 1 + len(columns) // TUNING.removed_at_once]
        columns = [*columns, *back]
    # All terms together are the coefficient itself.
    return to_minimax_fit(problem, columns, problem.fit(columns) if fit is None else fit)


def _beginning(problem: FitProblem, order: Sequence[int], level: float) -> list[int]:
    """(1)."""
    few, many = 0, len(order)
    while few < many:
        middle = (few + many) // 2
        if rough_fit(problem.rows[:, order[:middle]], problem.right)[1] <= level:
            many = middle
        else:
            few = middle + 1
    return list(order[:many])


def _thinned(problem: FitProblem, columns: list[int], level: float) -> list[int]:
    """(2)."""
    needed: list[int] = []
    batch = max(1, len(columns) // TUNING.removed_at_once)
    while len(columns) > len(needed) and len(needed) < TUNING.needed_terms:
        losses = _losses(problem.rows[:, columns], problem.right)
        free = [columns[k] for k in np.argsort(losses, kind="stable") if columns[k] not in needed]
        gone = free[:batch]
        rest = [k for k in columns if k not in gone]
        if rough_fit(problem.rows[:, rest], problem.right, steps=TUNING.term_reweightings)[1] <= level:
            columns = rest
        elif batch > 1:
            batch = max(1, batch // 3)
        else:
            needed += gone
    return columns


def _losses(A: Array, b: Array) -> Array:
    """Increase of the residual sum of squares without each of the columns."""
    scaled = A / np.maximum(np.abs(A).max(axis=0), 1e-300)
    normal = scaled.T @ scaled
    normal[np.diag_indices(len(normal))] += 1e-12 * max(float(np.trace(normal)), 1e-300)
    inverse = np.linalg.inv(normal)
    found: Array = (inverse @ (scaled.T @ b)) ** 2 / np.maximum(np.diag(inverse), 1e-300)
    return found


def _on_box(problem: FitProblem, columns: Sequence[int], tolerance: float) -> BoxFit | None:
    """(3), with these terms; None where the tolerance is not kept."""
    for step in range(TUNING.peak_rounds):
        coefficients, level = rough_fit(problem.rows[:, columns], problem.right)
        if level > tolerance:
            return None
        surface = problem.surface(columns, coefficients)
        peaks = error_peaks(surface, problem.box, samples=6000, climbs=32, start=2000 + 6000 * step)
        if peaks.level <= tolerance:
            return BoxFit(coefficients, peaks.level, 0.0, np.zeros((0, len(problem.box))), step + 1)
        problem.add(peaks.points[np.abs(peaks.values) > 0.9 * tolerance])
    return None


def smallest_subset(A: Array, b: Array, level: float, *, below: int, nodes: int) -> list[int] | None:
    """Fewer than `below` columns of A (N, m) that fit b (N,) within `level` (4); None where none is found."""
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
    except ImportError:
        raise MissingExtraError("scipy", "optimize", "mixed-integer search") from None
    n, m = A.shape
    if n > TUNING.integer_rows:
        # The newest points come from fits that failed: they matter most.
        keep = np.r_[
            np.linspace(0, n - TUNING.integer_rows // 2 - 1, TUNING.integer_rows // 2).astype(int),
            n - TUNING.integer_rows // 2 : n,
        ]
        A, b = A[keep], b[keep]
        n = len(b)
    heights = np.maximum(np.abs(A).max(axis=0), 1e-300)
    size = float(np.abs(b).max())
    scaled, right = A / heights, b / size
    reach = np.full(m, 10.0 * max(1.0, float(np.abs(np.linalg.lstsq(scaled, right, rcond=None)[0]).max())))
    fits = LinearConstraint(np.hstack([scaled, np.zeros((n, m))]), right - level / size, right + level / size)
    gate_up = LinearConstraint(np.hstack([np.eye(m), -np.diag(reach)]), -np.inf, 0.0)
    gate_down = LinearConstraint(np.hstack([-np.eye(m), -np.diag(reach)]), -np.inf, 0.0)
    chosen = np.concatenate([np.zeros(m), np.ones(m)])
    fewer = LinearConstraint(chosen[None, :], -np.inf, below - 0.5)
    result = milp(
        chosen,
        constraints=[fits, gate_up, gate_down, fewer],
        integrality=chosen,
        bounds=Bounds(np.concatenate([-reach, np.zeros(m)]), np.concatenate([reach, np.ones(m)])),
        options={"node_limit": nodes},
    )
    if result.x is None:
        return None
    return [int(i) for i in np.flatnonzero(result.x[m:] > 0.5)]
