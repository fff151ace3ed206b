"""Planar two-joint inverse: revolute about the plane's normal or prismatic in the plane.

(1)  t = G_a (a + G_b b),   G a rotation in the plane or a shift along a direction u in the plane
(2)  R R:  |t|^2 = |a|^2 + |b|^2 + 2 a.R(q_b) b             the elbow, then the direction of t gives q_a
(3)  R P:  |t|^2 = |a + b + q_b u|^2                        the slide, then the direction of t gives q_a
(4)  P R:  (u x t) = u x (a + R(q_b) b)                     the turn, then the remainder along u gives q_a
(5)  P P:  t = a + b + q_a u_a + q_b u_b                    linear

t is the target, a and b are the two links at q = 0: vectors of the plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from torquec.expr.math import absolute, sqrt
from torquec.kinematics.angle import (
    HOLD,
    JointAngle,
    direction,
    elbow_root,
    larger,
    settled_root,
    sides,
    smaller,
    two_angles,
    two_directions,
)
from torquec.kinematics.arm_geometry import PARALLEL, ArmJoint, across, are_parallel, are_square
from torquec.spatial import Scalar, Vector3, cross, dot, norm, scale

Flat: TypeAlias = tuple[Scalar, Scalar]
"""A vector of the plane, in its two axes."""

NO_TURN = JointAngle(1.0, 0.0)


@dataclass(frozen=True)
class PairSolution:
    """Values of the two joints, their turn together, the distance missed [m] and the margin (0 if singular)."""

    values: tuple[Scalar, Scalar]
    turn: JointAngle
    miss: Scalar
    margin: Scalar


@dataclass(frozen=True)
class PlanarPair:
    """Two joints of a plane with unit normal `n` and axes `e`, `f`."""

    first: ArmJoint
    second: ArmJoint
    n: Vector3
    e: Vector3
    f: Vector3

    @property
    def names(self) -> tuple[str, ...]:
        """Names that distinguish the solutions, in their order."""
        letters = self.first.slides, self.second.slides
        return {
            (False, False): ("elbow up", "elbow down"),
            (False, True): ("slide out", "slide in"),
            (True, False): ("elbow up", "elbow down"),
            (True, True): ("",),
        }[letters]

    def flat(self, v: Vector3) -> Flat:
        """A vector's part in the plane."""
        return (dot(self.e, v), dot(self.f, v))

    def solve(self, t: Flat, a: Flat, b: Flat, near: tuple[Scalar, Scalar], unit: float) -> list[PairSolution]:
        """The solutions of (1); a free joint keeps its value in `near`; `unit` [m] is the scale of lengths."""
        if self.first.slides and self.second.slides:
            return self._slides(t, a, b)
        if self.first.slides:
            return self._slide_and_turn(t, a, b, near, unit)
        if self.second.slides:
            return self._turn_and_slide(t, a, b, near, unit)
        return self._turns(t, a, b, near, unit)

    def _turns(self, t: Flat, a: Flat, b: Flat, near: tuple[Scalar, Scalar], unit: float) -> list[PairSolution]:
        """Equation (2), two links."""
        far = sqrt(_square(t))
        upper, fore = sqrt(_square(a)), sqrt(_square(b))
        signs = self._sign(self.first), self._sign(self.second)
        held = [JointAngle.of(value).signed(sign) for value, sign in zip(near, signs, strict=True)]
        rest = _square(t) - _square(a) - _square(b)
        root = elbow_root(far, upper, fore, unit)
        elbow = two_directions(2.0 * _dot(a, b), -2.0 * _cross(a, b), rest, root, held[1], unit * unit)
        miss = larger(larger(far - (upper + fore), absolute(upper - fore) - far), 0.0)
        found = []
        for bend in sides("elbow", elbow, held[1]):
            arm = _sum(a, _turned(bend, b))
            shoulder = direction(_dot(arm, t), _cross(arm, t), held[0], (HOLD * unit) * (HOLD * unit))
            values = (signs[0] * shoulder.radians, signs[1] * bend.radians)
            margin = smaller(elbow.margin, far / unit)
            found.append(PairSolution(values, shoulder + bend, miss, margin))
        return found

    def _turn_and_slide(
        self, t: Flat, a: Flat, b: Flat, near: tuple[Scalar, Scalar], unit: float
    ) -> list[PairSolution]:
        """Equation (3), a slide on a turntable."""
        u = self.flat(self.second.axis)
        start = _sum(a, b)
        along, aside = _dot(u, start), _cross(u, start)
        far = sqrt(_square(t))
        root = settled_root((far - aside) * (far + aside), far * far)
        sign = self._sign(self.first)
        held = JointAngle.of(near[0]).signed(sign)
        found = []
        for way in (root - along, -root - along):
            arm = (start[0] + way * u[0], start[1] + way * u[1])
            turn = direction(_dot(arm, t), _cross(arm, t), held, (HOLD * unit) * (HOLD * unit))
            margin = smaller(root, far) / unit
            found.append(PairSolution((sign * turn.radians, way), turn, larger(absolute(aside) - far, 0.0), margin))
        return found

    def _slide_and_turn(
        self, t: Flat, a: Flat, b: Flat, near: tuple[Scalar, Scalar], unit: float
    ) -> list[PairSolution]:
        """Equation (4), a turntable on a slide."""
        u = self.flat(self.first.axis)
        sign = self._sign(self.second)
        missing = (t[0] - a[0], t[1] - a[1])
        bends = two_angles(_cross(u, b), _dot(u, b), _cross(u, missing), JointAngle.of(near[1]).signed(sign), unit)
        found = []
        for bend in (bends.first, bends.second):
            way = _dot(u, missing) - _dot(u, _turned(bend, b))
            found.append(PairSolution((way, sign * bend.radians), bend, bends.miss, bends.margin))
        return found

    def _slides(self, t: Flat, a: Flat, b: Flat) -> list[PairSolution]:
        """Equation (5), two slides."""
        u, v = self.flat(self.first.axis), self.flat(self.second.axis)
        way = (t[0] - a[0] - b[0], t[1] - a[1] - b[1])
        area = _cross(u, v)
        values = (_cross(way, v) / area, _cross(u, way) / area)
        return [PairSolution(values, NO_TURN, 0.0, absolute(area))]

    def _sign(self, joint: ArmJoint) -> float:
        return 1.0 if dot(joint.axis, self.n) > 0.0 else -1.0


def planar_pair(first: ArmJoint, second: ArmJoint) -> PlanarPair | None:
    """The plane that two joints move in, or None where there is none.

    A turning joint's axis is the normal; a slide's lies in the plane.
    """
    turning = [joint.axis for joint in (first, second) if not joint.slides]
    if turning:
        n = turning[0]
    else:
        n = cross(first.axis, second.axis)
        if norm(n) < PARALLEL:
            return None
        n = scale(n, 1.0 / norm(n))
    for joint in (first, second):
        if not (are_square(joint.axis, n) if joint.slides else are_parallel(joint.axis, n)):
            return None
    return PlanarPair(first, second, n, *across(n))


def _dot(a: Flat, b: Flat) -> Scalar:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Flat, b: Flat) -> Scalar:
    return a[0] * b[1] - a[1] * b[0]


def _square(a: Flat) -> Scalar:
    return _dot(a, a)


def _sum(a: Flat, b: Flat) -> Flat:
    return (a[0] + b[0], a[1] + b[1])


def _turned(angle: JointAngle, v: Flat) -> Flat:
    return (angle.c * v[0] - angle.s * v[1], angle.s * v[0] + angle.c * v[1])
