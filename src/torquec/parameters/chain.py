"""Serial chains for the theorems of minimal combinations, and inertia constants of composite bodies (Lin 1994).

Lin's theorems depend on which axes are parallel, and on the first two directions of rotation:

(1)  r: the first rotational joint,   s: the first one after it that is not parallel to it   (n where there is none;
     joints count from 0)
(2)  u_r in the axes of a link between r and s is constant, because every rotational joint there turns about u_r itself
(3)  joints r <= j < s turn about one line where, between any two successive rotational joints, the constant offset
     across u_r is zero

All of it is decided in fractions (`rational_geometry`), at the position where every joint angle is zero.

Inertia constants are the part of a composite body's inertia that does not depend on the joint positions. With m, h, J
the mass, first moment and tensor of a link about its frame's origin, and R, s the rotation and origin of the next link,
the recursion from the tip is, for a rotational joint i + 1,

(4)  mhat_i = m_i + mhat_{i+1}
(5)  k_i = h_i + mhat_{i+1} s + R (0, 0, k_z)                                     Lin (21)
(6)  U_i = J_i + the tensor diag(U_yy, U_yy, U_zz), first moment (0, 0, k_z) and mass mhat of i + 1, turned by R and
     moved by s (Huygens-Steiner)                                                 Lin (23)

and for a translational joint, all of k and U goes inward, moved by the constant part b of s       Lin (21), (25).
The rest (U_xx - U_yy, the products, k_x, k_y) varies with the joint and does not go inward. The scalars may be numbers
or `LinearForm`s in the link parameters over any geometry, numeric or symbolic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from torquec.errors import RobotError
from torquec.parameters.accepts import accepts
from torquec.parameters.rational_geometry import RationalGeometry
from torquec.robot.robot import Robot
from torquec.spatial import Inertia, Matrix3, Pose, Scalar, Vector3, add, cross, dot, matmul, matvec, transpose

_PERPENDICULAR = Fraction(1, 10**12)
_ZERO = (Fraction(0), Fraction(0), Fraction(0))


@dataclass(frozen=True)
class Chain:
    """The joints' axes in base axes with all angles zero, and (1)."""

    turns: tuple[bool, ...]
    rotations: tuple[Matrix3, ...]
    origins: tuple[Vector3, ...]
    gravity: Vector3
    r: int
    s: int

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.turns)

    def axis(self, i: int) -> Vector3:
        """u_i in base axes."""
        return transpose(self.rotations[i])[2]

    def in_link(self, i: int, v: Vector3) -> Vector3:
        """A vector's components in the axes of link i."""
        return matvec(transpose(self.rotations[i]), v)

    def is_parallel_to_r(self, i: int) -> bool:
        """u_i parallel to u_r."""
        return parallel(self.axis(i), self.axis(self.r))

    def are_parallel(self, i: int, k: int) -> bool:
        """u_i parallel to u_k (all joints between them at zero)."""
        return parallel(self.axis(i), self.axis(k))

    def gravity_is_parallel_to_r(self) -> bool:
        """g parallel to u_r, and not zero."""
        return self.gravity != _ZERO and parallel(self.gravity, self.axis(self.r))

    def turns_about_one_line(self, j: int) -> bool:
        """Joints r..j share one axis (3); j < s."""
        offset = _ZERO
        for k in range(self.r + 1, j + 1):
            step = matvec(self.rotations[k - 1], self.origins[k])
            offset = add(offset, step)
            if self.turns[k]:
                if not parallel(offset, self.axis(self.r)):
                    return False
                offset = _ZERO
        return True


def chain(robot: Robot, geometry: RationalGeometry) -> Chain:
    """The robot as a chain; raises `RobotError` where Lin's theorems do not apply."""
    reason = accepts(robot)
    if reason is not None:
        raise RobotError(
            f"Lin's theorems do not apply to robot '{robot.name}': {reason}",
            remedy="take base_parameters with the method ELIMINATION, which finds the rank of any robot",
        )
    rotations: list[Matrix3] = []
    for link in geometry.links:
        rotations.append(matmul(rotations[-1], link.rotation) if rotations else link.rotation)
    turns = tuple(link.column.turns for link in geometry.links)
    rotational = [i for i, rotates in enumerate(turns) if rotates]
    n = len(turns)
    r = rotational[0] if rotational else n
    axes = [transpose(rotation)[2] for rotation in rotations]
    s = next((i for i in rotational if not parallel(axes[i], axes[r])), n)
    origins = tuple(link.origin for link in geometry.links)
    return Chain(turns, tuple(rotations), origins, geometry.gravity, r, s)


def parallel(a: Vector3, b: Vector3) -> bool:
    """a and b are parallel, or one of them is zero."""
    return cross(a, b) == _ZERO


def perpendicular(a: Vector3, b: Vector3) -> bool:
    """a . b = 0 up to the error of rational directions, which keep parallel axes exact, but not right angles."""
    return bool(abs(dot(a, b)) <= _PERPENDICULAR * max(map(abs, a)) * max(map(abs, b)))


@dataclass(frozen=True)
class LinearForm:
    """A linear combination of parameters: column -> coefficient, a number or a polynomial in the geometry."""

    coefficients: Mapping[int, Scalar] = field(default_factory=dict)

    def __add__(self, other: Scalar) -> LinearForm:
        if not isinstance(other, LinearForm):
            assert other == 0  # a form has no constant part
            return self
        total = dict(self.coefficients)
        for column, value in other.coefficients.items():
            total[column] = total[column] + value if column in total else value
        return LinearForm({column: value for column, value in total.items() if value != 0})

    __radd__ = __add__

    def __neg__(self) -> LinearForm:
        return LinearForm({column: -value for column, value in self.coefficients.items()})

    def __sub__(self, other: Scalar) -> LinearForm:
        return self.__add__(-other)

    def __rsub__(self, other: Scalar) -> LinearForm:
        return (-self).__add__(other)

    def __mul__(self, factor: Scalar) -> LinearForm:
        scaled = ((column, value * factor) for column, value in self.coefficients.items())
        return LinearForm({column: value for column, value in scaled if value != 0})

    __rmul__ = __mul__


@dataclass(frozen=True)
class ChainLink:
    """Pose of a link relative to the previous one at joint angle zero; origin at b for a translational joint."""

    turns: bool
    pose: Pose


def composite_constants(links: Sequence[ChainLink], inertias: Sequence[Inertia]) -> list[Inertia]:
    """mhat, k and U of every link, (4)-(6), as the mass, first moment and tensor of an `Inertia`.

    >>> arm = [ChainLink(True, Pose()), ChainLink(True, Pose(origin=(2.0, 0.0, 0.0)))]
    >>> point = Inertia(m=3.0)
    >>> composite_constants(arm, [Inertia(), point])[0].zz
    12.0
    """
    constants = list(inertias)
    for i in reversed(range(1, len(links))):
        constants[i - 1] = constants[i - 1] + _given(constants[i], links[i])
    return constants


def _given(u: Inertia, link: ChainLink) -> Inertia:
    """Contribution of a link to the constants of the one before it."""
    if not link.turns:
        return u.transformed(link.pose)
    return Inertia(xx=u.yy, xy=0, xz=0, yy=u.yy, yz=0, zz=u.zz, mx=0, my=0, mz=u.mz, m=u.m).transformed(link.pose)
