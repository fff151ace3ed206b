"""Identification on floating bases: a simulated quadruped in flight, on force plates, and with the base rows alone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.parameters.serial_arms import shared_model

from torquec.dynamics.frame_pose import frame_pose
from torquec.errors import ArgumentError
from torquec.identification.floating_base import MotionLog, identify_motion, read_motion_log
from torquec.model.model import compile as compile_model
from torquec.robot import classics
from torquec.robot.configuration import integrate
from torquec.robot.friction import Friction
from torquec.robot.robot import Drives, Robot
from torquec.simulation.free_motion import simulate_motion, write_motion
from torquec.spatial import Inertia
from torquec.trajectory.trajectory import Trajectory

RATE = 250.0


@pytest.fixture(scope="module")
def robot() -> Robot:
    """The quadruped without rotors and friction."""
    found = shared_model("go1.xml")
    bodies = (dataclasses.replace(b, joint=dataclasses.replace(b.joint, friction=Friction())) for b in found.bodies)
    return dataclasses.replace(found, bodies=tuple(bodies), drives=Drives())


def guess(robot: Robot) -> Robot:
    """The same robot with bodies that are all wrong."""
    bodies = (
        dataclasses.replace(b, inertia=Inertia(*(1.3 * float(value) for value in b.inertia.parameters)))
        for b in robot.bodies
    )
    return dataclasses.replace(robot, bodies=tuple(bodies))


def motion(robot: Robot, seconds: float = 6.0):
    """Times, positions, rates and accelerations of smooth rates of every coordinate, integrated on the manifold."""
    rng = np.random.default_rng(3)
    t = np.arange(round(seconds * RATE)) / RATE
    size, speed, phase = rng.uniform(0.3, 1.0, (3, robot.nv, 3))
    omega = 2.0 * np.pi * (0.3 + 1.2 * speed)
    angle = omega[None] * t[:, None, None] + 6.0 * phase[None]
    qd, qdd = (size * np.sin(angle)).sum(axis=2), (size * omega * np.cos(angle)).sum(axis=2)
    q = [np.array([0, 0, 0.5, 1, 0, 0, 0, *[0.1, 0.8, -1.6] * 4], dtype=float)]
    for k in range(len(t) - 1):
        q.append(np.array(integrate(robot, q[-1], 0.5 * (qd[k] + qd[k + 1]), time=1.0 / RATE)))
    return t, np.array(q), qd, qdd


@pytest.fixture(scope="module")
def known(robot):
    t, q, qd, qdd = motion(robot)
    return t, q, qd, qdd, compile_model(robot).inverse_dynamics(q, qd, qdd)


def relative(estimate, robot):
    true = np.concatenate([estimate.model.base.projection @ values_of(estimate, robot), np.zeros(0)])
    found = estimate.x[: len(true)]
    return np.linalg.norm(found - true) / np.linalg.norm(true)


def values_of(estimate, robot):
    own = [float(value) for body in robot.bodies for value in body.inertia.parameters]
    return np.array(own + [0.0] * (estimate.model.base.projection.shape[1] - len(own)))


@pytest.mark.slow
def test_in_flight_the_joint_torques_set_the_scale(robot):
    """Thrown with a spin, the legs swing: nothing touches the robot."""
    rng = np.random.default_rng(5)
    t = np.arange(4001) * 1e-3
    joints = robot.joint_names[1:]
    q, qd, qdd = (np.zeros((len(t), len(joints))) for _ in range(3))
    for j in range(len(joints)):
        for _ in range(3):
            size, omega, phase = rng.uniform(0.05, 0.2), 2.0 * np.pi * rng.uniform(0.5, 2.5), rng.uniform(0.0, 6.0)
            q[:, j] += size * np.sin(omega * t + phase)
            qd[:, j] += size * omega * np.cos(omega * t + phase)
            qdd[:, j] -= size * omega**2 * np.sin(omega * t + phase)
    q += np.tile([0.0, 0.9, -1.8], 4)
    way = Trajectory(joints, t, q, qd, qdd)
    start, spin = [0, 0, 0, 1, 0, 0, 0, *q[0]], [0.1, 0, 0, 1.8, -1.6, 1.5, *qd[0]]
    run = simulate_motion(robot, start, spin, trajectory=way)
    log = MotionLog(run.t, run.q, run.tau, run.qd)
    found = identify_motion(guess(robot), log, cutoff=40.0, friction="none")
    assert len(found.rows) == robot.nv
    assert relative(found, robot) < 1e-3
    assert found.relative_error < 0.02  # torques are held for a millisecond: half of one late


def test_a_wrench_on_the_base_and_all_rows_recover_every_base_parameter(robot, known):
    t, q, qd, qdd, tau = known
    trunk = frame_pose(robot, "trunk", list(q.T))
    rotation = np.array([[np.broadcast_to(x, len(t)) for x in row] for row in trunk.rotation]).transpose(2, 0, 1)
    wrench = np.concatenate([np.einsum("nij,nj->ni", rotation, tau[:, k : k + 3]) for k in (0, 3)], axis=1)
    log = MotionLog(t, q, tau, qd, qdd, {"trunk": wrench})
    found = identify_motion(guess(robot), log, cutoff=40.0, friction="symmetric")
    assert relative(found, robot) < 1e-6
    assert np.abs(found.x[len(found.model.base) :]).max() < 1e-4  # there is no friction
    assert found.realization.physically_consistent
    again = compile_model(found.robot).inverse_dynamics(q[:50], qd[:50], qdd[:50])
    np.testing.assert_allclose(again, tau[:50], atol=1e-3)


def test_the_base_rows_alone_recover_every_base_parameter(robot, known):
    """The wrench of a plate that does not move: the sum over all feet, at the world's origin."""
    t, q, qd, qdd, tau = known
    trunk = frame_pose(robot, "trunk", list(q.T))
    rotation = np.array([[np.broadcast_to(x, len(t)) for x in row] for row in trunk.rotation]).transpose(2, 0, 1)
    origin = np.column_stack([np.broadcast_to(x, len(t)) for x in trunk.origin])
    force, moment = (np.einsum("nij,nj->ni", rotation, tau[:, k : k + 3]) for k in (0, 3))
    plate = np.concatenate([force, moment + np.cross(origin, force)], axis=1)
    ground = next(frame.name for frame in robot.frames if frame.body == -1)
    found = identify_motion(guess(robot), MotionLog(t, q, None, qd, qdd, {ground: plate}), cutoff=40.0)
    assert len(found.rows) == 6
    assert len(found.model.base) == 94
    assert relative(found, robot) < 1e-6


