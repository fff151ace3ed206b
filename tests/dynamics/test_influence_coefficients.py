"""Influence coefficients: a pendulum and polar coordinates by hand, derivatives, Jacobian, points, misuse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import violation
from tests.dynamics.random_robots import random_robot, random_state
from tests.dynamics.scalars import by_element, on_batch
from tests.papers.power_arrays import joint_axes, ordinary_robots

from torquec.dynamics import frame_pose, influence_coefficients, jacobian, jacobian_derivative
from torquec.dynamics.frame_pose import link_poses
from torquec.dynamics.jacobian import JointAxis, axis_of, chains, root_poses
from torquec.dynamics.mechanism import Grouping, mechanism, place
from torquec.errors import ArgumentError
from torquec.expr import evaluate, trace

SEEDS = range(20)


def test_tip_of_a_pendulum():
    tip = influence_coefficients(arms.pendulum(length=0.5), "tip", [0.0])
    assert np.allclose(tip.position, [0.5, 0, 0], atol=1e-15)
    assert np.allclose(tip.translation.first, [[0], [0], [-0.5]], atol=1e-15)
    assert np.allclose(tip.translation.second, [[[-0.5, 0, 0]]], atol=1e-15)
    assert np.allclose(tip.rotation.first, [[0], [1], [0]], atol=1e-15)
    assert np.allclose(tip.rotation.second, 0.0, atol=1e-15)


def test_polar_coordinates():
    # x = r cos a, y = r sin a: at a = 0, x'' = r'' - r a'^2 and y'' = r a'' + 2 r' a'.
    mass = influence_coefficients(arms.slider_on_turntable(), "mass", [0.0, 0.8]).translation
    assert np.allclose(mass.first, [[0, 1], [0.8, 0], [0, 0]], atol=1e-15)
    assert np.allclose(mass.second, [[[-0.8, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 0]]], atol=1e-15)
    assert np.allclose(mass.acceleration([2.0, 3.0], [5.0, 7.0]), [7 - 0.8 * 4, 0.8 * 5 + 2 * 3 * 2, 0], atol=1e-14)


def test_second_order_of_a_link_is_kept_above_the_diagonal():
    robot = random_robot(4, bodies=6, mimic=False)
    second = np.array(influence_coefficients(robot, "frame5", [0.3] * robot.n).rotation.second)
    assert not second[np.tril_indices(6)].any()


@pytest.mark.parametrize("kind", ["translation", "rotation"])
def test_second_order_is_the_derivative_of_the_first(kind):
    for robot, state in ordinary_robots(SEEDS):
        name = robot.frames[-1].name

        def columns(r, q, name=name):
            return getattr(influence_coefficients(r, name, q), kind).columns

        def second(r, q, name=name):
            return getattr(influence_coefficients(r, name, q), kind).second

        change = by_element(columns, robot, (state.q,))  # [N, k, axis, j]
        assert violation(on_batch(second, robot, state.q), change.transpose(0, 3, 1, 2), 1.0) < 1e-12


def test_first_order_is_the_jacobian_and_accelerations_are_its_rate():
    for seed in SEEDS:
        robot = random_robot(seed)
        state = random_state(robot, seed, 1)
        q, qd, qdd = ([float(x) for x in row[0]] for row in (state.q, state.qd, state.qdd))
        for frame in robot.frames:
            found = influence_coefficients(robot, frame.name, q)
            matrix = np.array(jacobian(robot, frame.name, q))
            rate = np.array(jacobian_derivative(robot, frame.name, q, qd))
            first = np.concatenate([found.translation.first, found.rotation.first])
            assert violation(first, matrix, 1.0) < 1e-12
            velocity = [*found.translation.velocity(qd), *found.rotation.velocity(qd)]
            assert violation(np.array(velocity), matrix @ qd, 1.0) < 1e-12
            acceleration = [*found.translation.acceleration(qd, qdd), *found.rotation.acceleration(qd, qdd)]
            # Nearly parallel axes are among these.
            assert violation(np.array(acceleration), matrix @ qdd + rate @ qd, 1.0) < 1e-10


def test_any_point_of_a_frame():
    for robot, state in ordinary_robots(range(5)):
        frame = robot.frames[-1].name
        point = (0.3, -0.2, 0.5)

        def moved(r, q, frame=frame, point=point):
            return frame_pose(r, frame, q).apply(point)

        def first(r, q, frame=frame, point=point):
            return influence_coefficients(r, frame, q, point=point).translation.first

        def position(r, q, frame=frame, point=point):
            return influence_coefficients(r, frame, q, point=point).position

        assert violation(on_batch(position, robot, state.q), on_batch(moved, robot, state.q), 1.0) < 1e-13
        assert violation(on_batch(first, robot, state.q), by_element(moved, robot, (state.q,)), 1.0) < 1e-12


def test_loads_do_the_work_of_the_force():
    robot = random_robot(8, bodies=5)
    tip = influence_coefficients(robot, "frame4", [0.2] * robot.n).translation
    force, qd = (1.0, -2.0, 3.0), [0.1 * k for k in range(robot.n)]
    assert np.dot(tip.joint_loads(force), qd) == pytest.approx(np.dot(tip.velocity(qd), force), rel=1e-13)


def test_mimic_joint_counts_at_the_joint_that_it_follows():
    jaw = influence_coefficients(arms.gripper(multiplier=-3.0), "jaw", [0.3])
    assert np.allclose(jaw.translation.first, [[0], [-3], [0]])


def test_frame_on_the_base_does_not_move():
    robot = random_robot(5)
    fixed = influence_coefficients(robot, "on_base", [0.1] * robot.n, point=(0.1, 0.2, 0.3))
    pose = next(frame.pose for frame in robot.frames if frame.name == "on_base")
    assert fixed.position == pose.apply((0.1, 0.2, 0.3))
    for influence in (fixed.translation, fixed.rotation):
        assert not np.any(influence.first)
        assert not np.any(influence.second)


def test_traced_and_evaluated():
    robot = random_robot(11, bodies=5)
    state = random_state(robot, 11)

    def algorithm(q):
        found = influence_coefficients(robot, "frame4", q)
        return {"first": found.translation.first, "second": found.translation.second, "link": found.rotation.second}

    got = evaluate(trace("influence", algorithm, {"q": (robot.n,)}), {"q": state.q})
    for name in ("first", "second", "link"):
        expected = on_batch(lambda _, q, name=name: algorithm(q)[name], robot, state.q)
        assert violation(got[name], expected, 1.0) < 1e-12


def test_unknown_frame():
    with pytest.raises(ArgumentError, match="robot 'pendulum' has no frame 'toe'") as caught:
        influence_coefficients(arms.pendulum(), "toe", [0.0])
    assert "its frames are tip" in caught.value.remedy


def test_prismatic_joint_moves_all_points_alike_and_turns_nothing():
    axis = JointAxis((0.0, 1.0, 0.0), (5.0, 5.0, 5.0), turns=False)
    assert axis.first((1.0, 2.0, 3.0)) == axis.first((0.0, 0.0, 0.0)) == (0.0, 1.0, 0.0)
    assert axis.spin == (0.0, 0.0, 0.0)


def test_revolute_joint_turns_points_about_its_axis():
    axis = JointAxis((0.0, 1.0, 0.0), (1.0, 7.0, 0.0), turns=True)
    assert axis.first((3.0, -4.0, 0.0)) == (0.0, 0.0, -2.0)
    assert axis.spin == (0.0, 1.0, 0.0)


def test_chains_follow_the_parents():
    robot = random_robot(3, bodies=9)
    m = mechanism(robot, Grouping.NONE)
    for i, way in enumerate(chains(place(m, [0.1] * robot.n))):
        assert way[-1] == i
        assert robot.bodies[way[0]].parent == -1
        assert [robot.bodies[k].parent for k in way[1:]] == list(way[:-1])


def test_frames_from_the_root_are_those_of_the_base_turned_back():
    for robot, state in ordinary_robots(range(10)):
        m = mechanism(robot, Grouping.NONE)
        q = [float(value) for value in state.q[0]]
        placed = place(m, q)
        based = link_poses(robot, placed, range(len(placed)))
        for pose, way in zip(root_poses(m, placed), chains(placed), strict=True):
            expected = based[way[0]].inverse() @ based[way[-1]]
            assert np.allclose(pose.rotation, expected.rotation, atol=1e-13)
            assert np.allclose(pose.origin, expected.origin, atol=1e-12)


def test_axes_are_those_of_the_file():
    for robot, state in ordinary_robots(range(10)):
        q = state.q[0]
        placed = place(mechanism(robot, Grouping.NONE), [float(value) for value in q])
        poses = link_poses(robot, placed, range(len(placed)))
        for i, (direction, point) in enumerate(joint_axes(robot, q)):
            axis = axis_of(poses[i], placed[i].column)
            assert np.allclose(axis.direction, direction, atol=1e-12)
            # Both points lie on the axis: what is between them is along it.
            assert np.allclose(np.cross(np.subtract(axis.origin, point), direction), 0.0, atol=1e-11)
