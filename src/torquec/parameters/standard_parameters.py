"""Standard inertial parameters, ten per body: names, values, frames, and the order of elimination.

Base parameters are combinations of these, of rotor inertias and of friction. The order is that of the regressor's
columns: `torquec.dynamics.regressor`, then `torquec.dynamics.friction_regressor`. The regressor takes a body's
parameters in its body frame, whose origin lies on the joint's axis; a table of standard Denavit-Hartenberg frames gives
them in the link frame, at the far end of the link:

(1)  phi_body = S phi_link,   Y_link = Y_body S,   S by Huygens and Steiner, one 10 x 10 block per body

Elimination keeps what comes first in its order:

(2)  bodies on revolute joints: every element of the tensor except one diagonal element across the axis, the first
     moments across the axis; bodies on prismatic joints: mass and first moments
(3)  bodies on revolute joints: the other diagonal element, the first moment along the axis, the mass
(4)  tensors of bodies on prismatic joints, which rotate only with their parents
(5)  rotor inertias, friction
(6)  of bodies on free, ball or planar joints, all parameters come first, except the mass of a ball joint's body, which
     acts as a point mass of the body that carries it

(3) and (4) act through the proximal bodies (Khalil & Gautier), so that elimination drops them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.dynamics.friction_regressor import (
    FrictionColumns,
    friction_parameter_names,
    friction_parameter_values,
    friction_regressor,
)
from torquec.dynamics.regressor import parameter_names, parameter_values, regressor
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.robot.joints import JointType
from torquec.robot.robot import Robot
from torquec.spatial import IDENTITY, PARAMETER_NAMES, Inertia, Pose, matvec, transpose

_WIDTH = len(PARAMETER_NAMES)


class StandardParameterKind(StrEnum):
    """Kind of a standard parameter, and of a base parameter that is named after it."""

    INERTIAL = "inertial"
    MOTOR = "motor"
    FRICTION = "friction"


class ParameterFrames(StrEnum):
    """Frame in which the ten parameters of a body are given."""

    BODY = "body"
    LINK = "link"


@dataclass(frozen=True)
class StandardParameters:
    """Columns in use, by name and kind; (p,) each."""

    names: tuple[str, ...]
    kinds: tuple[StandardParameterKind, ...]
    motors: bool
    friction: FrictionColumns
    frames: ParameterFrames = ParameterFrames.BODY

    def __len__(self) -> int:
        return len(self.names)


def standard_parameters(
    robot: Robot, *, motors: bool, friction: FrictionColumns, frames: ParameterFrames = ParameterFrames.BODY
) -> StandardParameters:
    """The standard parameters of a robot."""
    inertial = _WIDTH * len(robot.bodies)
    names = parameter_names(robot)
    names = (names if motors else names[:inertial]) + friction_parameter_names(robot, friction)
    count = len(robot.drives.motors) if motors else 0
    kinds = (
        (StandardParameterKind.INERTIAL,) * inertial
        + (StandardParameterKind.MOTOR,) * count
        + (StandardParameterKind.FRICTION,) * (len(names) - inertial - count)
    )
    return StandardParameters(tuple(names), kinds, motors, friction, frames)


def parameter_pose(robot: Robot, i: int, frames: ParameterFrames) -> Pose:
    """The frame of a body's parameters, seen from its body frame."""
    if frames is ParameterFrames.LINK:
        for frame in robot.frames:
            if frame.body == i and frame.name == robot.bodies[i].name:
                return frame.pose
    return IDENTITY


def standard_values(robot: Robot, parameters: StandardParameters) -> Array | None:
    """The robot's own values (p,), or None where a body has no inertia."""
    if any(body.lacking_inertia and not any(body.inertia.parameters) for body in robot.bodies):
        return None
    values: list[float] = []
    for i, body in enumerate(robot.bodies):
        pose = parameter_pose(robot, i, parameters.frames)
        own = body.inertia if pose == IDENTITY else body.inertia.transformed(pose.inverse())
        values += [float(value) for value in own.parameters]
    if parameters.motors:
        values += parameter_values(robot)[len(values) :]
    return np.array(values + friction_parameter_values(robot, parameters.friction))


