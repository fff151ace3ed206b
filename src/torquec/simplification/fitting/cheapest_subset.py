"""The cheapest set of terms that fits on points, by mixed-integer programming (HiGHS through scipy).

(1)  min sum_i p_i z_i   subject to  |b - A a| <= level,  |a_i| <= R_i z_i,  z_i in {0, 1}
(2)  R_i: ten times what a fit by all terms needs at most, in units of the term's height; a set that needs more is a
     difference of large numbers that nobody wants to compute with
(3)  the tree is cut off after so many nodes, and not after a time: the answer is the same on every machine
"""

from __future__ import annotations

import numpy as np

from torquec.errors import MissingExtraError
from torquec.foundation.arrays import Array

_MOST_POINTS = 400
"""Rows of the program: with more of them each node of the tree takes seconds."""


def cheapest_subset(A: Array, b: Array, level: float, prices: Array, *, below: float, nodes: int) -> list[int] | None:
    """Columns of A (N, m) cheaper than `below` that fit b (N,) within `level` (1); None where none is found."""
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
    except ImportError:
        raise MissingExtraError("scipy", "optimize", "mixed-integer search") from None
    n, m = A.shape
    if n > _MOST_POINTS:
        # The newest points come from fits that failed: they matter most.
        keep = np.r_[
            np.linspace(0, n - _MOST_POINTS // 2 - 1, _MOST_POINTS // 2).astype(int), n - _MOST_POINTS // 2 : n
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
    cheaper = LinearConstraint(np.hstack([np.zeros(m), prices])[None, :], -np.inf, below - 0.5)
    result = milp(
        np.concatenate([np.zeros(m), prices]),
        constraints=[fits, gate_up, gate_down, cheaper],
        integrality=np.concatenate([np.zeros(m), np.ones(m)]),
        bounds=Bounds(np.concatenate([-reach, np.zeros(m)]), np.concatenate([reach, np.ones(m)])),
        options={"node_limit": nodes},
    )
    if result.x is None:
        return None
    return [int(i) for i in np.flatnonzero(result.x[m:] > 0.5)]
