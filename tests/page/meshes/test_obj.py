"""OBJ: polygons, indices of every kind, colours from the file beside it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.page.meshes.solids import CORNERS, FACES, obj, triangles

from torquec.errors import RobotFileError
from torquec.page.meshes.obj import read_obj

MATERIALS = b"newmtl red\nKd 1 0 0\nd 0.5\nnewmtl broken\nKd x\n"


def test_every_triangle_is_there_with_its_colour():
    asked = []
    mesh = read_obj(obj(), "a.obj", beside=lambda name: asked.append(name) or MATERIALS)
    np.testing.assert_array_equal(triangles(mesh), CORNERS[FACES])
    assert asked == ["tetra.mtl"]
    assert [part.color for part in mesh.parts] == [(1.0, 0.0, 0.0, 0.5)]
    assert read_obj(obj("broken"), "a.obj", beside=lambda _: MATERIALS).parts[0].color is None


def test_polygons_become_fans():
    square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
    np.testing.assert_array_equal(read_obj(square, "a.obj").parts[0].triangles, [[0, 1, 2], [0, 2, 3]])


@pytest.mark.parametrize("data", [b"v 1 2 x\n", b"v 1 2 3\nf 1 b 1\n", b"v 1 2\n"])
def test_what_is_not_understood_is_refused(data):
    with pytest.raises(RobotFileError):
        read_obj(data, "a.obj")
