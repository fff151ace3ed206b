"""A pose: the rotation and origin of one frame, seen from another."""

from __future__ import annotations

from dataclasses import dataclass

from torquec.spatial.rotation import IDENTITY_ROTATION
from torquec.spatial.vector import Matrix3, Vector3, add, matmul, matvec, scale, transpose


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
