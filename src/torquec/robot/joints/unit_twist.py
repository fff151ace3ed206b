"""One column of a joint's motion subspace: a unit twist along a coordinate axis of the link's frame.

(1)  rotation:     linear part 0,     angular part e_k
(2)  translation:  linear part e_k,   angular part 0

The linear part is the velocity of the link's origin relative to the parent. Revolute, prismatic, planar, ball and free
joints with body-frame rates all have such columns: 1, 1, 3, 3 and 6 of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from torquec.spatial import IDENTITY_ROTATION, Matrix3, Scalar, Vector3

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
        """The axis seen from where `rotation` turns the link's coordinates into."""
        k = self.axis
        return (rotation[0][k], rotation[1][k], rotation[2][k])
