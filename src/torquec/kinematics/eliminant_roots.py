"""Real roots of many smooth functions on the circle, such as eliminants, by subdivision.

(1)  f on `GRID` angles; d the larger difference of a cell's slope from those of its neighbours
(2)  a cell with a change of sign and d below `STRAIGHT` of its slope holds one root, found by false position
(3)  a cell without a change of sign and with |f| above `CLEAR` d at both ends holds none: a parabola would reach down
     by d/8, and next to a cluster of roots d/2 was observed
(4)  other cells are cut into `PARTS` and tested again, `LEVELS` times; a cell that is still undecided then holds two
     roots nearer than 1e-5 rad or none, and is `doubtful`

f is evaluated directly, not interpolated: next to a cluster of roots it is far below its largest value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from torquec.foundation.arrays import Array, Indices, Mask
from torquec.kinematics.tuning import TUNING

GRID = 256
"""Number of angles at which f is sampled first: an eliminant of order eight has at most eight periods per turn."""

LEVELS = 4
"""Subdivisions of a cell of 25 mrad, each by `PARTS`."""

PARTS = 8
STRAIGHT = 0.5
CLEAR = 1.5
FALSE_POSITION = 6  # steps of (2): from cells in which f is nearly straight, to 1e-9 rad and better

GRID_ANGLES: Array = 2.0 * np.pi * np.arange(GRID) / GRID

Value: TypeAlias = Callable[[Indices, Array], Array]
"""Values (K,) of the functions with indices (K,) at angles (K,)."""


@dataclass(frozen=True, eq=False)
class CircleRoots:
    """Roots `angle` (K,) of N functions; `row` (K,) is each root's function; `doubtful` (N,): roots may be missing."""

    row: Indices
    angle: Array
    doubtful: Mask


@dataclass(frozen=True, eq=False)
class _Cells:
    """Pieces of the circle (K,): function, low end, width, whether f changes its sign, and f at both ends (K, 2)."""

    row: Indices
    low: Array
    width: Array
    crossing: Mask
    ends: Array

    def some(self, which: Mask) -> _Cells:
        """The selected cells."""
        return _Cells(self.row[which], self.low[which], self.width[which], self.crossing[which], self.ends[which])


def circle_roots(on_grid: Array, value: Value) -> CircleRoots:
    """The roots of functions given at `GRID_ANGLES` (N, `GRID`), and anywhere by `value`."""
    count, step = len(on_grid), 2.0 * np.pi / GRID
    around = np.concatenate([on_grid[:, -1:], on_grid, on_grid[:, :2]], axis=1)
    simple, open_ = _scanned(np.arange(count), np.full(count, -step), np.full(count, step), around)
    brackets = [simple]
    for _ in range(LEVELS):
        if not len(open_.row):
            break
        part = open_.width / PARTS
        angles = (open_.low - part)[:, None] + part[:, None] * np.arange(PARTS + 3)
        inside = value(np.repeat(open_.row, PARTS + 3), angles.ravel()).reshape(angles.shape)
        simple, open_ = _scanned(open_.row, open_.low - part, part, inside)
        brackets.append(simple)
    doubtful = np.zeros(count, dtype=bool)
    doubtful[open_.row] = True
    touching = open_.some(~open_.crossing)
    brackets.append(open_.some(open_.crossing))
    row, low, width = (np.concatenate([getattr(one, key) for one in brackets]) for key in ("row", "low", "width"))
    angle = _false_position(value, row, low, low + width, np.concatenate([one.ends for one in brackets]))
    row, angle = np.concatenate([row, touching.row]), np.concatenate([angle, touching.low + 0.5 * touching.width])
    angle = angle % (2.0 * np.pi)
    order = np.lexsort((angle, row))
    row, angle = row[order], angle[order]
    new = np.ones(len(row), dtype=bool)
    new[1:] = (row[1:] != row[:-1]) | (angle[1:] - angle[:-1] > TUNING.same_root)
    return CircleRoots(row[new], angle[new], doubtful)


def _scanned(row: Indices, low: Array, step: Array, f: Array) -> tuple[_Cells, _Cells]:
    """From values f (K, m) at low + k step, without the outer cells: simple cells (2), and cells to subdivide (4)."""
    change = np.diff(f, axis=1)
    before, here, after = change[:, :-2], change[:, 1:-1], change[:, 2:]
    left, right = f[:, 1:-2], f[:, 2:-1]
    bend = np.maximum(np.abs(here - before), np.abs(after - here))
    crossing = (left >= 0.0) != (right >= 0.0)
    straight = bend <= STRAIGHT * np.abs(here)
    clear = np.minimum(np.abs(left), np.abs(right)) > CLEAR * bend

    def cells(which: Mask) -> _Cells:
        k, at = np.nonzero(which)
        ends = np.stack([left[k, at], right[k, at]], axis=1)
        return _Cells(row[k], low[k] + (at + 1) * step[k], step[k], crossing[k, at], ends)

    return cells(crossing & straight), cells(np.where(crossing, ~straight, ~clear))


def _false_position(value: Value, row: Indices, low: Array, high: Array, ends: Array) -> Array:
    """Roots between `low` and `high`, f there in `ends` (K, 2): regula falsi, Illinois variant."""
    a, b, fa, fb = low.copy(), high.copy(), ends[:, 0].copy(), ends[:, 1].copy()
    x, before = a, np.zeros(len(a), dtype=np.int64)
    for k in range(FALSE_POSITION):
        x = a - fa * (b - a) / np.where(fb == fa, 1.0, fb - fa)
        if k == FALSE_POSITION - 1 or not len(row):
            break
        fx = value(row, x)
        left = (fx >= 0.0) == (fa >= 0.0)
        # An end that stays twice in a row has its value halved, so that it moves, too.
        fa, fb = (
            np.where(left, fx, np.where(before == -1, 0.5 * fa, fa)),
            np.where(left, np.where(before == 1, 0.5 * fb, fb), fx),
        )
        a, b, before = np.where(left, x, a), np.where(left, b, x), np.where(left, 1, -1)
    return x
