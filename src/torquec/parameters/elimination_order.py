"""In which order elimination goes through the standard parameters: what comes first is kept.

(1)  bodies on revolute joints: every element of the tensor but one diagonal one across the axis, the first moments
     across the axis; bodies on prismatic joints: mass and first moments
(2)  bodies on revolute joints: the other diagonal element, the first moment along the axis, the mass
(3)  tensors of bodies on prismatic joints, which turn only with what carries them
(4)  rotor inertias, friction

(2) and (3) act through the bodies further in (Khalil & Gautier), so that they are what elimination drops.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.errors import ArgumentError
from torquec.parameters.standard_parameters import ParameterFrames, StandardParameters, parameter_pose
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES, matvec, transpose


def elimination_order(robot: Robot, parameters: StandardParameters, wanted: Sequence[str] | None = None) -> list[int]:
    """All columns by preference; `wanted` names come first. Raises `ArgumentError` for unknown or repeated names."""
    width = len(PARAMETER_NAMES)
    groups: tuple[list[int], list[int], list[int]] = ([], [], [])
    for i, body in enumerate(robot.bodies):
        for name, k in zip(PARAMETER_NAMES, range(width * i, width * (i + 1)), strict=True):
            if body.joint.kind.coordinate.turns:
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
            f"the order names {', '.join(unknown)}, which are no parameters of robot '{robot.name}'"
            if unknown
            else "the order names a parameter twice",
            remedy=f"the parameters are {', '.join(parameters.names)}",
        )
    first = [columns[name] for name in wanted]
    return first + [k for k in usual if k not in set(first)]


def _given_inward(robot: Robot, i: int, frames: ParameterFrames) -> tuple[str, str, str]:
    """(2) for a body whose axis is nearest to one of x, y, z of its parameters' frame."""
    pose = parameter_pose(robot, i, frames)
    axis = matvec(transpose(pose.rotation), robot.bodies[i].joint.axis)
    along = max(range(3), key=lambda k: abs(axis[k]))
    across = "yzx"[along] if along != 2 else "y"
    return (f"I{across}{across}", f"m{'xyz'[along]}", "m")
