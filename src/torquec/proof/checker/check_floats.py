"""Whether torques in single precision stay as near to those of real numbers as a certificate says.

Beside the interval [low, high] of every value of the program goes the distance d between it and the float that stands
for it in generated code. `program_form` has accepted the program: sums, products, sines and cosines are all there is.

(1)  a number that is rounded to a float moves by at most 2^-24 of itself; by 2^-126 where it is no normal float, for a
     processor may put zero in its place
(2)  sums: distances add up. Products: (a + d_a)(b + d_b) - a b. Then the result, as the float operands give it, is
     rounded (1). A product that is fused with its sum is not rounded by itself, so this is never too little
(3)  sine and cosine change by no more than their angle, and are as wrong as the generated code's own can be
(4)  boxes of positions are cut in half until the distance of every torque is within what is stated on each of them

Nothing of :mod:`torquec.proof.rounding.single_rounding` is used, and no box of its search is believed or needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.errors import CheckError
from torquec.expr import Function, Op
from torquec.foundation.arrays import AnyArray, Array
from torquec.proof.checker.allowances import (
    FLUSHED,
    LARGEST_FLOAT,
    ROUNDED_UP,
    SINE_ERROR,
    SINGLE_LARGEST_ANGLE,
    SINGLE_SINE_ERROR,
    SINGLE_UNIT,
    UNIT,
)
from torquec.trajectory.motion_box import MotionBox

_REMEDY = "make the certificate again with torquec simplify"
_MOST_BOXES = 400_000
_AT_ONCE = 1_024
_ENDS = 8.0 * UNIT
"""Relative: how far the ends of an interval are moved outwards after each operation on doubles."""
_PEAK = 1e-9
"""Peaks of a sine or cosine are looked for this far beyond the ends of an interval."""


@dataclass(frozen=True)
class _Single:
    """An interval of real numbers, and how far the float may be from the number that it stands for."""

    low: Array
    high: Array
    distance: Array

    def largest(self) -> Array:
        """The largest size of the real number."""
        return np.maximum(-self.low, self.high)


def check_floats(program: Function, motions: MotionBox, stated: Sequence[float]) -> None:
    """Raise `CheckError` unless each torque moves by no more than `stated` (n,) [N m, N] in single precision."""
    limits = np.asarray(stated, dtype=float)
    n = len(limits)
    # Rows of lower ends, then upper ends; positions that are not read stay whole.
    waiting = [np.concatenate([motions.lower, motions.upper])[None, :]]
    read = sorted({step.element for step in program.operations if step.op is Op.INPUT and step.port == "q"})
    tried = 0
    while waiting:
        rows = waiting.pop()
        if len(rows) > _AT_ONCE:
            waiting.append(rows[_AT_ONCE:])
            rows = rows[:_AT_ONCE]
        tried += len(rows)
        distances = _distances(program, motions, rows)
        beyond = np.any(~(distances <= limits), axis=1)
        if not beyond.any():
            continue
        if tried > _MOST_BOXES or not read or not _is_wide(rows[beyond], read, n):
            joint = int(np.argmax((distances / np.maximum(limits, FLUSHED)).max(axis=0)))
            raise CheckError(
                f"single precision may change torque {joint + 1} by {distances[:, joint].max():.6g}, and the "
                f"certificate states {limits[joint]:.6g}",
                remedy=_REMEDY,
            )
        waiting.append(_cut(rows[beyond], read, n))


def _is_wide(rows: Array, read: Sequence[int], n: int) -> bool:
    """Whether boxes can still be cut to some use."""
    widths = np.stack([rows[:, n + j] - rows[:, j] for j in read], axis=1).max(axis=1)
    return bool(widths.min() > 1e-3)


def _cut(rows: Array, read: Sequence[int], n: int) -> Array:
    """(4): every box in two halves across its widest side."""
    widths = np.stack([rows[:, n + j] - rows[:, j] for j in read], axis=1)
    side = np.asarray(read)[np.argmax(widths, axis=1)]
    each = np.arange(len(rows))
    middle = 0.5 * (rows[each, side] + rows[each, n + side])
    left, right = rows.copy(), rows.copy()
    left[each, n + side] = middle
    right[each, side] = middle
    return np.concatenate([left, right])


def _distances(program: Function, motions: MotionBox, rows: Array) -> Array:
    """The distance of every torque on every box, (N, n)."""
    n = rows.shape[1] // 2
    values: list[_Single] = []
    for step in program.operations:
        given = [values[k] for k in step.args]
        if step.op is Op.CONST:
            values.append(_number(step.value))
        elif step.op is Op.INPUT and step.port == "q":
            values.append(_to_float(rows[:, step.element], rows[:, n + step.element], np.zeros(())))
        elif step.op is Op.INPUT:
            rate = np.asarray((motions.velocity if step.port == "qd" else motions.acceleration)[step.element])
            values.append(_to_float(-rate, rate, np.zeros(())))
        elif step.op is Op.NEG:
            values.append(_Single(-given[0].high, -given[0].low, given[0].distance))
        elif step.op is Op.ADD:
            a, b = given
            values.append(_to_float(a.low + b.low, a.high + b.high, a.distance + b.distance))
        elif step.op is Op.SUB:
            a, b = given
            values.append(_to_float(a.low - b.high, a.high - b.low, a.distance + b.distance))
        elif step.op is Op.MUL:
            values.append(_times(*given, is_square=step.args[0] == step.args[1]))
        elif step.op is Op.SIN:
            values.append(_turn(given[0], np.sin, 0.5 * math.pi))
        elif step.op is Op.COS:
            values.append(_turn(given[0], np.cos, 0.0))
        else:
            raise CheckError(f"an operation '{step.op}' is not known in single precision", remedy=_REMEDY)
    torques = [np.broadcast_to(values[k].distance, len(rows)) for k in program.results[0]]
    return np.stack(torques, axis=1) * ROUNDED_UP


def _number(value: float) -> _Single:
    """(1): a constant; its literal in C has the digits of the double, and is rounded from them, not from the double."""
    with np.errstate(over="ignore"):
        moved = abs(float(np.float32(value)) - value)
    exact = np.asarray(value)
    return _Single(
        exact, exact, np.asarray(moved + _ENDS * abs(value) + (FLUSHED if 0.0 < abs(value) < FLUSHED else 0.0))
    )


def _to_float(low: Array, high: Array, distance: Array) -> _Single:
    """(1): what the float operands give, within `distance` of the real result, is rounded."""
    below, above = low - _ENDS * np.abs(low), high + _ENDS * np.abs(high)
    largest = np.maximum(-below, above) + distance
    if not np.all(largest <= LARGEST_FLOAT):
        raise CheckError("a value of the program may be too large for a float", remedy=_REMEDY)
    return _Single(below, above, distance + SINGLE_UNIT * largest + FLUSHED)


def _times(a: _Single, b: _Single, *, is_square: bool) -> _Single:
    """(2)."""
    corners = np.stack(np.broadcast_arrays(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high))
    low, high = corners.min(axis=0), corners.max(axis=0)
    distance = (a.largest() + a.distance) * b.distance + b.largest() * a.distance
    return _to_float(np.maximum(low, 0.0) if is_square else low, high, distance)


def _turn(angle: _Single, function: np.ufunc, top: float) -> _Single:
    """(3), of a function that is 1 at `top` and every turn from there, -1 half a turn later."""
    if not np.all(angle.largest() + angle.distance <= SINGLE_LARGEST_ANGLE):
        raise CheckError("an angle may be too large for the sine of generated code", remedy=_REMEDY)
    at_low, at_high = function(angle.low), function(angle.high)
    turns = 2.0 * math.pi

    def passes(place: float) -> AnyArray:
        return np.floor((angle.high + _PEAK - place) / turns) >= np.ceil((angle.low - _PEAK - place) / turns)

    low = np.where(passes(top + math.pi), -1.0, np.minimum(at_low, at_high) - SINE_ERROR)
    high = np.where(passes(top), 1.0, np.maximum(at_low, at_high) + SINE_ERROR)
    return _Single(low, high, angle.distance + SINGLE_SINE_ERROR)
