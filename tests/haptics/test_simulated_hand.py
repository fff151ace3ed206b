import math

import numpy as np
import pytest

from torquec.dynamics import frame_pose, jacobian, jacobian_derivative
from torquec.errors import ArgumentError
from torquec.haptics.simulated_hand import (
    GOAL,
    GOAL_SIZE,
    GraspingHand,
    HandImpedance,
    HandMotion,
    hand_goals,
    push_goals,
)
from torquec.haptics.virtual_object import quaternion_of, rotation_of
from torquec.robot import classics
from torquec.simulation.plant_force import PlantInstant
from torquec.spatial import Pose, axis_angle_rotation, matmul, rpy_rotation

ROBOT = classics.puma560()
Q = [0.3, -0.9, 3.0, 0.4, -0.9, 0.2]
OWN = HandImpedance()


def goal(**parts):
    """A row that holds the frame where it is, with some parts changed."""
    pose = frame_pose(ROBOT, "link6", Q)
    given = {"position": pose.origin, "orientation": quaternion_of(pose.rotation), "grip": (1.0,), **parts}
    return [value for name, size in GOAL.items() for value in given.get(name, (0.0,) * size)]


def test_a_goal_has_as_many_numbers_as_the_table_says():
    assert len(goal()) == GOAL_SIZE == 26


def test_at_its_goal_it_does_nothing_and_beside_it_pulls_there():
    still = [0.0] * 6
    assert np.abs([*GraspingHand("link6", OWN, goal()).muscles(ROBOT, Q, still).force]).max() < 1e-12
    x = frame_pose(ROBOT, "link6", Q).origin
    away = GraspingHand("link6", OWN, goal(position=(x[0] + 0.01, x[1], x[2]))).muscles(ROBOT, Q, still)
    assert away.force == pytest.approx((4.0, 0.0, 0.0), abs=1e-9)
    turned = matmul(
        axis_angle_rotation((0.0, 0.0, 1.0), math.cos(0.02), math.sin(0.02)), frame_pose(ROBOT, "link6", Q).rotation
    )
    turn = GraspingHand("link6", OWN, goal(orientation=quaternion_of(turned))).muscles(ROBOT, Q, still)
    assert turn.moment == pytest.approx((0.0, 0.0, 5.0 * 2.0 * math.tan(0.01)), abs=1e-9)


def test_the_goal_goes_on_between_samples():
    x = frame_pose(ROBOT, "link6", Q).origin
    moving = goal(velocity=(0.1, 0.0, 0.0), acceleration=(2.0, 0.0, 0.0), turning=(0.0, 0.3, 0.0))
    later = GraspingHand("link6", OWN, moving, 0.002).muscles(ROBOT, Q, [0.0] * 6)
    there = goal(position=(x[0] + 0.1 * 0.002 + 0.002**2, x[1], x[2]), velocity=(0.104, 0.0, 0.0))
    at_once = GraspingHand("link6", OWN, there).muscles(ROBOT, Q, [0.0] * 6)
    assert later.force == pytest.approx(at_once.force, abs=1e-9)
    assert later.moment[1] == pytest.approx(5.0 * 0.3 * 0.002 + 0.3 * 0.3)


def test_its_mass_moves_along():
    """Torque and inertia together are J' of the force on the tool at the true acceleration, for every qdd."""
    rng = np.random.default_rng(2)
    hand = GraspingHand("link6", OWN, goal(force=(1.0, 2.0, 3.0), moment=(0.1, 0.2, 0.3)))
    qd, qdd = rng.normal(size=(2, 6))
    J = np.array(jacobian(ROBOT, "link6", Q))
    rate = J @ qdd + np.array(jacobian_derivative(ROBOT, "link6", Q, list(qd))) @ qd
    wrench = hand.on_tool(ROBOT, Q, (J @ qd).tolist(), rate.tolist())
    torque = hand.torque(ROBOT, PlantInstant(Q, list(qd)))
    whole = np.array(torque) - np.array(hand.inertia(ROBOT, Q)) @ qdd
    np.testing.assert_allclose(whole, J.T @ [*wrench.force, *wrench.moment], atol=1e-10)


