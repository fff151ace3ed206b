"""`Visual`: a shape that a robot file draws on a link, whatever the format; and the `<visual>` elements of URDF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from torquec.errors import RobotFileError, TorquecError
from torquec.robot.urdf_elements import read_origin
from torquec.robot.xml import Element
from torquec.spatial import IDENTITY, Pose, Vector3

RgbaColor = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""


class ShapeKind(StrEnum):
    """Kinds of shapes, which decide the sizes of a `Visual`.

    Capsule and cylinder: (radius, length) along z; sphere: (radius,); ellipsoid: half axes; box: lengths along x, y and
    z; a mesh has none.
    """

    CAPSULE = "capsule"
    CYLINDER = "cylinder"
    SPHERE = "sphere"
    ELLIPSOID = "ellipsoid"
    BOX = "box"
    MESH = "mesh"


@dataclass(frozen=True)
class Visual:
    """A shape at a pose in the frame `frame` (a name); a mesh has its file as the robot file names it, and a scale.

    `problem` is the reason why the shape cannot be drawn, empty if it can; messages then name the shape by `label`.
    """

    frame: str
    kind: ShapeKind = ShapeKind.MESH
    pose: Pose = IDENTITY
    sizes: tuple[float, ...] = ()
    color: RgbaColor | None = None
    mesh: str = ""
    scale: Vector3 = (1.0, 1.0, 1.0)
    label: str = ""
    problem: str = ""


def urdf_visuals(root: Element) -> list[Visual]:
    """The visual shapes of the links of a `<robot>`, in file order."""
    named = {m.attributes.get("name", ""): _color(m) for m in root.all("material")}
    found = []
    for link in root.all("link"):
        frame = link.attributes.get("name", "")
        for element in link.all("visual"):
            try:
                found.append(_visual(element, frame, named))
            except TorquecError as error:
                found.append(Visual(frame, label=f"a shape of link '{frame}'", problem=str(error)))
    return found


def _visual(element: Element, frame: str, named: Mapping[str, RgbaColor | None]) -> Visual:
    pose = read_origin(element, [])
    material = element.find("material")
    color = None if material is None else _color(material) or named.get(material.attributes.get("name", ""))
    form = element.need("geometry")
    if not form.children:
        raise RobotFileError("<geometry> holds no shape", where=form.where)
    child = form.children[0]
    sizes: tuple[float, ...]
    if child.tag == "mesh":
        file, scale = child.attribute("filename"), child.vector("scale", (1.0, 1.0, 1.0))
        return Visual(frame, ShapeKind.MESH, pose, (), color, file, scale)
    if child.tag == "box":
        sizes = child.vector("size")
    elif child.tag in ("cylinder", "capsule"):
        sizes = (child.number("radius"), child.number("length"))
    elif child.tag == "sphere":
        sizes = (child.number("radius"),)
    else:
        raise RobotFileError(f"<{child.tag}> is not a shape", where=child.where)
    return Visual(frame, ShapeKind(child.tag), pose, tuple(abs(size) for size in sizes), color)


def _color(material: Element) -> RgbaColor | None:
    color = material.find("color")
    if color is None:
        return None
    words = color.attributes.get("rgba", "").split()
    try:
        r, g, b, a = (min(1.0, max(0.0, float(word))) for word in words)
    except ValueError:
        return None
    return r, g, b, a
