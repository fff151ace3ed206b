"""The shapes that a robot's file gives its links: of URDF, of expanded xacro and of MJCF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from torquec.errors import TorquecError
from torquec.page.mesh_files import MeshFolders
from torquec.page.mjcf_visuals import collect_mjcf
from torquec.page.urdf_visuals import collect_urdf
from torquec.page.visual_collection import RobotVisuals, VisualCollection
from torquec.robot.load import READERS
from torquec.robot.robot import Robot


def robot_visuals(robot: Robot, packages: Mapping[str, Path] | None = None) -> RobotVisuals:
    """The shapes of the file that the robot was read from; none where there is no such file or it has none."""
    path = Path(robot.source)
    form = READERS.get(path.suffix.lower())
    if form is None or form.document is None:
        return RobotVisuals()
    found = VisualCollection(robot, MeshFolders(path, packages or {}))
    try:
        root = form.document(path)
        if root.tag == "robot":
            collect_urdf(root, found)
        else:
            collect_mjcf(path, found)
    except TorquecError as error:
        return RobotVisuals(problems=(str(error),))
    return found.found
