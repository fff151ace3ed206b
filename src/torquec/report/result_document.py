"""Result documents of commands: JSON with format and command name, as stored in folders for a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torquec.foundation.json_text import document_text, finite_values

if TYPE_CHECKING:
    from torquec.robot.robot import Robot

RESULT_FORMAT = "torquec result 1"

ROBOT_AS_USED = "robot_as_used"
"""The key of every result about a robot: payloads, locked joints and gravity that it was computed with."""


def result_document(command: str, found: Mapping[str, Any], robot: Robot | None = None) -> dict[str, Any]:
    """The document of a command, with format and command name in front; infinities and NaN become null.

    `robot` is the robot as it was used, which the document states under `ROBOT_AS_USED`; None for a result that is
    about no robot, or states it already.

    >>> result_document("info", {"dof": 6, "upper": float("inf")})
    {'format': 'torquec result 1', 'command': 'info', 'dof': 6, 'upper': None}
    """
    used = {} if robot is None else {ROBOT_AS_USED: as_used(robot)}
    document: dict[str, Any] = finite_values({"format": RESULT_FORMAT, "command": command, **found, **used})
    return document


def result_text(command: str, found: Mapping[str, Any], robot: Robot | None = None) -> str:
    """The same as the text of a file."""
    return document_text(result_document(command, found, robot))


def as_used(robot: Robot) -> dict[str, Any]:
    """Name, payloads, positions of locked joints [rad or m] and gravity [m/s^2], as JSON values.

    >>> from torquec.robot import classics
    >>> as_used(classics.planar2r())
    {'name': 'planar2r', 'payload': [], 'locked': {}, 'gravity': [0.0, -9.81, 0.0]}
    """
    return {
        "name": robot.name,
        "payload": [
            {
                "name": held.name,
                "frame": held.frame,
                "mass": held.mass,
                "center": list(held.center),
                "inertia": [list(row) for row in held.inertia],
            }
            for held in robot.attached
        ],
        "locked": {joint.name: joint.position for joint in robot.locked},
        "gravity": list(robot.gravity),
    }
