"""Position inverse of three joints of general geometry: skew axes, oblique prismatic joints (Pieper's quartic).

o_i and h_i are points and axes at q = 0, W is the point that the joints carry, w its target, p = w - o_1,
d = o_2 - o_1. The third joint gives v = G_3 W - o_2. Its components and |v|^2 are linear in y = (cos q_3, sin q_3, 1).

Joint 2 turns: two vectors m_i and numbers k_i with  m_i . R_2 v = k_i  do not depend on the first joint,

(1)  joint 1 turns:   m_1 = h_1, k_1 = h_1 . (p - d);    m_2 = d, k_2 = (|p|^2 - |d|^2 - |v|^2)/2
(2)  joint 1 slides:  m_1, m_2 perpendicular to h_1,  k_i = m_i . (w - o_2)

With z = h_2 . v and m_i' the part of m_i perpendicular to h_2, R_2 turns the part of v perpendicular to h_2 into t,

(3)  t = sum_i c_i m_i',    M c = x,   M_ij = m_i' . m_j',   x_i = k_i - z m_i . h_2
(4)  x' M^-1 x  =  |v|^2 - z^2                                     a quadratic form in y: up to four q_3
(5)  q_2 from the direction of t, q_1 from the remaining turn about h_1 or shift along it

Joint 2 slides, q_2 = (h_1 . (p - d) - h_1 . v)/(h_1 . h_2):

(6)  |d + v + q_2 h_2|^2 = |p|^2                                   likewise

Joint 3 slides: v and |v|^2 are linear in (q, q^2, 1), which with q = L tan(a/2) is, up to a factor,
(L sin a, L^2 (1 - cos a), 1 + cos a), so that (4) is a form in the cosine and sine of a. With (2) it is of second order
in q.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from torquec.expr.math import sqrt
from torquec.kinematics.angle import HOLD, JointAngle, direction, over, settled_root, smaller
from torquec.kinematics.arm_geometry import ArmJoint, across, are_square, is_on_axis
from torquec.kinematics.conic_angles import conic_angles
from torquec.kinematics.position_arm import PositionArm, PositionSolution, Turn
from torquec.spatial import Scalar, Vector3, add, cross, dot, scale, subtract

_RULE = "three joints of general geometry"
_ELBOWS = tuple((f, e) for f in ("forearm up", "forearm down") for e in ("elbow up", "elbow down"))
_SLIDES = tuple((f, e) for f in ("slide out", "slide in") for e in ("elbow up", "elbow down"))

Linear: TypeAlias = tuple[Scalar, Scalar, Scalar]
"""Coefficients over (cos, sin, 1)."""


@dataclass(frozen=True)
class _Outer:
    """The third joint solved: value, turn, v and margin. After the second joint, v is the point as both place it."""

    value: Scalar
    turns: tuple[Turn, ...]
    v: Vector3
    margin: Scalar = 0.0


@dataclass(frozen=True)
class _Third:
    """The third joint: v as three `Linear`, |v|^2 and 1 likewise."""

    joint: ArmJoint
    start: Vector3
    arm: Vector3
    reach: float

    @property
    def v(self) -> tuple[Linear, Linear, Linear]:
        if self.joint.slides:
            return tuple(self._slide(h, 0.0, s) for h, s in zip(self.joint.axis, self.start, strict=True))  # type: ignore[return-value]
        a, b, c = self._circle
        return tuple(zip(a, b, c, strict=True))  # type: ignore[return-value]

    @property
    def square(self) -> Linear:
        if self.joint.slides:
            return self._slide(2.0 * dot(self.start, self.joint.axis), 1.0, dot(self.start, self.start))
        a, b, c = self._circle
        return (2.0 * dot(a, c), 2.0 * dot(b, c), dot(c, c) + dot(a, a))

    @property
    def one(self) -> Linear:
        return (1.0, 0.0, 1.0) if self.joint.slides else (0.0, 0.0, 1.0)

    @property
    def _circle(self) -> tuple[Vector3, Vector3, Vector3]:
        """Coefficients of cos, sin and 1 in v."""
        h = self.joint.axis
        along = scale(h, dot(h, self.arm))
        return subtract(self.arm, along), cross(h, self.arm), add(self.start, along)

    def _slide(self, q: float, square: float, one: float) -> Linear:
        far = square * self.reach**2
        return (one - far, q * self.reach, one + far)

    def at(self, angle: JointAngle, margin: Scalar) -> _Outer:
        """The joint at an angle; a slide at the displacement that the angle stands for."""
        if self.joint.slides:
            return self.slid(self.reach * over(angle.s, 1.0 + angle.c), margin)
        there = add(self.start, angle.turn(self.joint.axis, self.arm))
        return _Outer(angle.radians, ((self.joint.axis, angle),), there, margin)

    def slid(self, way: Scalar, margin: Scalar) -> _Outer:
        """The slide at a displacement."""
        return _Outer(way, (), add(self.start, scale(self.joint.axis, way)), margin)


def general_position(joints: Sequence[ArmJoint], point: Vector3, reach: float) -> PositionArm | None:
    """The closed form of three joints that carry `point`, or None where the equations are dependent.

    The equations are dependent for arms with parallel, orthogonal or intersecting axes: `position_arm` solves those.
    """
    first, second, third = joints
    if not third.slides and is_on_axis(point, third):
        return None
    if third.slides:
        carried = _Third(third, subtract(point, second.point), (0.0, 0.0, 0.0), reach)
    else:
        carried = _Third(third, subtract(third.point, second.point), subtract(point, third.point), reach)
    if second.slides:
        if first.slides or third.slides or are_square(first.axis, second.axis):
            return None
        return _sliding_second(first, second, carried)
    return _turning_second(first, second, carried)


def _turning_second(first: ArmJoint, second: ArmJoint, third: _Third) -> PositionArm | None:
    """The closed form (1)-(5) for a revolute second joint."""
    h1, h2, reach = first.axis, second.axis, third.reach
    d = subtract(second.point, first.point)
    m1, m2 = across(h1) if first.slides else (h1, d)
    flat1, flat2 = (subtract(m, scale(h2, dot(m, h2))) for m in (m1, m2))
    (a, b), c = (dot(flat1, flat1), dot(flat1, flat2)), dot(flat2, flat2)
    determinant = a * c - b * b
    if determinant < 1e-12 * max(a, 1e-30) * max(c, 1e-30):
        return None
    inverse = ((c / determinant, -b / determinant), (-b / determinant, a / determinant))
    v, square, one = third.v, third.square, third.one
    z = _combined(h2, v)

    def known(w: Vector3) -> tuple[Scalar, Scalar]:
        """k_i but for |v|^2."""
        if first.slides:
            left = subtract(w, second.point)
            return dot(m1, left), dot(m2, left)
        p = subtract(w, first.point)
        return dot(h1, subtract(p, d)), 0.5 * (dot(p, p) - dot(d, d))

    share = 0.0 if first.slides else 0.5

    def solve(w: Vector3, near: Sequence[Scalar]) -> list[PositionSolution]:
        k1, k2 = known(w)
        x1 = _plus((k1, one), (-dot(m1, h2), z))
        x2 = _plus((k2, one), (-dot(m2, h2), z), (-share, square))
        parts = [(inverse[0][0], x1, x1), (2.0 * inverse[0][1], x1, x2), (inverse[1][1], x2, x2)]
        ends = _ends(third, [*parts, (1.0, z, z), (-1.0, square, one)], near[2], quadratic=first.slides)
        found = []
        for end in ends:
            there = end.v
            height = dot(h2, there)
            y1 = k1 - height * dot(m1, h2)
            y2 = k2 - height * dot(m2, h2) - share * dot(there, there)
            c1, c2 = inverse[0][0] * y1 + inverse[0][1] * y2, inverse[1][0] * y1 + inverse[1][1] * y2
            t = add(scale(flat1, c1), scale(flat2, c2))
            flat = subtract(there, scale(h2, height))
            held = JointAngle.of(near[1])
            turn = direction(dot(flat, t), dot(h2, cross(flat, t)), held, (HOLD * reach) * (HOLD * reach))
            outer = _Outer(
                end.value,
                ((h2, turn), *end.turns),
                add(d, turn.turn(h2, there)),
                smaller(end.margin, sqrt(dot(flat, flat)) / reach),
            )
            found.append(_closed(first, w, near[0], turn.radians, outer, reach=reach))
        return found

    names = (("slide out",), ("slide in",)) if first.slides and third.joint.slides else None
    return PositionArm(_RULE, names or (_SLIDES if third.joint.slides else _ELBOWS), solve)


def _sliding_second(first: ArmJoint, second: ArmJoint, third: _Third) -> PositionArm:
    """The closed form (6), (5) for a prismatic second joint."""
    h1, h2, reach = first.axis, second.axis, third.reach
    d = subtract(second.point, first.point)
    per = 1.0 / dot(h1, h2)
    v, one = third.v, third.one

    def solve(w: Vector3, near: Sequence[Scalar]) -> list[PositionSolution]:
        p = subtract(w, first.point)
        height = dot(h1, subtract(p, d))
        slide = _plus((per * height, one), (-per, _combined(h1, v)))
        parts: list[tuple[Scalar, Linear, Linear]] = [(-dot(p, p), one, one)]
        for k in range(3):
            reached = _plus((d[k], one), (1.0, v[k]), (h2[k], slide))
            parts.append((1.0, reached, reached))
        found = []
        for end in _ends(third, parts, near[2], quadratic=False):
            way = per * (height - dot(h1, end.v))
            outer = _Outer(end.value, end.turns, add(d, add(end.v, scale(h2, way))), end.margin)
            found.append(_closed(first, w, near[0], way, outer, reach=reach))
        return found

    return PositionArm(_RULE, _ELBOWS, solve)


def _closed(
    first: ArmJoint, w: Vector3, near: Scalar, second: Scalar, outer: _Outer, *, reach: float
) -> PositionSolution:
    """The solution with joint 1 by (5); `outer` holds joints 3 and 2, which place the point at v, seen from o_1."""
    h, p, inner = first.axis, subtract(w, first.point), outer.v
    if first.slides:
        way = dot(h, subtract(p, inner))
        off = subtract(add(inner, scale(h, way)), p)
        return PositionSolution((way, second, outer.value), outer.turns, sqrt(dot(off, off)), outer.margin)
    x = dot(inner, p) - dot(h, inner) * dot(h, p)
    base = direction(x, dot(h, cross(inner, p)), JointAngle.of(near), (HOLD * reach) * (HOLD * reach))
    off = subtract(base.turn(h, inner), p)
    aside = cross(h, p)
    clear = smaller(outer.margin, sqrt(dot(aside, aside)) / reach)
    return PositionSolution((base.radians, second, outer.value), ((h, base), *outer.turns), sqrt(dot(off, off)), clear)


def _ends(
    third: _Third, parts: Sequence[tuple[Scalar, Linear, Linear]], near: Scalar, *, quadratic: bool
) -> list[_Outer]:
    """Solutions for the third joint of  sum s (a . y)(b . y) = 0."""
    Q = [
        [sum((0.5 * s * (a[i] * b[j] + a[j] * b[i]) for s, a, b in parts), start=0.0) for j in range(3)]
        for i in range(3)
    ]
    if third.joint.slides and quadratic:
        return _two_slides(third, Q)
    held = JointAngle.of(0.0 if third.joint.slides else near)
    return [third.at(one.angle, one.margin) for one in conic_angles(Q, held)]


def _two_slides(third: _Third, Q: Sequence[Sequence[Scalar]]) -> list[_Outer]:
    """The form of a slide that is of second order: over t = q/L,  A t^2 + 2 B t + C = 0.

    The form is (1 + t^2)^2 times that at cos a = (1 - t^2)/(1 + t^2): read off at t = 0, 1, -1 with weights 1, 2, 2.
    """
    C = Q[0][0] + 2.0 * Q[0][2] + Q[2][2]
    plus, minus = (4.0 * (Q[1][1] + 2.0 * sign * Q[1][2] + Q[2][2]) for sign in (1.0, -1.0))
    A, B = 0.5 * (plus + minus) - C, 0.25 * (plus - minus)
    root = settled_root(B * B - A * C, B * B + A * A + C * C)
    found = []
    for sign in (1.0, -1.0):
        way = third.reach * over(sign * root - B, A)
        found.append(third.slid(way, over(root, sqrt(A * A + B * B + C * C))))
    return found


def _combined(vector: Vector3, forms: tuple[Linear, Linear, Linear]) -> Linear:
    return _plus(*zip(vector, forms, strict=True))


def _plus(*parts: tuple[Scalar, Linear]) -> Linear:
    a, b, c = (sum((s * form[i] for s, form in parts), start=0.0) for i in range(3))
    return (a, b, c)
