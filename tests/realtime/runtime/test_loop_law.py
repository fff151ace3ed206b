"""The law of a loop: with fresh coefficients, two rates give the torque of the whole law."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.runtime.loop_law import loop_law, robot_number, two_rate_law


def motion_of(robot, period=0.001):
    goal = [0.1 if not joint.type.is_prismatic else -0.05 for joint in robot.joints]
    return tq.minimum_jerk([0.0] * robot.n, goal, 0.1, joints=robot.joint_names, period=period)


@pytest.mark.parametrize("order", list(HoldOrder))
@pytest.mark.parametrize("name", ["planar2r", "scara", "puma560"])
def test_fresh_coefficients_give_the_torque_of_the_whole_law(name, order):
    robot = getattr(tq.classics, name)()
    law = tq.computed_torque(robot, -10.0, period=0.001, evaluation="measured", friction="measured")
    two = loop_law(tq.as_model(robot), law, motion_of(robot), order=order)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, qd, q_ref, qd_ref, qdd_ref = rng.uniform(-1.0, 1.0, (5, robot.n))
        wanted = law.torque(q_ref, qd_ref, qdd_ref, q, qd)
        coefficients = two.background.call(q, qd, np.zeros(robot.n))
        # The slopes of first order are those at the acceleration of the background: at its state they do not count.
        tau, qdd = two.law.call(q_ref, qd_ref, qdd_ref, q, qd, coefficients)
        assert np.allclose(tau, wanted, rtol=1e-9, atol=1e-9)
        assert np.allclose(qdd, qdd_ref + 100.0 * (q_ref - q) + 20.0 * (qd_ref - qd))


def test_what_a_loop_is_given():
    robot = tq.classics.planar2r()
    motion = motion_of(robot)
    one = loop_law(tq.as_model(robot), tq.computed_torque(robot, -10.0, period=0.001), motion)
    assert one.parts == (2, 2, 2)
    assert one.references.shape == (101, 6)
    assert np.array_equal(one.references[7], np.concatenate([motion.q[7], motion.qd[7], motion.qdd[7]]))
    assert (one.background, one.gains, one.coefficients, len(one.memory)) == (None, None, 0, 0)


def test_robots_have_numbers_of_their_own():
    numbers = {robot_number(tq.as_model(getattr(tq.classics, name)())) for name in ("planar2r", "planar3r", "scara")}
    assert len(numbers) == 3
    assert all(0 <= number < 2**64 for number in numbers)


def test_misuse():
    robot = tq.classics.planar2r()
    model = tq.as_model(robot)
    pid = tq.make_law(robot, "pid", tq.ControllerOptions(period=0.001))
    with pytest.raises(tq.ArgumentError, match="commands no acceleration"):
        loop_law(model, pid, motion_of(robot), order=HoldOrder.FIRST)
    law = tq.computed_torque(robot, -10.0, period=0.001)
    heavier = tq.as_model(tq.attach_payload(robot, robot.frames[-1].name, mass=1.0))
    with pytest.raises(tq.ArgumentError, match="made from another model") as refused:
        two_rate_law(heavier, law, HoldOrder.FIRST)
    assert "design it again" in str(refused.value)
    with pytest.raises(tq.ArgumentError, match="the joints of the motion are"):
        loop_law(model, law, motion_of(tq.classics.planar3r()))
