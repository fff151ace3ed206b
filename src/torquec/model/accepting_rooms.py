"""Supported mechanisms by package: which parts of Torquec accept a robot, and the reason where one refuses it.

Each of them has a function `accepts(robot) -> reason or None`; `torquec info` and docs/limits.md read this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torquec.closedform import accepts as closedform
from torquec.kinematics import accepts as kinematics
from torquec.parameters import accepts as parameters
from torquec.proof import accepts as proof
from torquec.robot.robot import Robot


@dataclass(frozen=True)
class AcceptingRoom:
    """A package: a text on what it computes, a text on which robots it refuses, and its function `accepts`."""

    name: str
    gives: str
    refuses: str
    accepts: Callable[[Robot], str | None]


ACCEPTING_ROOMS = (
    AcceptingRoom(
        "closedform",
        "closed form (for closed loops, the equations of the tree)",
        "closed loops; bodies without inertia; entries that depend on too many joints to tabulate: more than nine "
        "revolute ones",
        closedform.accepts,
    ),
    AcceptingRoom(
        "parameters",
        "Lin's theorems of minimal parameters (elimination takes every robot)",
        "closed loops; branches; mimic joints; zero gravity",
        parameters.accepts,
    ),
    AcceptingRoom(
        "proof",
        "proven torque errors, certificates",
        "closed loops; ball and planar joints; a free base with limbs of more than four joints, or coupled by mimic "
        "joints or motors; bodies without inertia; torques that depend on more than nine joints; torques of a degree "
        "above six, and revolute mimic joints whose multiplier is not an integer",
        proof.accepts,
    ),
    AcceptingRoom("simplification", "models with fewer operations", "robots that `proof` refuses", proof.accepts),
    AcceptingRoom(
        "kinematics",
        "closed-form inverse kinematics of the hand's frame (other arms use iteration)",
        "closed loops; mimic joints on the way to the frame; arms that no family fits",
        kinematics.accepts,
    ),
)


def accepted_by(robot: Robot) -> dict[str, str | None]:
    """For every package, the reason why it refuses the robot, None where it accepts it.

    >>> from torquec.robot import classics
    >>> accepted_by(classics.puma560(gravity=(0.0, 0.0, 0.0)))["parameters"]
    'gravity is zero'
    """
    return {room.name: room.accepts(robot) for room in ACCEPTING_ROOMS}
