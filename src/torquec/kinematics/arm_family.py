"""Families of arms with a closed-form inverse: found from the axes of the joints, never from a robot's name.

Wrist: three successive revolute joints that make up a rotation, each axis orthogonal to the next.

(1)  M = R_a(q_a) R_b(q_b) R_c(q_c),   a . b = b . c = 0,   e = b x a
(2)  M c = R_a (cos g a + sin g e),   g = q_b + the angle from a to c about b
(3)  q_a from the part of M c perpendicular to a, + or - (no flip, flip);   g from M c in the turned axes
(4)  cos q_c = R_a b . M b,   sin q_c = -R_a b . M (c x b)

(4) uses the rotation that remains after the first turn: an error of q_a, as where sin g is nearly zero, then does not
affect the total rotation. Where sin g is zero only q_a +- q_c is determined, and q_a is held (Clover IV: a singularity
keeps the old angle).

Spherical wrist: the last three joints are revolute, their axes intersect in one point W, each orthogonal to the next.

(5)  w = p - R (p_0 - W)            the place of W, which the first three joints alone must reach
(6)  (G_1 G_2 G_3)^-1 R             the rotation that is left to the wrist

An arm whose first three axes meet like that has the same closed form, seen from its hand.

Three parallel axes (UR): axes 2, 3, 4 parallel to n, axis 5 perpendicular to n and to axis 6, which it meets in C.

(7)  n . G_1^-1 c = n . C           q_1 (two), with c = p - R (p_0 - C)
(8)  G_1^-1 R = R_n(q_2 + q_3 + q_4) R_5 R_6   as a wrist from the far end; where q_6 is free, it is held
(9)  joints 2 and 3 reach axis 4 in the plane, q_4 follows from the sum

SCARA: three turns and one slide, all axes along n. It can only meet the part of a rotation that turns about n.

(10) R_n(q) nearest to R:   tan q = (f.R e - e.R f)/(e.R e + f.R f);   the error is the angle from n to R n
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torquec.expr.math import absolute, atan2, select, sqrt
from torquec.kinematics.angle import (
    HOLD,
    JointAngle,
    current_choices,
    direction,
    select_angle,
    sides,
    smaller,
    two_angles,
)
from torquec.kinematics.arm_geometry import (
    ArmBranch,
    ArmFamily,
    ArmGeometry,
    ArmJoint,
    ClosedArm,
    PoseTarget,
    across,
    are_parallel,
    are_square,
    is_on_axis,
    meeting_point,
    reversed_geometry,
    seen_from_the_hand,
)
from torquec.kinematics.general_position import general_position
from torquec.kinematics.planar_pair import planar_pair
from torquec.kinematics.position_arm import SHOULDERS, PositionArm, PositionSolution, position_arm
from torquec.spatial import Matrix3, Scalar, Vector3, cross, dot, matmul, matvec, scale, subtract, transpose

WRIST_NAMES = ("wrist no flip", "wrist flip")

WRIST_HOLD = 2e-11
"""Sine below which the first angle is held. It is the rounding error of folded arms with a straight wrist; holding
changes the rotation by no more than this, well below `MISSED`."""


@dataclass(frozen=True)
class WristSolution:
    """Angles of a wrist, first to last; `margin` is the sine of the distance to the singularity."""

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


@dataclass(frozen=True)
class SphericalWrist:
    """The last three axes and where they meet."""

    center: Vector3
    axes: tuple[Vector3, Vector3, Vector3]


def closed_arm(arm: ArmGeometry) -> ClosedArm | list[str]:
    """The closed form of an arm from its base or from its hand, or the reasons why each family does not fit."""
    reasons = []
    for family in FAMILIES:
        found = family(arm)
        if isinstance(found, ClosedArm):
            return found
        reasons.append(found)
    back = spherical_wrist_arm(reversed_geometry(arm))
    if isinstance(back, ClosedArm):
        return seen_from_the_hand(arm, back)
    return reasons if back in reasons else [*reasons, f"seen from the hand, {back}"]


def general_arm(arm: ArmGeometry) -> ClosedArm | str:
    """The closed form of an arm with a spherical wrist, or shoulder, on three joints of general geometry; or why not.

    It is for arms far from every family: close to a family, its equations are nearly dependent.
    """
    found = spherical_wrist_arm(arm, general_position)
    if isinstance(found, ClosedArm):
        return found
    back = spherical_wrist_arm(reversed_geometry(arm), general_position)
    return seen_from_the_hand(arm, back) if isinstance(back, ClosedArm) else found


def spherical_wrist(arm: ArmGeometry) -> SphericalWrist | str:
    """The spherical wrist of an arm, or why it has none."""
    wrist = arm.joints[-3:]
    if any(joint.slides for joint in wrist):
        return "the last three of six joints are not all revolute"
    center = meeting_point(wrist[0], wrist[1])
    if center is None or not is_on_axis(center, wrist[2]):
        return "its last three axes do not intersect in one point"
    axes = (wrist[0].axis, wrist[1].axis, wrist[2].axis)
    if not are_square(axes[0], axes[1]) or not are_square(axes[1], axes[2]):
        return "its last three axes intersect, but not at right angles"
    return SphericalWrist(center, axes)


def spherical_wrist_arm(
    arm: ArmGeometry, carried: Callable[[Sequence[ArmJoint], Vector3, float], PositionArm | None] = position_arm
) -> ClosedArm | str:
    """The closed form (5), (6) of a spherical wrist, or why not; `carried` gives that of the first three joints."""
    if len(arm.joints) != 6:
        return "it does not have six joints"
    wrist = spherical_wrist(arm)
    if isinstance(wrist, str):
        return wrist
    carrier = carried(arm.joints[:3], wrist.center, arm.reach)
    if carrier is None:
        return (
            "it has a spherical wrist, but of its first three joints neither two neighbours move in one plane "
            "nor do the first two axes meet"
        )
    grip = subtract(arm.tool.origin, wrist.center)

    def solve(target: PoseTarget) -> list[ArmBranch]:
        w = subtract(target.position, matvec(target.turn, grip))
        return wrist_branches(carrier.solve(w, target.near[:3]), target.turn, wrist, target.near[3])

    return ClosedArm(ArmFamily.SPHERICAL_WRIST, carrier.rule, wrist_names(carrier.names), solve)


def wrist_branches(
    places: Sequence[PositionSolution], turn: Matrix3, wrist: SphericalWrist, near: Scalar
) -> list[ArmBranch]:
    """Wrist solutions for every position of its centre (6); its first joint keeps `near` where it is free."""
    held = JointAngle.of(near)
    found = []
    for place in places:
        left = turn
        for axis, angle in place.turns:
            left = _turned_back(left, axis, angle)
        for end in solve_wrist(left, wrist.axes, held):
            margin = smaller(place.margin, end.margin)
            found.append(ArmBranch((*place.values, *end.values), place.miss, 0.0, margin))
    return found


def wrist_names(places: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The names of `wrist_branches`, in their order."""
    return tuple(", ".join((*place, end)) for place in places for end in WRIST_NAMES)


