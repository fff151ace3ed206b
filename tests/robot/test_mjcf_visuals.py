"""Geoms of MJCF as they are read: classes over one another, groups that are shown, colours, names of meshes."""

from __future__ import annotations

import pytest

from torquec.errors import RobotFileError
from torquec.robot.mjcf_visuals import mjcf_visuals

pytest.importorskip("mujoco")

HEAD = '<mujoco><compiler strippath="true" assetdir="a/"/>'
BODY = '<worldbody><body name="b"><joint/>{geom}</body></worldbody></mujoco>'


def geoms(tmp_path, geom, more=""):
    path = tmp_path / "r.xml"
    path.write_text(HEAD + more + BODY.format(geom=geom))
    return mjcf_visuals(path)


def test_an_own_direction_replaces_that_of_the_class(tmp_path):
    classes = '<default><default class="c"><geom euler="0 0 90" size="0.1" rgba="0 1 0 1"/></default></default>'
    (geom,) = geoms(tmp_path, '<geom class="c" quat="1 0 0 0"/>', classes)
    assert geom.pose.rotation == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert geom.color == (0.0, 1.0, 0.0, 1.0)
    assert geom.sizes[0] == 0.1


def test_a_body_without_inertia_is_no_trouble(tmp_path):
    found = geoms(tmp_path, '<geom size="0.1" group="3"/><geom type="plane" size="1 1 1"/><geom size="0.2"/>')
    assert [geom.sizes[0] for geom in found] == [0.2]
    assert found[0].frame == "b"
    assert found[0].color is None


def test_a_mesh_has_the_name_of_its_file_and_the_folder_of_the_compiler(tmp_path):
    assets = '<asset><mesh file="x/y/part.stl" scale="1 1 2"/><material name="m" rgba="2 0 0"/></asset>'
    (geom,) = geoms(tmp_path, '<geom type="mesh" mesh="part" material="m"/>', assets)
    assert geom.mesh == "a/part.stl"
    assert geom.scale == (1.0, 1.0, 2.0)
    assert geom.color == (1.0, 0.0, 0.0, 1.0)


def test_what_mujoco_refuses_is_told(tmp_path):
    with pytest.raises(RobotFileError, match="MuJoCo rejects this model"):
        geoms(tmp_path, '<geom size="0.1" pos="1 2 3 4 5"/>')
