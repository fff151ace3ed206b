"""What a robot's file gives to be drawn, as it is collected: shapes, their meshes, and what cannot be drawn.

What cannot be drawn is named, and the rest is drawn; a body that lacks some of its shapes gets capsules, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from torquec.errors import TorquecError
from torquec.page.mesh import PackedMesh, packed_mesh
from torquec.page.mesh_files import MeshFolders, read_mesh
from torquec.page.robot_shapes import Shape
from torquec.robot.robot import Frame, Robot

_SHOWN = 2  # names of what has one reason: a line stays a line


@dataclass(frozen=True)
class RobotVisuals:
    """What is drawn, its meshes, and what is not drawn, with the reason; `incomplete` bodies lack some shapes."""

    shapes: tuple[Shape, ...] = ()
    meshes: tuple[PackedMesh, ...] = ()
    problems: tuple[str, ...] = ()
    incomplete: frozenset[int] = frozenset()

    @property
    def bodies(self) -> frozenset[int]:
        """Bodies that are drawn as the file has them, with all of their shapes."""
        return frozenset(shape.body for shape in self.shapes) - self.incomplete


class VisualCollection:
    """Shapes on the frames of a robot, with meshes that lie in `folders`."""

    def __init__(self, robot: Robot, folders: MeshFolders) -> None:
        self.frames = {frame.name: frame for frame in robot.frames}
        self.folders = folders
        self.shapes: list[Shape] = []
        self.incomplete: set[int] = set()
        self.numbers: dict[str, int] = {}  # of meshes by name; -1 for one that cannot be drawn
        self.meshes: list[PackedMesh] = []
        self.problems: dict[str, list[str]] = {}  # what cannot be drawn by reason

    def add(self, frame: Frame, shape: Shape | None) -> None:
        """A shape whose pose is in a frame; None for one that cannot be drawn."""
        if shape is None:
            self.incomplete.add(frame.body)
        else:
            self.shapes.append(dataclasses.replace(shape, body=frame.body, pose=frame.pose @ shape.pose))

    def refuse(self, name: str, reason: str) -> None:
        """Note what cannot be drawn."""
        self.problems.setdefault(reason, []).append(name)

    def mesh(self, name: str) -> int:
        """The number of a mesh among those of the page; -1 where it cannot be drawn, which is named once."""
        if name not in self.numbers:
            try:
                self.meshes.append(packed_mesh(name, read_mesh(self.folders.find(name))))
                self.numbers[name] = len(self.meshes) - 1
            except TorquecError as error:
                self.numbers[name] = -1
                self.refuse(name, f"{error.found} ({error.remedy})" if error.remedy else error.found)
        return self.numbers[name]

    @property
    def found(self) -> RobotVisuals:
        """Everything."""
        problems = tuple(_told(names, reason) for reason, names in self.problems.items())
        return RobotVisuals(tuple(self.shapes), tuple(self.meshes), problems, frozenset(self.incomplete))


def _told(names: Sequence[str], reason: str) -> str:
    """One line for what has one reason.

    >>> _told(["a.stl", "b.stl", "c.stl", "d.stl"], "there is no such file")
    'a.stl, b.stl and 2 more: there is no such file'
    """
    first = ", ".join(names[:_SHOWN]) if len(names) > _SHOWN + 1 else ", ".join(names)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN + 1 else ""
    return f"{first}{more}: {reason}"
