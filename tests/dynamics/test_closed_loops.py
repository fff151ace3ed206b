"""Robots with closed loops against Pinocchio's tree with constraints, against MuJoCo, and against laws."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from tests.dynamics.loop_oracle import EXAMPLES, LoopOracle, raw_tree, tree_values

import torquec as tq
from torquec import dynamics
from torquec.dynamics.frame_pose import body_poses
from torquec.dynamics.regressor import parameter_values
from torquec.model.accepting_rooms import accepted_by
from torquec.robot.loops.closure import loop_closure, loop_state

MODELS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "models"
MECHANISMS = ("four_bar", "slider_crank", "five_bar", "palletizer", "delta", "stewart", "cam")
SHARED = ("robotiq_2f85", "xarm7_hand", "toddlerbot_2xc")


@functools.cache
def mechanism(name):
    """A robot with loops by name: an example, or a published model."""
    if name in SHARED:
        path = MODELS / f"{name}.xml"
        if not path.exists():
            pytest.skip(f"{path} is not here")
        return tq.load(path)
    return tq.load(EXAMPLES / (f"{name}.xml" if name == "stewart" else f"{name}.urdf"))


def state(robot, seed, spread=0.7):
    """A random state in the inner part of the range around the assembled position."""
    rng = np.random.default_rng(seed)
    start = np.array(tq.neutral(robot))
    step = []
    for coordinate in robot.coordinates:
        low, high = coordinate.joint.limits.lower, coordinate.joint.limits.upper
        here = start[robot.joint_index(coordinate.joint.name)] if coordinate.joint.kind.nv == 1 else 0.0
        reach = 1.0 if coordinate.joint.kind.nv > 1 else min(here - low, high - here, 2.0)
        step.append(rng.uniform(-spread, spread) * max(reach, 0.05))
    q = np.array([float(x) for x in tq.integrate(robot, list(start), step)])
    return q, rng.normal(size=robot.n), rng.normal(size=robot.n)


def error(found, expected):
    found, expected = np.array(found, dtype=float), np.array(expected, dtype=float)
    return np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-6)


@pytest.mark.parametrize("name", [each for each in MECHANISMS if each != "stewart"])
def test_torques_give_the_accelerations_of_pinocchio_with_constraints(name):
    robot = mechanism(name)
    oracle = LoopOracle(robot, raw_tree(name))
    for seed in range(4):
        q, qd, qdd = state(robot, seed)
        tau = dynamics.inverse_dynamics(robot, q, qd, qdd)
        assert error(oracle.forward_dynamics(q, qd, np.array(tau)), qdd) < 1e-9
        assert oracle.gap(q) < 1e-12


def some_slow(names, slow):
    """Names as parameters, those that take seconds marked as slow."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in slow else name for name in names]


@pytest.mark.parametrize("name", some_slow(MECHANISMS + SHARED, ("stewart", "toddlerbot_2xc", "robotiq_2f85")))
def test_laws(name):
    """Parts sum up, M is that of the kinetic energy, C is skew, power is the change of energy, the regressor agrees."""
    robot = mechanism(name)
    n = robot.n
    q, qd, qdd = state(robot, 1, spread=0.4)
    tau = np.array(dynamics.inverse_dynamics(robot, q, qd, qdd))
    mass = np.array(dynamics.mass_matrix(robot, q))
    parts = [dynamics.gravity_torque(robot, q), dynamics.velocity_torque(robot, q, qd)]
    assert error(mass @ qdd + np.array(parts[0]) + np.array(parts[1]), tau) < 1e-12
    assert error(np.array(dynamics.coriolis_matrix(robot, q, qd)) @ qd, parts[1]) < 1e-12
    assert error(dynamics.kinetic_energy(robot, q, qd), 0.5 * qd @ mass @ qd) < 1e-12
    assert error(dynamics.forward_dynamics(robot, q, qd, tau), qdd) < 1e-9
    assert error(np.array(dynamics.regressor(robot, q, qd, qdd)) @ parameter_values(robot), tau) < 1e-12
    assert float(loop_closure(robot, list(q)).gap) <= 1e-12
    if robot.nq == n:
        step = 1e-30
        moved = list(q + 1j * step * qd)
        inertia = np.imag(np.array(dynamics.mass_matrix(robot, moved), dtype=complex)) / step
        skew = inertia - 2.0 * np.array(dynamics.coriolis_matrix(robot, q, qd))
        assert np.abs(skew + skew.T).max() < 1e-11 * max(np.abs(skew).max(), np.abs(mass).max())
        energy = dynamics.kinetic_energy(robot, moved, list(qd + 1j * step * qdd))
        energy = energy + _weight_energy(robot, moved)
        assert abs(np.imag(energy) / step - tau @ qd) < 1e-12 * np.abs(tau * qd).sum() + 1e-13


