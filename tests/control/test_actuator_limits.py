"""Limits of drives: torques and slopes, on laws with and without state."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.control.actuator_limits import with_actuator_limits
from torquec.control.independent_joint import PidGains, independent_joint
from torquec.control.lqr import LqrWeights, lqr
from torquec.errors import ArgumentError
from torquec.trajectory import minimum_jerk

ARM = tq.classics.planar2r()
PD = independent_joint(ARM, PidGains((100.0, 100.0), (1.0, 1.0)), period=0.01)
ZEROS = np.zeros(2)


def test_torques_are_clamped():
    limited = with_actuator_limits(PD, ARM, efforts=[5.0, 300.0])
    assert limited.torque([1.0, -2.0], ZEROS, ZEROS, ZEROS, ZEROS).tolist() == [5.0, -200.0]
    assert limited.torque([-1.0, 5.0], ZEROS, ZEROS, ZEROS, ZEROS).tolist() == [-5.0, 300.0]


def test_the_robots_limits_are_the_default():
    arm = tq.classics.puma560()
    gains = PidGains((1e5,) * 6, (1.0,) * 6)
    limited = with_actuator_limits(independent_joint(arm, gains), arm)
    found = limited.torque(np.ones(6), np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(6))
    assert found == pytest.approx([97.6, 186.4, 89.4, 24.2, 20.1, 21.3])


def test_slopes_are_limited_from_the_torque_before():
    limited = with_actuator_limits(PD, ARM, efforts=[50.0, 50.0], rates=[1000.0, 2000.0], first_torque=[1.0, 2.0])
    state = limited.initial_state
    assert state.tolist() == [1.0, 2.0]
    tau, state = limited.native.call([1.0, -1.0], ZEROS, ZEROS, ZEROS, ZEROS, state)
    assert tau.tolist() == [11.0, -18.0]
    tau, state = limited.native.call([1.0, -1.0], ZEROS, ZEROS, ZEROS, ZEROS, state)
    assert tau.tolist() == [21.0, -38.0]
    for _ in range(5):
        tau, state = limited.native.call([1.0, -1.0], ZEROS, ZEROS, ZEROS, ZEROS, state)
    assert tau.tolist() == [50.0, -50.0]


def test_states_and_schedules_are_kept():
    pid = independent_joint(ARM, PidGains((1.0, 1.0), (1.0, 1.0), (1.0, 1.0)), period=0.1)
    limited = with_actuator_limits(pid, ARM, efforts=[5.0, 5.0], rates=[10.0, 10.0])
    assert [slot.name for slot in limited.slots] == ["integral", "last_error", "last_torque"]
    scheduled = lqr(
        ARM, minimum_jerk(ZEROS, [1.0, 1.0], 0.2, period=0.01), LqrWeights((1.0,) * 2, (1.0,) * 2, (1.0,) * 2)
    )
    both = with_actuator_limits(scheduled, ARM, efforts=[1e-3, 1e-3])
    assert np.abs(both.torque([1.0, 1.0], ZEROS, ZEROS, ZEROS, ZEROS)).max() <= 1e-3


def test_refusals():
    with pytest.raises(ArgumentError, match="'efforts'"):
        with_actuator_limits(PD, ARM, efforts=[1.0])
    with pytest.raises(ArgumentError, match="'efforts'"):
        with_actuator_limits(PD, ARM, efforts=[1.0, -1.0])
    free = independent_joint(ARM, PidGains((1.0, 1.0), (1.0, 1.0)))
    with pytest.raises(ArgumentError, match="rate limits need a sampling interval"):
        with_actuator_limits(free, ARM, efforts=[1.0, 1.0], rates=[1.0, 1.0])
