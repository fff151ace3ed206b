"""Meshes of a page: triangles with colours, and the same packed for the script.

(1)  positions in 65536 steps of their box, 2e-5 of its size, then indices; compressed with deflate
(2)  a mesh with too many triangles is decimated by vertex clustering: vertices are rounded to coarser and coarser
     grids, and degenerate triangles are removed
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices

Color = tuple[float, float, float, float]

_STEPS = 65535  # quantisation steps, 16 bits (1)
_MOST_TRIANGLES = 40_000  # of one mesh (2): a phone can draw as many for every link; most robot files have fewer

_COARSER = (1.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0)
"""Grid sizes of (2) that are tried in turn, in steps of 1/65536 of a mesh's longest side."""


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
    """The mesh for the page (1), coarsened where it is too fine (2); vertices at one place become one."""
    vertices = np.asarray(mesh.vertices, dtype=float)
    lower, upper = vertices.min(axis=0), vertices.max(axis=0)
    for step in _COARSER:
        span = np.where(upper > lower, upper - lower, 1.0)
        # Steps of a cube, not of the box: flat meshes keep their shape.
        grain = np.maximum(1.0, step * span.max() / span) if step > 1.0 else 1.0
        steps = np.round(np.round((vertices - lower) / span * _STEPS / grain) * grain).clip(0, _STEPS).astype(np.int64)
        places, renamed = np.unique(steps, axis=0, return_inverse=True)
        by_color = _by_color(mesh, renamed.reshape(-1))
        if sum(len(found) for found in by_color.values()) <= _MOST_TRIANGLES:
            break
    parts = tuple(PackedPart(found.size, color) for color, found in by_color.items() if len(found))
    indices = b"".join(found.astype("<u4").tobytes() for found in by_color.values())
    positions = places.astype("<u2").tobytes()
    padding = b"\0" * (-len(positions) % 4)  # indices begin at a multiple of their size
    packed = zlib.compress(positions + padding + indices, level=9)
    return PackedMesh(name, _triple(lower), _triple(upper), len(places), parts, packed)


def _by_color(mesh: TriangleMesh, renamed: Indices) -> dict[Color | None, Indices]:
    """Triangles of the renamed vertices, parts of one colour together; each triangle once."""
    found: dict[Color | None, list[Indices]] = {}
    for part in mesh.parts:
        found.setdefault(part.color, []).append(renamed[np.asarray(part.triangles, dtype=np.int64)])
    return {color: np.unique(_with_area(np.concatenate(parts)), axis=0) for color, parts in found.items()}


def _with_area(triangles: Indices) -> Indices:
    """Triangles of three different vertices."""
    a, b, c = triangles.T
    kept: Indices = triangles[(a != b) & (b != c) & (a != c)]
    return kept


def _triple(values: Sequence[float] | Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
