"""The geoms of an MJCF file that MuJoCo's viewer shows: poses on their bodies, shapes and colours.

MuJoCo resolves their poses: `fromto`, angles, frames, replicated parts. No mesh is opened for that:

(1)  every geom becomes a site, which has no mass and takes the same attributes of pose and shape; a mesh becomes a
     small site
(2)  the document is compiled without geoms, and the sites are read back
(3)  groups 0 to 2 are shown, as in MuJoCo's viewer; planes are floors, and are not shown
(4)  a mesh's vertices v stand on the geom at S R' (v - r), with the asset's scale S and its reference frame R, r:
     MuJoCo moves and turns them before it scales them
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from torquec.errors import MissingExtraError
from torquec.robot.mjcf import compile_mjcf, mujoco_warnings
from torquec.robot.mjcf_file import FILE_SHAPES, OUTERMOST, MjcfContext, mjcf_context, read_mjcf_tree
from torquec.robot.mjcf_model import ModelReader, model_pose
from torquec.robot.mjcf_strip import strip_mjcf
from torquec.robot.number import parse_number
from torquec.robot.visual import RgbaColor, ShapeKind, Visual
from torquec.robot.xml import Element
from torquec.spatial import IDENTITY, Pose, Vector3, matvec, transpose

_GROUPS_SHOWN = ("0", "1", "2")
_NAME = "torquec geom {}|"
"""Name of the site that stands for a geom; a suffix by <replicate> comes after the bar."""
_TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
_PLACES = ("pos", "fromto", "size", *_TURNS)
_SITE_TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
"""Geom types in the order of MuJoCo's numbers."""
_SAFE_COMPILER = {"inertiafromgeom": "false", "boundmass": "1", "boundinertia": "1", "balanceinertia": "true"}
"""Compiler settings that give every body some inertia, which is not read."""


@dataclass(frozen=True)
class _Found:
    """A geom in the document: its attributes by default classes, and its element."""

    attributes: dict[str, str]
    element: Element


def mjcf_visuals(path: Path) -> list[Visual]:
    """The geoms of a robot file that could be read as a robot; raises `RobotFileError`, `MissingExtraError`."""
    try:
        mujoco = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtraError("mujoco", "mujoco", "reading the shapes of MJCF") from None
    root = read_mjcf_tree(path)
    context = mjcf_context(root)
    found: list[_Found] = []
    sections = [
        _with_sites(section, OUTERMOST, context, found) if section.tag == "worldbody" else section
        for section in root.children
        if section.tag not in ("equality", "actuator", "tendon")
    ]
    compiler = Element("compiler", dict(_SAFE_COMPILER), root.where)
    stripped, _ = strip_mjcf(replace(root, children=(*sections, compiler)))
    with mujoco_warnings(mujoco):
        model = compile_mjcf(mujoco, stripped, {}, str(path))
    reader = ModelReader(model, name="", disabled=frozenset(), places={}, source=str(path))
    assets = _Assets(root, context)
    visuals = []
    for index in range(model.nsite):
        number = reader.given_name("site", index).partition("|")[0].rpartition(" ")[2]
        visuals.append(_visual(model, index, reader.body_names, found[int(number)], assets))
    return visuals


def _with_sites(holder: Element, childclass: str, context: MjcfContext, found: list[_Found]) -> Element:
    """A body, frame or copied part with sites for its geoms (1), and without sites of its own."""
    childclass = holder.attributes.get("childclass", childclass)
    children: list[Element] = []
    for child in holder.children:
        if child.tag in ("body", "frame", "replicate"):
            children.append(_with_sites(child, childclass, context, found))
        elif child.tag == "geom":
            attributes = _attributes(child, childclass, context)
            if attributes.get("group", "0") in _GROUPS_SHOWN and attributes.get("type") != "plane":
                children.append(_site(attributes, child, len(found)))
                found.append(_Found(attributes, child))
        elif child.tag != "site":
            children.append(child)
    return replace(holder, children=tuple(children))


def _attributes(geom: Element, childclass: str, context: MjcfContext) -> dict[str, str]:
    """Attributes of the geom over those of its classes; one form of orientation replaces another."""
    found = context.attributes(geom, childclass, "geom")
    if any(word in geom.attributes for word in _TURNS):
        found = {name: value for name, value in found.items() if name not in _TURNS or name in geom.attributes}
    return found


def _is_of_a_file(attributes: dict[str, str]) -> bool:
    return attributes.get("type") in FILE_SHAPES or "mesh" in attributes or "hfield" in attributes