def to_body_frames(robot: Robot, parameters: StandardParameters) -> Array:
    """S of (1), (P, p): from the parameters in use to all P columns of the regressor and of friction."""
    inertial, motors = _WIDTH * len(robot.bodies), len(robot.drives.motors)
    total = np.zeros((len(parameters) + (0 if parameters.motors else motors), len(parameters)))
    for i in range(len(robot.bodies)):
        pose = parameter_pose(robot, i, parameters.frames)
        for k in range(_WIDTH):
            unit = Inertia(*(1.0 if k == j else 0.0 for j in range(_WIDTH)))
            total[_WIDTH * i : _WIDTH * (i + 1), _WIDTH * i + k] = unit.transformed(pose).parameters
    rest = len(parameters) - inertial
    total[len(total) - rest :, inertial:] = np.eye(rest)
    return total


def standard_regressor(robot: Robot, parameters: StandardParameters, q: Array, qd: Array, qdd: Array) -> Array:
    """Y (N, nv, p) of all the parameters at N states; q is (N, nq), qd and qdd are (N, nv)."""
    rubbing = friction_regressor(robot, list(qd.T), parameters.friction)
    rows = [
        row + other for row, other in zip(regressor(robot, list(q.T), list(qd.T), list(qdd.T)), rubbing, strict=True)
    ]
    whole = np.empty((len(q), robot.n, len(rows[0]) if rows else 0))
    for i, row in enumerate(rows):
        for k, entry in enumerate(row):
            whole[:, i, k] = entry
    return whole @ to_body_frames(robot, parameters)


def elimination_order(robot: Robot, parameters: StandardParameters, wanted: Sequence[str] | None = None) -> list[int]:
    """All columns by preference; `wanted` names come first. Raises `ArgumentError` for unknown or repeated names."""
    width = len(PARAMETER_NAMES)
    groups: tuple[list[int], list[int], list[int]] = ([], [], [])
    for i, body in enumerate(robot.bodies):
        for name, k in zip(PARAMETER_NAMES, range(width * i, width * (i + 1)), strict=True):
            if body.joint.kind.nv > 1:
                groups[1 if name == "m" and body.joint.type is JointType.BALL else 0].append(k)
            elif body.joint.kind.coordinate.turns:
                groups[1 if name in _given_inward(robot, i, parameters.frames) else 0].append(k)
            else:
                groups[2 if name.startswith("I") else 0].append(k)
    usual = [*groups[0], *groups[1], *groups[2], *range(width * len(robot.bodies), len(parameters))]
    if wanted is None:
        return usual
    columns = {name: k for k, name in enumerate(parameters.names)}
    unknown = [name for name in wanted if name not in columns]
    if unknown or len(set(wanted)) != len(wanted):
        raise ArgumentError(
            f"the order names {', '.join(unknown)}, which are not parameters of robot '{robot.name}'"
            if unknown
            else "the order names a parameter twice",
            remedy=f"the parameters are {', '.join(parameters.names)}",
        )
    first = [columns[name] for name in wanted]
    return first + [k for k in usual if k not in set(first)]


def _given_inward(robot: Robot, i: int, frames: ParameterFrames) -> tuple[str, str, str]:
    """Names of the parameters (3) of a body, taking the axis of its parameters' frame nearest to the joint axis."""
    pose = parameter_pose(robot, i, frames)
    axis = matvec(transpose(pose.rotation), robot.bodies[i].joint.axis)
    along = max(range(3), key=lambda k: abs(axis[k]))
    across = "yzx"[along] if along != 2 else "y"
    return (f"I{across}{across}", f"m{'xyz'[along]}", "m")
