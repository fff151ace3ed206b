"""Floating bases: URDF and MJCF files against Pinocchio's free flyer and MuJoCo, and the base chosen on loading."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from torquec import dynamics
from torquec.closedform.closed_form import closed_form
from torquec.closedform.symbolic_equations import symbolic_equations
from torquec.errors import FixedBaseWarning, RobotError, RobotFileError
from torquec.kinematics.inverse_kinematics import inverse_kinematics
from torquec.model.accepting_rooms import accepted_by
from torquec.model.model import as_model
from torquec.model.model import compile as compile_model
from torquec.parameters.minimal_combinations import minimal_combinations
from torquec.robot import conventions
from torquec.robot.configuration import neutral, random_position
from torquec.robot.floating_base import Base, base_kind, with_base
from torquec.robot.joints import JointType
from torquec.robot.load import load
from torquec.robot.lock_joints import lock_joints
from torquec.robot.urdf import parse_urdf
from torquec.robot.write_mjcf import write_mjcf
from torquec.robot.write_urdf import write_urdf

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
LIMIT = 1e-10

BOX = "<inertial><mass value='2'/><inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0' ixz='0' iyz='0'/></inertial>"
LEG = (
    "<link name='{0}_thigh'>" + BOX + "</link><link name='{0}_foot'>" + BOX + "</link>"
    "<joint name='{0}_hip' type='continuous'><origin xyz='0 {1} 0'/><parent link='trunk'/><child link='{0}_thigh'/>"
    "<axis xyz='1 0 0'/></joint><joint name='{0}_knee' type='continuous'><origin xyz='0 0 -0.4'/>"
    "<parent link='{0}_thigh'/><child link='{0}_foot'/><axis xyz='1 0 0'/></joint>"
    "<link name='{0}_sole'/><joint name='{0}_ankle' type='fixed'><origin xyz='0 0 -0.4'/><parent link='{0}_foot'/>"
    "<child link='{0}_sole'/></joint>"
)
WALKER = f"<robot name='walker'><link name='trunk'>{BOX}</link>{LEG.format('a', 0.1)}{LEG.format('b', -0.1)}</robot>"


def walker(tmp_path, **options):
    (tmp_path / "walker.urdf").write_text(WALKER)
    return load(tmp_path / "walker.urdf", **options)


def state(robot, seed=0):
    rng = np.random.default_rng(seed)
    return (random_position(robot, rng), *rng.uniform(-1.0, 1.0, (2, robot.nv)))


def close(found, expected):
    assert np.abs(np.asarray(found) - expected).max() <= LIMIT * max(1.0, np.abs(expected).max())


def model_file(name):
    path = MODELS / name
    return path if path.exists() else pytest.skip(f"{name} is not in the model collection")


@pytest.mark.parametrize("name", ["go2.urdf", "anymal_b.urdf", "talos_reduced.urdf"])
def test_urdf_on_a_floating_base_is_pinocchios_free_flyer(name):
    pinocchio = pytest.importorskip("pinocchio")
    path = model_file(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = load(path, base="floating", snap=False)
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    names = [robot.joint_names[0], *list(model.names)[2:]]
    data = model.createData()
    q, v, a = state(robot)
    pq, pv = conventions.to_pinocchio(robot, q, v, joints=names)
    _, pa = conventions.to_pinocchio(robot, q, a, joints=names)
    tau = pinocchio.rnea(model, data, pq, pv, pa)
    close(dynamics.inverse_dynamics(robot, q, v, a), conventions.from_pinocchio(robot, pq, tau, joints=names)[1])
    native = compile_model(robot)
    close(native.inverse_dynamics(q, v, a), dynamics.inverse_dynamics(robot, q, v, a))
    close(native.forward_dynamics(q, v, native.inverse_dynamics(q, v, a)), a)


@pytest.mark.parametrize("name", ["anymal_c.xml", "h1.xml", "go1.xml", "cf2.xml"])
def test_mjcf_with_a_free_joint_is_mujocos(name):
    mujoco = pytest.importorskip("mujoco")
    robot = load(model_file(name), snap=False)
    assert base_kind(robot) is Base.FLOATING
    from torquec.robot.mjcf import compile_mjcf
    from torquec.robot.mjcf_file import read_mjcf_tree
    from torquec.robot.mjcf_strip import strip_mjcf

    stripped, _ = strip_mjcf(read_mjcf_tree(MODELS / name))
    model = compile_mjcf(mujoco, stripped, {}, name)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    q, v, a = state(robot)
    data.qpos, data.qvel = conventions.to_mujoco(robot, q, v)
    data.qacc = conventions.acceleration_to_mujoco(robot, q, v, a)
    mujoco.mj_inverse(model, data)
    tau = np.array(dynamics.inverse_dynamics(robot, q, v, a))
    close(conventions.to_mujoco(robot, q, tau)[1], data.qfrc_inverse + data.qfrc_passive)
    close(conventions.acceleration_from_mujoco(robot, q, v, data.qacc), a)
    close(conventions.from_mujoco(robot, data.qpos, data.qvel)[1], v)


def test_base_is_chosen_on_loading(tmp_path):
    with pytest.warns(FixedBaseWarning, match=r"--base floating, load\(path, base='floating'\)"):
        fixed = walker(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert walker(tmp_path, base="fixed") == fixed
        floating = walker(tmp_path, base="floating", strict=False)
    assert (fixed.nq, fixed.nv, base_kind(fixed)) == (4, 4, Base.FIXED)
    assert (floating.nq, floating.nv, base_kind(floating)) == (11, 10, Base.FLOATING)
    assert floating.joint_names == ("floating_base", *fixed.joint_names)
    assert floating.coordinate_names[:6] == tuple(
        f"floating_base_{each}" for each in ("vx", "vy", "vz", "wx", "wy", "wz")
    )
    assert floating.frames[0].name == "world"
    assert floating.mass == fixed.mass
    assert with_base(floating, Base.FLOATING) is floating
    # On the fixed base, and with the floating one held where it is neutral, the legs need the same torques.
    q, v, a = state(fixed)
    whole = dynamics.inverse_dynamics(floating, [*neutral(floating)[:7], *q], [0.0] * 6 + [*v], [0.0] * 6 + [*a])
    close(whole[6:], dynamics.inverse_dynamics(fixed, q, v, a))
    back = with_base(floating, Base.FIXED)
    close(dynamics.inverse_dynamics(back, q, v, a), whole[6:])


def test_a_bolted_base_does_not_float(tmp_path):
    anchored = WALKER.replace(
        "<robot name='walker'>",
        "<robot name='walker'><link name='world'/><joint name='bolt' type='fixed'><parent link='world'/>"
        "<child link='trunk'/></joint>",
    )
    (tmp_path / "walker.urdf").write_text(anchored)
    with pytest.raises(RobotError, match="bolted down"):
        load(tmp_path / "walker.urdf", base="floating")


def test_a_single_body_has_no_joints_on_a_fixed_base():
    joint = "<joint name='a' type='floating'><parent link='w'/><child link='b'/></joint>"
    text = f"<robot name='r'><link name='b'>{BOX}</link><link name='w'/>{joint}</robot>"
    with pytest.raises(RobotError, match="no joints on a fixed base"):
        with_base(parse_urdf(text.encode(), "r.urdf"), Base.FIXED)


def test_floating_and_planar_joints_of_urdf():
    text = (
        f"<robot name='r'><link name='world'/><link name='cart'>{BOX}</link><link name='puck'>{BOX}</link>"
        "<joint name='a' type='floating'><parent link='world'/><child link='cart'/></joint>"
        "<joint name='b' type='planar'><parent link='cart'/><child link='puck'/><axis xyz='0 1 0'/></joint></robot>"
    )
    robot = parse_urdf(text.encode(), "r.urdf")
    assert [joint.type for joint in robot.joints] == [JointType.FREE, JointType.PLANAR]
    assert (robot.nq, robot.nv) == (10, 9)
    close(np.array(dynamics.mass_matrix(robot, neutral(robot)))[:3, :3], 4.0 * np.eye(3))
    # Across y: the puck slides along x and z of the cart, and turns about its y axis.
    pose = dynamics.frame_pose(robot, "puck", [*neutral(robot)[:7], 0.3, 0.4, 0.0])
    assert pose.origin[1] == 0.0
    assert np.linalg.norm(pose.origin) == pytest.approx(0.5)


def test_joints_with_several_coordinates_are_not_mimicked():
    text = (
        f"<robot name='r'><link name='w'/><link name='a'>{BOX}</link><link name='b'>{BOX}</link>"
        "<joint name='a' type='floating'><parent link='w'/><child link='a'/></joint>"
        "<joint name='b' type='continuous'><parent link='a'/><child link='b'/><mimic joint='a'/></joint></robot>"
    )
    with pytest.raises(RobotFileError, match="one of them has several coordinates"):
        parse_urdf(text.encode(), "r.urdf")


def test_joints_of_a_floating_robot_are_locked(tmp_path):
    robot = walker(tmp_path, base="floating")
    held = lock_joints(robot, {"a_knee": 0.3})
    assert (held.nq, held.nv) == (robot.nq - 1, robot.nv - 1)
    from torquec.errors import ArgumentError

    with pytest.raises(ArgumentError, match="has 6 coordinates"):
        lock_joints(robot, {"floating_base": 0.0})


def test_rooms_for_single_coordinates_refuse_by_name(tmp_path):
    robot = walker(tmp_path, base="floating")
    frame = robot.frames[-1].name
    for refused in (
        lambda one: closed_form(one, coefficients="parameters"),
        symbolic_equations,
        as_model,
        lambda one: inverse_kinematics(one, frame),
        lambda one: write_mjcf(one, tmp_path / "walker.xml"),
    ):
        with pytest.raises(RobotError, match=r"joint 'floating_base' \(free\) is not a single number"):
            refused(robot)
    with pytest.raises(RobotError, match="the robot branches"):
        minimal_combinations(robot)
    assert [room for room, reason in accepted_by(robot).items() if reason is None] == [
        "closedform",
        "proof",
        "simplification",
    ]
    write_urdf(robot, tmp_path / "again.urdf")
    assert load(tmp_path / "again.urdf").joints[0].type is JointType.FREE
