"""Time-optimal motions: known durations, proven torques against samples, limits of every kind, the file, misuse."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from tests.parameters.serial_arms import shared_model

import torquec as tq
from torquec.errors import ArgumentError
from torquec.planning.joint_path import joint_path
from torquec.planning.path_dynamics import path_grid
from torquec.planning.planning_limits import LimitingKind
from torquec.robot.friction import Friction
from torquec.trajectory import read_trajectory, write_trajectory

A, B = [0.0, -1.5, 1.5, 0.0, 0.0, 0.0], [1.0, -1.0, 1.0, 0.5, 1.0, 1.0]
CORNERED = [A, B, [1.5, -0.5, 2.0, 0.0, 0.5, 2.0], [0.5, -1.2, 1.0, -1.0, 1.0, 1.0]]


def with_joints(robot, **changes):
    """The robot with fields of every joint replaced."""
    bodies = [dataclasses.replace(body, joint=dataclasses.replace(body.joint, **changes)) for body in robot.bodies]
    return dataclasses.replace(robot, bodies=tuple(bodies))


def faster(robot, factor):
    """The robot with larger speed limits, so that torques decide."""
    bodies = []
    for body in robot.bodies:
        limits = dataclasses.replace(body.joint.limits, velocity=factor * body.joint.limits.velocity)
        bodies.append(dataclasses.replace(body, joint=dataclasses.replace(body.joint, limits=limits)))
    return dataclasses.replace(robot, bodies=tuple(bodies))


def single_joint(friction=Friction()):
    """One joint without gravity, torque limit 50 N m."""
    robot = faster(tq.lock_joints(tq.classics.planar2r(), {"joint2": 0.0}), 100.0)
    return with_joints(dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0)), friction=friction)


def check_proven(model, found, samples=20_000):
    """Torques, speeds and accelerations at random times are inside of their cell's bounds, and of the limits."""
    assert found.proven
    t = np.random.default_rng(0).uniform(0.0, found.duration, samples)
    state = found.trajectory.at(t)
    cell = np.searchsorted(found.trajectory.t, t, side="right") - 1
    tau = model.total_torque(state.q, state.qd, state.qdd)
    assert np.all(tau <= found.bounds.torque_upper[cell])
    assert np.all(tau >= found.bounds.torque_lower[cell])
    assert np.all(np.abs(state.qd) <= found.bounds.speed[cell])
    assert np.all(np.abs(state.qdd) <= found.bounds.acceleration[cell])
    assert np.all(np.abs(tau) <= found.limits.effort)
    assert np.all(np.abs(state.qd) <= found.limits.velocity)
    assert np.all(np.abs(state.qdd) <= found.limits.acceleration)


@pytest.mark.parametrize("coulomb", [0.0, 12.0])
def test_one_joint_without_gravity(coulomb):
    """Bang-bang: friction helps to brake, u1 = (tau - f)/I, u2 = (tau + f)/I, T^2 = 2 d (1/u1 + 1/u2)."""
    robot = single_joint(Friction(coulomb_positive=coulomb, coulomb_negative=coulomb))
    model = tq.compile(robot)
    inertia = float(model.mass_matrix([0.0])[0, 0])
    found = tq.time_optimal(model, [[0.0], [1.0]])
    speeding, braking = (50.0 - coulomb) / inertia, (50.0 + coulomb) / inertia
    assert found.duration == pytest.approx(np.sqrt(2.0 * (1.0 / speeding + 1.0 / braking)), rel=2e-3)
    check_proven(model, found)


def test_viscous_friction_takes_the_time_that_it_must():
    viscous = 40.0
    model = tq.compile(single_joint(Friction(viscous_positive=viscous, viscous_negative=viscous)))
    inertia = float(model.mass_matrix([0.0])[0, 0])
    # A reference by fine integration: full torque, then full braking, from the switch that just arrives.
    dt = 1e-5
    forward, backward = [(0.0, 0.0)], [(1.0, 0.0)]
    while forward[-1][0] < 1.0:
        s, v = forward[-1]
        v += dt * (50.0 - viscous * v) / inertia
        forward.append((s + dt * v, v))
    while backward[-1][0] > 0.0:
        s, v = backward[-1]
        v += dt * (50.0 + viscous * v) / inertia
        backward.append((s - dt * v, v))
    (s1, v1), (s2, v2) = (np.array(side).T for side in (forward, backward))
    t1 = int(np.argmax(v1 > np.interp(s1, s2[::-1], v2[::-1])))
    t2 = int(np.argmax(s2 <= s1[t1]))
    found = tq.time_optimal(model, [[0.0], [1.0]])
    assert found.duration == pytest.approx(dt * (t1 + t2), rel=2e-3)
    check_proven(model, found)


