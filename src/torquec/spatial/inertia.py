"""The ten inertial parameters of a rigid body, about the origin of a frame and in its axes.

All ten enter the dynamics linearly, which is why they, and not mass, centre and central tensor, are kept:

(1)  first moment    h = m c
(2)  tensor          J_A = R (J_B) R' + shift of h and m to A's origin (Huygens-Steiner, with moments not about the centre)
(3)  the tensor's products are its elements: Ixy = -integral x y dm
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.spatial.pose import Pose
from torquec.spatial.vector import Matrix3, Scalar, Vector3, add, matmul, matvec, scale, transpose

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
        """From mass, centre of mass and the tensor about the centre, in the frame's axes."""
        central = Inertia(tensor[0][0], tensor[0][1], tensor[0][2], tensor[1][1], tensor[1][2], tensor[2][2], m=mass)
        return central.transformed(Pose(origin=center))

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
        return (
            (self.xx, self.xy, self.xz),
            (self.xy, self.yy, self.yz),
            (self.xz, self.yz, self.zz),
        )

    @property
    def center_of_mass(self) -> Vector3:
        """c = h / m; the origin for a body without mass."""
        if self.m == 0.0:
            return (0.0, 0.0, 0.0)
        return (self.mx / self.m, self.my / self.m, self.mz / self.m)

    @property
    def central_tensor(self) -> Matrix3:
        """The tensor about the centre of mass."""
        centered = self.transformed(Pose(origin=scale(self.center_of_mass, -1.0)))
        return centered.tensor

    def __add__(self, other: Inertia) -> Inertia:
        """Both bodies as one, when they share the frame."""
        return Inertia(*(a + b for a, b in zip(self.parameters, other.parameters, strict=True)))

    def transformed(self, pose: Pose) -> Inertia:
        """The same body about another frame A; `pose` is this frame seen from A. Implements (2)."""
        r, p = pose.rotation, pose.origin
        turned = matmul(matmul(r, self.tensor), transpose(r))
        h = matvec(r, self.first_moment)
        # Integral of (r + p)(r + p)' dm minus its trace part, written out per element.
        hp = h[0] * p[0] + h[1] * p[1] + h[2] * p[2]
        pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]

        def element(i: int, j: int) -> Scalar:
            shift = -(h[i] * p[j] + p[i] * h[j]) - self.m * (p[i] * p[j])
            if i == j:
                shift = shift + 2.0 * hp + self.m * pp
            return turned[i][j] + shift

        moved = add(h, scale(p, self.m))
        return Inertia(
            element(0, 0), element(0, 1), element(0, 2), element(1, 1), element(1, 2), element(2, 2),
            moved[0], moved[1], moved[2], self.m,
        )  # fmt: skip