def test_noise_gives_deviations_of_its_size(robot, known):
    t, q, qd, qdd, tau = known
    rng = np.random.default_rng(7)
    trunk = frame_pose(robot, "trunk", list(q.T))
    rotation = np.array([[np.broadcast_to(x, len(t)) for x in row] for row in trunk.rotation]).transpose(2, 0, 1)
    wrench = np.concatenate([np.einsum("nij,nj->ni", rotation, tau[:, k : k + 3]) for k in (0, 3)], axis=1)
    noisy = MotionLog(
        t, q, tau + rng.normal(0.0, 0.2, tau.shape), qd, qdd, {"trunk": wrench + rng.normal(0.0, 0.5, wrench.shape)}
    )
    found = identify_motion(guess(robot), noisy, cutoff=20.0, friction="none")
    true = found.model.base.projection @ values_of(found, robot)
    z = (found.x - true) / found.std
    assert 0.6 < np.sqrt(np.mean(z**2)) < 1.6


def test_a_written_motion_is_read_again(tmp_path):
    robot = shared_model("cf2.xml")
    run = simulate_motion(robot, None, [0.0] * 3 + [0.3, 0.2, 0.1], duration=0.2)
    log = read_motion_log(write_motion(run, tmp_path / "run.csv"), robot)
    np.testing.assert_allclose(log.q, run.q)
    np.testing.assert_allclose(log.qd, run.qd)
    assert log.qdd is None
    text = (tmp_path / "run.csv").read_text().replace("q_joint1_qw", "w", 1)
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(ArgumentError, match="no column 'q_joint1_qw'"):
        read_motion_log(tmp_path / "bad.csv", robot)


def test_misuse(robot, known):
    t, q, qd, _, _ = known
    with pytest.raises(ArgumentError, match="nothing sets the scale"):
        identify_motion(guess(robot), MotionLog(t, q, None, qd))
    with pytest.raises(ArgumentError, match="has no floating base"):
        identify_motion(classics.planar2r(), MotionLog(t, q, None, qd))
    still = MotionLog(t, np.repeat(q[:1], len(t), axis=0), np.zeros((len(t), robot.nv)), 0.0 * qd)
    with pytest.raises(ArgumentError, match="does not excite all parameters"):
        identify_motion(guess(robot), still, cutoff=10.0)
    with pytest.raises(ArgumentError, match="'q' of the log has shape"):
        identify_motion(robot, MotionLog(t, qd, None, qd))
