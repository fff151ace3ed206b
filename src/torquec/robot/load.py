"""Any robot file to `Robot`: the suffix chooses the reader, and the root element where the suffix says little."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence
from pathlib import Path

from torquec.errors import ArgumentError, RobotFileError
from torquec.foundation.reading import FileKind, read_bytes, to_path
from torquec.robot.drives import DRIVES_SUFFIX, read_drives, side_file
from torquec.robot.robot import Robot
from torquec.robot.urdf import read_urdf, robot_of_urdf
from torquec.robot.xacro import expand_xacro
from torquec.robot.xml import parse_xml

Gravity = tuple[float, float, float]


def load(
    path: str | os.PathLike[str], *, snap: bool = True, strict: bool = False, gravity: Sequence[float] | None = None
) -> Robot:
    """The robot in a file: URDF (.urdf), MJCF or URDF (.xml), DH table (.toml), xacro (.xacro).

    A side file `NAME.drives.toml` beside a URDF or MJCF file adds its drives. `snap` lets angles within rounding of a
    right angle become one; `strict` turns warnings into errors; `gravity` (3,) [m/s^2] in the base frame replaces the
    file's. Raises `RobotFileError`, with file, line and remedy, for a file that is not a robot.
    """
    file = to_path(path)
    pull = _checked_gravity(gravity)
    suffix = file.suffix.lower()
    if file.name.lower().endswith(DRIVES_SUFFIX):
        raise RobotFileError(
            "this is a drives file, not a robot", where=str(file), remedy="load the robot file beside it"
        )
    if suffix == ".toml":
        from torquec.robot.dh import read_dh

        return dataclasses.replace(read_dh(file, strict=strict, gravity=pull), snap=snap)
    if suffix == ".urdf":
        robot = read_urdf(file, strict=strict, gravity=pull)
    elif suffix == ".xml":
        robot = _load_xml(file, strict=strict, gravity=pull)
    elif suffix == ".xacro":
        robot = robot_of_urdf(expand_xacro(file), str(file), strict=strict, gravity=pull)
    else:
        read_bytes(file, FileKind.ROBOT)  # a missing file or a folder is the likelier mistake
        raise RobotFileError(
            f"the suffix '{file.suffix}' is not that of a robot file",
            where=str(file),
            remedy="robot files are .urdf, .xml (MJCF or URDF), .toml (DH table) or .xacro",
        )
    drives = side_file(file)
    if drives.exists():
        robot = read_drives(drives, robot)
    return dataclasses.replace(robot, snap=snap)


def _load_xml(file: Path, *, strict: bool, gravity: Gravity | None) -> Robot:
    """URDF or MJCF, as the root element says."""
    root = parse_xml(read_bytes(file, FileKind.ROBOT), str(file))
    if root.tag == "robot":
        return read_urdf(file, strict=strict, gravity=gravity)
    if root.tag == "mujoco":
        from torquec.robot.mjcf import read_mjcf

        return read_mjcf(file, strict=strict, gravity=gravity)
    raise RobotFileError(
        f"the document is <{root.tag}>", where=root.where, remedy="a robot file has the root <robot> or <mujoco>"
    )


def _checked_gravity(gravity: Sequence[float] | None) -> Gravity | None:
    if gravity is None:
        return None
    try:
        x, y, z = (float(value) for value in gravity)
    except (TypeError, ValueError):
        x = y = z = math.nan
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise ArgumentError(f"gravity is {gravity!r}", remedy="give three finite numbers, as in gravity=(0, 0, -9.81)")
    return (x, y, z)
