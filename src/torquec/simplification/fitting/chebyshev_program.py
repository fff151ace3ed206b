"""Chebyshev (minimax) linear programs by exchange: over the points of a coefficient, and over many motions.

Fits on finitely many points:

(1)  level = min_a max_k |b_k - A_k a|
(2)  its dual: level = max sum_k u_k b_k  over signed weights u with  sum_k u_k A_k = 0,  sum_k |u_k| = 1. The dual has
     a row per unknown instead of one per point, and is solved by exchange (`point_exchange`) or, where that does not
     terminate, by HiGHS (scipy)
(3)  any weights that satisfy (2) give a lower bound of the error of every a, on these points and so on every set that
     holds them: the solver's weights are projected onto A' u = 0 and normalized, and the bound is computed from them
(4)  sparse:  min sum_i w_i |a_i|  subject to  |b - A a| <= level;  its dual  max b'u - level sum|u|,  |A' u| <= w

Solver objectives are not trusted: levels are computed from coefficients, bounds from weights.

Minimax fit of parameters over many motions:

(5)  min over x of max |A x - b|, by HiGHS (scipy) over a few rows; rows in which the solution errs more join, until no
     row errs more than the level that the program reached

(5) serves thousands of rows with tens of columns, where only the level matters. Coefficients of the equations of
motion, whose optimum has to be exact, are fitted by (1)-(4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.errors import CheckError, MissingExtraError
from torquec.foundation.arrays import Array
from torquec.simplification.fitting.point_exchange import Support, exchanged
from torquec.simplification.tuning import TUNING


@dataclass(frozen=True)
class PointFit:
    """The best fit on points: coefficients (m,), its level there, weights (N,), the lower bound (3) and its support.

    `level` is infinite where the fit was given up because it cannot reach the requested level.
    """

    coefficients: Array
    level: float
    weights: Array
    lower_bound: float
    support: Support | None = None


def point_fit(A: Array, b: Array, *, start: Support | None = None, reject: float = np.inf) -> PointFit:
    """The Chebyshev fit (1) of b (N,) by the columns of A (N, m).

    `start` is the support of a fit with the same columns, with one more, or with all but the last. With `reject`, the
    fit is given up once more than that is proven necessary, or where the exchange does not end. Without it, raises
    `MissingExtraError` where the exchange does not end and scipy is missing, `CheckError` when both fail.
    """
    if A.shape[1] == 0:
        worst = int(np.argmax(np.abs(b)))
        sign = 1.0 if b[worst] >= 0.0 else -1.0
        weights = np.zeros(len(b))
        weights[worst] = sign
        level = float(abs(b[worst]))
        return PointFit(np.zeros(0), level, weights, level, Support(np.array([worst]), np.array([sign]), np.ones(1)))
    columns = np.maximum(np.abs(A).max(axis=0), 1e-300)
    scaled = A / columns
    unit = float(np.abs(b).max())
    if unit == 0.0:
        return PointFit(np.zeros(A.shape[1]), 0.0, np.zeros(len(b)), 0.0)
    found = exchanged(scaled, b / unit, start=start, reject=reject / unit)
    if found is None and start is not None:
        found = exchanged(scaled, b / unit, reject=reject / unit)
    if found is None and reject < np.inf:
        # For a mere feasibility test the slow solver is not worth it: infeasible is the safe answer.
        return PointFit(np.zeros(A.shape[1]), np.inf, np.zeros(len(b)), 0.0)
    if found is None:
        coefficients, u = _dual_solution(scaled, b / unit)
        support = None
    else:
        coefficients, u, support = found.coefficients, found.weights, found.support
        if not found.finished:
            return PointFit(coefficients * unit / columns, np.inf, u, found.level * unit, support)
    level = float(np.abs(b - scaled @ (coefficients * unit)).max())
    bound, weights = _proven(scaled, b, u)
    return PointFit(coefficients * unit / columns, level, weights, min(bound, level), support)


def rough_fit(A: Array, b: Array, *, steps: int = TUNING.lawson_steps) -> tuple[Array, float]:
    """Coefficients (m,) and the level that they reach on points, a little above the best: weighted least squares,
    weights growing with errors.

    Lawson's iteration; for hundreds of columns it takes a small part of what the exchange does.
    """
    columns = np.maximum(np.abs(A).max(axis=0, initial=0.0), 1e-300)
    scaled = A / columns
    weights = np.full(len(b), 1.0 / len(b))
    best, level = np.zeros(A.shape[1]), float(np.abs(b).max())
    for _ in range(steps if A.shape[1] else 0):
        weighted = scaled.T * weights
        normal = weighted @ scaled
        normal[np.diag_indices(len(normal))] += 1e-12 * max(float(np.trace(normal)), 1e-300)
        found = np.linalg.solve(normal, weighted @ b)
        errors = np.abs(b - scaled @ found)
        if errors.max() < level:
            best, level = found, float(errors.max())
        weights = weights * errors
        total = float(weights.sum())
        if not total > 0.0:
            break
        weights /= total
    return best / columns, level


def sparse_fit(A: Array, b: Array, level: float, weights: Array) -> Array | None:
    """Coefficients (m,) of the smallest weighted l1 norm within an error of `level` (4); None where there are none."""
    columns = np.maximum(np.abs(A).max(axis=0), 1e-300)
    unit = max(float(np.abs(b).max()), 1e-300)
    scaled = A / columns
    cost = np.concatenate([-(b / unit - level / unit), b / unit + level / unit])
    rows = np.concatenate([scaled.T, -scaled.T], axis=1)
    result = _linprog(
        cost, A_ub=np.concatenate([rows, -rows]), b_ub=np.concatenate([weights, weights]), method="highs-ds"
    )
    if result.status in (2, 3):
        # Weights of zero satisfy the dual, so "infeasible or unbounded" is unbounded: nothing is within the level.
        return None
    _check(result)
    marginals = result.ineqlin.marginals
    m = A.shape[1]
    found: Array = -(marginals[:m] - marginals[m:]) * unit / columns
    return found


def _dual_solution(A: Array, b: Array) -> tuple[Array, Array]:
    """Coefficients (m,) and weights (N,) of (2)."""
    n, m = A.shape
    rows = np.empty((m + 1, 2 * n))
    rows[:m, :n], rows[:m, n:] = A.T, -A.T
    rows[m] = 1.0
    right = np.zeros(m + 1)
    right[m] = 1.0
    result = _linprog(np.concatenate([-b, b]), A_eq=rows, b_eq=right, method="highs-ds")
    _check(result)
    return -result.eqlin.marginals[:m], result.x[:n] - result.x[n:]


def _proven(A: Array, b: Array, u: Array) -> tuple[float, Array]:
    """The lower bound (3), with weights that satisfy (2) to rounding."""
    support = np.flatnonzero(np.abs(u) > 1e-12)
    part = A[support]
    inside = _balanced(part, u[support])
    total = float(np.abs(inside).sum())
    if not total > 1e-9:
        return 0.0, u
    # The residual A'u of projection and rounding, times the largest relevant size of coefficients, is subtracted.
    inside /= total
    exact = np.zeros(len(b))
    exact[support] = inside
    slack = float(np.abs(part.T @ inside).sum()) * float(np.abs(b).max())
    return max(float(inside @ b[support]) - slack, 0.0), exact


def _balanced(A: Array, u: Array) -> Array:
    """u projected onto A' u = 0."""
    if A.shape[0] > A.shape[1] > TUNING.qr_columns:
        # Quicker, and as good unless columns depend on each other on these points.
        q = np.linalg.qr(A)[0]
        inside: Array = u - q @ (q.T @ u)
        if np.abs(inside).sum() > 0.999 * np.abs(u).sum():
            return inside
    result: Array = u - A @ np.linalg.lstsq(A, u, rcond=None)[0]
    return result


