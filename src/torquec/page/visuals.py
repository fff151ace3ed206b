"""Visual shapes of a robot file (URDF, expanded xacro, MJCF) for the page.

Shapes that cannot be drawn are reported, the rest is drawn; a body that lacks some of its shapes gets capsules, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from torquec.errors import TorquecError
from torquec.page.mesh import PackedMesh, packed_mesh
from torquec.page.mesh_files import MeshFolders, read_mesh
from torquec.page.robot_shapes import Shape, ShapeRole
from torquec.robot.load import READERS
from torquec.robot.robot import Robot
from torquec.robot.visual import ShapeKind, Visual

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


def robot_visuals(robot: Robot, packages: Mapping[str, Path] | None = None) -> RobotVisuals:
    """The shapes of the file that the robot was read from; none where there is no such file or it has none."""
    path = Path(robot.source)
    form = READERS.get(path.suffix.lower())
    if form is None or form.visuals is None:
        return RobotVisuals()
    found = _Collection(robot, MeshFolders(path, packages or {}))
    try:
        for visual in form.visuals(path):
            found.add(visual)
    except TorquecError as error:
        return RobotVisuals(problems=(str(error),))
    problems = tuple(_told(names, reason) for reason, names in found.problems.items())
    return RobotVisuals(tuple(found.shapes), tuple(found.meshes), problems, frozenset(found.incomplete))


class _Collection:
    """Shapes on the bodies of a robot, with meshes that lie in `folders`."""

    def __init__(self, robot: Robot, folders: MeshFolders) -> None:
        self.frames = {frame.name: frame for frame in robot.frames}
        self.folders = folders
        self.shapes: list[Shape] = []
        self.incomplete: set[int] = set()
        self.numbers: dict[str, int] = {}  # of meshes by name; -1 for one that cannot be drawn
        self.meshes: list[PackedMesh] = []
        self.problems: dict[str, list[str]] = {}  # what cannot be drawn by reason

    def add(self, visual: Visual) -> None:
        frame = self.frames.get(visual.frame)
        if frame is None:
            return
        if visual.problem:
            self.problems.setdefault(visual.problem, []).append(visual.label)
        number = self.mesh(visual.mesh) if visual.mesh else -1
        if visual.problem or (visual.kind is ShapeKind.MESH and number < 0):
            self.incomplete.add(frame.body)
            return
        pose = frame.pose @ visual.pose
        self.shapes.append(
            Shape(frame.body, visual.kind, pose, visual.sizes, ShapeRole.VISUAL, number, visual.scale, visual.color)
        )

    def mesh(self, name: str) -> int:
        """The number of a mesh among those of the page; -1 where it cannot be drawn, which is named once."""
        if name not in self.numbers:
            try:
                self.meshes.append(packed_mesh(name, read_mesh(self.folders.find(name))))
                self.numbers[name] = len(self.meshes) - 1
            except TorquecError as error:
                self.numbers[name] = -1
                reason = f"{error.found} ({error.remedy})" if error.remedy else error.found
                self.problems.setdefault(reason, []).append(name)
        return self.numbers[name]


def _told(names: Sequence[str], reason: str) -> str:
    """One line for what has one reason.

    >>> _told(["a.stl", "b.stl", "c.stl", "d.stl"], "there is no such file")
    'a.stl, b.stl and 2 more: there is no such file'
    """
    first = ", ".join(names[:_SHOWN]) if len(names) > _SHOWN + 1 else ", ".join(names)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN + 1 else ""
    return f"{first}{more}: {reason}"
