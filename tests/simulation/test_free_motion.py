"""Motions of robots with joints of any kind: known answers, conserved momentum and energy, servo, friction, misuse."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.test_any_joint import any_robot, free_body
from tests.dynamics.test_centroidal_momentum_matrix import floating_robot

import torquec as tq
from torquec.errors import ArgumentError, DivergenceError
from torquec.robot import classics
from torquec.robot.configuration import difference, normalised, position_rates, random_position, rate_map
from torquec.robot.friction import Friction
from torquec.simulation.free_motion import servo_torque, simulate_motion, write_motion
from torquec.simulation.plant import DryFriction, Plant
from torquec.spatial import Inertia
from torquec.trajectory import minimum_jerk

NOWHERE = (0.0, 0.0, 0.0)


def body(inertia, gravity=NOWHERE):
    robot = free_body(gravity=gravity)
    return replace(robot, bodies=(replace(robot.bodies[0], inertia=inertia),))


def passive(robot):
    return Plant(robot, friction=DryFriction.NONE, saturates=False)


def slow_state(robot, seed):
    """No body turns or moves faster than about 1 rad/s or 1 m/s."""
    rng = np.random.default_rng(seed)
    v = rng.uniform(-1.0, 1.0, robot.nv)
    return random_position(robot, seed), 0.6 * v / np.linalg.norm(v)


def test_a_top_precesses():
    """Euler's equations of a symmetric body: w turns about the axis at (1 - zz/xx) wz."""
    top = body(Inertia(2.0, 0.0, 0.0, 2.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0))
    run = simulate_motion(top, qd=[0.0, 0.0, 0.0, 0.3, 0.0, 0.8], duration=5.0, period=1e-2)
    turned = (3.0 / 2.0 - 1.0) * 0.8 * run.t
    expected = np.column_stack([0.3 * np.cos(turned), 0.3 * np.sin(turned), np.full_like(turned, 0.8)])
    np.testing.assert_allclose(run.qd[:, 3:], expected, atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, 3:], axis=1), 1.0, atol=1e-15)


