"""Arguments and options that several commands share, and how they turn into a robot and a state."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.robot.robot import Robot

RobotArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A robot file (.urdf, .xml for MJCF, .toml for a DH table) or a classic: puma560, puma260, stanford, "
        "scara, planar2r.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
DegreesOption = Annotated[
    bool, typer.Option("--deg", help="Angles, their rates and accelerations are in degrees (lengths stay in metres).")
]
SnapOption = Annotated[
    bool, typer.Option("--snap/--no-snap", help="Snap angles within 5e-5 rad of a right angle, and report each one.")
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Treat the robot file's warnings as errors.")]
GravityOption = Annotated[
    str | None, typer.Option(metavar="X,Y,Z", help="Gravity [m/s^2] in the base frame.  [default: the file's]")
]


def read_robot(argument: str, *, snap: bool = True, strict: bool = False, gravity: str | None = None) -> Robot:
    """The robot that the argument names: a classic, else a file."""
    from torquec.robot import classics, load

    vector = None if gravity is None else _vector(numbers(gravity, "--gravity"))
    if argument in classics.names():
        return classics.load_classic(argument, snap=snap, gravity=vector)
    if not Path(argument).suffix and not Path(argument).exists():
        raise ArgumentError(
            f"'{argument}' is neither a file nor a classic",
            remedy=f"give a .urdf, .xml or .toml file, or one of {', '.join(classics.names())}",
        )
    return load(argument, snap=snap, strict=strict, gravity=vector)


def numbers(text: str, option: str) -> tuple[float, ...]:
    """The finite numbers of a comma-separated list.

    >>> numbers("0, -0.5,1e-3", "--q")
    (0.0, -0.5, 0.001)
    """
    values = []
    for word in text.split(","):
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ArgumentError(
                f"{option}: '{word.strip()}' is not a finite number", remedy=f"write it as {option} 0,0.1,-0.2"
            )
        values.append(value)
    return tuple(values)


def joint_values(robot: Robot, text: str | None, option: str, *, degrees: bool) -> tuple[float, ...]:
    """One value per joint from a comma-separated list; zeros when it is absent; angles in radians."""
    if text is None:
        return (0.0,) * robot.n
    values = numbers(text, option)
    if len(values) != robot.n:
        raise ArgumentError(
            f"{option} has {len(values)} values, robot '{robot.name}' has {robot.n} joints",
            remedy=f"give one value for each of {', '.join(robot.joint_names)}",
        )
    return tuple(
        math.radians(value) if degrees and not joint.type.is_prismatic else value
        for value, joint in zip(values, robot.joints, strict=True)
    )


def _vector(values: tuple[float, ...]) -> tuple[float, float, float]:
    if len(values) != 3:
        raise ArgumentError(f"--gravity has {len(values)} values", remedy="give three: --gravity 0,0,-9.81")
    return (values[0], values[1], values[2])
