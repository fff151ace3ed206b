"""Meshes of a page: triangles with colours, and the same packed for the script.

(1)  positions in 65536 steps of their box, 2e-5 of its size, then indices; compressed with deflate
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices

Color = tuple[float, float, float, float]

_STEPS = 65535
"""Of 16 bits (1)."""


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles of one colour (RGBA; None: the robot's own): indices (N, 3) of the mesh's vertices."""

    triangles: Indices
    color: Color | None = None


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Vertices (V, 3) [m, or what the file's unit is] and the parts made of them."""

    vertices: Array
    parts: tuple[MeshPart, ...]


@dataclass(frozen=True)
class PackedPart:
    """How many indices a part has, and its colour."""

    count: int
    color: Color | None


@dataclass(frozen=True)
class PackedMesh:
    """(1)."""

    name: str
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    vertices: int
    parts: tuple[PackedPart, ...]
    packed: bytes


def packed_mesh(name: str, mesh: TriangleMesh) -> PackedMesh:
    """The mesh for the page; vertices at one place become one, parts of one colour too."""
    steps, lower, upper = _in_steps(np.asarray(mesh.vertices, dtype=float))
    places, renamed = np.unique(steps, axis=0, return_inverse=True)
    renamed = renamed.reshape(-1)
    by_color: dict[Color | None, list[Indices]] = {}
    for part in mesh.parts:
        by_color.setdefault(part.color, []).append(renamed[np.asarray(part.triangles, dtype=np.int64)])
    parts, indices = [], []
    for color, found in by_color.items():
        triangles = _with_area(np.concatenate(found))
        if len(triangles):
            parts.append(PackedPart(triangles.size, color))
            indices.append(triangles.astype("<u4").tobytes())
    positions = places.astype("<u2").tobytes()
    padding = b"\0" * (-len(positions) % 4)  # indices begin at a multiple of their size
    packed = zlib.compress(positions + padding + b"".join(indices), level=9)
    return PackedMesh(name, _triple(lower), _triple(upper), len(places), tuple(parts), packed)


def _in_steps(vertices: Array) -> tuple[Indices, Array, Array]:
    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    span = np.where(upper > lower, upper - lower, 1.0)
    steps: Indices = np.round((vertices - lower) / span * _STEPS).astype(np.int64)
    return steps, lower, upper


def _with_area(triangles: Indices) -> Indices:
    """Triangles of three different vertices."""
    a, b, c = triangles.T
    kept: Indices = triangles[(a != b) & (b != c) & (a != c)]
    return kept


def _triple(values: Sequence[float] | Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
