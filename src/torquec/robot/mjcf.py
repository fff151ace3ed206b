"""MJCF to `Robot`, through the `mujoco` package.

MuJoCo resolves its own format: defaults, compiler settings, inertias of primitive geoms. It gets a stripped document
(`mjcf_strip`): without assets, so that it opens no mesh, and without elements that a tree of joints cannot represent.
The compiled model is then read back (`mjcf_model`). In the robot, q is MuJoCo's qpos.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from torquec.errors import MissingExtraError, RobotFileError
from torquec.foundation.reading import to_path
from torquec.robot.loops.close_loops import close_loops
from torquec.robot.mjcf_file import mesh_files, read_mjcf_tree
from torquec.robot.mjcf_model import ModelReader
from torquec.robot.mjcf_strip import strip_mjcf, to_xml
from torquec.robot.robot import FileWarning, Robot
from torquec.robot.validate import check_robot
from torquec.robot.xml import Element

_LIMITS = ("position", "effort")
"""MJCF has no velocity limits: a missing one is no fault of the file."""

_DISABLE_FLAGS = {"equality": "mjDSBL_EQUALITY", "gravity": "mjDSBL_GRAVITY"}


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    strict: bool = False,
    gravity: tuple[float, float, float] | None = None,
    close: bool = True,
    mesh_inertia: bool = False,
) -> Robot:
    """The robot that an MJCF file describes: hinges, slides, ball and free joints, closed loops.

    `gravity` (3,) [m/s^2] replaces the file's. With `mesh_inertia`, MuJoCo computes inertias from meshes below the
    robot's folder; the robot's warnings name these meshes. Without `close`, loops are read but not closed, since `load`
    closes them last. Raises `RobotFileError`, with file, line and remedy, for a file that is not MJCF, for elements
    that a robot cannot represent (tendons), for inertias that only a mesh could give, and with `strict` for every
    warning. Raises `MissingExtraError` without the `mujoco` package.
    """
    try:
        mujoco = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtraError("mujoco", "mujoco", "reading MJCF") from None
    file = to_path(path)
    try:
        tree = read_mjcf_tree(file)
        meshes = mesh_files(tree, file.parent) if mesh_inertia else None
        root, warnings = strip_mjcf(tree, meshes=meshes)
        places = _places(root)
        with mujoco_warnings(mujoco) as found_messages:
            model = compile_mjcf(mujoco, root, places, str(file), {} if meshes is None else meshes.contents)
        warnings += [FileWarning(str(file), f"MuJoCo says: {' '.join(text.split())}") for text in found_messages]
    except RecursionError:
        raise RobotFileError(
            "bodies are nested too deep", where=f"{file}:1", remedy="shorten the chain, or give it as URDF"
        ) from None
    disabled = frozenset(
        flag for flag, bit in _DISABLE_FLAGS.items() if model.opt.disableflags & int(getattr(mujoco.mjtDisableBit, bit))
    )
    name = root.attributes.get("model", "").strip() or file.stem
    robot = ModelReader(model, name=name, disabled=disabled, places=places, source=str(file)).read()
    robot = replace(robot, warnings=(*warnings, *robot.warnings), gravity=robot.gravity if gravity is None else gravity)
    if not robot.bodies:
        raise RobotFileError("the model has no joints", where=f"{file}:1", remedy="add hinges or slides to its bodies")
    robot = check_robot(robot, strict=strict, where=places, limits=_LIMITS)
    return robot if robot.loops is None or not close else close_loops(robot, robot.loops.file)


@contextlib.contextmanager
def mujoco_warnings(mujoco: Any) -> Iterator[list[str]]:
    """MuJoCo's warnings as a list, instead of a log file in the user's working directory."""
    found_messages: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(found_messages.append)
    try:
        yield found_messages
    finally:
        mujoco.set_mju_user_warning(before)


def compile_mjcf(
    mujoco: Any, root: Element, places: Mapping[str, str], source: str, meshes: Mapping[str, bytes] | None = None
) -> Any:
    """The compiled model; raises `RobotFileError` with MuJoCo's message and the line of the element.

    `meshes` are the bytes of mesh files by the names that the document has for them.
    """
    files = {element.where.rpartition(":")[0] for element in root.walk()}
    keep_lines = files == {source}
    try:
        return mujoco.MjModel.from_xml_string(to_xml(root, keep_lines=keep_lines), dict(meshes or {}))
    except ValueError as error:
        words = " ".join(str(error).split())
        line = re.search(r"\bline (\d+)", words)
        reason = re.sub(r"^(XML )?Error: |,? ?\bline \d+|, id \d+", "", words)
        # Older versions give no line, but the name of the element.
        named = next((places[name] for name in re.findall("'([^']*)'", words) if name in places), source)
        where = f"{source}:{line[1]}" if line and keep_lines else named
        raise RobotFileError(
            f"MuJoCo rejects this model: {reason.strip()}",
            where=where,
            remedy="correct the element that it names",
        ) from None


def _places(root: Element) -> dict[str, str]:
    """Lines of actuators, bodies and joints by name; for a shared name that of the joint, else of the body."""
    actuators = (actuator for section in root.all("actuator") for actuator in section.children)
    places = {actuator.attributes.get("name", ""): actuator.where for actuator in actuators}
    for tag in ("body", "joint"):
        for section in root.all("worldbody"):
            for element in section.walk():
                if element.tag == tag and "name" in element.attributes:
                    places[element.attributes["name"]] = element.where
    return places
