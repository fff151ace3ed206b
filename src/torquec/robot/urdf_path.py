"""File names in a URDF. Dynamics needs no mesh and opens none; one outside the robot's folder is refused anyway."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

from torquec.errors import RobotFileError
from torquec.robot.xml import Element


def check_paths(root: Element) -> None:
    """Raise `RobotFileError` for a mesh or texture outside the robot's folder; a URI (package://...) is only a name."""
    for element in root.walk():
        name = element.attributes.get("filename", "")
        if element.tag not in ("mesh", "texture") or not name:
            continue
        _, separator, rest = name.partition("://")
        steps = PurePosixPath((rest.lstrip("/") if separator else name).replace("\\", "/")).parts
        depth = lowest = 0
        for step in steps:
            depth += -1 if step == ".." else 1
            lowest = min(lowest, depth)
        absolute = not separator and (name.startswith(("/", "\\")) or bool(PureWindowsPath(name).drive))
        if absolute or lowest < 0:
            raise RobotFileError(
                f'the path "{name}" of <{element.tag}> leaves the robot\'s folder',
                where=element.where,
                remedy="use a path inside the folder, or package://; dynamics needs no mesh: it can go",
            )
