"""The shapes that a robot's file gives its links: URDF's `<visual>` elements, of URDF and of expanded xacro.

What cannot be drawn is named, and the rest is drawn; a body that lacks some of its shapes gets capsules, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from torquec.errors import RobotFileError, TorquecError
from torquec.foundation.reading import FileKind, read_bytes
from torquec.page.mesh import Color, PackedMesh, packed_mesh
from torquec.page.mesh_files import MeshFolders, read_mesh
from torquec.page.robot_shapes import Shape, ShapeKind, ShapeRole
from torquec.robot.robot import Robot
from torquec.robot.urdf_link import read_origin
from torquec.robot.xacro import expand_xacro
from torquec.robot.xml import Element, parse_xml

_MJCF = b"<mujoco"
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
    path = Path(robot.source) if robot.source else None
    if path is None or path.suffix.lower() not in (".urdf", ".xml", ".xacro"):
        return RobotVisuals()
    try:
        root = _root(path)
    except TorquecError as error:
        return RobotVisuals(problems=(str(error),))
    if root is None:
        return RobotVisuals(problems=(f"{path.name}: shapes of MJCF files are not drawn, capsules stand for them",))
    return _Reader(robot, MeshFolders(path, packages or {})).read(root)


def _root(path: Path) -> Element | None:
    """The <robot> element; None for MJCF."""
    if path.suffix.lower() == ".xacro":
        return expand_xacro(path)
    data = read_bytes(path, FileKind.ROBOT)
    root = None if _MJCF in data and b"<robot" not in data else parse_xml(data, str(path))
    return root if root is not None and root.tag == "robot" else None


class _Reader:
    def __init__(self, robot: Robot, folders: MeshFolders) -> None:
        self.frames = {frame.name: frame for frame in robot.frames}
        self.folders = folders
        self.numbers: dict[str, int] = {}  # of meshes by name; -1 for one that cannot be drawn
        self.meshes: list[PackedMesh] = []
        self.problems: dict[str, list[str]] = {}  # what cannot be drawn by reason

    def read(self, root: Element) -> RobotVisuals:
        named = {m.attributes.get("name", ""): _color(m) for m in root.all("material")}
        shapes, incomplete = [], set()
        for link in root.all("link"):
            frame = self.frames.get(link.attributes.get("name", ""))
            if frame is None:
                continue
            for visual in link.all("visual"):
                try:
                    shape = self.shape(visual, named)
                except TorquecError as error:
                    self.refuse(f"a shape of link '{frame.name}'", str(error))
                    shape = None
                if shape is None:
                    incomplete.add(frame.body)
                else:
                    shapes.append(dataclasses.replace(shape, body=frame.body, pose=frame.pose @ shape.pose))
        problems = tuple(_told(names, reason) for reason, names in self.problems.items())
        return RobotVisuals(tuple(shapes), tuple(self.meshes), problems, frozenset(incomplete))

    def refuse(self, name: str, reason: str) -> None:
        """Note what cannot be drawn."""
        self.problems.setdefault(reason, []).append(name)

    def shape(self, visual: Element, named: Mapping[str, Color | None]) -> Shape | None:
        """The shape of a <visual>, its body not yet known; None for a mesh that cannot be drawn."""
        pose = read_origin(visual, [])
        material = visual.find("material")
        color = None if material is None else _color(material) or named.get(material.attributes.get("name", ""))
        form = visual.need("geometry")
        for child in form.children:
            sizes: tuple[float, ...]
            if child.tag == "mesh":
                number = self.mesh(child)
                scale = child.vector("scale", (1.0, 1.0, 1.0))
                if number < 0:
                    return None
                return Shape(0, ShapeKind.MESH, pose, (), ShapeRole.VISUAL, number, scale, color)
            if child.tag == "box":
                kind, sizes = ShapeKind.BOX, child.vector("size")
            elif child.tag in ("cylinder", "capsule"):
                kind, sizes = ShapeKind(child.tag), (child.number("radius"), child.number("length"))
            elif child.tag == "sphere":
                kind, sizes = ShapeKind.SPHERE, (child.number("radius"),)
            else:
                raise RobotFileError(f"<{child.tag}> is no shape", where=child.where)
            return Shape(0, kind, pose, tuple(abs(size) for size in sizes), ShapeRole.VISUAL, color=color)
        raise RobotFileError("<geometry> holds no shape", where=form.where)

    def mesh(self, element: Element) -> int:
        """The number of a mesh among those of the page; -1 where it cannot be drawn, which is named once."""
        name = element.attribute("filename")
        if name not in self.numbers:
            try:
                self.meshes.append(packed_mesh(name, read_mesh(self.folders.find(name))))
                self.numbers[name] = len(self.meshes) - 1
            except TorquecError as error:
                self.numbers[name] = -1
                self.refuse(name, f"{error.found} ({error.remedy})" if error.remedy else error.found)
        return self.numbers[name]


def _told(names: Sequence[str], reason: str) -> str:
    """One line for what has one reason.

    >>> _told(["a.stl", "b.stl", "c.stl", "d.stl"], "there is no such file")
    'a.stl, b.stl and 2 more: there is no such file'
    """
    first = ", ".join(names[:_SHOWN]) if len(names) > _SHOWN + 1 else ", ".join(names)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN + 1 else ""
    return f"{first}{more}: {reason}"


def _color(material: Element) -> Color | None:
    color = material.find("color")
    if color is None:
        return None
    words = color.attributes.get("rgba", "").split()
    try:
        r, g, b, a = (min(1.0, max(0.0, float(word))) for word in words)
    except ValueError:
        return None
    return r, g, b, a
