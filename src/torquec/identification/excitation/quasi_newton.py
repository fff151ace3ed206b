"""Minimising a function of some hundred numbers from its values and gradients (BFGS).

(1)  step = -H g, H the inverse curvature seen so far:  H <- (I - s y'/y's) H (I - y s'/y's) + s s'/y's
(2)  along a step, a length with sufficient decrease and a flatter slope (weak Wolfe conditions) is found by doubling
     and bisection, which also serves functions with kinks (Lewis & Overton, 2013)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array

_DECREASE = 1e-4  # Armijo's and
_FLATTER = 0.9  # Wolfe's usual numbers
_TRIALS = 25  # of a step; two are usual

Function = Callable[[Array], tuple[float, Array]]
"""From x (m,) to a value and its gradient (m,)."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the search ended, the value there, and how many evaluations it took."""

    x: Array
    value: float
    evaluations: int


def minimise(function: Function, x: Array, *, evaluations: int, tolerance: float = 1e-6, step: float = 0.1) -> Minimum:
    """A local minimum near x (m,), (1), (2); ends after `evaluations`, or with a gradient below `tolerance`.

    `step` is the length of the first step tried.

    >>> found = minimise(lambda x: (float(x @ x), 2.0 * x), np.array([3.0, 4.0]), evaluations=20)
    >>> found.value < 1e-12
    True
    """
    value, slope = function(x)
    used, inverse, fresh = 1, np.eye(len(x)), True
    while used < evaluations and np.linalg.norm(slope) > tolerance:
        direction = -inverse @ slope
        descent = float(direction @ slope)
        if not descent < 0.0:
            inverse, fresh, direction, descent = np.eye(len(x)), True, -slope, -float(slope @ slope)
        length = min(1.0, step / float(np.linalg.norm(direction))) if fresh else 1.0
        found, tried = _wolfe(function, x, (value, descent), direction, length, evaluations - used)
        used += tried
        if found is None:
            if fresh:
                break  # not even straight downhill
            inverse, fresh = np.eye(len(x)), True
            continue
        moved, value, new_slope = found
        s, y = moved - x, new_slope - slope
        x, slope = moved, new_slope
        curvature = float(s @ y)
        if curvature > 1e-12 * float(np.linalg.norm(s) * np.linalg.norm(y)):
            if fresh:
                inverse = np.eye(len(x)) * (curvature / float(y @ y))
            fresh = False
            hy = inverse @ y
            inverse = (
                inverse
                + np.outer(s, s) * ((curvature + float(y @ hy)) / curvature**2)
                - (np.outer(hy, s) + np.outer(s, hy)) / curvature
            )
    return Minimum(x, value, used)


def _wolfe(
    function: Function, x: Array, start: tuple[float, float], direction: Array, length: float, most: int
) -> tuple[tuple[Array, float, Array] | None, int]:
    """(2): the point, value and gradient, or None, and the evaluations it took."""
    value, descent = start
    low, high = 0.0, np.inf
    best: tuple[Array, float, Array] | None = None
    for trial in range(1, min(_TRIALS, most) + 1):
        moved = x + length * direction
        tried, slope = function(moved)
        if not tried <= value + _DECREASE * length * descent:
            high = length
        else:
            best = (moved, tried, slope)
            if float(slope @ direction) >= _FLATTER * descent:
                return best, trial
            low = length
        length = 0.5 * (low + high) if np.isfinite(high) else 2.0 * length
    return best, min(_TRIALS, most)
