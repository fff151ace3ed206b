"""Position inverse of three joints in closed form: all solutions that bring a point to a target.

The point W is on the third link, o_i and h_i are points and axes of the joints at q = 0, w is the target of W.

(1)  joints 2, 3 move in a plane of normal n:   n . G_1^-1 w = n . W                                 the shoulder,
     then joints 2, 3 reach G_1^-1 w in the plane (PUMA 560, Stanford arm, cylinder and gantry arms)
(2)  joints 1, 2 move in a plane of normal n:   n . w = n . G_3 W                                    the third joint,
     then joints 1, 2 reach w in the plane (SCARA with a wrist)
(3)  axes 1 and 2 intersect in O:   |w - O| = |G_3 W - O|                                            the third joint,
     then h_1 . R_2 (G_3 W - O) = h_1 . (w - O) the second, and the remaining turn about h_1 the first
(4)  with u = G_3 W - O, c = h_1 . h_2, s = |h_1 x h_2|, the part of u perpendicular to both axes is, after the second
     turn, +- sqrt(|h_1 x (w - O)|^2 - (h_2 . u - c h_1 . (w - O))^2/s^2)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product as combinations
from typing import TypeAlias

from torquec.expr.math import sqrt
from torquec.kinematics.angle import (
    HOLD,
    JointAngle,
    direction,
    elbow_root,
    larger,
    over,
    settled_root,
    sides,
    smaller,
    two_angles,
    two_directions,
)
from torquec.kinematics.arm_geometry import ArmJoint, are_parallel, are_square, is_on_axis, meeting_point
from torquec.kinematics.planar_pair import PairSolution, PlanarPair, planar_pair
from torquec.spatial import Scalar, Vector3, add, cross, dot, norm, scale, subtract

SHOULDERS = ("shoulder left", "shoulder right")

Turn: TypeAlias = tuple[Vector3, JointAngle]
"""A rotation: its axis at q = 0, and its angle."""


@dataclass(frozen=True)
class PositionSolution:
    """Values of the three joints, their turns from the base on, the distance missed, and the margin."""

    values: tuple[Scalar, Scalar, Scalar]
    turns: tuple[Turn, ...]
    miss: Scalar
    margin: Scalar


@dataclass(frozen=True)
class PositionArm:
    """A closed form for three joints: `solve(w, near)` gives one solution per name, in the same order."""

    rule: str
    names: tuple[tuple[str, ...], ...]
    solve: Callable[[Vector3, Sequence[Scalar]], list[PositionSolution]]


@dataclass(frozen=True)
class _Placed:
    """The joint that is solved first: its value and turn, and the vector that is left for the other two joints."""

    value: Scalar
    turns: tuple[Turn, ...]
    seen: Vector3
    miss: Scalar = 0.0
    margin: Scalar = 1.0


def position_arm(joints: Sequence[ArmJoint], point: Vector3, reach: float) -> PositionArm | None:
    """The closed form (1)-(3) for three joints that carry `point`, or None where none fits."""
    first, second, third = joints
    if not third.slides and is_on_axis(point, third):
        return None
    outer = planar_pair(second, third)
    if outer is not None and _leaves(first, outer):
        return _shoulder_first(first, outer, point, reach)
    inner = planar_pair(first, second)
    if inner is not None and _leaves(third, inner):
        return _third_joint_first(inner, third, point, reach)
    if not first.slides and not second.slides:
        center = meeting_point(first, second)
        if center is not None:
            slant = dot(first.axis, second.axis)
            return about_a_point(joints, center, point, reach, slant=slant)
    return None


def _leaves(joint: ArmJoint, pair: PlanarPair) -> bool:
    """Whether a joint moves things out of the plane of the other two."""
    return not (are_square(joint.axis, pair.n) if joint.slides else are_parallel(joint.axis, pair.n))


def _shoulder_first(first: ArmJoint, pair: PlanarPair, point: Vector3, reach: float) -> PositionArm:
    """The closed form (1): the shoulder, then joints 2 and 3 in their plane."""
    n, h = pair.n, first.axis
    height = dot(n, subtract(point, first.point))
    to_pair = subtract(pair.first.point, first.point)
    a = pair.flat(subtract(pair.second.point, pair.first.point))
    b = pair.flat(subtract(point, pair.second.point))

    def shoulders(p: Vector3, held: Scalar) -> list[_Placed]:
        if first.slides:
            way = (dot(n, p) - height) / dot(n, h)
            return [_Placed(way, (), subtract(p, scale(h, way)))]
        level = dot(n, h) * dot(h, p)
        at = JointAngle.of(held)
        both = two_angles(dot(n, p) - level, -dot(n, cross(h, p)), height - level, at, reach)
        return [
            _Placed(angle.radians, ((h, angle),), (-angle).turn(h, p), both.miss, both.margin)
            for angle in sides("shoulder", both, at)
        ]

    def solve(w: Vector3, near: Sequence[Scalar]) -> list[PositionSolution]:
        found = []
        for one in shoulders(subtract(w, first.point), near[0]):
            for end in pair.solve(pair.flat(subtract(one.seen, to_pair)), a, b, (near[1], near[2]), reach):
                turns = (*one.turns, (n, end.turn))
                found.append(_joined((one.value, *end.values), turns, one, end))
        return found

    names = ("",) if first.slides else SHOULDERS
    return PositionArm("joints 2 and 3 move in a plane", _names(names, pair.names), solve)


def _third_joint_first(pair: PlanarPair, third: ArmJoint, point: Vector3, reach: float) -> PositionArm:
    """The closed form (2): the third joint, then joints 1 and 2 in their plane."""
    n, h = pair.n, third.axis
    a = pair.flat(subtract(pair.second.point, pair.first.point))
    to_third = subtract(third.point, pair.second.point)
    fore = subtract(point, third.point)
    rise = dot(n, subtract(third.point, pair.first.point))

    def thirds(height: Scalar, held: Scalar) -> list[_Placed]:
        if third.slides:
            way = (height - rise - dot(n, fore)) / dot(n, h)
            return [_Placed(way, (), add(fore, scale(h, way)))]
        level = dot(n, h) * dot(h, fore)
        both = two_angles(
            dot(n, fore) - level, dot(n, cross(h, fore)), height - rise - level, JointAngle.of(held), reach
        )
        return [
            _Placed(angle.radians, ((h, angle),), angle.turn(h, fore), both.miss, both.margin)
            for angle in (both.first, both.second)
        ]

    def solve(w: Vector3, near: Sequence[Scalar]) -> list[PositionSolution]:
        p = subtract(w, pair.first.point)
        found = []
        for one in thirds(dot(n, p), near[2]):
            b = pair.flat(add(to_third, one.seen))
            for end in pair.solve(pair.flat(p), a, b, (near[0], near[1]), reach):
                turns = ((n, end.turn), *one.turns)
                found.append(_joined((*end.values, one.value), turns, one, end))
        return found

    names = ("",) if third.slides else ("forearm up", "forearm down")
    return PositionArm("joints 1 and 2 move in a plane", _names(names, pair.names), solve)


def about_a_point(
    joints: Sequence[ArmJoint], center: Vector3, point: Vector3, reach: float, *, slant: float
) -> PositionArm:
    """The closed form (3), where the first two axes, at an angle with the cosine `slant`, meet in `center`.

    Those axes may be expressions.
    """
    first, second, third = joints
    a, b = subtract(third.point, center), subtract(point, third.point)
    h1, h2, h3 = first.axis, second.axis, third.axis
    sine = sqrt(1.0 - slant * slant)

    def thirds(p: Vector3, held: Scalar) -> list[_Placed]:
        square = dot(p, p)
        if third.slides:
            start = add(a, b)
            along = dot(h3, start)
            aside = sqrt(larger(dot(start, start) - along * along, 0.0))
            far = sqrt(square)
            root = settled_root((far - aside) * (far + aside), far * far)
            return [
                _Placed(way, (), add(start, scale(h3, way)), margin=root / reach)
                for way in (root - along, -root - along)
            ]
        level = dot(a, h3) * dot(h3, b)
        rest = (square - dot(a, a) - dot(b, b)) * 0.5 - level
        x, y, at = dot(a, b) - level, dot(a, cross(h3, b)), JointAngle.of(held)
        if are_square(a, h3) and are_square(b, h3):
            root = 0.5 * elbow_root(sqrt(square), norm(a), norm(b), reach)
            both = two_directions(x, y, rest, root, at, reach * reach)
        else:
            both = two_angles(x, y, rest, at, reach * reach)
        return [
            _Placed(angle.radians, ((h3, angle),), add(a, angle.turn(h3, b)), margin=both.margin)
            for angle in (both.first, both.second)
        ]

    def solve(w: Vector3, near: Sequence[Scalar]) -> list[PositionSolution]:
        p = subtract(w, center)
        along, across_p = dot(h1, p), _length(cross(h1, p))
        found = []
        for one in thirds(p, near[2]):
            seen = one.seen
            level = slant * dot(h2, seen)
            # |h1 x p| keeps all its digits, even where p is next to h1 and d^2 is nearly |p|^2 (4).
            aside = over(dot(h2, seen) - slant * along, sine)
            root = sine * settled_root((across_p - aside) * (across_p + aside), across_p * reach)
            both = two_directions(
                dot(h1, seen) - level, dot(h1, cross(h2, seen)), along - level, root, JointAngle.of(near[1]), reach
            )
            for angle in (both.first, both.second):
                there = angle.turn(h2, seen)
                x = dot(there, p) - dot(h1, there) * along
                base = direction(x, dot(h1, cross(there, p)), JointAngle.of(near[0]), (HOLD * reach) * (HOLD * reach))
                off = subtract(base.turn(h1, there), p)
                # The two errors are not perpendicular: their sum is computed as a vector.
                miss = sqrt(dot(off, off))
                clear = across_p / reach
                found.append(
                    PositionSolution(
                        (base.radians, angle.radians, one.value),
                        ((h1, base), (h2, angle), *one.turns),
                        miss,
                        smaller(smaller(one.margin, both.margin), clear),
                    )
                )
        return found

    reaches = ("slide out", "slide in") if third.slides else ("elbow up", "elbow down")
    return PositionArm("axes 1 and 2 intersect", _names(reaches, SHOULDERS), solve)


def _length(v: Vector3) -> Scalar:
    return sqrt(dot(v, v))


def _joined(
    values: tuple[Scalar, Scalar, Scalar], turns: tuple[Turn, ...], one: _Placed, end: PairSolution
) -> PositionSolution:
    """One joint and a pair together; their errors are perpendicular: along the normal and in the plane."""
    miss = sqrt(one.miss * one.miss + end.miss * end.miss)
    return PositionSolution(values, turns, miss, smaller(one.margin, end.margin))


def _names(outer: Sequence[str], inner: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(word for word in pair if word) for pair in combinations(outer, inner))
