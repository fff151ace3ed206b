"""Parameters whose largest error over many motions is smallest: a linear program over the rows that matter.

(1)  min over x of max |A x - b|, by HiGHS (scipy) over a few rows; rows in which the solution errs more join, until no
     row errs more than the level that the program reached

It serves thousands of rows with tens of columns, of which nothing but the level matters. Coefficients of the equations
of motion, whose optimum has to be exact, are fitted by :mod:`torquec.simplification.fitting.chebyshev_program`.
"""

from __future__ import annotations

import numpy as np

from torquec.errors import MissingExtraError
from torquec.foundation.arrays import Array

_FIRST_ROWS, _NEW_ROWS = 400, 200
"""Rows of the first program, and those that join in each round: ten times as many as there usually are columns."""

_ROUNDS = 40
"""Rounds after which the fit is taken as it is: it takes three or four."""

_GAP = 1e-3
"""A level this close to the best, relative, is the best: proofs need more room than that."""


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
    rows = np.argsort(-np.abs(columns @ x - target))[:_FIRST_ROWS]
    for _ in range(_ROUNDS):
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
        if error.max() <= level * (1.0 + _GAP) + 1e-12:
            break
        if enough is not None and (level > enough or error.max() <= enough):
            break
        rows = np.union1d(rows, np.argsort(-error)[:_NEW_ROWS])
    return np.asarray(x, dtype=np.float64), float(np.abs(columns @ x - target).max())
