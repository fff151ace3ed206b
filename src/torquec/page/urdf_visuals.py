"""The shapes of URDF: its `<visual>` elements."""

from __future__ import annotations

from collections.abc import Mapping

from torquec.errors import RobotFileError, TorquecError
from torquec.page.mesh import Color
from torquec.page.robot_shapes import Shape, ShapeKind, ShapeRole
from torquec.page.visual_collection import VisualCollection
from torquec.robot.urdf_link import read_origin
from torquec.robot.xml import Element


def collect_urdf(root: Element, into: VisualCollection) -> None:
    """Collect what the links of a `<robot>` show."""
    named = {m.attributes.get("name", ""): _color(m) for m in root.all("material")}
    for link in root.all("link"):
        frame = into.frames.get(link.attributes.get("name", ""))
        if frame is None:
            continue
        for visual in link.all("visual"):
            shape = None
            try:
                shape = _shape(visual, named, into)
            except TorquecError as error:
                into.refuse(f"a shape of link '{frame.name}'", str(error))
            into.add(frame, shape)


def _shape(visual: Element, named: Mapping[str, Color | None], into: VisualCollection) -> Shape | None:
    """The shape of a <visual>, its body not yet known; None for a mesh that cannot be drawn."""
    pose = read_origin(visual, [])
    material = visual.find("material")
    color = None if material is None else _color(material) or named.get(material.attributes.get("name", ""))
    form = visual.need("geometry")
    for child in form.children:
        sizes: tuple[float, ...]
        if child.tag == "mesh":
            number = into.mesh(child.attribute("filename"))
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