@pytest.mark.parametrize("factor", [1.0, 6.0])
def test_torques_are_proven_and_limits_reached(factor):
    model = tq.compile(faster(tq.classics.puma560(), factor))
    found = tq.time_optimal(model, CORNERED)
    check_proven(model, found)
    assert found.torque_margin.min() < 1e-2 * found.limits.effort.min()
    spans = found.limiting
    assert spans[0].start == 0.0
    assert spans[-1].end == found.duration
    assert all(a.end == b.start for a, b in itertools.pairwise(spans))
    assert LimitingKind.TORQUE in {span.kind for span in spans}
    used = np.maximum(found.bounds.torque_upper, -found.bounds.torque_lower) / found.limits.effort
    used = np.concatenate([used, found.bounds.speed / found.limits.velocity], axis=1).max(axis=1)
    assert np.average(used > 0.97, weights=np.diff(found.trajectory.t)) > 0.9


@pytest.mark.parametrize(
    "friction",
    [
        Friction(viscous_positive=3.0, viscous_negative=2.0, coulomb_positive=4.0, coulomb_negative=5.0, offset=0.5),
        Friction.of({"coulomb": 3.0, "stribeck": 4.0, "stribeck_speed": 0.2, "concave": 3.0, "concave_speed": 0.4}),
        Friction.of({"load": 0.1, "coulomb": 1.0, "turnover_speed": 0.05, "curved": 0.3, "cubic": 0.1}),
    ],
)
def test_friction_of_every_kind(friction):
    model = tq.compile(faster(with_joints(tq.classics.puma560(), friction=friction), 3.0))
    found = tq.time_optimal(model, CORNERED, points=400)
    check_proven(model, found)


def test_the_motion_follows_the_path():
    path = joint_path(CORNERED)
    found = tq.time_optimal(tq.classics.puma560(), path)
    places = path.at(np.linspace(0.0, path.length, 5_001))[0]
    state = found.trajectory.at(np.random.default_rng(2).uniform(0.0, found.duration, 100))
    apart = np.linalg.norm(places[None] - state.q[:, None], axis=2).min(axis=1)
    assert apart.max() < 1e-3  # places are 1.6e-3 apart
    assert np.allclose(found.trajectory.q[[0, -1]], [CORNERED[0], CORNERED[-1]])
    assert np.allclose(found.trajectory.qd[[0, -1]], 0.0)


def test_a_file_with_its_rows_is_the_same_motion(tmp_path):
    found = tq.time_optimal(tq.classics.puma560(), [A, B], points=100)
    write_trajectory(found.trajectory, tmp_path / "fast.csv")
    again = read_trajectory(tmp_path / "fast.csv", joints=found.trajectory.joints)
    t = np.linspace(0.0, found.duration, 777)
    for name in ("q", "qd", "qdd"):
        assert np.array_equal(getattr(again.at(t), name), getattr(found.trajectory.at(t), name))


def test_smaller_limits_take_longer():
    model = tq.compile(faster(tq.classics.puma560(), 5.0))
    whole = tq.time_optimal(model, [A, B], points=200).duration
    for options in (
        {"effort_share": 0.5},
        {"torque_reserve": 5.0},
        {"velocity_share": 0.1},
        {"acceleration": 3.0},
        {"tip_speed": 0.2, "frame": "link6"},
    ):
        found = tq.time_optimal(model, [A, B], points=200, **options)
        assert found.duration > 1.02 * whole, options
        check_proven(model, found, 2000)


def test_acceleration_alone_is_a_trapezium():
    """Rest to rest over d with |qdd| <= 4 and |qd| <= 1: d/v + v/a."""
    robot = tq.lock_joints(tq.classics.planar2r(), {"joint2": 0.0})
    found = tq.time_optimal(robot, [[0.0], [2.0]], acceleration=4.0, velocity_share=0.2)
    assert found.duration == pytest.approx(2.0 / 1.0 + 1.0 / 4.0, rel=1e-3)
    assert {span.kind for span in found.limiting} >= {LimitingKind.SPEED, LimitingKind.ACCELERATION}


def test_the_tip_keeps_its_speed():
    model = tq.compile(tq.classics.puma560())
    found = tq.time_optimal(model, CORNERED, tip_speed=0.4, frame="link6")
    t = np.linspace(0.0, found.duration, 20_000)
    state = found.trajectory.at(t)
    speed = np.linalg.norm((model.jacobian("link6")(state.q)[:, :3] @ state.qd[:, :, None])[:, :, 0], axis=1)
    cell = np.minimum(np.searchsorted(found.trajectory.t, t, side="right") - 1, len(found.bounds.tip_speed) - 1)
    assert np.all(speed <= found.bounds.tip_speed[cell])
    assert 0.39 < speed.max() <= 0.4
    assert ("link6", LimitingKind.TIP_SPEED) in {(span.joint, span.kind) for span in found.limiting}


