"""Time-optimal path parameterization (TOPP-RA): the largest speed profile within linear limits on path acceleration.

With the path's speed v = ds/dt, x = v^2 and the acceleration u = d2s/dt2, constant between grid points,

(1)  rows of limits at the middle of each cell:   low <= a u + b x + d v <= high,    a >= 0,  low < 0 < high
(2)  x_k+1 = x_k + 2 h u,    x_mid = x_k + h u           (h: length of the cell in s)
(3)  largest speed at which some u meets all rows: for every lower row r and upper row t the least v > 0 with
     a_t (b_r x + d_r v - low_r) + a_r (high_t - b_t x - d_t v) = 0
(4)  backwards: the largest x_mid from which the strongest braking still ends in the controllable set,
     a (k - x_mid) + h (b x_mid + d v - low) >= 0,   k the largest controllable x of the next grid point
(5)  forwards: the largest x_mid with  a (x_mid - x_k) + h (b x_mid + d v - high) <= 0  and  x_k+1 controllable
(6)  between two cells where a row's a changes its sign (zero-inertia point), that row alone limits x:
     low <= b x + d v <= high, interpolated to a = 0

(3) to (6) are quadratic in v with a negative constant term, whose least positive root is -2C/(D + sqrt(D^2 - 4PC)):
viscous friction, which is linear in v, is treated exactly. Both passes are native code, one compiled step per cell.

Pham and Pham, A new approach to time-optimal path parameterization based on reachability analysis, IEEE T-RO (2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from torquec.codegen.llvm import NativeFunction, load_or_compile
from torquec.codegen.llvm.repeat import NativeLoop
from torquec.expr import Function, trace
from torquec.expr.math import maximum, minimum, select, sqrt
from torquec.foundation.arrays import Array

_HUGE = 1e30  # stands for no limit on x; its square stays finite


@dataclass(frozen=True, eq=False)
class LimitRows:
    """Rows (1) at the middles of N cells, R per cell, as an array (5, N, R): a of either sign, b, d, low, high."""

    values: Array

    @property
    def normal(self) -> Array:
        """Rows (5, N, R) with `a` not negative: rows with a negative `a` are multiplied by -1."""
        a, b, d, low, high = self.values
        back = a < 0.0
        sign = np.where(back, -1.0, 1.0)
        return np.stack([a * sign, b * sign, d * sign, np.where(back, -high, low), np.where(back, -low, high)])

    @property
    def between(self) -> LimitRows:
        """The rows at the N - 1 grid points between cells, by interpolation."""
        return LimitRows(0.5 * (self.values[:, :-1] + self.values[:, 1:]))

    def singular_speeds(self) -> Array:
        """Speed limits at zero-inertia points (6): x (N - 1,) between cells, `_HUGE` where no row changes sign."""
        before, after = self.values[:, :-1], self.values[:, 1:]
        with np.errstate(all="ignore"):
            part = before[0] / (before[0] - after[0])
            _, b, d, low, high = before + np.where(np.isfinite(part), part, 0.5) * (after - before)
            v = np.full(b.shape, np.sqrt(_HUGE))
            for sign, limit in ((1.0, -high), (-1.0, low)):
                below = sign * d + np.sqrt(d * d - 4.0 * sign * b * limit)
                v = np.where(below > 0.0, np.fmin(v, -2.0 * limit / below), v)
        crosses = before[0] * after[0] <= 0.0
        found: Array = np.where(crosses, v, np.sqrt(_HUGE)).min(axis=1, initial=np.sqrt(_HUGE)) ** 2
        return found


@dataclass(frozen=True, eq=False)
class SpeedProfile:
    """x (N + 1,) at grid points, `u` (N,) in cells; the end is reachable from every x up to `controllable` (N + 1,)."""

    x: Array
    u: Array
    controllable: Array


def largest_speeds(rows: LimitRows) -> Array:
    """The largest x (N,) by (3), `_HUGE` where no pair of rows limits it."""
    size = rows.values.shape[2]
    packed = np.ascontiguousarray(np.concatenate(rows.normal, axis=1))
    found: Array = _native("largest", size).call(packed)
    return found[:, 0] ** 2


def speed_profile(
    rows: LimitRows, cells: Array, caps: Array, middle_caps: Array, start: float, end: float
) -> SpeedProfile:
    """The fastest profile over cells (N,) of s within the rows and within x <= caps (N + 1,), `middle_caps` (N,).

    It starts at x = `start` and ends at `end`, or slower where that cannot be reached.
    """
    normal = rows.normal
    count, size = normal.shape[1:]
    caps = caps.copy()
    caps[1:-1] = np.minimum(caps[1:-1], np.minimum(largest_speeds(rows.between), rows.singular_speeds()))
    packed = np.empty((count, 1, 3 + 5 * size))
    packed[:, 0, 0] = cells
    packed[:, 0, 1] = np.minimum(largest_speeds(rows), middle_caps)
    packed[:, 0, 3:] = np.concatenate(normal, axis=1)
    backward, forward = (NativeLoop(_native(way, size), _native("idle", 0)) for way in ("backward", "forward"))
    controllable = np.empty((count + 1, 1, 1))
    controllable[0] = min(end, caps[-1])
    packed[:, 0, 2] = caps[:-1]
    log = np.empty((count, 1, 1))
    backward.run(controllable, [np.ascontiguousarray(packed[::-1])], log)
    limits = controllable[::-1, 0, 0].copy()
    x = np.empty((count + 1, 1, 1))
    x[0] = min(start, limits[0])
    packed[:, 0, 2] = limits[1:]
    forward.run(x, [packed], log)
    return SpeedProfile(x[:, 0, 0], log[:, 0, 0].copy(), limits)


def _root(P: Any, D: Any, C: Any) -> Any:
    """The least positive root of P v^2 + D v + C with C < 0; `_HUGE` without one."""
    inside = D * D - 4.0 * P * C
    below = D + sqrt(maximum(inside, 0.0))
    return select(inside, select(below - 1e-150, -2.0 * C / maximum(below, 1e-150), _HUGE), _HUGE)


def _largest(rows: Any) -> dict[str, Any]:
    """The largest speeds v (3)."""
    v: Any = _HUGE**0.5
    unpacked = _unpacked(rows)
    for r, (a, b, d, low, _) in enumerate(unpacked):
        for t, (a2, b2, d2, _, high) in enumerate(unpacked):
            if r != t:
                v = minimum(v, _root(a * b2 - a2 * b, a * d2 - a2 * d, a2 * low - a * high))
    return {"v": [v]}


def _backward(state: Any, stage: Any) -> dict[str, Any]:
    """One cell of the backward pass (4)."""
    (k,), (h, most, cap) = state, stage[:3]
    rows = _unpacked(stage[3:])
    v = sqrt(most)
    for a, b, d, low, _ in rows:
        v = minimum(v, _root(a - h * b, -(h * d), h * low - a * k))
    x = v * v
    u: Any = -_HUGE
    for a, b, d, low, _ in rows:
        u = maximum(u, select(a - 1e-150, (low - b * x - d * v) / maximum(a, 1e-150), -_HUGE))
    u = minimum(u, (k - x) / h)
    return {"next": [maximum(minimum(x - h * u, cap), 0.0)], "log": [u]}


def _forward(state: Any, stage: Any) -> dict[str, Any]:
    """One cell of the forward pass (5)."""
    (x,), (h, most, limit) = state, stage[:3]
    v = sqrt(minimum(most, 0.5 * (x + limit)))
    for a, b, d, _, high in _unpacked(stage[3:]):
        v = minimum(v, _root(a + h * b, h * d, -(a * x + h * high)))
    middle = v * v
    after = maximum(minimum(2.0 * middle - x, limit), 0.0)
    return {"next": [after], "log": [(after - x) / (2.0 * h)]}


def _unpacked(numbers: Any) -> list[tuple[Any, ...]]:
    size = len(numbers) // 5
    return [tuple(numbers[k * size + r] for k in range(5)) for r in range(size)]


def _idle(state: Any) -> dict[str, Any]:
    return {"next": [state[0]]}


@cache
def _native(way: str, size: int) -> NativeFunction:
    def source() -> Function:
        if way == "idle":
            return trace("idle", _idle, {"state": (1,)})
        if way == "largest":
            return trace(way, _largest, {"rows": (5 * size,)})
        step = _backward if way == "backward" else _forward
        return trace(way, step, {"state": (1,), "stage": (3 + 5 * size,)})

    return load_or_compile(f"speed profile 2 {way} {size}", source)