def test_a_thrown_body_falls_in_a_parabola():
    stone = body(Inertia(1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0), gravity=(0.0, 0.0, -9.81))
    run = simulate_motion(stone, qd=[1.0, 0.0, 2.0, 0.0, 0.0, 0.0], duration=1.0, torque=[0.0, 4.0, 0.0, 0.0, 0.0, 0.0])
    t = run.t
    np.testing.assert_allclose(run.q[:, :3], np.column_stack([t, t * t, 2.0 * t - 0.5 * 9.81 * t * t]), atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_momentum_and_energy_are_conserved(seed):
    robot = replace(floating_robot(seed), gravity=NOWHERE)
    run = simulate_motion(passive(robot), *slow_state(robot, seed), duration=3.0, record_every=100)
    assert np.ptp(run.energy) < 1e-9 * run.energy.max()
    assert np.ptp(run.momentum, axis=0).max() < 1e-9 * np.abs(run.momentum).max()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_momentum_and_energy_are_conserved_for_a_minute(seed):
    robot = replace(floating_robot(seed), gravity=NOWHERE)
    run = simulate_motion(passive(robot), *slow_state(robot, seed), duration=60.0, record_every=1000)
    assert np.ptp(run.energy) < 1e-9 * run.energy.max()
    assert np.ptp(run.momentum, axis=0).max() < 1e-9 * np.abs(run.momentum).max()


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_the_order_of_the_step_is_four(seed):
    robot = any_robot(seed, bodies=2)
    q, v = slow_state(robot, seed)
    ends = [simulate_motion(passive(robot), q, v, duration=0.4, period=h, substeps=1) for h in (0.1, 0.05, 0.0125)]
    errors = [np.abs(difference(robot, list(ends[2].q[-1]), list(end.q[-1]))).max() for end in ends[:2]]
    assert errors[0] > 10.0 * errors[1]


def test_servoed_joints_follow_and_momentum_stays():
    robot = replace(floating_robot(1), gravity=NOWHERE)
    names = [joint.name for joint in robot.joints if joint.kind.nv == 1]
    assert names
    motion = minimum_jerk([0.0] * len(names), [0.4] * len(names), 1.0, joints=names, period=1e-3)
    plant = passive(robot)
    run = simulate_motion(plant, trajectory=motion, pole=30.0)
    assert run.error is not None
    assert np.abs(run.error).max() < 1e-3  # torques are held for a millisecond
    assert np.abs(run.momentum).max() < 1e-9
    assert run.joints == tuple(names)
    first = minimum_jerk([0.0], [0.4], 1.0, joints=names[:1], period=1e-3)
    moved = simulate_motion(plant, trajectory=first, pole=30.0, duration=0.5)
    assert moved.q[-1, robot.position_names.index(names[0])] == pytest.approx(0.2, abs=1e-3)
    assert abs(moved.q[-1, robot.position_names.index(names[1])]) < 1e-3  # it stays where it started


def test_the_servo_decouples_the_joints():
    """Accelerations under its torques are those of two poles, whatever the base does."""
    robot = floating_robot(2)
    rng, model = np.random.default_rng(0), tq.compile(robot)
    q, v = list(random_position(robot, 3)), list(rng.uniform(-1.0, 1.0, robot.nv))
    at = [k for k, each in enumerate(robot.coordinates) if each.joint.kind.nv == 1]
    reference = rng.uniform(-1.0, 1.0, 3 * len(at))
    tau = servo_torque(model, q, v, list(reference), 5.0)
    found = model.forward_dynamics(q, v, tau)
    for k, i in enumerate(at):
        position = q[robot.position_names.index(robot.coordinate_names[i])]
        slip = 10.0 * (reference[len(at) + k] - v[i])
        wanted = reference[2 * len(at) + k] + slip + 25.0 * (reference[k] - position)
        assert found[i] == pytest.approx(wanted, abs=1e-7)
    assert not any(tau[k] for k in range(robot.nv) if k not in at)


def test_a_joint_with_dry_friction_stays_at_rest():
    robot = replace(floating_robot(1), gravity=NOWHERE)
    dry = tuple(
        replace(
            each,
            joint=replace(
                each.joint, friction=Friction.of({"coulomb": 1e3}) if each.joint.kind.nv == 1 else Friction()
            ),
        )
        for each in robot.bodies
    )
    robot = replace(robot, bodies=dry)
    v = [0.0, 0.0, 0.0, 0.5, -0.3, 0.2, *[0.0] * (robot.nv - 6)]
    run = simulate_motion(Plant(robot, friction=DryFriction.STICK, saturates=False), qd=v, duration=0.2)
    at = [k for k, name in enumerate(robot.coordinate_names) if name in run.joints]
    assert at
    assert not run.qd[:, at].any()
    assert np.ptp(run.momentum[:, 3:], axis=0).max() < 1e-5 * np.abs(run.momentum).max()


def test_arms_on_a_fixed_base_fall_as_they_should():
    run = simulate_motion(passive(classics.planar2r()), [0.3, -0.2], duration=1.0)
    assert np.ptp(run.energy) < 1e-7 * np.abs(run.energy).max()
    assert run.q.shape == run.qd.shape == (1001, 2)


def test_limits_and_files(tmp_path):
    robot = floating_robot(1)
    limited = tuple(
        replace(each, joint=replace(each.joint, limits=replace(each.joint.limits, velocity=0.1)))
        for each in robot.bodies
    )
    run = simulate_motion(passive(replace(robot, bodies=limited)), qd=np.full(robot.nv, 0.5), duration=0.1)
    assert {passed.joint for passed in run.passed_limits} == set(run.joints)
    lines = write_motion(run, tmp_path / "run.csv").read_text().splitlines()
    assert lines[0].split(",")[1:8] == [
        f"q_{robot.joints[0].name}_{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz")
    ]
    assert len(lines) == 102
    assert len(lines[1].split(",")) == 1 + robot.nq + 2 * robot.nv
    assert "MotionRun" in repr(run)


def test_rates_of_positions_are_the_rate_map():
    robot = any_robot(4)
    q, v = slow_state(robot, 4)
    expected = np.zeros(robot.nq)
    for rate, column in zip(v, rate_map(robot, list(q)), strict=True):
        for i, entry in column.items():
            expected[i] += entry * rate
    np.testing.assert_allclose(position_rates(robot, list(q), list(v)), expected, atol=1e-15)
    assert difference(robot, list(q), normalised(robot, [1.0 * x for x in q])) == pytest.approx([0.0] * robot.nv)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": [0.0] * 6}, "position of 6 numbers"),
        ({"q": [0.0] * 7}, "has length 0"),
        ({"qd": [0.0] * 7}, r"(?s)shape \(7,\).*6 finite numbers.*positions have 7"),
        ({"torque": np.zeros((3, 6))}, r"shape \(3, 6\)"),
        ({"period": 0.0}, "period of 0.0"),
        ({"duration": 0.0}, "duration of 0.0"),
        ({"duration": None}, "duration of the motion"),
        ({"record_every": 0}, "record_every"),
    ],
)
def test_misuse(given, message):
    with pytest.raises(ArgumentError, match=message):
        simulate_motion(free_body(), **{"duration": 0.01, **given})


def test_a_trajectory_of_the_base_is_refused():
    robot = floating_robot(1)
    motion = minimum_jerk([0.0], [1.0], 1.0, joints=[robot.joints[0].name])
    with pytest.raises(ArgumentError, match="one-coordinate joints"):
        simulate_motion(robot, trajectory=motion)
    with pytest.raises(ArgumentError, match="pole of -1"):
        simulate_motion(robot, trajectory=motion, pole=-1.0)


def test_a_motion_that_is_not_finite_is_named():
    with pytest.raises(DivergenceError, match="not finite"):
        simulate_motion(free_body(), torque=[math.ldexp(1.0, 1000)] * 6, duration=1.0)
