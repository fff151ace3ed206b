"""Whether a program that runs in doubles computes what it means in real numbers, at every motion of a box.

A claim is about real numbers, and a program is looked at on a grid. (sin q + 2^52) - 2^52 - sin q is zero, and rounding
makes up to a half of it; times a wave that is zero on the grid it is nowhere seen there. So rounding is bounded for all
motions at once: beside the largest size s of every value goes the distance r of the double that stands for it.

(1)  inputs and numbers: r = 0.   Sums: s = s_a + s_b, r = r_a + r_b.   Products: s = s_a s_b, r = s_a r_b + s_b r_a +
     r_a r_b.   Sine and cosine: s = 1, r = r_a + 8 u, as a library's are right to
(2)  then a result is rounded: u (s + r) more, and underflow. A product that is fused with its sum is rounded once less
(3)  what is too large for a double is none: s or r is infinite there, or no number, and is refused

The limit is `allowances.DOUBLES`, which honest programs stay below by four orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torquec.errors import CheckError
from torquec.expr import Function, Op
from torquec.proof.checker.allowances import ROUNDED_UP, SINE_ERROR, UNDERFLOW, UNIT
from torquec.trajectory.motion_box import MotionBox

_REMEDY = "make the certificate again with torquec simplify"


@dataclass(frozen=True)
class InDoubles:
    """The largest size of a value, and how far the double that stands for it may be off."""

    size: float
    distance: float


def check_doubles(program: Function, box: MotionBox, allowed: float) -> None:
    """Raise `CheckError` where computing in doubles may change a result of the program by more than `allowed`."""
    for value in in_doubles(program, box):
        if not value.distance <= allowed:
            raise CheckError(
                f"computing in doubles may change what the program gives by {value.distance:.6g}, more than "
                f"{allowed:.6g}: terms of it cancel, or are too large",
                remedy=_REMEDY,
            )


def in_doubles(program: Function, box: MotionBox) -> list[InDoubles]:
    """All results of a program over a box of motions (1)-(3); speeds and accelerations are one where none are given."""
    limits = _limits(box)
    values: list[InDoubles] = []
    for step in program.operations:
        given = [values[k] for k in step.args]
        if step.op is Op.CONST:
            values.append(InDoubles(abs(step.value), 0.0))
        elif step.op is Op.INPUT:
            values.append(InDoubles(limits[step.port][step.element], 0.0))
        elif step.op is Op.NEG:
            values.append(given[0])
        elif step.op in (Op.SIN, Op.COS):
            values.append(InDoubles(1.0, given[0].distance + SINE_ERROR))
        elif step.op in (Op.ADD, Op.SUB):
            a, b = given
            values.append(_rounded(a.size + b.size, a.distance + b.distance))
        elif step.op is Op.MUL:
            a, b = given
            distance = a.size * b.distance + b.size * a.distance + a.distance * b.distance
            values.append(_rounded(a.size * b.size, distance))
        else:
            raise CheckError(f"nothing is known of the operation '{step.op}' in doubles", remedy=_REMEDY)
    return [values[k] for row in program.results for k in row]


def largest_size(program: Function, box: MotionBox) -> float:
    """What the terms of a program's results add up to, at most: the robot's own, beside which rounding is nothing."""
    return max((value.size for value in in_doubles(program, box)), default=0.0)


def _rounded(size: float, distance: float) -> InDoubles:
    """(2)."""
    return InDoubles(size, (distance + UNIT * (size + distance)) * ROUNDED_UP + UNDERFLOW)


def _limits(box: MotionBox) -> Mapping[str, Sequence[float]]:
    positions = [max(abs(low), abs(high)) for low, high in zip(box.lower, box.upper, strict=True)]
    ones = [1.0] * len(positions)
    return {"q": positions, "qd": box.velocity or ones, "qdd": box.acceleration or ones}