def _site(attributes: dict[str, str], geom: Element, number: int) -> Element:
    words = {name: value for name, value in attributes.items() if name in _PLACES}
    if _is_of_a_file(attributes):
        words = {name: value for name, value in words.items() if name not in ("size", "fromto")}
    elif "type" in attributes:
        words["type"] = attributes["type"]
    return Element("site", {"name": _NAME.format(number), **words}, geom.where)


def _visual(model: Any, index: int, bodies: list[str], found: _Found, assets: _Assets) -> Visual:
    pose = model_pose(model.site_pos[index], model.site_quat[index])
    body, color = bodies[int(model.site_bodyid[index])], assets.color(found)
    label = f"a geom of body '{body}'"
    if not _is_of_a_file(found.attributes):
        a, b, c = (float(size) for size in model.site_size[index])  # halves of lengths
        sizes = {
            "sphere": (a,),
            "capsule": (a, 2.0 * b),
            "cylinder": (a, 2.0 * b),
            "ellipsoid": (a, b, c),
            "box": (2.0 * a, 2.0 * b, 2.0 * c),
        }
        type_ = _SITE_TYPES[int(model.site_type[index])]
        if type_ in sizes:
            return Visual(body, ShapeKind(type_), pose, sizes[type_], color)
    else:
        type_ = "mesh" if "mesh" in found.attributes else found.attributes.get("type", "hfield")
    if type_ != "mesh":
        return Visual(body, label=label, problem=f"shapes of the type {type_} are not drawn")
    element = assets.mesh(found)
    if element is None:
        return Visual(body, label=label, problem="its mesh names no file")
    file, scale = assets.file(element), element.vector("scale", (1.0, 1.0, 1.0))
    turn = _numbers(element.attributes.get("refquat", "1 0 0 0"), element)
    reference = model_pose(element.vector("refpos", (0.0, 0.0, 0.0)), turn)
    if reference.rotation != IDENTITY.rotation and len(set(scale)) > 1:
        return Visual(body, label=file, problem="a mesh that is both turned and scaled unevenly is not drawn")
    return Visual(body, ShapeKind.MESH, pose @ _moved(reference, scale), (), color, file, scale)


def _moved(reference: Pose, scale: Vector3) -> Pose:
    """Where the scaled vertices of the file stand on the geom (4)."""
    back = transpose(reference.rotation)
    x, y, z = (-s * r for s, r in zip(scale, matvec(back, reference.origin), strict=True))
    return Pose(back, (x, y, z))


class _Assets:
    """Meshes and materials of a document, by name."""

    def __init__(self, root: Element, context: MjcfContext) -> None:
        self.context = context
        elements = [element for section in root.all("asset") for element in section.children]
        self.meshes = {_mesh_name(element): element for element in elements if element.tag == "mesh"}
        self.materials = {e.attributes.get("name", ""): e for e in elements if e.tag == "material"}
        self.folder = context.compiler.get("meshdir") or context.compiler.get("assetdir", "")
        self.without_folders = context.compiler.get("strippath") == "true"

    def color(self, found: _Found) -> RgbaColor | None:
        """The colour of a geom, or that of its material; None where the file names none."""
        if "rgba" in found.attributes:
            return _rgba(found.attributes["rgba"], found.element)
        material = self.materials.get(found.attributes.get("material", ""))
        if material is None:
            return None
        attributes = self.context.attributes(material, OUTERMOST, "material")
        return _rgba(attributes["rgba"], material) if "rgba" in attributes else None

    def mesh(self, found: _Found) -> Element | None:
        """The mesh of a geom; None where there is no asset of that name, or its vertices stand in the document."""
        element = self.meshes.get(found.attributes["mesh"])
        if element is None:
            return None
        whole = replace(element, attributes=self.context.attributes(element, OUTERMOST, "mesh"))
        return whole if whole.attributes.get("file") else None

    def file(self, mesh: Element) -> str:
        """The file of a mesh, with the compiler's folder before it."""
        file = mesh.attributes["file"].replace("\\", "/")
        file = PurePosixPath(file).name if self.without_folders else file
        return f"{self.folder.rstrip('/')}/{file}" if self.folder else file


def _numbers(text: str, element: Element) -> list[float]:
    return [parse_number(word, what=f"an attribute of {element}", where=element.where) for word in text.split()]


def _rgba(text: str, element: Element) -> RgbaColor:
    r, g, b, a = (min(1.0, max(0.0, value)) for value in [*_numbers(text, element), 1.0, 1.0, 1.0, 1.0][:4])
    return r, g, b, a


def _mesh_name(element: Element) -> str:
    return element.attributes.get("name") or PurePosixPath(element.attributes.get("file", "").replace("\\", "/")).stem
