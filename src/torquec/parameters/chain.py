"""A serial robot as Lin's theorems see it: which axes are parallel, and where the first two directions of rotation are.

(1)  r: the first rotational joint,   s: the first one after it that is not parallel to it   (n where there is none;
     joints count from 0)
(2)  u_r in the axes of a link between r and s is constant, for every rotational joint there turns about u_r itself
(3)  joints r <= j < s turn about one line where, for each two successive rotational joints, the constant offset
     across u_r between them is zero

All of it is decided in fractions (`rational_geometry`), at the position where every joint angle is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from torquec.errors import RobotError
from torquec.parameters.accepts import accepts
from torquec.parameters.rational_geometry import RationalGeometry
from torquec.robot.robot import Robot
from torquec.spatial import Matrix3, Vector3, add, cross, dot, matmul, matvec, transpose

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
    """The robot as a chain; raises `RobotError` where it is none or gravity is zero."""
    reason = accepts(robot)
    if reason is not None:
        raise RobotError(
            f"Lin's theorems do not reach robot '{robot.name}': {reason}",
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
    """a . b = 0, to the nearness of the directions: rational ones keep parallels, but not right angles."""
    return bool(abs(dot(a, b)) <= _PERPENDICULAR * max(map(abs, a)) * max(map(abs, b)))
