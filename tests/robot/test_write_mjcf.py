"""MJCF: MuJoCo's own torques with the file are the robot's, and so are those of the robot that is read back."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import mujoco
import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot

from torquec.dynamics import total_torque
from torquec.errors import ArgumentError, RobotError
from torquec.robot.friction import Friction
from torquec.robot.load import load
from torquec.robot.payload import attach_payload
from torquec.robot.robot import BASE, Body, Drives, Joint, JointType, Limits, Mimic, Motor, Robot, Spring
from torquec.robot.write_mjcf import mjcf_text, not_in_mjcf, write_mjcf
from torquec.spatial import Inertia, Pose, rpy_rotation

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
needs_models = pytest.mark.skipif(not MODELS.is_dir(), reason="the shared models are absent")
FILES = ("ur5.urdf", "panda.urdf", "wx250s_mimic.urdf", "baxter.urdf", "gen3.xml", "staubli_rx160.urdf")


def solid(mass: float, *center: float) -> Inertia:
    return Inertia.from_center_of_mass(mass, center, ((0.03, 0.001, 0.0), (0.001, 0.02, 0.002), (0.0, 0.002, 0.025)))


def mixed() -> Robot:
    """A hinge, a slide, a slide that mimics it and a coupled wrist: every word that MuJoCo has."""
    joints = [
        Joint(
            "turn",
            JointType.CONTINUOUS,
            Pose(rpy_rotation(0.3, -0.2, 1.0), (0.1, 0.2, 0.3)),
            friction=Friction.of({"viscous": 0.4, "coulomb": 0.7, "offset": 0.25, "curved": -0.05, "cubic": 0.02}),
        ),
        Joint(
            "slide",
            JointType.PRISMATIC,
            Pose(rpy_rotation(1.0, 0.5, 0.0), (0.0, 0.1, 0.0)),
            (0.6, 0.0, 0.8),
            limits=Limits(-0.5, 0.4, 1.0, 80.0),
            friction=Friction.symmetric(3.0, 0.2),
            spring=Spring(40.0, 0.1),
        ),
        Joint("twin", JointType.PRISMATIC, Pose(origin=(0.2, 0, 0)), (0, 1, 0), mimic=Mimic("slide", -1.5, 0.05)),
        Joint("bend", JointType.REVOLUTE, Pose(rpy_rotation(0, 0, 2.0)), limits=Limits(-2.0, 2.0, 3.0, 20.0)),
    ]
    parents = (BASE, 0, 1, 1)
    bodies = tuple(
        Body(f"body{k}", parent, joint, solid(1.0 + k, 0.1 * k, -0.05, 0.02))
        for k, (parent, joint) in enumerate(zip(parents, joints, strict=True))
    )
    motors = (
        Motor("geared", 1e-4, Friction.of({"viscous": 2e-5, "coulomb": 1e-3, "offset": -2e-3, "curved": 3e-7})),
        Motor("coupled", 2e-4, Friction.of({"viscous": 1e-5, "coulomb": 4e-3, "curved": -2e-8, "cubic": 1e-9})),
    )
    return Robot("mixed arm", bodies, drives=Drives(motors, ((80.0, 0.0, 0.0), (0.0, 50.0, -60.0))))


def torques(robot, q, qd, qdd):
    """Total torques (N, n)."""
    return np.array(total_torque(robot, q.T, qd.T, qdd.T)).T


def mujoco_torques(robot: Robot, text: str, q, qd, qdd):
    """MuJoCo's inverse dynamics (N, n), joints that mimic another one folded into it."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EQUALITY) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data = mujoco.MjData(model)
    found = np.zeros_like(q)
    for k in range(len(q)):
        state = {name: (q[k, j], qd[k, j], qdd[k, j]) for j, name in enumerate(robot.joint_names)}
        gears = {name: (name, 1.0) for name in state}
        for joint in (body.joint for body in robot.bodies):
            if joint.mimic is not None:
                factor, (a, b, c) = joint.mimic.multiplier, state[joint.mimic.joint]
                state[joint.name] = (factor * a + joint.mimic.offset, factor * b, factor * c)
                gears[joint.name] = (joint.mimic.joint, factor)
        for name, (a, b, c) in state.items():
            at = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
            data.qpos[model.jnt_qposadr[at]], data.qvel[model.jnt_dofadr[at]] = a, b
            data.qacc[model.jnt_dofadr[at]] = c
        mujoco.mj_inverse(model, data)
        for name, (leader, factor) in gears.items():
            at = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
            found[k, robot.joint_index(leader)] += factor * data.qfrc_inverse[model.jnt_dofadr[at]]
    return found


