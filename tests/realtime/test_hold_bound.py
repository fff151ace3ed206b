"""What holding costs: bounds never below what is found, and never far above it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot
from tests.model.kinds import MODELS, model_of, motions_of

import torquec as tq
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.hold_bound import hold_bound
from torquec.realtime.hold_search import search_hold_error
from torquec.robot.robot import Counterbalance, Spring
from torquec.simplification.specification import load_specification
from torquec.trajectory.motion_box import MotionBox

ORDERS = tuple(HoldOrder)


def robot_box(robot):
    """The joints' own limits."""
    return tq.compile(robot).box


def first_joints(motions, count):
    """The box of the first joints alone."""
    return MotionBox(*(part[:count] for part in dataclasses.astuple(motions)))


def within(bound, source, motions, age, jerk=None, most=3.0, samples=4000):
    found = search_hold_error(source, motions, age, jerk=jerk, samples=samples)
    for order, errors in zip(ORDERS, (found.zeroth, found.first), strict=True):
        limit = bound.at(age, order)
        assert np.all(errors <= limit * (1.0 + 1e-9) + 1e-12), order
        assert np.all(limit <= most * errors + 1e-9), order


def test_a_pendulum_by_hand():
    # tau = m l^2 qdd + m g l cos q: holding for T errs by m g l |cos q - cos q0|, at most m g l v T.
    arm = tq.lock_joints(tq.classics.planar2r(), {"joint2": 0.0})
    motions = MotionBox((-3.0,), (3.0,), (2.0,), (5.0,))
    slope = np.abs(tq.compile(arm).gravity_torque(np.linspace(-3.2, 3.2, 20001)[:, None])).max()
    bound = hold_bound(arm, motions, jerk=[10.0])
    assert bound.at(1e-3, HoldOrder.ZEROTH)[0] == pytest.approx(slope * 2.0 * 1e-3, rel=0.01)
    assert bound.at(1e-3, HoldOrder.FIRST)[0] == pytest.approx(0.5 * slope * (2.0 * 1e-3) ** 2, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["puma560", "ur5", "panda"])
def test_at_most_three_times_what_is_found(name):
    if name != "puma560" and not (MODELS / f"{name}.urdf").exists():
        pytest.skip(f"{name}.urdf is not here")
    robot = tq.classics.puma560() if name == "puma560" else tq.load(MODELS / f"{name}.urdf")
    if name == "panda":
        robot = tq.lock_joints(robot, {"panda_finger_joint1": 0.0})
    motions = load_specification(f"examples/specifications/{name}_torque.toml", robot).motions
    jerk = [50.0] * robot.n
    bound = hold_bound(robot, motions, jerk=jerk)
    for age in (1e-3, 2e-2):
        within(bound, robot, motions, age, jerk)


@pytest.mark.parametrize("seed", range(4))
def test_random_robots(seed):
    robot = random_robot(seed, bodies=3, mimic=False)
    n = robot.n
    motions = MotionBox((-0.5,) * n, (0.5,) * n, (1.0,) * n, (3.0,) * n)
    for jerk in (None, [20.0] * n):
        bound = hold_bound(robot, motions, jerk=jerk)
        found = search_hold_error(robot, motions, 5e-3, jerk=jerk, samples=2000)
        assert np.all(found.zeroth <= bound.at(5e-3, HoldOrder.ZEROTH) * (1.0 + 1e-9) + 1e-12)
        assert np.all(found.first <= bound.at(5e-3, HoldOrder.FIRST) * (1.0 + 1e-9) + 1e-12)


def test_a_classic_arm_is_bounded_closely():
    robot = tq.classics.stanford()
    n = robot.n
    motions = MotionBox(robot_box(robot).lower, robot_box(robot).upper, (1.0,) * n, (3.0,) * n)
    robot, motions = tq.lock_joints(robot, dict.fromkeys(robot.joint_names[3:], 0.3)), first_joints(motions, 3)
    within(hold_bound(robot, motions, jerk=[30.0] * 3), robot, motions, 5e-3, [30.0] * 3)


def test_jumping_accelerations_leave_first_order_a_part_in_proportion():
    arm = tq.classics.planar2r()
    motions = MotionBox((-1.0, -2.0), (1.0, 2.0), (1.0, 1.0), (2.0, 2.0))
    jumping, smooth = hold_bound(arm, motions), hold_bound(arm, motions, jerk=[30.0, 30.0])
    ratio = jumping.at(1e-3, HoldOrder.FIRST) / jumping.at(1e-4, HoldOrder.FIRST)
    assert np.all(ratio < 11.0)
    assert np.all(smooth.at(1e-3, HoldOrder.FIRST) <= 0.1 * smooth.at(1e-3, HoldOrder.ZEROTH) + 1e-12)
    within(jumping, arm, motions, 1e-3)


def test_a_certified_model_is_bounded_by_its_own_program():
    model = model_of("scara", tq.ModelKind.CERTIFIED_TORQUE)
    motions = motions_of(model.robot)
    bound = hold_bound(model, motions, jerk=[20.0] * model.robot.n)
    found = search_hold_error(model, motions, 5e-3, jerk=[20.0] * model.robot.n, samples=2000)
    assert np.all(found.zeroth <= bound.at(5e-3, HoldOrder.ZEROTH) * (1.0 + 1e-9) + 1e-12)


def test_springs_count():
    arm = tq.classics.planar2r()
    first, second = arm.bodies
    sprung = dataclasses.replace(second, joint=dataclasses.replace(second.joint, spring=Spring(40.0)))
    motions = MotionBox((-1.0, -2.0), (1.0, 2.0), (1.0, 1.0), (2.0, 2.0))
    with_spring = hold_bound(dataclasses.replace(arm, bodies=(first, sprung)), motions)
    more = with_spring.at(1e-3, HoldOrder.ZEROTH) - hold_bound(arm, motions).at(1e-3, HoldOrder.ZEROTH)
    np.testing.assert_allclose(more, [0.0, 0.04], atol=1e-12)


def test_misuse():
    arm = tq.classics.planar2r()
    with pytest.raises(tq.ArgumentError, match="no speeds"):
        hold_bound(arm, MotionBox((-1.0, -1.0), (1.0, 1.0)))
    motions = MotionBox((-1.0, -1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0))
    with pytest.raises(tq.ArgumentError, match="jerks"):
        hold_bound(arm, motions, jerk=[1.0])
    with pytest.raises(tq.ArgumentError, match="age"):
        hold_bound(arm, motions).at(-1.0, HoldOrder.FIRST)
    geared = random_robot(3, bodies=3)  # one joint follows another by a factor that is no integer
    with pytest.raises(tq.RobotError, match="no trigonometric polynomials"):
        hold_bound(geared, MotionBox((-1.0,) * 2, (1.0,) * 2, (1.0,) * 2, (1.0,) * 2))
    body = arm.bodies[0]
    gas = dataclasses.replace(body.joint, counterbalances=(Counterbalance(0.5, 0.1, preload=10.0),))
    heavy = dataclasses.replace(arm, bodies=(dataclasses.replace(body, joint=gas), arm.bodies[1]))
    with pytest.raises(tq.RobotError, match="counterbalance"):
        hold_bound(heavy, motions)
