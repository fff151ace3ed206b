"""The ten inertial parameters of a rigid body, about the origin of a frame and in its axes.

All ten enter the dynamics linearly, which is why they, and not mass, centre and central tensor, are kept:

(1)  first moment    h = m c
(2)  tensor          J = integral (x'x 1 - x x') dm, so its element Ixy = -integral x y dm
(3)  turned by R     h -> R h,  J -> R J R'
(4)  moved by p      h -> h + m p,  J -> J + (2 h'p + m p'p) 1 - (h p' + p h') - m p p'   (Huygens-Steiner)
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.spatial.rotation import Pose
from torquec.spatial.vector import Matrix3, Scalar, Vector3, add, dot, matmul, matvec, scale, transpose

PARAMETER_NAMES = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "mx", "my", "mz", "m")
"""The one place that fixes the order of the standard parameters of a body."""


@dataclass(frozen=True)
class Inertia:
    """Ten inertial parameters, in the order of `PARAMETER_NAMES`, about the frame's origin."""

    xx: Scalar = 0.0
    xy: Scalar = 0.0
    xz: Scalar = 0.0
    yy: Scalar = 0.0
    yz: Scalar = 0.0
    zz: Scalar = 0.0
    mx: Scalar = 0.0
    my: Scalar = 0.0
    mz: Scalar = 0.0
    m: Scalar = 0.0

    @staticmethod
    def from_center_of_mass(mass: Scalar, center: Vector3, tensor: Matrix3) -> Inertia:
        """From mass, centre of mass and the tensor about the centre, in the frame's axes; reads the upper triangle.

        >>> no_size = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        >>> Inertia.from_center_of_mass(2.0, (0.0, 0.0, 3.0), no_size).parameters
        (18.0, 0.0, 0.0, 18.0, 0.0, 0.0, 0.0, 0.0, 6.0, 2.0)
        """
        zero = 0 * mass  # of the mass's scalar type: a float, a fraction, a batch
        return _moved(tensor, (zero, zero, zero), mass, center)

    @property
    def parameters(self) -> tuple[Scalar, ...]:
        """The ten values in the order of `PARAMETER_NAMES`."""
        return (
            self.xx, self.xy, self.xz, self.yy, self.yz, self.zz,
            self.mx, self.my, self.mz, self.m,
        )  # fmt: skip

    @property
    def first_moment(self) -> Vector3:
        """h = m c (1)."""
        return (self.mx, self.my, self.mz)

    @property
    def tensor(self) -> Matrix3:
        """The symmetric tensor about the frame's origin."""
        return ((self.xx, self.xy, self.xz), (self.xy, self.yy, self.yz), (self.xz, self.yz, self.zz))

    @property
    def center_of_mass(self) -> Vector3:
        """c = h / m; the origin for a body without mass. For a body of numbers, not for a batch."""
        if self.m == 0.0:
            return (0.0, 0.0, 0.0)
        return (self.mx / self.m, self.my / self.m, self.mz / self.m)

    @property
    def central_tensor(self) -> Matrix3:
        """The tensor about the centre of mass. For a body of numbers, not for a batch."""
        return _moved(self.tensor, self.first_moment, self.m, scale(self.center_of_mass, -1)).tensor

    def __add__(self, other: Inertia) -> Inertia:
        """Inertia of both bodies as one rigid body, in their common frame."""
        return Inertia(*(a + b for a, b in zip(self.parameters, other.parameters, strict=True)))

    def transformed(self, pose: Pose) -> Inertia:
        """The same body about another frame A; `pose` is this frame seen from A. Implements (3), then (4)."""
        turned = matmul(matmul(pose.rotation, self.tensor), transpose(pose.rotation))
        return _moved(turned, matvec(pose.rotation, self.first_moment), self.m, pose.origin)


def _moved(tensor: Matrix3, h: Vector3, m: Scalar, p: Vector3) -> Inertia:
    """The inertia of a body that is moved by p (4)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    hx, hy, hz = h
    px, py, pz = p
    trace = 2 * dot(h, p) + m * dot(p, p)
    first_moment = add(h, scale(p, m))

    def shift(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> Scalar:
        return -(a * d + b * c) - m * (b * d)

    return Inertia(
        xx + (shift(hx, px, hx, px) + trace),
        xy + shift(hx, px, hy, py),
        xz + shift(hx, px, hz, pz),
        yy + (shift(hy, py, hy, py) + trace),
        yz + shift(hy, py, hz, pz),
        zz + (shift(hz, pz, hz, pz) + trace),
        *first_moment,
        m,
    )
