"""Mesh files of a robot: where they are, whether they may be read, and what they hold.

A mesh is read where it lies below the folder of the robot's file, below the package that this file is in, or below a
folder that was named for its package; links are followed before this is decided. Everything else is refused: a robot
file from a stranger chooses no file of the reader's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import numpy as np

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, is_below, is_file, read_bytes
from torquec.page.mesh import TriangleMesh
from torquec.page.meshes.collada import read_collada
from torquec.page.meshes.gltf import read_glb
from torquec.page.meshes.obj import read_obj
from torquec.page.meshes.stl import read_stl

MESH_READERS: Mapping[str, Callable[[bytes, str], TriangleMesh]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".dae": read_collada,
    ".glb": read_glb,
}
"""By ending."""


@dataclass(frozen=True)
class MeshFolders:
    """Where meshes of a robot file may lie: `packages` by name, and what follows from the file's own place."""

    robot_file: Path
    packages: Mapping[str, Path] = field(default_factory=dict)

    def find(self, name: str) -> Path:
        """The file that a mesh's name stands for; raises `RobotFileError` where it lies elsewhere or is missing."""
        scheme, colon, rest = name.partition("://")
        if not colon:
            folder, inside = self.robot_file.parent, name
        elif scheme == "file":
            folder, inside = self.robot_file.parent, unquote(rest)
        elif scheme in ("package", "model"):
            package, _, inside = rest.partition("/")
            folder = self._package(package)
        else:
            raise RobotFileError(f"'{scheme}://' is not read", remedy="name a file beside the robot's")
        path = folder / Path(*PurePosixPath(inside.replace("\\", "/")).parts)
        if not is_below(path, folder):
            raise RobotFileError(
                f"it lies outside of {folder}", remedy="put it below the robot's folder, or name its package's folder"
            )
        if not is_file(path):
            raise RobotFileError("there is no such file", remedy="check the name, or name its package's folder")
        return path

    def _package(self, name: str) -> Path:
        if name in self.packages:
            return self.packages[name]
        # The package that the robot file itself belongs to is a folder above it of that name.
        for folder in self.robot_file.absolute().parents:
            if name and folder.name == name:
                return folder
        beside = self.robot_file.parent / name
        if name and is_below(beside, self.robot_file.parent) and beside.is_dir():
            return beside
        raise RobotFileError(f"the package '{name}' is not known", remedy=f"say where it is: --package {name}=DIR")


def read_mesh(path: Path) -> TriangleMesh:
    """The triangles of a mesh file; raises `RobotFileError` where it is too large, broken, empty or of another kind."""
    read = MESH_READERS.get(path.suffix.lower())
    if read is None:
        raise RobotFileError(
            f"'{path.suffix}' is no mesh that is read", remedy=f"convert it to one of {', '.join(MESH_READERS)}"
        )
    data = read_bytes(path, FileKind.MESH)
    if read is read_obj:
        mesh = read_obj(data, path.name, beside=lambda name: _beside(path, name))
    else:
        mesh = read(data, path.name)
    triangles = [part.triangles for part in mesh.parts if len(part.triangles)]
    if not triangles:
        raise RobotFileError("there is no triangle in it", remedy="export the mesh again")
    corners = np.concatenate(triangles)
    if corners.min() < 0 or corners.max() >= len(mesh.vertices):
        raise RobotFileError("a triangle has a corner that is not there", remedy="export the mesh again")
    if not np.isfinite(mesh.vertices[np.unique(corners)]).all():
        raise RobotFileError("a vertex is not finite", remedy="export the mesh again")
    return mesh


def _beside(path: Path, name: str) -> bytes | None:
    """A material file in the folder of its mesh; None where it is missing, elsewhere or too large."""
    other = path.parent / name
    if not (is_below(other, path.parent) and is_file(other)):
        return None
    try:
        return read_bytes(other, FileKind.MESH)
    except RobotFileError:
        return None
