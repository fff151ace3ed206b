"""What computing in single precision adds to the torques of a program, proven over a box of motions.

Every value v of the program has a float that stands for it in generated code. Its error e is carried along with the
range of v (running error analysis; Higham, Accuracy and Stability of Numerical Algorithms, section 3.3), u = 2^-24:

(1)  inputs x are converted, constants c are rounded: e = u |x|,  e = |c - fl(c)|
(2)  a + b: e = e_a + e_b;   a b: e = |a| e_b + |b| e_a + e_a e_b;   each is then rounded: e grows by u (|v| + e)
(3)  sine, cosine: e = e_a + s, where s is the error of the code's own sine and cosine (:mod:`torquec.codegen.sincos`)
(4)  a result that is too small for a normal float may be taken for zero: e grows by 2^-126

Each operation counts in the order in which the program has it, which is the order of generated code. A multiplication
and an addition that a compiler fuses are rounded once instead of twice: (2) covers both, for every pair.

Ranges are intervals. Over a whole box of positions they are far too wide, for a rotation is then an unknown one. So the
positions are cut into boxes, those with the largest errors again and again, and the largest error over the boxes is the
bound. Intervals and errors are rounded outwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from torquec.codegen.sincos import SINGLE_ERROR, SINGLE_SINCOS
from torquec.errors import RobotError
from torquec.expr import Function, Op
from torquec.foundation.arrays import Array
from torquec.trajectory.motion_box import MotionBox

UNIT = 2.0**-24
"""Largest relative error of one rounded operation on floats."""

SMALLEST = 2.0**-126
"""The smallest normal float: what a processor that knows no smaller ones can lose at once (4)."""

_LARGEST = float(np.finfo(np.float32).max)
_OUTWARDS = 2.0**-50  # relative: some rounded operations on doubles, per end of an interval
_SINE_OUTWARDS = 2.0**-49  # absolute: of the library's sine and cosine, which are right to a unit in the last place
_MARGIN = 1.05  # the checker cuts boxes of its own until it finds less than this
_BOXES = 100_000  # evaluated at most
_FIRST = 2_000  # of them to begin with
_TOGETHER = 2_048  # evaluated at once: their values fit into a cache
_NEAR_WORST = 0.9  # boxes with errors above this part of the largest are cut


class _Value(NamedTuple):
    """Ends of the range of a value, and the error of the float that stands for it; one number for each box, or one."""

    low: Array
    high: Array
    error: Array

    @property
    def size(self) -> Array:
        return np.maximum(np.abs(self.low), np.abs(self.high))


@dataclass(frozen=True)
class _Boxes:
    """Boxes of positions, (N, n) each."""

    lower: Array
    upper: Array

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, chosen: slice | Array) -> _Boxes:
        return _Boxes(self.lower[chosen], self.upper[chosen])

    def halves(self, units: Array) -> _Boxes:
        """Each box cut in two across its widest side, in these units (n,)."""
        rows = np.arange(len(self))
        widest = np.argmax((self.upper - self.lower) / units, axis=1)
        middle = 0.5 * (self.lower[rows, widest] + self.upper[rows, widest])
        first, second = self.upper.copy(), self.lower.copy()
        first[rows, widest] = second[rows, widest] = middle
        return _Boxes(np.concatenate([self.lower, second]), np.concatenate([first, self.upper]))


def single_rounding(program: Function, motions: MotionBox) -> tuple[float, ...]:
    """How far torques in single precision can be from those of the program in real numbers, (n,) [N m, N].

    Inputs are any real numbers of the box, rounded to floats. Raises `RobotError` where angles are too large for the
    sine of generated code, values too large for floats, or the program has other operations than sums, products, sines
    and cosines.
    """
    lower, upper = (np.array([side], dtype=float) for side in (motions.lower, motions.upper))
    read = {step.element for step in program.operations if step.op is Op.INPUT and step.port == "q"}
    # Only positions that the torques depend on are cut; turns in radians, displacements as parts of their range.
    units = np.full(lower.shape[1], math.inf)
    turned = _turned(program)
    for joint in read:
        width = float(upper[0, joint] - lower[0, joint])
        units[joint] = 1.0 if joint in turned else max(width, 1.0)
    boxes = _Boxes(lower, upper)
    count = _FIRST if read else 1
    while 2 * len(boxes) <= count:
        boxes = boxes.halves(units)
    errors = _errors(program, motions, boxes)
    evaluated = len(boxes)
    while read:
        worst = np.maximum(errors.max(axis=0), np.finfo(float).tiny)
        again = (errors / worst).max(axis=1) > _NEAR_WORST
        if evaluated + 2 * np.count_nonzero(again) > _BOXES:
            break
        parts = boxes[again].halves(units)
        evaluated += len(parts)
        boxes = _Boxes(
            np.concatenate([boxes.lower[~again], parts.lower]), np.concatenate([boxes.upper[~again], parts.upper])
        )
        errors = np.concatenate([errors[~again], _errors(program, motions, parts)])
    return tuple(float(x) * _MARGIN for x in errors.max(axis=0))


def _turned(program: Function) -> set[int]:
    """The joints whose positions are angles: all that a sine or cosine depends on."""
    joints: list[set[int]] = []
    found: set[int] = set()
    for step in program.operations:
        own = set().union(*(joints[k] for k in step.args))
        if step.op is Op.INPUT and step.port == "q":
            own = {step.element}
        if step.op in (Op.SIN, Op.COS):
            found |= own
        joints.append(own)
    return found


def _errors(program: Function, motions: MotionBox, boxes: _Boxes) -> Array:
    """The error of each torque on each box, (N, n)."""
    parts = [_errors_together(program, motions, boxes[k : k + _TOGETHER]) for k in range(0, len(boxes), _TOGETHER)]
    return np.concatenate(parts)


def _errors_together(program: Function, motions: MotionBox, boxes: _Boxes) -> Array:
    values: list[_Value] = []
    for step in program.operations:
        arguments = [values[k] for k in step.args]
        match step.op:
            case Op.CONST:
                values.append(_constant(step.value))
            case Op.INPUT:
                values.append(_input(*_ends(step.port, step.element, motions, boxes)))
            case Op.NEG:
                (a,) = arguments
                values.append(_Value(-a.high, -a.low, a.error))
            case Op.ADD | Op.SUB:
                a, b = arguments
                b = b if step.op is Op.ADD else _Value(-b.high, -b.low, b.error)
                values.append(_rounded(a.low + b.low, a.high + b.high, a.error + b.error))
            case Op.MUL:
                values.append(_product(*arguments, is_square=step.args[0] == step.args[1]))
            case Op.SIN:
                values.append(
                    _wave(arguments[0], np.sin(arguments[0].low), np.sin(arguments[0].high), peak=0.5 * math.pi)
                )
            case Op.COS:
                values.append(_wave(arguments[0], np.cos(arguments[0].low), np.cos(arguments[0].high), peak=0.0))
            case _:
                raise RobotError(
                    f"the rounding of '{step.op}' in single precision is not known",
                    remedy="certify the program in double precision",
                )
    rows = [np.broadcast_to(values[k].error, len(boxes)) for k in program.results[0]]
    # Errors are sums and products of what is positive, each rounded by 2^-53 or so; a thousand of them are not 1e-9.
    return np.stack(rows, axis=1) * (1.0 + 1e-9)


def _ends(port: str, joint: int, motions: MotionBox, boxes: _Boxes) -> tuple[Array, Array]:
    if port == "q":
        return boxes.lower[:, joint], boxes.upper[:, joint]
    most = np.asarray((motions.velocity if port == "qd" else motions.acceleration)[joint])
    return -most, most


def _constant(value: float) -> _Value:
    """(1); a literal of C is rounded from its decimal digits, which are those of the double, not from the double."""
    exact = np.asarray(value)
    error = abs(value - float(np.float32(value))) + _OUTWARDS * abs(value)
    return _Value(exact, exact, np.asarray(error + (SMALLEST if 0.0 < abs(value) < SMALLEST else 0.0)))


def _input(low: Array, high: Array) -> _Value:
    return _Value(low, high, UNIT * np.maximum(np.abs(low), np.abs(high)) + SMALLEST)


def _product(a: _Value, b: _Value, *, is_square: bool) -> _Value:
    ends: Sequence[Array] = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    low = np.minimum(np.minimum(ends[0], ends[1]), np.minimum(ends[2], ends[3]))
    high = np.maximum(np.maximum(ends[0], ends[1]), np.maximum(ends[2], ends[3]))
    if is_square:
        low = np.maximum(low, 0.0)
    return _rounded(low, high, a.size * b.error + b.size * a.error + a.error * b.error)


def _rounded(low: Array, high: Array, error: Array) -> _Value:
    """(2) and (4): the range of a result, and its error after it was rounded to a float."""
    size = np.maximum(np.abs(low), np.abs(high))
    outwards = _OUTWARDS * size
    if not np.max(size + error) < _LARGEST:
        raise RobotError("a value is too large for single precision", remedy="certify the program in double precision")
    return _Value(low - outwards, high + outwards, error + UNIT * (size + error) * (1.0 + _OUTWARDS) + SMALLEST)


def _wave(angle: _Value, first: Array, last: Array, *, peak: float) -> _Value:
    """(3): the range over [low, high] is that of the values at its ends, and 1 or -1 where a peak lies between."""
    if not np.max(angle.size + angle.error) <= SINGLE_SINCOS.largest_angle:
        raise RobotError(
            f"an angle may be beyond {SINGLE_SINCOS.largest_angle:g} rad, where floats are too coarse",
            remedy="state a smaller range for the joint, or certify the program in double precision",
        )
    # Peaks are looked for a little beyond the ends: quarters and whole turns are rounded.
    early, late = (angle.low - peak - 1e-9) / math.pi, (angle.high - peak + 1e-9) / math.pi
    has_top = np.floor(late / 2.0) >= np.ceil(early / 2.0)
    has_bottom = np.floor((late - 1.0) / 2.0) >= np.ceil((early - 1.0) / 2.0)
    top = np.where(has_top, 1.0, np.maximum(first, last) + _SINE_OUTWARDS)
    bottom = np.where(has_bottom, -1.0, np.minimum(first, last) - _SINE_OUTWARDS)
    return _Value(np.maximum(bottom, -1.0), np.minimum(top, 1.0), angle.error + SINGLE_ERROR)
