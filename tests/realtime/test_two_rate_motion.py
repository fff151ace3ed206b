"""Two rates along motions: the paper's case, and what first order gains at a short background."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.model.kinds import MODELS

import torquec as tq
from torquec.codegen.llvm import compile_function
from torquec.realtime.hold_search import hold_error_function


def hold_errors(model, motion, background, cycle):
    """Largest errors (2, n) of zeroth and first order along a motion (N, n each, every `cycle` s)."""
    steps = round(background / cycle)
    k = np.arange(len(motion.t))
    seen = (k // steps) * steps
    names = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd}
    states = [np.ascontiguousarray(values[seen]) for values in names.values()] + list(names.values())
    return np.array([np.abs(errors).max(axis=0) for errors in compile_function(hold_error_function(model))(*states)])


def test_izaguirre_s_background_of_twenty_milliseconds():
    # The PUMA 260 through 90 degrees in fast motion (about 180 deg/s), coefficients refreshed every 20 ms as in the
    # paper, against the largest torque of each joint.
    robot = tq.classics.puma260()
    arm = tq.compile(robot)
    goal = np.full(robot.n, np.pi / 2)
    motion = tq.minimum_jerk(np.zeros(robot.n), goal, 0.94, joints=robot.joint_names, period=1e-3)
    assert np.degrees(np.abs(motion.qd).max()) == pytest.approx(180.0, abs=1.0)
    zeroth, first = hold_errors(arm, motion, 0.02, 1e-3)
    torque = np.abs(arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)).max(axis=0)
    big = torque > 0.01 * torque.max()
    assert np.all(zeroth[big] < 0.15 * torque[big])  # 4 to 13 %
    assert np.all(first[big] < 0.02 * torque[big])  # 0.2 to 1.7 %


def test_accelerations_have_a_wider_spectrum_than_positions_and_speeds():
    # Why the paper refreshes what follows positions and speeds slowly. Bandwidth: below it lies 99 % of the power.
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(20):
        points = rng.uniform(-1.0, 1.0, (6, 1))
        pieces = [tq.minimum_jerk(a, b, 0.5, joints=("joint",), period=1e-3) for a, b in itertools.pairwise(points)]
        signals = [np.concatenate([getattr(piece, name)[:-1, 0] for piece in pieces]) for name in ("q", "qd", "qdd")]
        ratios.append(bandwidth(signals[2]) / np.array([bandwidth(signals[0]), bandwidth(signals[1])]))
    position, speed = np.median(ratios, axis=0)
    assert 3.0 < position < 12.0  # the text says about five, the abstract an order of magnitude
    assert speed > 1.2


def bandwidth(signal):
    """The frequency [Hz] below which 99 % of a signal's power lies, its mean left out."""
    power = np.abs(np.fft.rfft((signal - signal.mean()) * np.hanning(len(signal)))) ** 2
    share = np.cumsum(power) / power.sum()
    return np.fft.rfftfreq(len(signal), 1e-3)[np.searchsorted(share, 0.99)]


def test_first_order_errs_by_less_than_a_tenth_at_one_millisecond():
    # Cycles of 40 kHz, a background of 1 kHz, minimum-jerk motions of all joints at once.
    if not (MODELS / "panda.urdf").exists():
        pytest.skip("panda.urdf is not here")
    panda = tq.load(MODELS / "panda.urdf")
    panda = tq.lock_joints(panda, {name: 0.02 for name in panda.joint_names if "finger" in name})
    arm = tq.compile(panda)
    rng = np.random.default_rng(4)
    lower, upper = np.array([(joint.limits.lower, joint.limits.upper) for joint in panda.joints]).T
    for _ in range(3):
        start, goal = (lower + (upper - lower) * rng.uniform(0.2, 0.8, panda.n) for _ in range(2))
        motion = tq.minimum_jerk(start, goal, 1.0, joints=panda.joint_names, period=1.0 / 40000.0)
        zeroth, first = hold_errors(arm, motion, 1e-3, 1.0 / 40000.0)
        assert np.all(first <= 0.1 * zeroth)
        assert np.all(first > 0.0)