def test_speeds_at_the_ends():
    model = tq.compile(tq.classics.puma560())
    found = tq.time_optimal(model, [A, B], start_speed=1.0, end_speed=0.5, points=200)
    tangent = (np.array(B) - A) / np.linalg.norm(np.array(B) - A)
    assert np.allclose(found.trajectory.qd[[0, -1]], [tangent, 0.5 * tangent])
    assert found.duration < tq.time_optimal(model, [A, B], points=200).duration
    check_proven(model, found, 2000)


@pytest.mark.parametrize(
    ("waypoints", "options", "message"),
    [
        ([A, B, A], {}, "near waypoint 2: a cusp"),
        ([A, B], {"start_speed": 50.0}, "the speed of 'joint5' is exceeded"),
        ([A, B], {"start_speed": 3.5, "acceleration": 1.0}, "the acceleration of 'joint[0-9]' is exceeded"),
        ([A, B], {"end_speed": 50.0}, "an end speed of 50 cannot be reached"),
        ([A, B], {"effort_share": 0.1}, "joint 'joint2' needs -20.75 N m at rest, allowed 18.64"),
        ([A, B], {"effort_share": 2.0}, "above 0, at most 1"),
        ([A, B], {"torque_reserve": 30.0}, "of the torque of joint 'joint4'"),
        ([A, B], {"torque_reserve": -1.0}, "reserves are not negative"),
        ([A, B], {"acceleration": [1.0, 2.0]}, "one per joint"),
        ([A, B], {"acceleration": 0.0}, "acceleration limit of joint 'joint1' is 0"),
        ([A, B], {"tip_speed": 1.0}, "a tip speed goes with a frame"),
        ([A, B], {"tip_speed": -1.0, "frame": "link6"}, "a positive number"),
        ([A, B], {"tip_speed": 1.0, "frame": "nowhere"}, "no frame 'nowhere'"),
        ([A, B], {"points": 3}, "3 grid points"),
        ([A, B], {"start_speed": -1.0}, "not negative"),
        ([A, [9.0] * 6], {}, "joint 'joint1' is at 9 rad, allowed -2.79253 to 2.79253"),
        (joint_path([A, B], joints=list("abcdef")), {}, "the path moves a, b"),
    ],
)
def test_misuse_is_named_with_joint_and_place(waypoints, options, message):
    with pytest.raises(ArgumentError, match=message):
        tq.time_optimal(tq.classics.puma560(), waypoints, **options)


def test_a_robot_without_limits_is_refused():
    robot = with_joints(tq.classics.planar2r(), limits=tq.classics.planar2r().joints[0].limits.__class__())
    with pytest.raises(ArgumentError, match="no torque limits"):
        tq.time_optimal(robot, [[0.0, 0.0], [1.0, 1.0]])
    found = tq.time_optimal(robot, [[0.0, 0.0], [1.0, 1.0]], acceleration=2.0, points=100)
    assert found.duration == pytest.approx(2.0 * np.sqrt(0.5), rel=1e-3)


@pytest.mark.parametrize("waypoints", [[A, B], CORNERED, [A, [0.01, -1.5, 1.5, 0.0, 0.0, 0.0], B]])
def test_cells_next_to_rest_take_equal_times(waypoints):
    """At constant acceleration from rest sqrt(s) is time: it grows evenly; waypoints stay grid points."""
    path = joint_path(waypoints)
    s = path_grid(path, 200).s
    np.testing.assert_array_equal(np.isin(path.knots, s), True)
    assert np.diff(s).min() > 0.0
    if len(waypoints) != 3:
        for ends in (s, (path.length - s)[::-1]):
            np.testing.assert_allclose(np.diff(np.sqrt(ends[5:37])), np.sqrt(ends[5]), rtol=1e-9)
            assert ends[5] < ends[37] / 1000.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5.urdf", "panda.urdf", "puma560"])
@pytest.mark.parametrize("factor", [1.0, 5.0])
def test_random_paths_are_proven(name, factor):
    robot = tq.classics.puma560() if name == "puma560" else shared_model(name)
    robot = tq.lock_joints(robot, {joint: 0.0 for joint in robot.joint_names if "finger" in joint})
    model = tq.compile(faster(robot, factor))
    lower, upper = (
        np.array([np.clip(getattr(j.limits, side), -3.0, 3.0) for j in robot.joints]) for side in ("lower", "upper")
    )
    for seed in range(100):
        unit = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(6, robot.n))
        found = tq.time_optimal(model, 0.5 * (lower + upper) + 0.3 * (upper - lower) * unit)
        check_proven(model, found, 100_000)
