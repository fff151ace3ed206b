"""Torque of the joints' own springs.

(1)  tau = stiffness (q - rest)
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.mechanism import coordinates
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def spring_torque(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """The torque (n,) that holds the joints at q (n,) against their springs."""
    torque: list[Scalar] = [0.0 * position for position in q]
    for body, coordinate in zip(robot.bodies, coordinates(robot), strict=True):
        spring = body.joint.spring
        if spring is not None:
            held = spring.stiffness * (coordinate.position(q) - spring.rest)
            torque[coordinate.index] = torque[coordinate.index] + coordinate.multiplier * held
    return torque
