"""Binary glTF (GLB): triangles of its scene with base colours, coordinates as they are written.

Compressed geometry (Draco, meshopt), sparse accessors and buffers in other files are refused.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from torquec.errors import RobotFileError
from torquec.foundation.arrays import Array
from torquec.page.mesh import Color, MeshPart, TriangleMesh

_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_TRIANGLES = 4  # the mode of a primitive, and its default
_DEEPEST = 100  # nodes inside one another: a file may say that a node is its own child


def read_glb(data: bytes, where: str) -> TriangleMesh:
    """The mesh of a GLB file; raises `RobotFileError` for an invalid file or unsupported content."""
    try:
        return _Scene(*_chunks(data)).mesh()
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        raise RobotFileError(
            f"the GLB file is not understood: {error!r:.80}", where=where, remedy="export it again, without compression"
        ) from None


def _chunks(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The JSON and the binary part of the container."""
    if data[:4] != b"glTF" or int.from_bytes(data[4:8], "little") != 2:
        raise ValueError("it does not begin with glTF 2")
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        found.setdefault(data[at + 4 : at + 8], data[at + 8 : at + 8 + size])
        at += 8 + size
    document = json.loads(found[b"JSON"])
    if not isinstance(document, dict):
        raise TypeError("its JSON is not an object")
    return document, found.get(b"BIN\0", b"")


class _Scene:
    def __init__(self, document: dict[str, Any], binary: bytes) -> None:
        self.document, self.binary = document, binary
        self.vertices: list[Array] = []
        self.parts: list[MeshPart] = []
        self.count = 0

    def mesh(self) -> TriangleMesh:
        scenes = self.document.get("scenes", [])
        nodes = self.document.get("nodes", [])
        roots = scenes[self.document.get("scene", 0)].get("nodes", []) if scenes else range(len(nodes))
        for index in roots:
            self.add_node(index, np.eye(4), 0)
        points = np.concatenate(self.vertices) if self.vertices else np.zeros((0, 3))
        return TriangleMesh(points, tuple(self.parts))

    def add_node(self, index: int, above: Array, depth: int) -> None:
        if depth > _DEEPEST:
            raise ValueError("nodes refer to each other in a cycle")
        node = self.document["nodes"][index]
        place = above @ _placement(node)
        if "mesh" in node:
            for primitive in self.document["meshes"][node["mesh"]]["primitives"]:
                self.add_primitive(primitive, place)
        for child in node.get("children", []):
            self.add_node(child, place, depth + 1)

    def add_primitive(self, primitive: dict[str, Any], place: Array) -> None:
        if primitive.get("mode", _TRIANGLES) != _TRIANGLES:
            return  # points and lines are no surface
        if any("compression" in name for name in primitive.get("extensions", {})):
            raise ValueError("its geometry is compressed")
        points = self.accessor(primitive["attributes"]["POSITION"]).astype(float)
        if "indices" in primitive:
            corners = self.accessor(primitive["indices"]).astype(np.int64).ravel()
        else:
            corners = np.arange(len(points))
        triangles = corners[: len(corners) // 3 * 3].reshape(-1, 3)
        if len(triangles) and triangles.max() >= len(points):
            raise ValueError("a triangle refers to a missing vertex")
        self.vertices.append(points @ place[:3, :3].T + place[:3, 3])
        self.parts.append(MeshPart(triangles + self.count, self.color(primitive)))
        self.count += len(points)

    def color(self, primitive: dict[str, Any]) -> Color | None:
        if "material" not in primitive:
            return None
        metal = self.document["materials"][primitive["material"]].get("pbrMetallicRoughness", {})
        if "baseColorFactor" not in metal:
            return None
        # Factors of glTF are linear; colours of a page are sRGB.
        *rgb, a = (float(x) for x in metal["baseColorFactor"])
        r, g, b = (min(1.0, max(0.0, x)) ** (1.0 / 2.2) for x in rgb)
        return r, g, b, a

    def accessor(self, index: int) -> Array:
        accessor = self.document["accessors"][index]
        if "sparse" in accessor or "bufferView" not in accessor:
            raise ValueError("an accessor is sparse")
        view = self.document["bufferViews"][accessor["bufferView"]]
        if view.get("buffer", 0) != 0 or "uri" in self.document["buffers"][0]:
            raise ValueError("a buffer is in another file")
        kind, width = np.dtype(_TYPES[accessor["componentType"]]), _WIDTHS[accessor["type"]]
        count, size = int(accessor["count"]), kind.itemsize * width
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", size)
        if count < 1 or start < 0 or stride < size or start + (count - 1) * stride + size > len(self.binary):
            raise ValueError("an accessor reaches beyond the file")
        rows: Array = np.ndarray((count, width), kind, self.binary, start, (stride, kind.itemsize))
        return rows


def _placement(node: dict[str, Any]) -> Array:
    if "matrix" in node:
        columns: Array = np.array(node["matrix"], dtype=float).reshape(4, 4).T
        return columns
    total = np.eye(4)
    x, y, z, w = (float(v) for v in node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    total[:3, :3] = turn @ np.diag(np.array(node.get("scale", (1.0, 1.0, 1.0)), dtype=float))
    total[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return total
