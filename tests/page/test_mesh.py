"""Packed meshes: what is unpacked is what was packed, to a step of 16 bits."""

from __future__ import annotations

import zlib

import numpy as np

from torquec.page import mesh as module
from torquec.page.mesh import MeshPart, TriangleMesh, packed_mesh


def unpacked(mesh):
    """Triangles (N, 3, 3) as the page's script reads them."""
    data = zlib.decompress(mesh.packed)
    steps = np.frombuffer(data, "<u2", 3 * mesh.vertices).reshape(-1, 3)
    start = -(-6 * mesh.vertices // 4) * 4
    lower, upper = np.array(mesh.lower), np.array(mesh.upper)
    return (lower + (upper - lower) * steps / 65535.0)[np.frombuffer(data[start:], "<u4").reshape(-1, 3)]


def test_triangles_survive_to_a_step():
    rng = np.random.default_rng(0)
    vertices = rng.uniform(-1.0, 2.0, (7, 3))
    triangles = np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6]])
    mesh = packed_mesh("a", TriangleMesh(vertices, (MeshPart(triangles),)))
    found = sorted(unpacked(mesh).tolist(), key=lambda corners: min(map(tuple, corners)))
    wanted = sorted(vertices[triangles].tolist(), key=lambda corners: min(map(tuple, corners)))
    np.testing.assert_allclose(found, wanted, atol=3.0 / 65535.0)
    assert sum(part.count for part in mesh.parts) == 9


def test_too_many_triangles_are_coarsened(monkeypatch):
    """A ball of many triangles becomes a ball of few, nowhere far from the first."""
    n = 80
    u, v = np.meshgrid(np.linspace(0.0, np.pi, n), np.linspace(0.0, 2.0 * np.pi, n), indexing="ij")
    ball = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1).reshape(-1, 3)
    at = np.arange(n * n).reshape(n, n)
    corners = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:]], axis=-1).reshape(-1, 3)
    monkeypatch.setattr(module, "_MOST_TRIANGLES", 1500)
    mesh = packed_mesh("ball", TriangleMesh(ball, (MeshPart(corners),)))
    assert 300 < sum(part.count for part in mesh.parts) / 3 <= 1500
    np.testing.assert_allclose(np.linalg.norm(unpacked(mesh), axis=-1), 1.0, atol=0.15)


def test_doubled_vertices_become_one_and_flat_triangles_go():
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, 1]])
    red, blue = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
    parts = (
        MeshPart(np.array([[0, 1, 2], [0, 3, 1]]), red),  # the second has two corners at one place
        MeshPart(np.array([[3, 4, 5]]), blue),
        MeshPart(np.array([[0, 2, 5]]), red),
    )
    mesh = packed_mesh("b", TriangleMesh(vertices, parts))
    assert mesh.vertices == 4
    assert [(part.count, part.color) for part in mesh.parts] == [(6, red), (3, blue)]
