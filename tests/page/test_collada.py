"""COLLADA: the scene placed, in metres, with its colours; no entity and no endless nesting."""

from __future__ import annotations

import numpy as np
import pytest
from tests.page.solids import CORNERS, FACES, collada, triangles

from torquec.errors import RobotFileError
from torquec.page.collada import read_collada


@pytest.mark.parametrize("up", ["Y_UP", "Z_UP"])
def test_the_scene_is_placed_in_metres(up):
    """Scaled by 2, turned by 90 degrees about z, moved, and all of it in half metres; the up axis changes nothing."""
    mesh = read_collada(collada(up=up), "a.dae")
    turned = np.stack([-CORNERS[:, 1], CORNERS[:, 0], CORNERS[:, 2]], axis=1)
    np.testing.assert_allclose(triangles(mesh), 0.5 * (2.0 * turned + [1, 2, 3])[FACES], atol=1e-12)
    assert [part.color for part in mesh.parts] == [(1.0, 0.0, 0.0, 1.0), None]


@pytest.mark.parametrize(
    "change",
    [
        (b"COLLADA", b"ROBOT"),
        (b'url="#g"', b'url="#h"'),
        (b"0 0 2 0", b"0 0 9 0"),
        (b"<vcount>3 3", b"<vcount>3 30"),
        (b"<translate>1 2 3", b"<translate>1 2"),
        (b"1.0 0.0", b"one 0.0"),
        (b'<?xml version="1.0"?>', b'<!DOCTYPE a [<!ENTITY b "c">]>'),
        (b"</COLLADA>", b""),
    ],
)
def test_what_is_broken_is_refused(change):
    data = collada()
    assert change[0] in data
    with pytest.raises(RobotFileError):
        read_collada(data.replace(*change), "a.dae")


def test_a_node_inside_itself_is_refused():
    data = collada().replace(b"<node>", b'<node id="n">').replace(b"</node>", b'<instance_node url="#n"/></node>')
    with pytest.raises(RobotFileError, match="in a cycle"):
        read_collada(data, "a.dae")
