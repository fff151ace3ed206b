"""Three turns in a row that make up a rotation, each axis square to the next: wrists, and the last turns of a UR.

(1)  M = R_a(q_a) R_b(q_b) R_c(q_c),   a . b = b . c = 0,   e = b x a
(2)  M c = R_a (cos g a + sin g e),   g = q_b + the angle from a to c about b
(3)  q_a from the part of M c across a, + or - (no flip, flip);   g from M c in the turned axes
(4)  cos q_c = R_a b . M b,   sin q_c = -R_a b . M (c x b)

(4) takes what the first turn leaves, so that an error of q_a where sin g is nearly zero does not reach the rotation.
Where sin g is zero only q_a +- q_c has a meaning, and q_a is held (Clover IV: a singularity keeps the old angle).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.expr.math import absolute, atan2, select, sqrt
from torquec.kinematics.angle import JointAngle, direction, select_angle
from torquec.kinematics.chosen_branch import current_choices
from torquec.spatial import Matrix3, Scalar, Vector3, cross, dot, matvec, scale, subtract

WRIST_NAMES = ("wrist no flip", "wrist flip")

WRIST_HOLD = 2e-11
"""Below this sine the first angle is held. Folded arms in front of a straight wrist leave as much of rounding; holding
changes the rotation by no more than this, well below what counts as missed."""


@dataclass(frozen=True)
class WristSolution:
    """The three angles, first to last, and the sine to the singularity."""

    values: tuple[Scalar, Scalar, Scalar]
    last: JointAngle
    """The last of them by cosine and sine."""
    margin: Scalar


def solve_wrist(m: Matrix3, axes: tuple[Vector3, Vector3, Vector3], held: JointAngle) -> list[WristSolution]:
    """Both solutions of (1), in the order of `WRIST_NAMES`; `held` is kept for q_a where it is free."""
    a, b, c = axes
    e = cross(b, a)
    start = atan2(dot(c, e), dot(c, a))
    across_b = cross(c, b)
    mc, mb, mk = (matvec(m, v) for v in (c, b, across_b))
    along, x, y = dot(a, mc), dot(e, mc), dot(b, mc)
    margin = sqrt(x * x + y * y)
    first = direction(x, y, held, WRIST_HOLD)

    def rest(turn: JointAngle) -> tuple[Scalar, JointAngle]:
        bend = atan2(turn.c * x + turn.s * y, along) - start
        turned_b = subtract(scale(b, turn.c), scale(e, turn.s))
        return bend, JointAngle(dot(turned_b, mb), -dot(turned_b, mk))

    choices = current_choices()
    if choices is not None:
        # The flip has the opposite cosine to the reference.
        cosine = first.c * held.c + first.s * held.s
        turn = select_angle(cosine, first, JointAngle(-first.c, -first.s))
        choices.note("wrist", select(cosine, 0.0, 1.0), -absolute(cosine))
        bend, last = rest(turn)
        return [WristSolution((turn.radians, bend, last.radians), last, margin)]
    bend, last = rest(first)
    # The flip turns the first and last axis by half a turn and bends the other way; where held, it is the same wrist.
    clear = margin - WRIST_HOLD
    values = (first.radians, bend, last.radians)
    flipped = (values[0] + math.pi, -(bend + start) - start, values[2] + math.pi)
    other = (
        select(clear, flipped[0], values[0]),
        select(clear, flipped[1], values[1]),
        select(clear, flipped[2], values[2]),
    )
    return [
        WristSolution(values, last, margin),
        WristSolution(other, select_angle(clear, JointAngle(-last.c, -last.s), last), margin),
    ]
