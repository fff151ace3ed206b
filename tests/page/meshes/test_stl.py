"""STL in both of its forms, and files that are neither."""

from __future__ import annotations

import numpy as np
import pytest
from tests.page.meshes.solids import CORNERS, FACES, binary_stl, text_stl, triangles

from torquec.errors import RobotFileError
from torquec.page.meshes.stl import read_stl


@pytest.mark.parametrize("data", [binary_stl(), binary_stl(b"solid exported by somebody"), text_stl()])
def test_every_triangle_is_there(data):
    np.testing.assert_array_equal(triangles(read_stl(data, "a.stl")), CORNERS[FACES])


@pytest.mark.parametrize("data", [b"", b"nonsense" * 20, binary_stl()[:-1], b"solid a\nfacet\nvertex 1 2 x\n"])
def test_what_is_no_stl_is_refused(data):
    with pytest.raises(RobotFileError):
        read_stl(data, "a.stl")
