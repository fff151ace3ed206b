"""`JointKind`: everything the other rooms ask of a kind of joint, so that none of them asks which kind it is.

A joint has nq position coordinates and nv rates. Rates are those of the child body relative to its parent, in the
child's own axes (body frame); column k of the motion subspace S is the twist of a unit rate k alone:

(1)  twist = S v,      generalized force = S' wrench
(2)  dq/dt = N(q) v,   N the rate map, nq x nv
(3)  integrate(q, v) is the position after following the constant rates v for one unit of time from q, and
     difference(q, integrate(q, v)) = v for rates of less than half a turn

One-coordinate joints have nq = nv = 1, N = 1. Kinds whose positions are unit quaternions (w, x, y, z) have nq = nv + 1.
The joint's axis is the z axis of the axes in which S stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from torquec.robot.joints.position_basis import PositionBasis
from torquec.robot.joints.unit_twist import UnitTwist
from torquec.spatial import Pose, Scalar, Vector3


@dataclass(frozen=True)
class KindCoordinate:
    """One of the nv rates of a joint: its column of S, and how the closed form depends on its position.

    `suffix` tells the coordinates of one joint apart in names, such as "x"; it is empty where there is only one.
    `basis` is None where no single position coordinate belongs to the rate, as in a quaternion.
    """

    column: UnitTwist
    basis: PositionBasis | None
    suffix: str = ""

    @property
    def turns(self) -> bool:
        """True for an angular rate, False for a linear one."""
        return self.column.turns

    @property
    def position_unit(self) -> str:
        """SI unit of a displacement along this coordinate."""
        return "rad" if self.column.turns else "m"

    @property
    def speed_unit(self) -> str:
        """SI unit of the rate."""
        return f"{self.position_unit}/s"

    @property
    def effort_unit(self) -> str:
        """SI unit of the generalized force."""
        return "N m" if self.column.turns else "N"


class JointKind(Protocol):
    """A kind of joint; implementations are frozen dataclasses, one file each, listed in `KINDS`."""

    @property
    def name(self) -> str:
        """Its name, the value of its `JointType`."""

    @property
    def coordinates(self) -> tuple[KindCoordinate, ...]:
        """The nv rates in order."""

    @property
    def motion_subspace(self) -> tuple[UnitTwist, ...]:
        """The columns of S in the child's axes, whose z is the joint's axis."""

    @property
    def coordinate(self) -> KindCoordinate:
        """The rate of a joint that has a single one; raises `ArgumentError` for other joints."""

    @property
    def nq(self) -> int:
        """Number of position coordinates."""

    @property
    def nv(self) -> int:
        """Number of rates."""

    @property
    def neutral(self) -> tuple[float, ...]:
        """The position (nq,) at which the child's frame coincides with the joint frame."""

    @property
    def has_position_limits(self) -> bool:
        """Whether robot files give this kind limits of position."""

    @property
    def limited(self) -> JointKind:
        """The kind of the same motion to which robot files give position limits; itself where there is no other."""

    @property
    def unlimited(self) -> JointKind:
        """The kind of the same motion without position limits; itself where there is no other."""

    @property
    def letter(self) -> str:
        """Its letter in the name of an arm's structure: R, P."""

    @property
    def urdf(self) -> str:
        """Its word in `<joint type=..>` of URDF."""

    @property
    def mjcf(self) -> str:
        """Its word in `<joint type=..>` of MJCF."""

    @property
    def dh(self) -> str:
        """Its word in `type = ..` of DH tables."""

    def placement(self, axis: Vector3, q: Sequence[Scalar]) -> Pose:
        """The child's frame in the joint frame at q (nq,), over any scalar; `axis` is a unit vector of that frame."""

    def z_screw(self, theta: float, d: float, q: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar]:
        """(cos, sin, height) of Rz(angle) Tz(height), the variable part of modified-DH frames with offsets theta, d.

        Raises `ArgumentError` for kinds that are no screw about one axis.
        """

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The position (nq,) of (3), from rates times time (nv,)."""

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The rates (nv,) that lead from q0 to q1 in one unit of time (3)."""

    def rate_map(self, q: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """N(q) of (2), nq rows of nv."""
