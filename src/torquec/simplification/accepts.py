"""Preconditions of simplification: robots whose torque errors can be proven, since every simplified program is."""

from __future__ import annotations

from torquec.proof.accepts import accepts as is_provable
from torquec.robot.robot import Robot


def accepts(robot: Robot) -> str | None:
    """Why a robot cannot be simplified; None where it can.

    >>> from torquec.robot import classics
    >>> accepts(classics.planar2r()) is None
    True
    """
    return is_provable(robot)