def parallel_axes_arm(arm: ArmGeometry) -> ClosedArm | str:
    """The closed form (7)-(9) of an arm with three parallel axes, or why it has none."""
    if arm.letters != "RRRRRR":
        return "it does not have six revolute joints"
    first, second, third, fourth, fifth, sixth = arm.joints
    n = second.axis
    pair = planar_pair(second, third)
    if pair is None or not are_parallel(fourth.axis, n):
        return "axes 2, 3 and 4 are not parallel"
    if are_parallel(first.axis, n) or not are_square(fifth.axis, n) or not are_square(fifth.axis, sixth.axis):
        return "axes 2, 3 and 4 are parallel, but the other axes are not perpendicular as required"
    center = meeting_point(fifth, sixth)
    if center is None:
        return "axes 2, 3 and 4 are parallel, but axes 5 and 6 do not intersect"
    h = first.axis
    grip = subtract(arm.tool.origin, center)
    height = dot(n, subtract(center, first.point))
    to_pair = subtract(second.point, first.point)
    a = pair.flat(subtract(third.point, second.point))
    b = pair.flat(subtract(fourth.point, third.point))
    hand = pair.flat(subtract(center, fourth.point))
    sign = [1.0 if dot(joint.axis, n) > 0.0 else -1.0 for joint in (second, third, fourth)]

    def solve(target: PoseTarget) -> list[ArmBranch]:
        near = target.near
        p = subtract(subtract(target.position, matvec(target.turn, grip)), first.point)
        level = dot(n, h) * dot(h, p)
        at = JointAngle.of(near[0])
        both = two_angles(dot(n, p) - level, -dot(n, cross(h, p)), height - level, at, arm.reach)
        found = []
        for shoulder in sides("shoulder", both, at):
            seen = subtract((-shoulder).turn(h, p), to_pair)
            left = _turned_back(target.turn, h, shoulder)
            ends = solve_wrist(transpose(left), (sixth.axis, fifth.axis, n), JointAngle.of(-near[5]))
            elbows = []
            for end in ends:
                q6, q5, total = (-value for value in end.values)
                turned = -end.last
                flat = pair.flat(seen)
                t = (
                    flat[0] - (turned.c * hand[0] - turned.s * hand[1]),
                    flat[1] - (turned.s * hand[0] + turned.c * hand[1]),
                )
                elbows.append(
                    [
                        ArmBranch(
                            (
                                shoulder.radians,
                                *reached.values,
                                sign[2] * (total - sign[0] * reached.values[0] - sign[1] * reached.values[1]),
                                q5,
                                q6,
                            ),
                            sqrt(both.miss * both.miss + reached.miss * reached.miss),
                            0.0,
                            smaller(smaller(both.margin, end.margin), reached.margin),
                        )
                        for reached in pair.solve(t, a, b, (near[1], near[2]), arm.reach)
                    ]
                )
            found += [wrist[elbow] for elbow in range(len(elbows[0])) for wrist in elbows]
        return found

    names = tuple(f"{x}, {y}, {z}" for x in SHOULDERS for y in pair.names for z in WRIST_NAMES)
    return ClosedArm(ArmFamily.PARALLEL_AXES, "axes 2, 3 and 4 are parallel, axes 5 and 6 intersect", names, solve)