def _weight_energy(robot, q):
    """Potential energy of gravity alone: torques of inverse dynamics know no springs."""
    total = 0.0
    for body, pose in zip(robot.bodies, body_poses(robot, q), strict=True):
        place = np.array(pose.rotation) @ np.array(body.inertia.first_moment) + body.inertia.m * np.array(pose.origin)
        total = total - np.dot(robot.gravity, place)
    return total


@pytest.mark.parametrize("name", some_slow(["delta", "five_bar", "stewart"], ["stewart"]))
def test_frames_of_loops(name):
    """The Jacobian is the slope of the pose, its rate the slope of the Jacobian along the motion."""
    robot = mechanism(name)
    frame = {"delta": "platform", "five_bar": "tool", "stewart": "platform"}[name]
    q, qd, _ = state(robot, 3, spread=0.5)
    step = 1e-30
    moved = list(q + 1j * step * qd)
    pose = dynamics.frame_pose(robot, frame, moved)
    jacobian = np.array(dynamics.jacobian(robot, frame, q))
    assert error(np.imag(np.array(pose.origin, dtype=complex)) / step, (jacobian @ qd)[:3]) < 1e-11
    rate = np.imag(np.array(dynamics.jacobian(robot, frame, moved), dtype=complex)) / step
    assert error(dynamics.jacobian_derivative(robot, frame, q, qd), rate) < 1e-11
    momentum = np.imag(np.array(dynamics.center_of_mass(robot, moved), dtype=complex)) / step
    assert error(np.array(dynamics.center_of_mass_jacobian(robot, q)) @ qd, momentum) < 1e-11
    matrix = np.imag(np.array(dynamics.centroidal_momentum_matrix(robot, moved), dtype=complex)) / step
    assert error(dynamics.centroidal_momentum_matrix_derivative(robot, q, qd), matrix) < 1e-10


@pytest.mark.parametrize("name", some_slow(["four_bar", "five_bar"], ["five_bar"]))
def test_programs_are_the_floats(name):
    robot = mechanism(name)
    model = tq.compile(robot)
    q, qd, qdd = state(robot, 4)
    assert error(model.inverse_dynamics(q, qd, qdd), dynamics.inverse_dynamics(robot, q, qd, qdd)) < 1e-13
    positions, gap = model.loop_closure(q)
    assert error(positions, loop_state(robot, list(q)).q) < 1e-13
    assert gap == 1e-12
    many = np.stack([q, 0.9 * q + 0.1 * np.array(tq.neutral(robot))])
    assert error(model.mass_matrix(many)[1], dynamics.mass_matrix(robot, many[1])) < 1e-13


def test_loops_stay_closed_along_motions_and_cranks_turn_round():
    robot = mechanism("slider_crank")
    angles = np.linspace(-30.0, 30.0, 400)
    _, gaps = tq.compile(robot).loop_closure(angles[:, None])
    assert gaps.max() == 1e-12
    there = np.array([float(tree_values(robot, [a])[0]["slider_joint"][0]) for a in angles[:40]])
    wrist = 0.1 * np.cos(angles[:40]) + np.sqrt(0.3**2 - (0.02 + 0.1 * np.sin(angles[:40])) ** 2) - 0.3
    assert np.abs(there - wrist).max() < 1e-12  # known answer: the slider-crank's formula; y points into the page


@pytest.mark.parametrize("name", SHARED)
def test_published_models_agree_with_mujoco(name):
    """Positions satisfy MuJoCo's constraints; projected by MuJoCo's own constraint Jacobian, its torques are ours."""
    mujoco = pytest.importorskip("mujoco")
    robot = mechanism(name)
    raw = _stripped_model(mujoco, name)
    data = mujoco.MjData(raw)
    order = [mujoco.mj_id2name(raw, mujoco.mjtObj.mjOBJ_JOINT, k) for k in range(raw.njnt)]
    for seed in range(3):
        q, qd, qdd = state(robot, seed, spread=0.3)
        positions, speeds, accelerations = tree_values(robot, q, qd, qdd)
        sizes = {joint.name: joint.kind.nv for joint in robot.joints}
        data.qpos[:] = np.concatenate([positions[joint] for joint in order])
        turn = _free_rotation(raw, data.qpos)
        data.qvel[:] = np.concatenate([_to_world(turn, speeds[joint]) for joint in order])
        data.qacc[:] = np.concatenate([_acceleration(turn, speeds[joint], accelerations[joint]) for joint in order])
        mujoco.mj_fwdPosition(raw, data)
        rows, gaps = _solved_rows(mujoco, raw, data, robot, q)
        assert np.abs(gaps).max() < 1e-12
        assert np.abs(rows @ data.qvel).max() < 1e-12 * max(np.abs(data.qvel).max(), 1.0)
        raw.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        mujoco.mj_inverse(raw, data)
        raw.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        effort = data.qfrc_inverse + data.qfrc_passive  # without springs and dampers
        own = [raw.jnt_dofadr[order.index(joint)] + k for joint in sizes for k in range(sizes[joint])]
        others = [k for k in range(raw.nv) if k not in own]
        maps = np.zeros((raw.nv, len(own)))
        maps[own, range(len(own))] = 1.0
        maps[others] = -np.linalg.lstsq(rows[:, others], rows[:, own], rcond=1e-9)[0]
        expected = maps.T @ effort
        if turn is not None:
            expected[:3] = turn.T @ expected[:3]
        assert error(dynamics.inverse_dynamics(robot, q, qd, qdd), expected) < 1e-8


