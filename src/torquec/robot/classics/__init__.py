"""Classic arms (PUMA 560, Stanford, SCARA, ..), each a DH table beside this file with the source of its numbers.

They are exempt from plausibility checks: published and identified parameters need not belong to rigid bodies.
"""

from __future__ import annotations

import dataclasses
from importlib import resources

from torquec.errors import ArgumentError
from torquec.robot.dh import parse_dh
from torquec.robot.robot import Robot

Gravity = tuple[float, float, float]

_NAMES = ("planar2r", "planar3r", "puma260", "puma560", "scara", "stanford")


def names() -> tuple[str, ...]:
    """The names of all classic arms.

    >>> "puma560" in names()
    True
    """
    return _NAMES


def load_classic(name: str, *, snap: bool = True, gravity: Gravity | None = None) -> Robot:
    """The classic arm of that name; `gravity` (3,) [m/s^2] in the base frame replaces the file's.

    Raises `ArgumentError` for a name that is not in `names()`.

    >>> load_classic("planar2r").n
    2
    """
    if name not in _NAMES:
        raise ArgumentError(f"there is no classic arm '{name}'", remedy=f"the classics are {', '.join(_NAMES)}")
    text = resources.files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    robot = parse_dh(text, source=f"{name}.toml", gravity=gravity)
    return dataclasses.replace(robot, snap=snap)


def planar2r(*, gravity: Gravity | None = None) -> Robot:
    """Two uniform rods in a vertical plane."""
    return load_classic("planar2r", gravity=gravity)


def planar3r(*, gravity: Gravity | None = None) -> Robot:
    """Three uniform rods in a vertical plane."""
    return load_classic("planar3r", gravity=gravity)


def puma260(*, gravity: Gravity | None = None) -> Robot:
    """The PUMA 260 with its identified moments, motors and friction."""
    return load_classic("puma260", gravity=gravity)


def puma560(*, gravity: Gravity | None = None) -> Robot:
    """The PUMA 560 with motors, friction by direction, and limits."""
    return load_classic("puma560", gravity=gravity)


def scara(*, gravity: Gravity | None = None) -> Robot:
    """A SCARA arm (RRPR) with all axes vertical."""
    return load_classic("scara", gravity=gravity)


def stanford(*, gravity: Gravity | None = None) -> Robot:
    """The Stanford arm (RRPRRR) with its motors."""
    return load_classic("stanford", gravity=gravity)
