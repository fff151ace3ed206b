"""`load`: a robot file of any format to `Robot`; the suffix, or for XML the root element, chooses the reader.

A new format needs a file that reads it and one row in `READERS`; `load`, messages and command help then know it.

A robot may be given by name: a classic, or a description of the package `robot_descriptions` if that is installed. The
package has a module for each description, `NAME_description` with `URDF_PATH` or `XACRO_PATH`, or `NAME_mj_description`
with `MJCF_PATH`. Importing a module clones the description's repository once, into the package's own cache.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.util
import math
import os
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from torquec.errors import ArgumentError, FixedBaseWarning, MissingExtraError, RobotFileError, SnapWarning
from torquec.foundation.choice import chosen
from torquec.foundation.reading import FileKind, read_bytes, to_path
from torquec.robot.classics import load_classic
from torquec.robot.classics import names as classic_names
from torquec.robot.degrees import warn_of_degrees
from torquec.robot.drives import DRIVES_SUFFIX, read_drives, side_file
from torquec.robot.floating_base import Base, with_base
from torquec.robot.loops.close_loops import close_loops
from torquec.robot.loops.closed_loops import LOOPS_SUFFIX, LoopFile, read_loops
from torquec.robot.robot import Robot
from torquec.robot.tuning import TUNING
from torquec.robot.urdf import read_urdf, robot_of_urdf
from torquec.robot.validate import refuse_warnings
from torquec.robot.visual import Visual, urdf_visuals
from torquec.robot.xacro import expand_xacro
from torquec.robot.xml import parse_xml

_PACKAGE = "robot_descriptions"
_NAME = re.compile(r"[A-Za-z0-9_]+")
_PATHS = ("URDF_PATH", "MJCF_PATH", "XACRO_PATH")
Gravity = tuple[float, float, float]


class RobotReader(Protocol):
    """A function that reads a robot file; raises `RobotFileError` for a file that is not a robot."""

    def __call__(self, path: Path, *, strict: bool, gravity: Gravity | None) -> Robot:
        """The robot; `strict` turns warnings into errors, `gravity` (3,) [m/s^2] replaces the file's."""
        ...


@dataclass(frozen=True)
class RobotFormat:
    """A robot file format: title for messages and help, the reader, and whether drives are in a side file.

    `visuals` reads the visual shapes, which the robot does not keep; None for a format without shapes.
    """

    title: str
    read: RobotReader
    has_side_file: bool = True
    visuals: Callable[[Path], list[Visual]] | None = None


def load(
    path: str | os.PathLike[str],
    *,
    snap: bool = True,
    strict: bool = False,
    gravity: Sequence[float] | None = None,
    base: Base | str | None = None,
    mesh_inertia: bool = False,
) -> Robot:
    """The robot in a file: URDF (.urdf), MJCF or URDF (.xml), DH table (.toml), xacro (.xacro), SDF (.sdf).

    Instead of a file, `path` may name a classic ("puma560") or a description of the package `robot_descriptions`
    (extra `robots`: "panda", "ur5e"), which downloads it once.
    `base` puts the root on a free joint ("floating", its six rates first) or welds it to the world ("fixed"); without
    it the base is as in the file, and a URDF file of a robot with legs causes a `FixedBaseWarning`.
    A side file `NAME.drives.toml` beside a URDF or MJCF file adds its drives, `NAME.loops.toml` its closed loops.
    With `mesh_inertia`, MuJoCo computes inertias that an MJCF file leaves to its meshes; meshes must lie below the
    file's folder. `snap` turns angles within 5e-5 rad of a right angle into right angles, with a `SnapWarning`;
    `strict` turns the reader's warnings into errors; `gravity` (3,) [m/s^2] in the base frame replaces the file's.
    Raises `RobotFileError`, with file, line and remedy, for a file that is not a robot.
    """
    pull = _checked_gravity(gravity)
    if isinstance(path, str) and is_robot_name(path):
        if path in classic_names() and base is None:
            return load_classic(path, snap=snap, gravity=pull)
        if path in classic_names():
            raise ArgumentError(f"base={base!r} for the classic '{path}'", remedy="the classics stand on fixed bases")
        path = described_robot(path, robot_files())
    file = to_path(path)
    for suffix, title in ((DRIVES_SUFFIX, "drives"), (LOOPS_SUFFIX, "loops")):
        if file.name.lower().endswith(suffix):
            raise RobotFileError(
                f"this is a {title} file, not a robot", where=str(file), remedy="load the robot file beside it"
            )
    form = READERS.get(file.suffix.lower())
    if form is None:
        read_bytes(file, FileKind.ROBOT)  # a missing file or a folder is the likelier mistake
        raise RobotFileError(
            f"the suffix '{file.suffix}' is not that of a robot file",
            where=str(file),
            remedy=f"robot files are {robot_files()}",
        )
    asked = None if base is None else chosen(Base, base, "base")
    if mesh_inertia and file.suffix.lower() != ".xml":
        raise ArgumentError("mesh_inertia is for MJCF files (.xml)", where=str(file), remedy="leave it out")
    read = partial(_read_xml, mesh_inertia=True) if mesh_inertia else form.read
    robot = read(file, strict=strict and asked is None, gravity=pull)
    if asked is not None:
        remaining = tuple(warning for warning in robot.warnings if not warning.about_base)
        robot = with_base(dataclasses.replace(robot, warnings=remaining), asked)
        if strict:
            refuse_warnings(robot.warnings)
    drives = drives_beside(file)
    if drives is not None:
        robot = read_drives(drives, robot)
        if strict:
            refuse_warnings(robot.warnings)
    if robot.snap != snap:
        robot = dataclasses.replace(robot, snap=snap)
    beside = loops_beside(file)
    if beside is not None or robot.loops is not None:
        robot = close_loops(dataclasses.replace(robot, loops=None), _all_loops(robot, beside))
    _warn_of_snaps(robot)
    for warning in robot.warnings:
        if warning.about_units:
            warn_of_degrees(warning.text, warning.where)
        elif warning.about_base:
            warnings.warn(f"{warning.where}: {warning.text}", FixedBaseWarning, stacklevel=2)
    return robot