def states(robot: Robot, seed: int):
    """Motions that do not reverse: MuJoCo's dry friction is a constraint, which holds a joint that is about to."""
    rng = np.random.default_rng(seed)
    side = np.sign(rng.uniform(-1.0, 1.0, (12, robot.n)))
    return (
        rng.uniform(-1.0, 1.0, (12, robot.n)),
        side * rng.uniform(0.5, 2.0, side.shape),
        side * rng.uniform(0, 3, side.shape),
    )


def assert_same_torques(robot: Robot, path: Path, seed: int) -> None:
    q, qd, qdd = states(robot, seed)
    own = torques(robot, q, qd, qdd)
    largest = np.abs(own).max()
    assert np.abs(mujoco_torques(robot, path.read_text("utf-8"), q, qd, qdd) - own).max() <= 1e-9 * largest
    again = load(path, snap=robot.snap)
    order = [again.joint_names.index(name) for name in robot.joint_names]
    q, qd, qdd = (np.ascontiguousarray(values[:, np.argsort(order)]) for values in (q, qd, qdd))
    assert np.abs(torques(again, q, qd, qdd)[:, order] - own).max() <= 1e-9 * largest


@needs_models
@pytest.mark.parametrize("name", FILES)
def test_published_robots_with_a_payload(name, tmp_path):
    robot = load(MODELS / name)
    loaded = attach_payload(robot, robot.frames[-1].name, mass=0.7, center=(0.01, 0.02, 0.1))
    (path,) = write_mjcf(loaded, tmp_path / "robot.xml")
    assert_same_torques(loaded, path, 1)
    assert {frame.name for frame in loaded.frames} - {"world"} <= {frame.name for frame in load(path).frames}


def test_every_word_that_mujoco_has(tmp_path):
    robot = mixed()
    assert not_in_mjcf(robot) == ()
    assert_same_torques(robot, write_mjcf(robot, tmp_path / "mixed.xml")[0], 2)
    limits = {joint.name: joint.limits for joint in load(tmp_path / "mixed.xml").joints}
    assert (limits["slide"].lower, limits["slide"].upper, limits["slide"].effort) == (-0.5, 0.4, 80.0)


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed, tmp_path):
    robot = random_robot(seed)
    plain = tuple(
        dataclasses.replace(
            body, joint=dataclasses.replace(body.joint, friction=Friction.symmetric(0.1 * k, 0.3, -0.2))
        )
        for k, body in enumerate(robot.bodies)
    )
    motors = tuple(
        dataclasses.replace(motor, friction=Friction.symmetric(0.1, 0.2, 0.3)) for motor in robot.drives.motors
    )
    rows = zip(motors, robot.drives.transmission, strict=True)
    kept = [
        pair
        for pair in rows
        if not not_in_mjcf(dataclasses.replace(robot, bodies=plain, drives=Drives(*zip(pair, strict=True))))
    ]
    drives = Drives(tuple(motor for motor, _ in kept), tuple(row for _, row in kept))
    robot = dataclasses.replace(robot, bodies=plain, drives=drives)
    assert_same_torques(robot, write_mjcf(robot, tmp_path / "random.xml")[0], seed)


def test_friction_turns_over_with_the_speed(tmp_path):
    """A swing with dry friction: MuJoCo's own time constant turns it over 10 ms early, ours 2 ms; one robot is read."""
    swing = dataclasses.replace(mixed(), bodies=mixed().bodies[:1], drives=Drives())
    t = np.linspace(0.0, 2.0, 2001)[:, None]
    motion = (np.sin(np.pi * t), np.pi * np.cos(np.pi * t), -np.pi * np.pi * np.sin(np.pi * t))
    expected = torques(swing, *motion)
    text = mjcf_text(swing)
    words = ' solreffriction="0.004 1"'
    ours, usual = (
        np.mean(np.abs(mujoco_torques(swing, form, *motion) - expected)) for form in (text, text.replace(words, ""))
    )
    assert ours < 0.3 * usual
    (tmp_path / "ours.xml").write_text(text)
    (tmp_path / "usual.xml").write_text(text.replace(words, ""))
    assert load(tmp_path / "ours.xml") == load(tmp_path / "usual.xml")


