"""Requirements of Lin's theorems of minimal parameters; elimination finds the base parameters of every robot."""

from __future__ import annotations

from torquec.errors import refusal
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases


def accepts(robot: Robot) -> str | None:
    """Why the theorems do not hold for a robot; None where they do.

    >>> from torquec.robot import classics
    >>> accepts(classics.puma560(gravity=(0.0, 0.0, 0.0)))
    'gravity is zero'
    """
    if robot.dependent:
        return refusal(lambda: position_bases(robot))
    if any(body.parent != i - 1 for i, body in enumerate(robot.bodies)):
        return "the robot branches"
    if any(body.joint.mimic is not None for body in robot.bodies):
        return "a joint follows another"
    if not any(robot.gravity):
        return "gravity is zero"
    return refusal(lambda: position_bases(robot))