def test_a_hand_that_lets_go_is_not_there():
    free = GraspingHand("link6", OWN, goal(position=(9.0, 9.0, 9.0), grip=(0.0,)))
    assert np.abs(free.torque(ROBOT, PlantInstant(Q, [1.0] * 6))).max() == 0.0
    assert np.abs(free.inertia(ROBOT, Q)).max() == 0.0


def test_misuse():
    with pytest.raises(ArgumentError, match="zero or more"):
        HandImpedance(mass=-1.0)
    with pytest.raises(ArgumentError):
        GraspingHand("claw", OWN, goal()).check(ROBOT)


POSE = Pose(rpy_rotation(0.3, -0.4, 0.7), (0.5, 0.1, 0.4))
H = 0.001
X, Y, Z = (np.array([row[k] for row in POSE.rotation]) for k in range(3))


def test_a_circle_has_its_radius_lies_in_its_plane_and_its_rates_are_derivatives():
    rows = hand_goals(HandMotion(3.0, 4.0, radius=0.1), POSE, (5.0, 0.83), period=H)
    place, velocity, rate, force = rows[:, :3], rows[:, 3:6], rows[:, 6:9], rows[:, 19:22]
    centre = np.array(POSE.origin) - 0.1 * X
    np.testing.assert_allclose(np.linalg.norm(place - centre, axis=1), 0.1, atol=1e-12)
    assert np.abs((place - centre) @ Z).max() < 1e-12
    np.testing.assert_allclose(np.gradient(place, H, axis=0)[1:-1], velocity[1:-1], atol=1e-5)
    np.testing.assert_allclose(np.gradient(velocity, H, axis=0)[1:-1], rate[1:-1], atol=1e-3)
    np.testing.assert_allclose(force, 5.0 * rate)
    assert np.linalg.norm(velocity[-1]) == pytest.approx(0.3)
    assert (rows[:, 25] == 1.0).all()


def test_a_rotation_swings_about_the_frames_z():
    rows = hand_goals(HandMotion(2.0, 4.0, swing=0.4), POSE, (5.0, 0.83), period=H)
    turn = np.moveaxis(np.array(rotation_of(tuple(rows[:, 9:13].T))), -1, 0)
    assert np.abs(turn[:, :, 2] - Z).max() < 1e-12
    angle = np.arctan2(turn[:, :, 0] @ Y, turn[:, :, 0] @ X)
    assert angle.max() == pytest.approx(0.4, abs=1e-4)
    np.testing.assert_allclose(np.gradient(angle, H)[1:-1], (rows[:, 13:16] @ Z)[1:-1], atol=1e-5)
    np.testing.assert_allclose(np.gradient(rows[:, 13:16], H, axis=0)[1:-1], rows[1:-1, 16:19], atol=2e-3)
    np.testing.assert_allclose(rows[:, 22:25], 0.83 * rows[:, 16:19])


@pytest.mark.parametrize("period", [0.001, 0.002, 0.0037])
def test_a_push_gives_its_impulse_whatever_the_period(period):
    rows = push_goals(POSE, 10.0, speed=0.3, lasting=0.2, duration=0.5, period=period)
    np.testing.assert_allclose(rows[:, 19:22].sum(axis=0) * period, 3.0 * X, atol=1e-12)
    assert (rows[:, 25] == 0.0).all()


def test_a_hand_moves_and_turns_at_once_and_carries_a_weight():
    motion = HandMotion(3.0, 4.0, radius=0.1, swing=0.4)
    rows = hand_goals(motion, POSE, (5.0, 0.83), period=H, carried=(0.0, 0.0, 49.0))
    circle = hand_goals(HandMotion(3.0, 4.0, radius=0.1), POSE, (5.0, 0.83), period=H)
    swing = hand_goals(HandMotion(3.0, 4.0, swing=0.4), POSE, (5.0, 0.83), period=H)
    np.testing.assert_array_equal(rows[:, :9], circle[:, :9])
    np.testing.assert_array_equal(rows[:, 9:19], swing[:, 9:19])
    np.testing.assert_allclose(rows[:, 19:22], circle[:, 19:22] + [0.0, 0.0, 49.0])
    np.testing.assert_array_equal(rows[:, 22:25], swing[:, 22:25])
