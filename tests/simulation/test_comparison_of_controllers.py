"""Control laws on one plant: stuck joints and chatter on made signals and in simulated loops."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import torquec as tq
from torquec.control.independent_joint import drive_poles, gains_from_poles, independent_joint
from torquec.errors import ArgumentError
from torquec.robot import classics
from torquec.simulation.comparison_of_controllers import chatter_rates, compare_controllers, stuck_joints
from torquec.trajectory import minimum_jerk

T = np.arange(1001) / 1000.0


def run(*, speed=0.0, error=0.0, torque=0.0):
    """A made run of one joint, a second at 1 kHz."""
    columns = {name: np.broadcast_to(value, T.shape)[:, None] for name, value in (("qd", speed), ("error", error))}
    return SimpleNamespace(joints=("a",), t=T, tau=np.broadcast_to(torque, T.shape)[:-1, None], **columns)


def test_a_joint_that_stands_with_an_error_is_stuck():
    held = (T >= 0.2) & (T <= 0.6)
    found = stuck_joints(run(speed=np.where(held, 0.0, 0.1), error=2e-3 + 1e-3 * T))["a"]
    assert (found.seconds, found.error) == pytest.approx((0.4, 2.6e-3))


@pytest.mark.parametrize(
    ("speed", "error"),
    [(0.0, 5e-4), (0.01, 0.1), (np.where(np.sin(50.0 * T) > 0.0, 0.0, 1.0), 0.1)],
    ids=["where it should be", "moving", "stands 63 ms at a time"],
)
def test_other_joints_are_not_stuck(speed, error):
    assert stuck_joints(run(speed=speed, error=error)) == {}


@pytest.mark.parametrize("hertz", [30.0, 100.0])
def test_an_oscillating_torque_chatters_about_gravity(hertz):
    torque = 20.0 + np.sin(2.0 * np.pi * hertz * T)
    assert chatter_rates(run(torque=torque))["a"] == pytest.approx(2.0 * hertz, rel=0.07)


@pytest.mark.parametrize(
    "torque",
    [3.0, np.sin(2.0 * np.pi * 7.0 * T), 20.0 + 0.3 * np.sin(2.0 * np.pi * 100.0 * T), np.sign(T - 0.5)],
    ids=["constant", "the loop's own frequency", "below two percent", "one reversal"],
)
def test_other_torques_do_not_chatter(torque):
    assert chatter_rates(run(torque=torque)) == {}


def test_poles_use_up_the_free_torque_at_a_tenth_of_a_radian():
    arm, q = classics.puma560(), np.zeros(6)
    poles = np.array(drive_poles(arm, q, 0.002))
    M, g = tq.compile(arm).mass_matrix(q), tq.compile(arm).gravity_torque(q)
    free = np.array([joint.limits.effort for joint in arm.joints]) - np.abs(g)
    assert poles.max() < 0.0
    for k, pole in enumerate(poles):
        assert pole == pytest.approx(-min(50.0, np.sqrt(free[k] / (0.1 * M[k, k]))))
    assert max(drive_poles(arm, q, 0.01)) >= -10.0  # a tenth of the sampling rate


def loops(arm, poles, largest=7.0, **plant):
    start, goal = np.zeros(arm.n), np.full(arm.n, 0.2)
    motion = minimum_jerk(start, goal, 1.0, joints=arm.joint_names, period=0.002)
    laws = {str(pole): independent_joint(arm, gains_from_poles(arm, pole, start)) for pole in poles}
    options = tq.LoopOptions(largest_error=largest)
    return compare_controllers(tq.Plant(arm, **plant), laws, motion, options=options).values()


def test_weak_gains_are_stuck_and_too_stiff_ones_chatter_at_the_torque_limits():
    weak, stiff, shaking = loops(classics.puma560(), (-3.0, -50.0, -5000.0), friction="stick")
    assert weak.stuck.keys() > stiff.stuck.keys()
    assert not stiff.chatter
    assert shaking.chatter


def test_a_diverging_law_has_its_own_reason():
    good, diverged = loops(classics.puma560(), (-50.0, -5000.0), largest=0.035, friction="stick")
    assert good.result is not None
    assert diverged.result is None
    assert diverged.refused


def test_no_controller_is_refused():
    arm = classics.planar2r()
    motion = minimum_jerk([0.0, 0.0], [0.1, 0.1], 1.0, joints=arm.joint_names)
    with pytest.raises(ArgumentError, match="no controller"):
        compare_controllers(tq.Plant(arm), {}, motion)
