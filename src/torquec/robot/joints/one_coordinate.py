"""Joints with one coordinate: revolute (with position limits), continuous (without) and prismatic.

Positions form a line, so that rates are derivatives of positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.expr.math import apply
from torquec.expr.ops import Op
from torquec.robot.joints.kind import JointKind, KindCoordinate, PositionBasis, UnitTwist
from torquec.robot.right_angle import cos_sin_of, exact_cos_sin
from torquec.spatial import Pose, Scalar, Vector3, axis_angle_rotation, scale


@dataclass(frozen=True)
class OneCoordinate:
    """A joint kind with nq = nv = 1; `name` is also its word in URDF and DH tables."""

    name: str
    coordinate: KindCoordinate
    has_position_limits: bool
    letter: str
    mjcf: str

    @property
    def coordinates(self) -> tuple[KindCoordinate, ...]:
        """Its only rate."""
        return (self.coordinate,)

    @property
    def motion_subspace(self) -> tuple[UnitTwist, ...]:
        """Its only column of S, rotation about or translation along z."""
        return (self.coordinate.column,)

    @property
    def nq(self) -> int:
        """One position coordinate."""
        return 1

    @property
    def nv(self) -> int:
        """One rate."""
        return 1

    @property
    def neutral(self) -> tuple[float, ...]:
        """Zero."""
        return (0.0,)

    @property
    def urdf(self) -> str:
        """Its word in URDF."""
        return self.name

    @property
    def dh(self) -> str:
        """Its word in DH tables."""
        return self.name

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """q + v."""
        return (q[0] + v[0],)

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """q1 - q0; turns are counted, not taken away."""
        return (q1[0] - q0[0],)

    def rate_map(self, q: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:  # noqa: ARG002 - as for all kinds
        """1: the rate is the derivative of the position."""
        return ((1.0,),)


_ROTATION_ABOUT_Z = KindCoordinate(UnitTwist(2, turns=True), PositionBasis.TRIGONOMETRIC)


@dataclass(frozen=True)
class RevoluteJoint(OneCoordinate):
    """A hinge."""

    @property
    def limited(self) -> JointKind:
        """The hinge with position limits."""
        return REVOLUTE

    @property
    def unlimited(self) -> JointKind:
        """The hinge without position limits."""
        return CONTINUOUS

    def placement(self, axis: Vector3, q: Sequence[Scalar]) -> Pose:
        """Rotation by q about the axis; multiples of pi/2 are not rounded, q is data."""
        return Pose(axis_angle_rotation(axis, apply(Op.COS, q[0]), apply(Op.SIN, q[0])))

    def z_screw(self, theta: float, d: float, q: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        """Rz(theta + q) Tz(d)."""
        return (*cos_sin_of(q[0], theta), d)


REVOLUTE = RevoluteJoint("revolute", _ROTATION_ABOUT_Z, has_position_limits=True, letter="R", mjcf="hinge")
CONTINUOUS = RevoluteJoint("continuous", _ROTATION_ABOUT_Z, has_position_limits=False, letter="R", mjcf="hinge")


_TRANSLATION_ALONG_Z = KindCoordinate(UnitTwist(2, turns=False), PositionBasis.POLYNOMIAL)


@dataclass(frozen=True)
class PrismaticJoint(OneCoordinate):
    """A slide."""

    @property
    def limited(self) -> JointKind:
        """Itself: every slide may have limits."""
        return self

    @property
    def unlimited(self) -> JointKind:
        """Itself: files have no word of their own for a slide without limits."""
        return self

    def placement(self, axis: Vector3, q: Sequence[Scalar]) -> Pose:
        """Translation by q along the axis."""
        return Pose(origin=scale(axis, q[0]))

    def z_screw(self, theta: float, d: float, q: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        """Rz(theta) Tz(d + q)."""
        return (*exact_cos_sin(theta), d + q[0])


PRISMATIC = PrismaticJoint("prismatic", _TRANSLATION_ALONG_Z, has_position_limits=True, letter="P", mjcf="slide")
