"""Mesh files of a robot: search, check that they may be read, and readers of STL and Wavefront OBJ.

A mesh is read only if it lies below the folder of the robot's file, below the package that this file is in, or below a
folder that was named for its package; links are resolved first. Everything else is refused: an untrusted robot file
must not read other files of the user.

STL has triangles, as bytes or as text, without colours or unit; OBJ has polygons, and colours in the material file
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import numpy as np

from torquec.errors import RobotFileError
from torquec.foundation.reading import FileKind, is_below, is_file, read_bytes
from torquec.page.collada import read_collada
from torquec.page.gltf import read_glb
from torquec.page.mesh import Color, MeshPart, TriangleMesh

_HEAD = 84  # bytes before the triangles of a binary file: 80 of any content, then the number of triangles
_TRIANGLE = 50  # bytes of each triangle: normal, three corners, two more bytes


def read_stl(data: bytes, where: str) -> TriangleMesh:
    """The mesh of an STL file; raises `RobotFileError` for a truncated or invalid one."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= _HEAD else -1
    # Files that begin with "solid" may be binary all the same; the length decides.
    if count >= 0 and len(data) >= _HEAD + count * _TRIANGLE and not (data[:5] == b"solid" and b"facet" in data[:400]):
        rows = np.frombuffer(data, np.uint8, count * _TRIANGLE, _HEAD).reshape(count, _TRIANGLE)
        corners = rows[:, 12:48].copy().view("<f4").reshape(-1, 3).astype(float)
    elif data.lstrip()[:5] == b"solid":
        corners = _text_corners(data, where)
    else:
        raise RobotFileError("this is not an STL file, or it is truncated", where=where, remedy="export the mesh again")
    return TriangleMesh(corners, (MeshPart(np.arange(len(corners)).reshape(-1, 3)),))


def _text_corners(data: bytes, where: str) -> np.ndarray:
    words = data.split()
    places = [k for k, word in enumerate(words) if word == b"vertex"]
    try:
        values = np.array([words[k + 1 : k + 4] for k in places], dtype=float).reshape(-1, 3)
    except ValueError:
        raise RobotFileError("a vertex of the STL file is not a point", where=where, remedy="export it again") from None
    return values[: len(values) // 3 * 3]


_LONGEST_POLYGON = 10_000
"""Largest number of corners of a face, against denial of service."""


def read_obj(data: bytes, where: str, *, beside: Callable[[str], bytes | None] = lambda _: None) -> TriangleMesh:
    """The mesh of an OBJ file; `beside` gives the bytes of a file that the OBJ file names, None if it may not be read.

    Raises `RobotFileError` for invalid numbers or faces.
    """
    vertices: list[list[float]] = []
    faces: dict[str, list[tuple[int, int, int]]] = {}
    colors: dict[str, Color] = {}
    material = ""
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            if words[0] == "v":
                vertices.append([float(word) for word in words[1:4]])
            elif words[0] == "f":
                corners = [_index(word, len(vertices)) for word in words[1:_LONGEST_POLYGON]]
                fan = ((corners[0], b, c) for b, c in pairwise(corners[1:]))
                faces.setdefault(material, []).extend(fan)
            elif words[0] == "usemtl":
                material = " ".join(words[1:])
            elif words[0] == "mtllib":
                colors |= _materials(beside(line.split(maxsplit=1)[1].strip()))
        except (ValueError, IndexError):
            raise RobotFileError(
                f"'{line[:60]}' is not understood", where=f"{where}:{number}", remedy="export the mesh again"
            ) from None
    if any(len(vertex) != 3 for vertex in vertices):
        raise RobotFileError("a vertex does not have three coordinates", where=where, remedy="export the mesh again")
    parts = tuple(MeshPart(np.array(found), colors.get(name)) for name, found in faces.items() if found)
    return TriangleMesh(np.array(vertices, dtype=float).reshape(-1, 3), parts)


def _index(word: str, count: int) -> int:
    """Vertex index of a corner (v, v/vt, v//vn or v/vt/vn); counted from one, or backwards from the last vertex."""
    index = int(word.split("/", 1)[0])
    return index - 1 if index > 0 else count + index


def _materials(data: bytes | None) -> dict[str, Color]:
    """Diffuse colours by name; unknown entries are ignored: a mesh without colours is still usable."""
    found: dict[str, Color] = {}
    name, opacity = "", 1.0
    for line in (data or b"").decode("utf-8", "replace").splitlines():
        words = line.split()
        try:
            if words[:1] == ["newmtl"]:
                name, opacity = " ".join(words[1:]), 1.0
            elif words[:1] == ["Kd"]:
                found[name] = (float(words[1]), float(words[2]), float(words[3]), opacity)
            elif words[:1] == ["d"]:
                opacity = float(words[1])
                if name in found:
                    found[name] = (*found[name][:3], opacity)
        except (ValueError, IndexError):
            continue
    return found


MESH_READERS: Mapping[str, Callable[[bytes, str], TriangleMesh]] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".dae": read_collada,
    ".glb": read_glb,
}
"""By ending."""


@dataclass(frozen=True)
class MeshFolders:
    """Folders of the meshes of a robot file: `packages` by name, and folders relative to the file."""

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
            f"'{path.suffix}' is not a supported mesh format", remedy=f"convert it to one of {', '.join(MESH_READERS)}"
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
        raise RobotFileError("a triangle refers to a missing vertex", remedy="export the mesh again")
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