def _linprog(cost: Array, **constraints: Any) -> Any:
    try:
        from scipy.optimize import linprog
    except ImportError:
        raise MissingExtraError("scipy", "optimize", "minimax fitting") from None
    options = {
        "primal_feasibility_tolerance": TUNING.solver_tolerance,
        "dual_feasibility_tolerance": TUNING.solver_tolerance,
    }
    return linprog(cost, bounds=(0.0, None), options=options, **constraints)


def _check(result: Any) -> None:
    if result.status != 0:
        raise CheckError(
            f"the linear program of a fit was not solved: {result.message}",
            remedy="this is a fault of the solver or of Torquec: report it with the robot and the specification",
        )


def exchange_fit(
    columns: Array, target: Array, *, enough: float | None = None, within: float | None = None
) -> tuple[Array, float]:
    """x that minimizes max |columns x - target|, and that level: a linear program over the rows that matter.

    With `enough`, it stops as soon as that level is known to be reached, or out of reach; |x| stays `within`.
    """
    try:
        from scipy.optimize import linprog
    except ImportError:
        raise MissingExtraError("scipy", "optimize", "fitting a simplified model") from None
    x = np.linalg.lstsq(columns, target, rcond=None)[0]
    size = columns.shape[1]
    rows = np.argsort(-np.abs(columns @ x - target))[: TUNING.first_rows]
    for _ in range(TUNING.chebyshev_rounds):
        part, goal, one = columns[rows], target[rows], np.ones((len(rows), 1))
        outcome = linprog(
            np.concatenate([np.zeros(size), [1.0]]),
            A_ub=np.block([[part, -one], [-part, -one]]),
            b_ub=np.concatenate([goal, -goal]),
            bounds=[(None, None) if within is None else (-within, within)] * size + [(0.0, None)],
            method="highs",
        )
        if outcome.x is None:
            break
        x = outcome.x[:size]
        error = np.abs(columns @ x - target)
        level = float(outcome.x[-1])
        if error.max() <= level * (1.0 + TUNING.level_gap) + 1e-12:
            break
        if enough is not None and (level > enough or error.max() <= enough):
            break
        rows = np.union1d(rows, np.argsort(-error)[: TUNING.new_rows])
    return np.asarray(x, dtype=np.float64), float(np.abs(columns @ x - target).max())
