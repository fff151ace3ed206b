"""What a controller is asked to do, as ports: motions of the joints, or of a frame.

(1)  joint:      q_ref, qd_ref, qdd_ref (n,)
(2)  Cartesian:  x_ref (3,) and R_ref (3, 3), origin and rotation of a frame seen from the base;
                 xd_ref (6,), velocity of the origin and angular velocity;   xdd_ref (6,), their derivative;  base axes

A motion of joints gives both, through  xd = J qd,  xdd = J qdd + Jd qd.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.model.model import Model
from torquec.trajectory import Trajectory

Shape = tuple[int, ...]

_JOINT = ("q_ref", "qd_ref", "qdd_ref")
_CARTESIAN: Mapping[str, Shape] = {"x_ref": (3,), "R_ref": (3, 3), "xd_ref": (6,), "xdd_ref": (6,)}


class ReferenceSpace(StrEnum):
    """Where a motion is asked for."""

    JOINT = "joint"
    CARTESIAN = "cartesian"


@dataclass(frozen=True)
class Reference:
    """Whose motion a controller is given: the joints', or that of a `frame`."""

    space: ReferenceSpace = ReferenceSpace.JOINT
    frame: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "space", chosen(ReferenceSpace, self.space, "space of references"))
        if (self.space is ReferenceSpace.CARTESIAN) != bool(self.frame):
            raise ArgumentError(
                f"a {self.space.value} reference {f'of frame {self.frame!r}' if self.frame else 'without a frame'}",
                remedy="name the frame of a Cartesian reference, and none of joints",
            )

    def ports(self, n: int) -> dict[str, Shape]:
        """The inputs by name with their shapes, in order, (1) or (2)."""
        return dict.fromkeys(_JOINT, (n,)) if self.space is ReferenceSpace.JOINT else dict(_CARTESIAN)

    def size(self, n: int) -> int:
        """How many numbers a reference has."""
        return sum(int(np.prod(shape)) for shape in self.ports(n).values())

    def rows(self, model: Model, motion: Trajectory) -> Array:
        """The references (N, size) of a motion of the joints, port after port, row by row.

        Raises `ArgumentError` for a frame that the model's robot does not have.
        """
        if self.space is ReferenceSpace.JOINT:
            return np.concatenate([motion.q, motion.qd, motion.qdd], axis=1)
        q, qd, qdd = (np.ascontiguousarray(values) for values in (motion.q, motion.qd, motion.qdd))
        rotation, origin = model.frame_pose(self.frame)(q)
        J, Jd = model.jacobian(self.frame)(q), model.jacobian_derivative(self.frame)(q, qd)
        velocity = np.einsum("kij,kj->ki", J, qd)
        acceleration = np.einsum("kij,kj->ki", J, qdd) + np.einsum("kij,kj->ki", Jd, qd)
        return np.concatenate([origin, rotation.reshape(-1, 9), velocity, acceleration], axis=1)


JOINT_REFERENCE = Reference()