def _warn_of_snaps(robot: Robot) -> None:
    """Warn that angles of the robot differ from those of its file."""
    moved = max((abs(snap.found - snap.used) for snap in robot.canonical.snaps), default=0.0)
    if moved > TUNING.reported_snap:
        warnings.warn(
            f"{robot.source}: {len(robot.canonical.snaps)} angles were taken as right angles, by up to {moved:.2g} rad;"
            " to keep them as written: load(path, snap=False), --no-snap, or snap = false in a project;"
            " torquec info shows what this changes",
            SnapWarning,
            stacklevel=3,
        )


def drives_beside(file: Path) -> Path | None:
    """The side file with the drives of a robot file, if it exists and the format uses one."""
    form = READERS.get(file.suffix.lower())
    if form is None or not form.has_side_file:
        return None
    found = side_file(file)
    return found if os.path.lexists(found) else None


def _all_loops(robot: Robot, beside: Path | None) -> LoopFile:
    """The loops of a robot file and of the side file together."""
    own = LoopFile() if robot.loops is None else robot.loops.file
    more = LoopFile() if beside is None else read_loops(beside)
    return dataclasses.replace(
        more, loops=own.loops + more.loops, couplings=own.couplings + more.couplings, driven=own.driven
    )


def loops_beside(file: Path) -> Path | None:
    """The side file with the closed loops of a robot file, where there is one."""
    found = side_file(file, LOOPS_SUFFIX)
    return found if os.path.lexists(found) else None


def robot_files() -> str:
    """The formats as messages and help list them.

    >>> robot_files()
    '.urdf (URDF), .xml (MJCF or URDF), .toml (DH table), .xacro (xacro) or .sdf (SDF)'
    """
    *first, last = (f"{suffix} ({form.title})" for suffix, form in READERS.items())
    return f"{', '.join(first)} or {last}"


def _xml_visuals(path: Path) -> list[Visual]:
    root = parse_xml(read_bytes(path, FileKind.ROBOT), str(path))
    if root.tag == "robot":
        return urdf_visuals(root)
    from torquec.robot.mjcf_visuals import mjcf_visuals

    return mjcf_visuals(path)


def _read_xacro(path: Path, *, strict: bool, gravity: Gravity | None) -> Robot:
    return robot_of_urdf(expand_xacro(path), str(path), strict=strict, gravity=gravity)


def _read_dh(path: Path, *, strict: bool, gravity: Gravity | None) -> Robot:
    from torquec.robot.dh import read_dh

    return read_dh(path, strict=strict, gravity=gravity)


def _read_sdf(path: Path, *, strict: bool, gravity: Gravity | None) -> Robot:
    from torquec.robot.sdf import read_sdf

    return read_sdf(path, strict=strict, gravity=gravity)


