"""Shapes of a URDF: each at its link, in its colour; what cannot be drawn is named, and the rest is drawn."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.page.meshes.solids import binary_stl

from torquec.page.visuals import robot_visuals
from torquec.robot.load import load
from torquec.robot.lock_joints import lock_joints
from torquec.robot.visual import ShapeKind

LINK = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
URDF = f"""<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
<material name="blue"><color rgba="0 0 1 1"/></material>
<link name="base"><visual><geometry><box size="1 2 3"/></geometry><material name="blue"/></visual></link>
<link name="upper">{LINK}
  <visual><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
    <geometry><cylinder radius="0.1" length="2"/></geometry></visual>
  <visual><geometry><mesh filename="a.stl" scale="0.001 0.001 0.001"/></geometry>
    <material name="own"><color rgba="1 0 0 0.5"/></material></visual></link>
<link name="tool">{LINK}<visual><geometry><sphere radius="0.3"/></geometry></visual>
  <visual><geometry><mesh filename="gone.stl"/></geometry></visual></link>
<link name="lower">{LINK}<visual><geometry><mesh filename="../../secret.stl"/></geometry></visual>
  <visual><geometry><torus/></geometry></visual></link>
<joint name="j1" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
<joint name="fixed" type="fixed"><parent link="upper"/><child link="tool"/><origin xyz="0 0 2"/></joint>
<joint name="j2" type="continuous"><parent link="tool"/><child link="lower"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "a.stl").write_bytes(binary_stl())
    return load(tmp_path / "arm.urdf")


def test_shapes_hang_on_the_bodies_of_their_links(arm):
    found = robot_visuals(arm)
    kinds = [(shape.body, shape.kind) for shape in found.shapes]
    assert kinds == [(-1, ShapeKind.BOX), (0, ShapeKind.CYLINDER), (0, ShapeKind.MESH), (0, ShapeKind.SPHERE)]
    box, cylinder, mesh, sphere = found.shapes
    assert box.color == (0.0, 0.0, 1.0, 1.0)
    assert mesh.color == (1.0, 0.0, 0.0, 0.5)
    assert mesh.scale == (0.001,) * 3
    assert found.meshes[mesh.mesh].name == "a.stl"
    np.testing.assert_allclose(cylinder.pose.origin, [0, 0, 1])
    np.testing.assert_allclose(cylinder.pose.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(sphere.pose.origin, [0, 0, 2])  # its link is welded to the one before
    assert found.bodies == {-1}  # the second lacks a mesh, the third has nothing
    assert found.incomplete == {0, 1}


def test_what_cannot_be_drawn_is_named(arm):
    problems = robot_visuals(arm).problems
    assert len(problems) == 3
    for name, reason in (("gone.stl", "no such file"), ("secret.stl", "outside"), ("lower", "<torus> is no shape")):
        assert any(name in text and reason in text for text in problems), (name, problems)


def test_a_locked_joint_takes_its_shapes_along(arm):
    (shape,) = [s for s in robot_visuals(lock_joints(arm, {"j1": np.pi / 2})).shapes if s.kind is ShapeKind.CYLINDER]
    assert shape.body == -1
    np.testing.assert_allclose(shape.pose.rotation, [[-1, 0, 0], [0, -1, 0], [0, 0, 1]], atol=1e-15)


def test_xacro_is_expanded_and_a_file_that_is_gone_is_named(arm, tmp_path):
    (tmp_path / "arm.xacro").write_text(URDF.replace('radius="0.3"', 'radius="${0.1 * 3}"'))
    shapes = robot_visuals(load(tmp_path / "arm.xacro")).shapes
    assert shapes[-1].sizes == pytest.approx((0.3,))
    (tmp_path / "arm.urdf").unlink()
    (problem,) = robot_visuals(arm).problems
    assert "no such file" in problem


def test_robots_without_a_file_have_none(arm):
    assert robot_visuals(dataclasses.replace(arm, source="")).shapes == ()
    assert robot_visuals(dataclasses.replace(arm, source="arm.toml")).problems == ()
