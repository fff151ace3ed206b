"""GLB: the scene placed, with its colours; nothing is read beyond the file."""

from __future__ import annotations

import numpy as np
import pytest
from tests.page.solids import CORNERS, FACES, glb, triangles

from torquec.errors import RobotFileError
from torquec.page.gltf import read_glb


def test_the_scene_is_placed():
    mesh = read_glb(glb(), "a.glb")
    turned = np.stack([-CORNERS[:, 1], CORNERS[:, 0], CORNERS[:, 2]], axis=1)
    np.testing.assert_allclose(triangles(mesh), (2.0 * turned + [1, 2, 3])[FACES], atol=1e-6)
    assert mesh.parts[0].color == (1.0, 0.0, 0.0, 1.0)


def test_a_matrix_is_by_columns():
    matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
    mesh = read_glb(glb(nodes=[{"mesh": 0, "matrix": matrix}]), "a.glb")
    np.testing.assert_allclose(triangles(mesh), CORNERS[FACES] + [5, 6, 7])


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": [{"children": [0]}]},
        {"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4_000_000}] * 2},
        {"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": -1}] * 2},
        {"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4, "sparse": {}}] * 2},
        {"buffers": [{"byteLength": 72, "uri": "/etc/passwd"}]},
        {"meshes": [{"primitives": [{"attributes": {}}]}]},
        {
            "meshes": [
                {"primitives": [{"attributes": {"POSITION": 0}, "extensions": {"KHR_draco_mesh_compression": {}}}]}
            ]
        },
        {"scenes": 3},
    ],
)
def test_what_is_broken_or_compressed_is_refused(changes):
    with pytest.raises(RobotFileError):
        read_glb(glb(**changes), "a.glb")


@pytest.mark.parametrize("data", [b"", b"glTF", glb()[:60], b"x" * 100])
def test_what_is_no_glb_is_refused(data):
    with pytest.raises(RobotFileError):
        read_glb(data, "a.glb")
