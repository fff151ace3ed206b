import math

import numpy as np
import pytest

from torquec.dynamics import inverse_dynamics
from torquec.errors import ArgumentError
from torquec.haptics.admittance_options import (
    NO_TOOL,
    FrameMotion,
    HapticCaps,
    HapticStatus,
    ToolLoad,
    capped_speed,
    capped_wrench,
    flagged,
    haptic_status_words,
)
from torquec.haptics.virtual_object import ObjectWrench
from torquec.robot import classics
from torquec.robot.payload import attach_payload
from torquec.spatial import matvec, transpose

CAPS = HapticCaps(force=100.0, moment=10.0, speed=1.0, turning=4.0, power=50.0)
NOTHING = ObjectWrench((0.0,) * 3, (0.0,) * 3)


def test_a_wrench_within_the_caps_is_untouched():
    wrench = ObjectWrench((60.0, 0.0, 80.0), (0.0, -10.0, 0.0))
    assert capped_wrench(CAPS, wrench) == (wrench, 0.0)


def test_a_larger_one_keeps_its_direction():
    wrench, flag = capped_wrench(CAPS, ObjectWrench((0.0, 300.0, 400.0), (20.0, 0.0, 0.0)))
    assert wrench.force == pytest.approx((0.0, 60.0, 80.0))
    assert wrench.moment == pytest.approx((10.0, 0.0, 0.0))
    assert flag == HapticStatus.FORCE_CAPPED


def test_speeds_are_scaled_together():
    cap = capped_speed(CAPS, (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), NOTHING)
    assert cap == (0.5, float(HapticStatus.SPEED_CAPPED))
    assert capped_speed(CAPS, (0.6, 0.0, 0.8), (0.0, 4.0, 0.0), NOTHING) == (1.0, 0.0)


def test_power_into_the_hand_is_capped_and_power_out_of_it_is_not():
    push = ObjectWrench((-100.0, 0.0, 0.0), (0.0,) * 3)  # the hand brakes an object that drives it
    cap = capped_speed(CAPS, (0.8, 0.0, 0.0), (0.0,) * 3, push)
    assert cap.share * 0.8 * 100.0 == pytest.approx(50.0)
    assert cap.flag == HapticStatus.POWER_CAPPED
    assert capped_speed(CAPS, (-0.8, 0.0, 0.0), (0.0,) * 3, push) == (1.0, 0.0)


def test_random_motions_never_exceed_a_cap():
    rng = np.random.default_rng(1)
    for _ in range(300):
        v, w, f, m = rng.normal(size=(4, 3)) * rng.choice([0.1, 1.0, 100.0], size=(4, 1))
        wrench, _ = capped_wrench(CAPS, ObjectWrench(tuple(f), tuple(m)))
        cap = capped_speed(CAPS, tuple(v), tuple(w), wrench)
        slack = 1.0 + 1e-12
        assert cap.share <= 1.0
        assert np.linalg.norm(cap.share * v) <= CAPS.speed * slack
        assert np.linalg.norm(cap.share * w) <= CAPS.turning * slack
        assert -cap.share * (v @ wrench.force + w @ wrench.moment) <= CAPS.power * slack


def test_flags():
    assert flagged(0.0, HapticStatus.AT_LIMIT) == 0.0
    assert flagged(1e-9, HapticStatus.AT_LIMIT) == 8.0
    assert flagged(math.nan, HapticStatus.AT_LIMIT) == 8.0
    assert haptic_status_words(0) == []
    assert haptic_status_words(18) == ["force saturated", "out of reach"]


@pytest.mark.parametrize("change", [{"force": 0.0}, {"power": math.inf}, {"speed": math.nan}, {"effort": 1.5}])
def test_misuse(change):
    with pytest.raises(ArgumentError):
        HapticCaps(**change)


INERTIA = ((0.003, 0.0004, 0.0), (0.0004, 0.002, 0.0), (0.0, 0.0, 0.004))
TOOL = ToolLoad(0.8, (0.01, -0.02, 0.06), INERTIA)
STILL = (0.0, 0.0, 0.0)


def test_a_tool_at_rest_weighs():
    felt = TOOL.wrench(FrameMotion(STILL, STILL, STILL, (0.0, 0.0, -9.81)))
    assert felt.force == pytest.approx((0.0, 0.0, -0.8 * 9.81))
    assert felt.moment == pytest.approx(np.cross(TOOL.centre, felt.force))


def test_a_falling_tool_weighs_nothing():
    felt = TOOL.wrench(FrameMotion((0.0, 0.0, -9.81), STILL, STILL, (0.0, 0.0, -9.81)))
    assert np.abs([*felt.force, *felt.moment]).max() < 1e-15


def test_it_is_what_the_arm_has_to_carry():
    """Virtual work: the torques that the tool costs an arm are J' of minus what it adds to the measurement."""
    from torquec.dynamics import jacobian, jacobian_derivative
    from torquec.dynamics.frame_pose import frame_pose

    rng = np.random.default_rng(3)
    robot = classics.puma560()
    carrying = attach_payload(robot, "link6", mass=TOOL.mass, center=TOOL.centre, inertia=TOOL.inertia)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 6)).tolist()
        cost = np.subtract(inverse_dynamics(carrying, q, qd, qdd), inverse_dynamics(robot, q, qd, qdd))
        J = np.array(jacobian(robot, "link6", q))
        rate = J @ qdd + np.array(jacobian_derivative(robot, "link6", q, qd)) @ qd
        turn = frame_pose(robot, "link6", q).rotation
        back = transpose(turn)
        spin = (J @ qd)[3:]
        felt = TOOL.wrench(
            FrameMotion(
                matvec(back, tuple(rate[:3])),
                matvec(back, tuple(spin)),
                matvec(back, tuple(rate[3:])),
                matvec(back, robot.gravity),
            )
        )
        wrench = [*matvec(turn, felt.force), *matvec(turn, felt.moment)]
        np.testing.assert_allclose(-J.T @ wrench, cost, atol=1e-12)


def test_a_robot_carries_it():
    robot = classics.puma560()
    assert NO_TOOL.carried_by(robot, "link6") is robot
    twice = TOOL.carried_by(TOOL.carried_by(robot, "link6"), "link6")
    more = twice.bodies[-1].inertia.m - robot.bodies[-1].inertia.m
    assert more == pytest.approx(1.6)


@pytest.mark.parametrize("mass", [-1.0, math.nan])
def test_misuse_of_a_tool(mass):
    with pytest.raises(ArgumentError, match="mass of zero or more"):
        ToolLoad(mass)