def _solved_rows(mujoco, raw, data, robot, q):
    """Rows and gaps of MuJoCo's constraints, those of connects in axes of frame A and without redundant ones.

    A file with few digits closes redundant equations to 2e-8 m only. That gap is left out, and so is its product with
    the rates of joints that carry both bodies, which MuJoCo's rows have: no closed loop depends on them.
    """
    rows = np.zeros((data.nefc, raw.nv))
    if mujoco.mj_isSparse(raw):
        mujoco.mju_sparse2dense(rows, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        rows[:] = data.efc_J.reshape(data.nefc, raw.nv)
    equal = [k for k in range(data.nefc) if data.efc_type[k] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
    rows, gaps = rows[equal], data.efc_pos[equal]
    loops = robot.loops.file.loops
    for k, loop in enumerate(loops):
        turn = np.array(dynamics.frame_pose(robot, loop.frame_a, q).rotation, dtype=float)
        part = slice(3 * k, 3 * k + 3)
        rows[part], gaps[part] = turn.T @ rows[part], turn.T @ gaps[part]
        rows[part][np.abs(rows[part]) < 1e-7] = 0.0
    kept = [k for k in range(len(rows)) if k >= 3 * len(loops) or k not in robot.loops.redundant]
    return rows[kept], gaps[kept]


def _stripped_model(mujoco, name):
    from torquec.robot.mjcf import compile_mjcf
    from torquec.robot.mjcf_file import read_mjcf_tree
    from torquec.robot.mjcf_strip import strip_mjcf

    root, _ = strip_mjcf(read_mjcf_tree(MODELS / f"{name}.xml"))
    return compile_mjcf(mujoco, root, {}, name)


def _free_rotation(raw, qpos):
    """Rotation of a free base, whose linear rates are in the body's axes here and in the world's in MuJoCo."""
    if raw.jnt_type[0] != 0:
        return None
    w, x, y, z = qpos[3:7]
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def _to_world(turn, rates):
    return np.concatenate([turn @ rates[:3], rates[3:]]) if len(rates) == 6 else rates


def _acceleration(turn, rates, accelerations):
    if len(rates) != 6:
        return accelerations
    linear = turn @ (accelerations[:3] + np.cross(rates[3:], rates[:3]))
    return np.concatenate([linear, accelerations[3:]])


def test_rooms_for_trees_refuse_loops_by_name():
    robot = mechanism("four_bar")
    refused = accepted_by(robot)
    assert all("closed loops" in reason for reason in refused.values())
    with pytest.raises(tq.RobotError, match="closed loops"):
        dynamics.influence_coefficients(robot, "rocker", [0.0])


def test_friction_of_dependent_joints_is_in_the_total_torque():
    import dataclasses

    from torquec.robot.friction import Friction

    robot = mechanism("four_bar")
    rubbing = dataclasses.replace(
        robot,
        bodies=tuple(
            dataclasses.replace(body, joint=dataclasses.replace(body.joint, friction=Friction.symmetric(0.3, 0.0)))
            for body in robot.bodies
        ),
    )
    q, qd, qdd = state(robot, 5)
    rates = np.array(loop_state(robot, list(q)).rates)
    lost = np.array(dynamics.total_torque(rubbing, q, qd, qdd)) - dynamics.inverse_dynamics(robot, q, qd, qdd)
    assert error(lost, 0.3 * rates.T @ rates @ qd) < 1e-12
    with pytest.raises(tq.RobotError, match="total_torque has it"):
        dynamics.friction_torque(rubbing, qd)
