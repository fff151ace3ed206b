"""Rotation matrices and poses: elementary, from roll-pitch-yaw (URDF), quaternion (MJCF) and axis with angle.

(1)  R_rpy = Rz(yaw) Ry(pitch) Rx(roll), the fixed-axis order of URDF.
(2)  R_axis = cos 1 + sin [u]x + (1 - cos) u u', u a unit vector (Rodrigues).

The elementary rotations hold the floats 0.0 and 1.0; over fractions, (2) stays exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from torquec.errors import ArgumentError
from torquec.spatial.vector import Matrix3, Scalar, Vector3, add, matmul, matvec, scale, transpose

Quaternion: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar]
"""Components (w, x, y, z)."""

IDENTITY_ROTATION: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def rotation_x(c: Scalar, s: Scalar) -> Matrix3:
    """Rotation about x by the angle whose cosine and sine are given."""
    return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))


def rotation_y(c: Scalar, s: Scalar) -> Matrix3:
    """Rotation about y by the angle whose cosine and sine are given."""
    return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))


def rotation_z(c: Scalar, s: Scalar) -> Matrix3:
    """Rotation about z by the angle whose cosine and sine are given.

    >>> rotation_z(0.6, 0.8)
    ((0.6, -0.8, 0.0), (0.8, 0.6, 0.0), (0.0, 0.0, 1.0))
    """
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def rpy_rotation(roll: float, pitch: float, yaw: float) -> Matrix3:
    """Rotation from URDF's roll, pitch, yaw in radians (1)."""
    turned = IDENTITY_ROTATION
    if roll != 0.0:
        turned = rotation_x(math.cos(roll), math.sin(roll))
    if pitch != 0.0:
        turned = matmul(rotation_y(math.cos(pitch), math.sin(pitch)), turned)
    if yaw != 0.0:
        turned = matmul(rotation_z(math.cos(yaw), math.sin(yaw)), turned)
    return turned


def rpy_from_rotation(r: Matrix3, *, upright: float = 1e-9) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a rotation, as `rpy_rotation` takes them; roll is 0 if pitch is within `upright` of +-pi/2.

    `rpy_rotation` gives the rotation back to rounding, or to within `upright` where roll is taken as 0.
    """
    # Gimbal lock: at pitch +-pi/2 only a combination of roll and yaw is determined; all of it goes to the yaw.
    is_upright = math.hypot(r[0][0], r[1][0]) < upright
    yaw = math.atan2(-r[0][1], r[1][1]) if is_upright else math.atan2(r[1][0], r[0][0])
    # Pitch and roll come from Rz(-yaw) R: near +-pi/2 that cancels the error of the yaw.
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-r[2][0], c * r[0][0] + s * r[1][0])
    roll = math.atan2(s * r[0][2] - c * r[1][2], c * r[1][1] - s * r[0][1])
    return (roll, pitch, yaw)


def quaternion_rotation(w: float, x: float, y: float, z: float) -> Matrix3:
    """Rotation from a quaternion of any length but 0.

    Raises `ArgumentError` where the quaternion is zero or not finite.

    >>> quaternion_rotation(0.0, 0.0, 0.0, 2.0)
    ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
    """
    length = math.hypot(w, x, y, z)
    if not 0.0 < length < math.inf:
        raise ArgumentError(
            f"the quaternion ({w}, {x}, {y}, {z}) is not a rotation",
            remedy="give four finite numbers, not all of them 0",
        )
    return unit_quaternion_rotation((w / length, x / length, y / length, z / length))


def unit_quaternion_rotation(q: Sequence[Scalar]) -> Matrix3:
    """Rotation from a quaternion (w, x, y, z) of length 1, over any scalar.

    >>> unit_quaternion_rotation((0.0, 0.0, 0.0, 1.0))
    ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
    """
    w, x, y, z = q
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz = x2 * x, y2 * y, z2 * z, x2 * y, x2 * z, y2 * z
    wx, wy, wz = w * x2, w * y2, w * z2
    return (
        (1.0 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1.0 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1.0 - (xx + yy)),
    )


def rotation_quaternion(r: Matrix3) -> Quaternion:
    """The unit quaternion (w, x, y, z) of a rotation, its largest component positive (Shepperd 1978).

    >>> rotation_quaternion(((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)))
    (0.0, 0.0, 0.0, 1.0)
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = r
    # Every row is the quaternion times four times one of its components; the largest component loses no digits.
    rows = (
        (1.0 + xx + yy + zz, zy - yz, xz - zx, yx - xy),
        (zy - yz, 1.0 + xx - yy - zz, xy + yx, zx + xz),
        (xz - zx, xy + yx, 1.0 - xx + yy - zz, yz + zy),
        (yx - xy, zx + xz, yz + zy, 1.0 - xx - yy + zz),
    )
    w, x, y, z = rows[max(range(4), key=lambda k: rows[k][k])]
    length = math.hypot(w, x, y, z)
    return (w / length, x / length, y / length, z / length)


def axis_angle_rotation(axis: Vector3, c: Scalar, s: Scalar) -> Matrix3:
    """Rotation about a unit axis by the angle whose cosine and sine are given (2)."""
    x, y, z = axis
    t = 1 - c
    return (
        (c + x * x * t, x * y * t - z * s, x * z * t + y * s),
        (x * y * t + z * s, c + y * y * t, y * z * t - x * s),
        (x * z * t - y * s, y * z * t + x * s, c + z * z * t),
    )


@dataclass(frozen=True)
class Pose:
    """Frame B seen from frame A: `rotation` turns B's coordinates into A's, `origin` is B's origin in A.

    >>> quarter_turn = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    >>> Pose(quarter_turn, (5.0, 0.0, 0.0)).apply((1.0, 2.0, 3.0))
    (3.0, 1.0, 3.0)
    """

    rotation: Matrix3 = IDENTITY_ROTATION
    origin: Vector3 = (0.0, 0.0, 0.0)

    def __matmul__(self, other: Pose) -> Pose:
        """Pose of C in A from this pose of B in A and `other`, the pose of C in B."""
        return Pose(matmul(self.rotation, other.rotation), self.apply(other.origin))

    def apply(self, point: Vector3) -> Vector3:
        """A point's coordinates in A from those in B."""
        return add(matvec(self.rotation, point), self.origin)

    def inverse(self) -> Pose:
        """The pose of A in B."""
        back = transpose(self.rotation)
        return Pose(back, scale(matvec(back, self.origin), -1))


IDENTITY = Pose()
