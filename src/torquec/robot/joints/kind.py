"""`JointKind`: interface of all joint kinds (coordinates, motion, units, names), so that no caller tests the kind.

A joint has nq position coordinates and nv rates. Rates are those of the child body relative to its parent, in the
child's own axes (body frame); column k of the motion subspace S is the twist of a unit rate k alone:

(1)  twist = S v,      generalized force = S' wrench
(2)  dq/dt = N(q) v,   N the rate map, nq x nv
(3)  integrate(q, v) is the position after following the constant rates v for one unit of time from q, and
     difference(q, integrate(q, v)) = v for rates of less than half a turn

One-coordinate joints have nq = nv = 1, N = 1. Kinds whose positions are unit quaternions (w, x, y, z) have nq = nv + 1.
S is expressed in axes whose z is the joint's axis. Columns of S are unit twists along coordinate axes:

(4)  rotation:     linear part 0,     angular part e_k
(5)  translation:  linear part e_k,   angular part 0;   the linear part is the velocity of the link's origin

The position of a single coordinate enters the dynamics through basis functions:

(6)  angle q:         cos(k q), sin(k q), k = 0 .. degree     2 degree + 1 functions, periodic in 2 pi
(7)  displacement q:  q^k, k = 0 .. degree                    degree + 1 functions
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from torquec.errors import ArgumentError
from torquec.spatial import IDENTITY_ROTATION, Matrix3, Pose, Scalar, Vector3


@dataclass(frozen=True)
class KindCoordinate:
    """One of the nv rates of a joint: its column of S, and how the closed form depends on its position.

    `suffix` distinguishes the names of a joint's coordinates, such as "x"; empty for a single one.
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


@dataclass(frozen=True)
class JointKind:
    """A kind of joint: `coordinates` are its nv rates, `neutral` (nq,) is where child and joint frame coincide.

    `letter` stands for it in the name of an arm's structure; `urdf`, `mjcf` and `dh` are its words in files, empty
    where a format has none. Subclasses give the motion; all kinds are in `KINDS`.
    """

    name: str
    coordinates: tuple[KindCoordinate, ...]
    neutral: tuple[float, ...] = (0.0,)
    has_position_limits: bool = False
    letter: str = "-"
    urdf: str = ""
    mjcf: str = ""
    dh: str = ""

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return len(self.neutral)

    @property
    def nv(self) -> int:
        """Number of rates."""
        return len(self.coordinates)

    @property
    def position_suffixes(self) -> tuple[str, ...]:
        """Suffixes of the names of the nq positions, such as "qw"; empty for a single one."""
        if self.nq == self.nv:
            return tuple(each.suffix.removeprefix("v") for each in self.coordinates)
        return (*"xyz"[: self.nq - 4], "qw", "qx", "qy", "qz")

    @property
    def motion_subspace(self) -> tuple[UnitTwist, ...]:
        """The columns of S in the child's axes, whose z is the joint's axis."""
        return tuple(each.column for each in self.coordinates)

    @property
    def coordinate(self) -> KindCoordinate:
        """The rate of a joint that has a single one; raises `ArgumentError` for other joints."""
        if len(self.coordinates) > 1:
            raise ArgumentError(
                f"a joint of kind '{self.name}' has {self.nv} coordinates",
                remedy="fix the base (load(path, base='fixed')), or take the quantities of torquec.compile",
            )
        return self.coordinates[0]

    @property
    def limited(self) -> JointKind:
        """The kind of the same motion to which robot files give position limits; itself where there is no other."""
        return self

    @property
    def unlimited(self) -> JointKind:
        """The kind of the same motion without position limits; itself where there is no other."""
        return self

    def axes(self, axis: Vector3) -> Matrix3:
        """The axes of S, as columns in the child's frame; the frame's own axes unless the kind depends on `axis`."""
        del axis
        return IDENTITY_ROTATION

    def motion(self, q: Sequence[Scalar]) -> Pose:
        """The child's frame in the joint frame at q (nq,), over any scalar, both in the axes of S."""
        raise NotImplementedError

    def placement(self, axis: Vector3, q: Sequence[Scalar]) -> Pose:
        """The child's frame in the joint frame at q (nq,), over any scalar; `axis` is a unit vector of that frame."""
        del axis
        return self.motion(q)

    def z_screw(
        self,
        theta: float,  # noqa: ARG002 - of kinds that are a screw
        d: float,  # noqa: ARG002
        q: Sequence[Scalar],  # noqa: ARG002
    ) -> tuple[Scalar, Scalar, Scalar]:
        """(cos, sin, height) of Rz(angle) Tz(height), the variable part of modified-DH frames with offsets theta, d.

        Raises `ArgumentError` for kinds that do not move along one screw axis.
        """
        raise ArgumentError(f"a joint of kind '{self.name}' does not move along one screw axis")

    def integrate(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The position (nq,) of (3), from rates times time (nv,)."""
        raise NotImplementedError

    def difference(self, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """The rates (nv,) that lead from q0 to q1 in one unit of time (3)."""
        raise NotImplementedError

    def rate_map(self, q: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """N(q) of (2), nq rows of nv."""
        raise NotImplementedError


_ZERO: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class UnitTwist:
    """Rotation about axis `axis` of the link's frame where `turns`, else translation along it."""

    axis: int
    turns: bool

    @property
    def linear(self) -> Vector3:
        """Linear part, (3,)."""
        return _ZERO if self.turns else IDENTITY_ROTATION[self.axis]

    @property
    def angular(self) -> Vector3:
        """Angular part, (3,)."""
        return IDENTITY_ROTATION[self.axis] if self.turns else _ZERO

    def effort(self, force: Vector3, moment: Vector3) -> Scalar:
        """Generalized force of a wrench at the link's origin and in its axes: linear . force + angular . moment.

        >>> UnitTwist(2, turns=True).effort((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
        6.0
        """
        return (moment if self.turns else force)[self.axis]

    def direction(self, rotation: Matrix3) -> Vector3:
        """The axis in the frame that `rotation` transforms link coordinates to."""
        k = self.axis
        return (rotation[0][k], rotation[1][k], rotation[2][k])


class PositionBasis(StrEnum):
    """How entries of M, C and g depend on a joint position: (6) or (7)."""

    TRIGONOMETRIC = "trigonometric"
    POLYNOMIAL = "polynomial"

    @property
    def is_periodic(self) -> bool:
        """True where positions one turn apart are the same: (6)."""
        return self is PositionBasis.TRIGONOMETRIC

    def size(self, degree: int) -> int:
        """Number of basis functions up to a degree, and of samples that determine their coefficients.

        >>> PositionBasis.TRIGONOMETRIC.size(2), PositionBasis.POLYNOMIAL.size(2)
        (5, 3)
        """
        return 2 * degree + 1 if self.is_periodic else degree + 1

    def degree(self, size: int) -> int:
        """The degree up to which there are `size` basis functions.

        >>> PositionBasis.TRIGONOMETRIC.degree(5), PositionBasis.POLYNOMIAL.degree(3)
        (2, 2)
        """
        return (size - 1) // 2 if self.is_periodic else size - 1
