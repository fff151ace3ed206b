"""Mesh files from which inertias are computed, on request: their bytes, for MuJoCo's compiler.

MuJoCo opens no file itself. A mesh is read where it lies below the folder of the robot file, links followed:

(1)  its name is that of the asset, else the file's without folder and suffix
(2)  its file is looked up from the compiler's meshdir, else assetdir, with `strippath` without its own folders
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, is_below, read_bytes
from torquec.robot.xml import Element

_SUFFIXES = (".stl", ".obj", ".msh")
"""What MuJoCo's compiler reads."""


@dataclass
class MeshFiles:
    """The mesh assets of a document by name, and the bytes of those that are used, by the names MuJoCo is given."""

    folder: Path
    compiler: dict[str, str]
    known: dict[str, Element]
    used: dict[str, Element] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)

    def use(self, name: str, geom: Element) -> None:
        """Read the mesh of a geom; raises `RobotFileError` for one that is not there, is no mesh or lies elsewhere."""
        if name in self.used:
            return
        if name not in self.known:
            raise RobotFileError(
                f"there is no mesh '{name}' in <asset>", where=geom.where, remedy="add it, or name another"
            )
        element = self.known[name]
        written = element.attributes.get("file")
        if written is None:  # its vertices stand in the document
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
                f'"{written}" is no mesh that MuJoCo reads',
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
        """(2)."""
        path = PurePosixPath(written.replace("\\", "/"))
        if self.compiler.get("strippath") == "true":
            path = PurePosixPath(path.name)
        return PurePosixPath(self.compiler.get("meshdir", self.compiler.get("assetdir", ""))) / path


def mesh_files(root: Element, folder: Path) -> MeshFiles:
    """The mesh assets of a document (1)."""
    compiler = {name: value for each in root.all("compiler") for name, value in each.attributes.items()}
    known = {}
    for section in root.all("asset"):
        for mesh in section.all("mesh"):
            stem = PurePosixPath(mesh.attributes.get("file", "").replace("\\", "/")).stem
            known[mesh.attributes.get("name", stem)] = mesh
    return MeshFiles(folder, compiler, known)
