"""MJCF includes and default classes, resolved before MuJoCo compiles the document.

`<include file="..."/>` is replaced by the children of that file's root, as MuJoCo does:

(1)  a name is looked up from the folder of the robot file, then from the folder of the file that includes it
(2)  packages keep shared parts beside their robots: a file may lie up to three folders above, and no farther away

Names of assets are not trusted. MuJoCo opens no file itself, and assets are not read, except meshes for inertias on
request (`mesh_files`). Such a mesh must lie below the folder of the robot file, after resolving symbolic links:

(3)  the mesh's name is that of the asset, else the file's name without folder and suffix
(4)  the mesh's file is looked up from the compiler's meshdir, else assetdir; `strippath` drops the folders in its name
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, is_below, is_file, read_bytes
from torquec.robot.robot import FileWarning
from torquec.robot.xml import Element, parse_xml, read_included

_SUFFIXES = (".stl", ".obj", ".msh")  # what MuJoCo's compiler reads
_FOLDERS_ABOVE = 3  # folders above the robot file (2): package/arms/panda/xml/arm.xml


def read_mjcf_tree(path: Path) -> Element:
    """The root element of an MJCF file, with everything that it includes.

    Raises `RobotFileError` for a file that is not MJCF, is included twice or lies outside the allowed folders (2).
    """
    root = parse_xml(read_bytes(path, FileKind.ROBOT), str(path))
    if root.tag != "mujoco":
        raise RobotFileError(
            f"the document is <{root.tag}>, not <mujoco>",
            where=root.where,
            remedy="load the file that includes it"
            if root.tag == "mujocoinclude"
            else "give an MJCF file, URDF, or a DH table",
        )
    return _Includes(path).put_in_place(root, path.parent)


class _Includes:
    """The files that one robot file includes."""

    def __init__(self, path: Path) -> None:
        self.main = path.parent
        self.seen = {path.resolve()}
        self.farthest = path.resolve().parents[: _FOLDERS_ABOVE + 1][-1]

    def put_in_place(self, element: Element, folder: Path) -> Element:
        """The element, from a file in `folder`, with its <include> children replaced by the files that they name."""
        children: list[Element] = []
        for child in element.children:
            if child.tag == "include":
                children += self.included(child, folder)
            else:
                children.append(self.put_in_place(child, folder))
        return replace(element, children=tuple(children))

    def included(self, include: Element, folder: Path) -> tuple[Element, ...]:
        """The elements that replace one <include>."""
        name = include.attribute("file")
        written = name.replace("\\", "/")  # to MuJoCo both separate folders, on every system
        places = (self.main / written, folder / written)  # (1)
        path = next((place for place in places if is_file(place)), places[0])
        absolute = written.startswith("/") or bool(PureWindowsPath(name).drive)
        if absolute or not is_below(path, self.farthest):  # (2)
            raise RobotFileError(
                f'the path "{name}" of {include} leads away from the robot\'s folder',
                where=include.where,
                remedy=f"include files by relative paths, from at most {_FOLDERS_ABOVE} folders above the robot file",
            )
        if path.resolve() in self.seen:
            raise RobotFileError(f'"{name}" is included twice', where=include.where, remedy="include each file once")
        self.seen.add(path.resolve())
        root = parse_xml(read_included(path, name, include), str(path))
        return self.put_in_place(root, path.parent).children


OUTERMOST = "main"
"""The default class of elements that name no other."""

FILE_SHAPES = ("mesh", "hfield", "sdf")
"""Types of geoms whose shape is in a file."""


@dataclass
class MjcfContext:
    """Settings of the whole document: default attributes by class and tag, compiler settings, and warnings.

    `meshes` are those that may supply inertias; None if no mesh may.
    """

    defaults: dict[str, dict[str, dict[str, str]]]
    compiler: dict[str, str]
    warnings: list[FileWarning] = field(default_factory=list)
    meshes: MeshFiles | None = None

    def attributes(self, element: Element, childclass: str, tag: str) -> dict[str, str]:
        """The attributes of an element, over those of its default class."""
        chosen = element.attributes.get("class") or childclass
        inherited = self.defaults.get(chosen, self.defaults[OUTERMOST])
        return inherited.get(tag, {}) | element.attributes


def mjcf_context(root: Element) -> MjcfContext:
    """The settings of a whole document."""
    defaults: dict[str, dict[str, dict[str, str]]] = {OUTERMOST: {}}
    for element in root.all("default"):
        _collect_defaults(element, {}, defaults, outermost=True)
    compiler: dict[str, str] = {}
    for element in root.all("compiler"):
        compiler |= element.attributes
    return MjcfContext(defaults, compiler)


def _collect_defaults(
    element: Element,
    inherited: Mapping[str, dict[str, str]],
    into: dict[str, dict[str, dict[str, str]]],
    *,
    outermost: bool,
) -> None:
    """Resolve the classes inside one <default>; each inherits from the classes around it."""
    name = OUTERMOST if outermost else element.attributes.get("class", "")
    own = dict(inherited) | into.get(name, {})
    for child in element.children:
        if child.tag != "default":
            own[child.tag] = own.get(child.tag, {}) | child.attributes
    into[name] = own
    if outermost and "class" in element.attributes:
        into[element.attributes["class"]] = own
    for child in element.all("default"):
        _collect_defaults(child, own, into, outermost=False)


@dataclass
class MeshFiles:
    """The mesh assets of a document, those in use, and their bytes by the file names that MuJoCo gets."""

    folder: Path
    compiler: dict[str, str]
    known: dict[str, Element]
    used: dict[str, Element] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)

    def use(self, name: str, geom: Element) -> None:
        """Read a geom's mesh; raises `RobotFileError` if it is missing, no mesh, or outside the robot's folder."""
        if name in self.used:
            return
        if name not in self.known:
            raise RobotFileError(
                f"there is no mesh '{name}' in <asset>", where=geom.where, remedy="add it, or name another"
            )
        element = self.known[name]
        written = element.attributes.get("file")
        if written is None:  # its vertices are in the document
            self.used[name] = element
            return
        path = self.folder / self._file(written)
        if not is_below(path, self.folder):
            raise RobotFileError(
                f'the mesh "{written}" lies outside of the robot\'s folder',
                where=element.where,
                remedy="copy it below the folder of the robot file, or give the body an <inertial>",
            )
        if path.suffix.lower() not in _SUFFIXES:
            raise RobotFileError(
                f'"{written}" is not a mesh format that MuJoCo reads',
                where=element.where,
                remedy=f"export it as one of {', '.join(_SUFFIXES)}",
            )
        given = f"mesh{len(self.contents)}{path.suffix.lower()}"
        self.contents[given] = read_bytes(path, FileKind.MESH)
        self.used[name] = replace(element, attributes=element.attributes | {"name": name, "file": given})

    def section(self) -> Element | None:
        """The mesh assets that are used, as a section of the document."""
        meshes = tuple(self.used.values())
        return Element("asset", {}, meshes[0].where, children=meshes) if meshes else None

    def _file(self, written: str) -> PurePosixPath:
        """The path of a mesh file (4)."""
        path = PurePosixPath(written.replace("\\", "/"))
        if self.compiler.get("strippath") == "true":
            path = PurePosixPath(path.name)
        return PurePosixPath(self.compiler.get("meshdir", self.compiler.get("assetdir", ""))) / path


def mesh_files(root: Element, folder: Path) -> MeshFiles:
    """The mesh assets of a document (3)."""
    compiler = {name: value for each in root.all("compiler") for name, value in each.attributes.items()}
    known = {}
    for section in root.all("asset"):
        for mesh in section.all("mesh"):
            stem = PurePosixPath(mesh.attributes.get("file", "").replace("\\", "/")).stem
            known[mesh.attributes.get("name", stem)] = mesh
    return MeshFiles(folder, compiler, known)
