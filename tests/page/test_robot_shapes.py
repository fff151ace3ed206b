"""Shapes from numbers: capsules join the joints, ellipsoids have the inertia that they stand for."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.page.solids import binary_stl

from torquec.dynamics.frame_pose import body_poses
from torquec.page.mesh_files import read_mesh
from torquec.page.robot_shapes import floor_height, inertia_ellipsoid, robot_shapes, robot_size, robot_visuals
from torquec.robot import classics
from torquec.robot.load import load
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import BASE, Body, Joint, JointType
from torquec.robot.visual import ShapeKind
from torquec.spatial import Inertia


def test_the_ellipsoid_has_the_bodys_inertia():
    """(2) of the module, turned around: I = m/5 (b^2 + c^2) about each axis, in the body's axes."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        half = rng.uniform(0.1, 1.0, 3)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        moments = (
            np.array([half[1] ** 2 + half[2] ** 2, half[0] ** 2 + half[2] ** 2, half[0] ** 2 + half[1] ** 2]) * 0.4
        )
        tensor = turn @ np.diag(moments) @ turn.T
        rows = tuple(tuple(row) for row in tensor)
        body = Body("b", BASE, Joint("j", JointType.REVOLUTE), Inertia.from_center_of_mass(2.0, (0.3, -1.0, 0.2), rows))
        found = inertia_ellipsoid(body)
        rotation, (a, b, c) = np.array(found.rotation), found.axes
        again = rotation @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ rotation.T * 0.4
        np.testing.assert_allclose(again, tensor, atol=1e-12)
        assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_a_body_without_mass_has_no_ellipsoid():
    assert inertia_ellipsoid(Body("b", BASE, Joint("j", JointType.REVOLUTE))) is None


@pytest.mark.parametrize("name", ["planar2r", "puma560", "scara", "stanford"])
def test_capsules_end_where_the_next_joint_is(name):
    robot = getattr(classics, name)()
    shapes = robot_shapes(robot)
    ends = {
        (shape.body, tuple(np.round(2.0 * np.array(shape.pose.origin), 9)))
        for shape in shapes
        if shape.kind is ShapeKind.CAPSULE or shape.body == BASE
    }
    size = robot_size(robot)
    for body in robot.bodies:
        end = np.array(body.joint.placement.origin)
        if np.linalg.norm(end) > 0.02 * size:
            assert (body.parent, tuple(np.round(end, 9))) in ends
    housings = [shape.body for shape in shapes if shape.kind is ShapeKind.CYLINDER and shape.body != BASE]
    assert housings == [k for k, body in enumerate(robot.bodies) if not body.joint.type.is_prismatic]
    for shape in shapes:
        rotation = np.array(shape.pose.rotation)
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_bodies_with_shapes_of_their_own_are_left_out():
    robot = classics.puma560()
    kept = robot_shapes(robot, without=frozenset(range(BASE, robot.n - 1)))
    assert {shape.body for shape in kept} == {robot.n - 1}


def test_the_floor_lies_below_everything():
    robot = classics.puma560()
    assert floor_height(robot, [0.0] * 6) < -0.3 * robot_size(robot)  # its base frame is the shoulder
    pendulum = classics.planar2r()
    assert floor_height(pendulum, [0.0] * 2) <= 0.0


def test_a_rod_slides_through_its_block():
    """At both limits and between them, the block on the parent is somewhere along the rod."""
    robot = classics.scara()
    index = next(k for k, body in enumerate(robot.bodies) if body.joint.type.is_prismatic)
    body = robot.bodies[index]
    shapes = robot_shapes(robot)
    (block,) = [shape for shape in shapes if shape.kind is ShapeKind.BOX]
    assert block.body == body.parent
    np.testing.assert_allclose(block.pose.origin, body.joint.placement.origin)
    (rod,) = [shape for shape in shapes if shape.body == index and shape.kind is ShapeKind.CAPSULE][-1:]
    for q in (body.joint.limits.lower, 0.0, body.joint.limits.upper):
        at = -q * np.array(body.joint.axis) - np.array(rod.pose.origin)
        assert np.linalg.norm(at) <= 0.5 * rod.sizes[1] + 1e-12


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
    for name, reason in (("gone.stl", "no such file"), ("secret.stl", "outside"), ("lower", "<torus> is not a shape")):
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


mujoco = pytest.importorskip("mujoco")