def scara_arm(arm: ArmGeometry) -> ClosedArm | str:
    """The closed form of a SCARA, (10) and two links in the plane; or why it has none."""
    if sorted(arm.letters) != ["P", "R", "R", "R"]:
        return "it does not have three revolute joints and one prismatic joint"
    turning = [joint for joint in arm.joints if not joint.slides]
    slide = next(joint for joint in arm.joints if joint.slides)
    n = turning[0].axis
    if not all(are_parallel(joint.axis, n) for joint in arm.joints):
        return "its four axes are not parallel"
    pair = planar_pair(turning[0], turning[1])
    assert pair is not None
    e, f = across(n)
    a = pair.flat(subtract(turning[1].point, turning[0].point))
    b = pair.flat(subtract(turning[2].point, turning[1].point))
    hand = pair.flat(subtract(arm.tool.origin, turning[2].point))
    sign = [1.0 if dot(joint.axis, n) > 0.0 else -1.0 for joint in turning]
    places = [arm.joints.index(joint) for joint in (*turning, slide)]
    up = dot(slide.axis, n)

    def solve(target: PoseTarget) -> list[ArmBranch]:
        near = [target.near[k] for k in places]
        re, rf, rn = (matvec(target.turn, v) for v in (e, f, n))
        # Where the tool is upside down no turn is nearest: it is held at the sum of the reference's turns.
        so_far = JointAngle.of(sign[0] * near[0] + sign[1] * near[1] + sign[2] * near[2])
        turned = direction(dot(e, re) + dot(f, rf), dot(f, re) - dot(e, rf), so_far, HOLD)
        tilt = cross(n, rn)
        rotation_miss = atan2(sqrt(dot(tilt, tilt)), dot(n, rn))
        flat = pair.flat(subtract(target.position, turning[0].point))
        t = (flat[0] - (turned.c * hand[0] - turned.s * hand[1]), flat[1] - (turned.s * hand[0] + turned.c * hand[1]))
        way = dot(n, subtract(target.position, arm.tool.origin)) * up
        found = []
        for reached in pair.solve(t, a, b, (near[0], near[1]), arm.reach):
            last = sign[2] * (turned.radians - sign[0] * reached.values[0] - sign[1] * reached.values[1])
            values = dict(zip(places, (*reached.values, last, way), strict=True))
            found.append(ArmBranch(tuple(values[k] for k in range(4)), reached.miss, rotation_miss, reached.margin))
        return found

    return ClosedArm(ArmFamily.SCARA, "three revolute joints and one prismatic joint, axes parallel", pair.names, solve)


def _turned_back(m: Matrix3, axis: Vector3, angle: JointAngle) -> Matrix3:
    """R(axis, angle)^-1 M."""
    return matmul((-angle).rotation(axis), m)


FAMILIES: tuple[Callable[[ArmGeometry], ClosedArm | str], ...] = (spherical_wrist_arm, parallel_axes_arm, scara_arm)
"""Functions that give an arm's closed form, or why the arm is not of that family. The first that fits is taken."""
