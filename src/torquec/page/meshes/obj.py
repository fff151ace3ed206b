"""Wavefront OBJ: vertices, polygons, and colours from the material file beside it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from torquec.errors import RobotFileError
from torquec.page.mesh import Color, MeshPart, TriangleMesh

_LONGEST_POLYGON = 10_000
"""Corners of a face: more is no face but an attack on patience."""


def read_obj(data: bytes, where: str, *, beside: Callable[[str], bytes | None] = lambda _: None) -> TriangleMesh:
    """The mesh of an OBJ file; `beside` gives the bytes of a file that it names, None where that may not be read.

    Raises `RobotFileError` for numbers or faces that are none.
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
        raise RobotFileError("a vertex has not three coordinates", where=where, remedy="export the mesh again")
    parts = tuple(MeshPart(np.array(found), colors.get(name)) for name, found in faces.items() if found)
    return TriangleMesh(np.array(vertices, dtype=float).reshape(-1, 3), parts)


def _index(word: str, count: int) -> int:
    """Of a corner written as v, v/vt, v//vn or v/vt/vn; counted from one, or backwards from the last vertex."""
    index = int(word.split("/", 1)[0])
    return index - 1 if index > 0 else count + index


def _materials(data: bytes | None) -> dict[str, Color]:
    """Diffuse colours by name; what is not understood is left out: a mesh without colours is still a mesh."""
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