MJCF = """<mujoco model="arm">
<compiler angle="degree" eulerseq="zyx" meshdir="meshes" autolimits="true"/>
<default><geom rgba="0.2 0.4 0.6 1"/><mesh scale="0.5 0.5 0.5"/>
  <default class="limb"><geom type="capsule" size="0.05" euler="10 20 30"/>
    <default class="rod"><geom type="cylinder" size="0.02 0.3"/></default>
    <default class="touched"><geom group="3"/></default></default></default>
<asset><material name="red" rgba="1 0 0 0.5"/><mesh file="solid.stl"/>
  <mesh name="turned" file="solid.stl" scale="2 2 2" refpos="0.1 -0.2 0.3" refquat="0.8 0 0.6 0"/>
  <mesh name="stretched" file="solid.stl" scale="1 2 3" refpos="0.1 0 0"/></asset>
<worldbody>
  <geom type="plane" size="5 5 1"/>
  <geom type="box" size="0.2 0.1 0.05" pos="0 0 -0.05"/>
  <body name="upper" pos="0 0 0.5" childclass="limb">
    <inertial mass="1" pos="0 0 0.1" diaginertia="0.1 0.1 0.1"/>
    <joint name="j1" axis="0 0 1" range="-90 90"/>
    <geom fromto="0 0 0 0.1 0.2 0.4" material="red" rgba="1 0 0 0.5"/>
    <geom class="rod" pos="0.3 0 0" quat="0.6 0 0.8 0"/>
    <geom class="touched" size="1 1"/>
    <frame pos="0 0.1 0" euler="0 90 0"><geom type="ellipsoid" size="0.1 0.2 0.3"/></frame>
    <replicate count="2" offset="0 0 0.4"><geom type="sphere" size="0.07"/></replicate>
    <body pos="0 0 0.4">
      <inertial mass="1" pos="0 0 0.1" diaginertia="0.1 0.1 0.1"/>
      <joint name="j2" type="slide" axis="1 0 0" pos="0 0.1 0" range="-1 1"/>
      <geom type="mesh" mesh="solid" pos="0.1 0 0" axisangle="0 0 1 30"/>
      <geom type="mesh" mesh="turned" euler="0 0 0"/>
      <geom type="mesh" mesh="stretched" pos="0 1 0"/>
      <body name="welded" pos="0 0 0.2"><geom type="sphere" size="0.03"/></body>
    </body>
  </body>
</worldbody>
</mujoco>"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "solid.stl").write_bytes(binary_stl())
    (tmp_path / "arm.xml").write_text(MJCF)
    return tmp_path / "arm.xml"


def corners(shape, body, file):
    """Lowest and highest point of a shape in the base frame: of a mesh by its vertices, else by many points on it."""
    if shape.kind is ShapeKind.MESH:
        points = read_mesh(file.parent / "meshes" / "solid.stl").vertices * np.array(shape.scale)
    else:
        points = surface(shape)
    for pose in (shape.pose, body):
        points = points @ np.array(pose.rotation).T + np.array(pose.origin)
    return np.array([points.min(axis=0), points.max(axis=0)])


def surface(shape):
    sizes = shape.sizes
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    if shape.kind is ShapeKind.BOX:
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return 0.5 * signs * np.array(sizes)
    if shape.kind in (ShapeKind.SPHERE, ShapeKind.ELLIPSOID):
        return directions * np.array(sizes if len(sizes) == 3 else sizes * 3)
    ends = np.sign(directions[:, 2:]) * [0.0, 0.0, 0.5 * sizes[1]]
    flat = directions * [1.0, 1.0, 0.0 if shape.kind is ShapeKind.CYLINDER else 1.0]
    return ends + sizes[0] * flat / np.linalg.norm(flat, axis=1)[:, None]


def test_shapes_are_where_mujoco_has_its_geoms(file):
    robot = load(file)
    found = robot_visuals(robot)
    assert found.problems == ()
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    q = [0.4, -0.3]
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    poses = {BASE: type(found.shapes[0].pose)(), **dict(enumerate(body_poses(robot, q)))}
    shown = [k for k in range(model.ngeom) if model.geom_group[k] < 3 and model.geom_type[k] != 0]
    assert len(shown) == len(found.shapes) == 10
    for k, shape in zip(shown, found.shapes, strict=True):
        turn, place = data.geom_xmat[k].reshape(3, 3), data.geom_xpos[k]
        ours = corners(shape, poses[shape.body], file)
        mesh = model.geom_dataid[k]
        if mesh >= 0:
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            points = model.mesh_vert[first : first + count] @ turn.T + place
            np.testing.assert_allclose(ours, [points.min(axis=0), points.max(axis=0)], atol=1e-6)
        else:
            np.testing.assert_allclose(ours.mean(axis=0), place, atol=0.02)
            body = poses[shape.body]
            np.testing.assert_allclose((body @ shape.pose).origin, place, atol=1e-12)
            np.testing.assert_allclose((body @ shape.pose).rotation, turn, atol=1e-12)
            half = {ShapeKind.CAPSULE: 0.5, ShapeKind.CYLINDER: 0.5, ShapeKind.BOX: 0.5}.get(shape.kind, 1.0)
            sizes = [half * s if j or shape.kind is ShapeKind.BOX else s for j, s in enumerate(shape.sizes)]
            np.testing.assert_allclose(sizes, model.geom_size[k][: len(sizes)], atol=1e-12)
        rgba = model.geom_rgba[k]
        np.testing.assert_allclose(shape.color, rgba, atol=1e-6)


def test_a_locked_joint_takes_its_shapes_with_it(file):
    robot = load(file)
    locked = robot_visuals(lock_joints(robot, {"j2": 0.2}))
    assert {shape.body for shape in locked.shapes} == {BASE, 0}
    moved = np.subtract(locked.shapes[-1].pose.origin, robot_visuals(robot).shapes[-1].pose.origin)
    assert np.abs(moved).max() > 0.1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('file="solid.stl"/>', 'name="solid" file="gone.stl"/>', "meshes/gone.stl: there is no such file"),
        ('file="solid.stl"/>', 'name="solid" file="../../secret.stl"/>', "lies outside"),
        ('meshdir="meshes"', 'meshdir="/etc"', "lies outside"),
        ('type="sphere" size="0.03"', 'type="sdf" mass="0"', "shapes of the type sdf are not drawn"),
        ('scale="1 2 3"', 'scale="1 2 3" refquat="0.8 0 0.6 0"', "turned and scaled unevenly"),
        ('mesh="solid"', 'mesh="unknown"', "names no file"),
    ],
)
def test_what_cannot_be_drawn_is_named_and_the_rest_is_drawn(file, old, new, words):
    assert old in MJCF
    file.write_text(MJCF.replace(old, new, 1))
    found = robot_visuals(load(file))
    assert any(words in problem for problem in found.problems), found.problems
    assert len(found.shapes) >= 7
    assert BASE in found.bodies