def _sdf_visuals(path: Path) -> list[Visual]:
    from torquec.robot.sdf import sdf_as_urdf

    return urdf_visuals(sdf_as_urdf(path))


def _read_xml(path: Path, *, strict: bool, gravity: Gravity | None, mesh_inertia: bool = False) -> Robot:
    """URDF or MJCF, by the root element."""
    data = read_bytes(path, FileKind.ROBOT)
    if b"<mujoco" not in data or b"<robot" in data:  # otherwise only the MJCF reader parses it
        root = parse_xml(data, str(path))
        if root.tag == "robot":
            return robot_of_urdf(root, str(path), strict=strict, gravity=gravity)
        if root.tag != "mujoco":
            part = root.tag == "mujocoinclude"
            remedy = "load the file that includes it" if part else "a robot file has the root <robot> or <mujoco>"
            raise RobotFileError(f"the document is <{root.tag}>", where=root.where, remedy=remedy)
    from torquec.robot.mjcf import read_mjcf

    return read_mjcf(path, strict=strict, gravity=gravity, close=False, mesh_inertia=mesh_inertia)


READERS: dict[str, RobotFormat] = {
    ".urdf": RobotFormat("URDF", read_urdf, visuals=_xml_visuals),
    ".xml": RobotFormat("MJCF or URDF", _read_xml, visuals=_xml_visuals),
    ".toml": RobotFormat("DH table", _read_dh, has_side_file=False),
    ".xacro": RobotFormat("xacro", _read_xacro, visuals=lambda path: urdf_visuals(expand_xacro(path))),
    ".sdf": RobotFormat("SDF", _read_sdf, visuals=_sdf_visuals),
}
"""Every format by the suffix of its files, in lower case."""


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


def is_robot_name(argument: str) -> bool:
    """Whether an argument is a name rather than a file: letters, digits, underscores, and no such file.

    >>> is_robot_name("ur5e"), is_robot_name("ur5e.urdf"), is_robot_name("arms/ur5e")
    (True, False, False)
    """
    return _NAME.fullmatch(argument) is not None and not Path(argument).exists()


def described_robot(name: str, files: str) -> Path:
    """The robot file of a name in `robot_descriptions`: "panda", or exactly "panda_mj_description".

    `files` names the formats of robot files, for messages.

    Raises `MissingExtraError` without the extra `robots`, `ArgumentError` for a name that the package does not have and
    for a description that cannot be fetched.
    """
    if importlib.util.find_spec(_PACKAGE) is None:
        near = difflib.get_close_matches(name, classic_names(), cutoff=TUNING.typo_similarity)
        if near:
            remedy = f"did you mean {near[0]}? Files are {files}"
            raise ArgumentError(f"'{name}' is neither a file nor a classic", remedy=remedy)
        purpose = f"'{name}' is neither a file nor a classic: finding a robot by its name"
        raise MissingExtraError(_PACKAGE, "robots", purpose)
    for module_name in (f"{name}_description", f"{name}_mj_description", name):
        if importlib.util.find_spec(f"{_PACKAGE}.{module_name}") is None:
            continue
        try:
            module = importlib.import_module(f"{_PACKAGE}.{module_name}")
        except Exception as error:  # git, the network and the disk have errors of their own
            raise ArgumentError(
                f"the description '{module_name}' could not be fetched: {error}",
                remedy="check the network connection, or give a robot file",
            ) from error
        for attribute in _PATHS:
            if isinstance(path := getattr(module, attribute, None), str):
                return Path(path)
        raise ArgumentError(f"the description '{module_name}' has no URDF, MJCF or xacro", remedy="give a robot file")
    known = [*classic_names(), *_described_names()]
    near = difflib.get_close_matches(name, known, cutoff=TUNING.typo_similarity)
    guess = f"did you mean {' or '.join(near)}?" if near else f"give one of {', '.join(known)}."
    remedy = f"{guess} Files are {files}"
    raise ArgumentError(f"'{name}' is neither a file nor the name of a robot", remedy=remedy)


def _described_names() -> list[str]:
    """Names of all descriptions, as users type them."""
    spec = importlib.util.find_spec(_PACKAGE)
    folders = () if spec is None else spec.submodule_search_locations or ()
    files = (file.stem for folder in folders for file in Path(folder).glob("[a-z]*_description.py"))
    return sorted({stem.removesuffix("_description").removesuffix("_mj") for stem in files})