def test_every_frictionloss_has_its_time_constant():
    lines = [line for line in mjcf_text(mixed()).splitlines() if "frictionloss" in line]
    assert len(lines) == 3  # two joints and a tendon
    assert all('solreffriction="0.004 1"' in line for line in lines)


def test_what_mujoco_cannot_say_is_named_and_kept_beside(tmp_path):
    robot = mixed()
    bent = Friction.of({"viscous": 1.0, "coulomb": 2.0, "offset": 0.3, "stribeck": 0.5, "stribeck_speed": 0.1})
    joint = dataclasses.replace(robot.bodies[0].joint, friction=bent)
    robot = dataclasses.replace(robot, bodies=(dataclasses.replace(robot.bodies[0], joint=joint), *robot.bodies[1:]))
    path, side = write_mjcf(robot, tmp_path / "bent.xml", note="Some words.")
    head = path.read_text("utf-8")[:300]
    assert "Some words." in head
    assert "turn: viscous_positive" in head
    assert side.name == "bent.drives.toml"
    q, qd, qdd = states(robot, 3)
    own = torques(robot, q, qd, qdd)
    found = torques(load(path), q, qd, qdd)
    assert np.abs(found - own).max() <= 1e-9 * np.abs(own).max()
    # A robot of which the file says all makes the side file of an earlier one harmless.
    write_mjcf(mixed(), path)
    assert_same_torques(mixed(), path, 4)


def test_a_motor_that_couples_two_branches_is_named(tmp_path):
    bodies = tuple(dataclasses.replace(body, parent=BASE) for body in (mixed().bodies[0], mixed().bodies[3]))
    robot = Robot("two", bodies, drives=Drives((Motor("both", 1e-3),), ((20.0, 30.0),)))
    assert not_in_mjcf(robot) == ("motor both: rotor inertia between branches",)
    path, _ = write_mjcf(robot, tmp_path / "two.xml")
    assert load(path).drives == robot.drives


def test_the_robot_falls_in_mujoco_as_it_does_here(tmp_path):
    """Forward: without drives, MuJoCo's accelerations are those that need none here."""
    robot = dataclasses.replace(mixed(), bodies=tuple(mixed().bodies[:2]), drives=Drives())
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)
    data = mujoco.MjData(model)
    q, qd = np.array([0.3, -0.2]), np.array([0.5, 1.0])
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_forward(model, data)
    smooth = (
        Friction.of({"viscous": 0.4, "offset": 0.25, "curved": -0.05, "cubic": 0.02}),
        Friction.symmetric(3.0),
    )
    joints = (dataclasses.replace(b.joint, friction=f) for b, f in zip(robot.bodies, smooth, strict=True))
    bodies = tuple(dataclasses.replace(b, joint=j) for b, j in zip(robot.bodies, joints, strict=True))
    # What the drives would have to give for MuJoCo's accelerations is nothing.
    own = total_torque(dataclasses.replace(robot, bodies=bodies), q, qd, data.qacc)
    np.testing.assert_allclose(own, 0.0, atol=1e-8)
    assert model.nu == robot.n


def test_misuse(tmp_path):
    with pytest.raises(ArgumentError, match=r"ends in \.xml"):
        write_mjcf(mixed(), tmp_path / "robot.urdf")
    massless = dataclasses.replace(
        mixed(), bodies=tuple(dataclasses.replace(b, inertia=Inertia()) for b in mixed().bodies)
    )
    with pytest.raises(RobotError, match="MuJoCo rejects the inertia"):
        mjcf_text(massless)
    taken = tmp_path / "taken.xml"
    taken.write_text("<mujoco/>")
    with pytest.raises(ArgumentError, match="exists already"):
        write_mjcf(mixed(), taken)
    assert taken.read_text() == "<mujoco/>"
