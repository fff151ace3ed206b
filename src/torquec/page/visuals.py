"""The shapes that a robot's file gives its links: of URDF, of expanded xacro and of MJCF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torquec.errors import TorquecError
from torquec.foundation.reading import FileKind, read_bytes
from torquec.page.mesh_files import MeshFolders
from torquec.page.mjcf_visuals import collect_mjcf
from torquec.page.urdf_visuals import collect_urdf
from torquec.page.visual_collection import RobotVisuals, VisualCollection
from torquec.robot.robot import Robot
from torquec.robot.xacro import expand_xacro
from torquec.robot.xml import Element, parse_xml

_MJCF = b"<mujoco"


def robot_visuals(robot: Robot, packages: Mapping[str, Path] | None = None) -> RobotVisuals:
    """The shapes of the file that the robot was read from; none where there is no such file or it has none."""
    path = Path(robot.source) if robot.source else None
    if path is None or path.suffix.lower() not in (".urdf", ".xml", ".xacro"):
        return RobotVisuals()
    found = VisualCollection(robot, MeshFolders(path, packages or {}))
    try:
        root = _root(path)
        if root is None:
            collect_mjcf(path, found)
        else:
            collect_urdf(root, found)
    except TorquecError as error:
        return RobotVisuals(problems=(str(error),))
    return found.found


def _root(path: Path) -> Element | None:
    """The <robot> element; None for MJCF."""
    if path.suffix.lower() == ".xacro":
        return expand_xacro(path)
    data = read_bytes(path, FileKind.ROBOT)
    root = None if _MJCF in data and b"<robot" not in data else parse_xml(data, str(path))
    return root if root is not None and root.tag == "robot" else None
