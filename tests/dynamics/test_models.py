"""Every loadable model of the collection against Pinocchio (URDF) and MuJoCo (MJCF), read by the peers themselves.

Models without inertias are compared in their kinematics. Right angles are not snapped here; what snapping does is
tested with the canonical frames.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics.laws import times, violation
from tests.dynamics.peers import Mujoco, Pinocchio
from tests.dynamics.random_robots import random_state
from tests.dynamics.scalars import QUANTITIES, on_batch

from torquec import dynamics
from torquec.errors import RobotError, RobotFileError
from torquec.robot.load import load

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
URDF = sorted(path.name for path in FOLDER.glob("*.urdf"))
MJCF = sorted(path.name for path in FOLDER.glob("*.xml"))
TOLERANCE = 1e-10

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the model collection is not here")


@cache
def robot_of(name):
    try:
        return load(FOLDER / name, snap=False)
    except RobotFileError as refused:
        return refused


def loaded(name):
    robot = robot_of(name)
    if isinstance(robot, RobotFileError):
        pytest.skip(f"refused: {robot.found}")
    if robot.nq != robot.nv:
        pytest.skip("floating: compared in tests/robot/test_floating_base.py")
    if robot.dependent:
        pytest.skip("closed loops: compared in tests/dynamics/test_closed_loops.py")
    return robot, random_state(robot, 1)


def with_inertias(name):
    robot, state = loaded(name)
    try:
        robot.check_inertias()
    except RobotError as refused:
        pytest.skip(refused.found)
    return robot, state


@cache
def pinocchio_of(name):
    pinocchio = pytest.importorskip("pinocchio")
    text = (FOLDER / name).read_text(encoding="utf-8")
    # One file gives its robot no name, which Pinocchio asks for.
    model = pinocchio.buildModelFromXML(text.replace("<robot>", '<robot name="unnamed">'))
    # Pinocchio takes rotor inertia from nowhere in a URDF; ours comes from a side file.
    model.armature[:] = 0.0
    return Pinocchio(robot_of(name), model)


@cache
def mujoco_of(name):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(FOLDER / name))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    return Mujoco(robot_of(name), model)


def ours(robot, state, quantity):
    algorithm, parts = QUANTITIES[quantity]
    return on_batch(algorithm, robot, *(getattr(state, part) for part in parts))


def theirs(method, *arrays):
    rows = [method(*row) for row in zip(*arrays, strict=True)]
    if isinstance(rows[0], tuple):
        return [np.array(column) for column in zip(*rows, strict=True)]
    return np.array(rows)


def test_what_is_refused():
    refused = {name: str(robot_of(name)) for name in (*URDF, *MJCF) if isinstance(robot_of(name), RobotFileError)}
    assert "negative principal moment" in refused.pop("odd_devq_negative_inertia.urdf")
    assert not refused


# --- URDF against Pinocchio -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", URDF)
def test_every_frame_of_a_urdf(name):
    robot, state = loaded(name)
    peer = pinocchio_of(name)
    for frame in robot.frames:
        rotation, origin, matrix, change = theirs(lambda q, qd, f=frame.name: peer.frame(f, q, qd), state.q, state.qd)

        def part(which, f=frame.name):
            return on_batch(lambda r, q: getattr(dynamics.frame_pose(r, f, q), which), robot, state.q)

        assert violation(part("rotation"), rotation) < TOLERANCE, frame.name
        assert violation(part("origin"), origin, 1.0) < TOLERANCE, frame.name
        found = on_batch(lambda r, q, f=frame.name: dynamics.jacobian(r, f, q), robot, state.q)
        assert violation(found, matrix, 1.0) < TOLERANCE, frame.name
        rate = on_batch(
            lambda r, q, qd, f=frame.name: dynamics.jacobian_derivative(r, f, q, qd), robot, state.q, state.qd
        )
        assert violation(rate, change, 1.0) < TOLERANCE, frame.name


@pytest.mark.parametrize("name", URDF)
def test_torques_of_a_urdf(name):
    robot, state = with_inertias(name)
    peer = pinocchio_of(name)
    tau = theirs(peer.inverse_dynamics, state.q, state.qd, state.qdd)
    weight = theirs(peer.gravity_torque, state.q)
    speed = theirs(peer.bias, state.q, state.qd) - weight
    assert violation(ours(robot, state, "inverse_dynamics"), tau) < TOLERANCE
    assert violation(ours(robot, state, "mass_matrix"), theirs(peer.mass_matrix, state.q)) < TOLERANCE
    assert violation(ours(robot, state, "gravity_torque"), weight, tau) < TOLERANCE
    assert violation(ours(robot, state, "velocity_torque"), speed, tau) < TOLERANCE
    assert violation(times(ours(robot, state, "coriolis_matrix"), state.qd), speed, tau) < TOLERANCE
    found = ours(robot, state, "regressor")
    expected = theirs(peer.regressor, state.q, state.qd, state.qdd)
    assert violation(found[:, :, : expected.shape[2]] @ _parameters(robot), expected @ _parameters(robot)) < TOLERANCE
    assert violation(found @ np.array(dynamics.parameter_values(robot)), tau) < TOLERANCE


@pytest.mark.parametrize("name", URDF)
def test_derivatives_of_a_urdf(name):
    robot, state = with_inertias(name)
    peer = pinocchio_of(name)
    by_q, by_qd = theirs(peer.inverse_dynamics_derivatives, state.q, state.qd, state.qdd)
    assert violation(ours(robot, state, "dtau_dq"), by_q) < TOLERANCE
    assert violation(ours(robot, state, "dtau_dqd"), by_qd, by_q) < TOLERANCE


@pytest.mark.parametrize("name", URDF)
def test_forward_dynamics_of_a_urdf(name):
    robot, state = with_inertias(name)
    try:
        robot.check_forward_dynamics()
    except RobotError as refused:
        pytest.skip(refused.found)
    peer = pinocchio_of(name)
    mass = theirs(peer.mass_matrix, state.q)
    bias = theirs(peer.bias, state.q, state.qd)
    found = ours(robot, state, "forward_dynamics")
    assert violation(times(mass, found) + bias, state.tau, bias) < TOLERANCE
    point = (state.q, state.qd, found)
    by_q, by_qd = theirs(peer.inverse_dynamics_derivatives, *point)
    assert violation(-mass @ ours(robot, state, "dqdd_dq"), by_q) < TOLERANCE
    assert violation(-mass @ ours(robot, state, "dqdd_dqd"), by_qd, by_q) < TOLERANCE


def _parameters(robot):
    return np.array(dynamics.parameter_values(robot))[: 10 * len(robot.bodies)]


# --- MJCF against MuJoCo --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MJCF)
def test_torques_of_an_mjcf(name):
    robot, state = with_inertias(name)
    peer = mujoco_of(name)
    zero = np.zeros_like(state.q)
    tau = theirs(peer.rigid_torque, state.q, state.qd, state.qdd)
    assert violation(ours(robot, state, "inverse_dynamics"), tau) < TOLERANCE
    assert violation(ours(robot, state, "mass_matrix"), theirs(peer.mass_matrix, state.q)) < TOLERANCE
    assert violation(ours(robot, state, "gravity_torque"), theirs(peer.bias, state.q, zero), tau) < TOLERANCE
    found = ours(robot, state, "velocity_torque") + ours(robot, state, "gravity_torque")
    assert violation(found, theirs(peer.bias, state.q, state.qd), tau) < TOLERANCE


@pytest.mark.parametrize("name", MJCF)
def test_every_body_of_an_mjcf(name):
    robot, state = loaded(name)
    peer = mujoco_of(name)
    for i, body in enumerate(robot.bodies):
        rotation, origin = theirs(lambda q, b=body.name: peer.body(b, q), state.q)
        found_rotation = on_batch(lambda r, q, i=i: dynamics.body_poses(r, q)[i].rotation, robot, state.q)
        found_origin = on_batch(lambda r, q, i=i: dynamics.body_poses(r, q)[i].origin, robot, state.q)
        assert violation(found_rotation, rotation) < TOLERANCE
        assert violation(found_origin, origin, 1.0) < TOLERANCE
