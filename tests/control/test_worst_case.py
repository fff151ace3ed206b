"""Worst cases: no point of the trajectory has a narrower interval; an unstable one is named with its time."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.control.poles import joint_poles
from torquec.control.robustness import COMPUTED_TORQUE, ErrorFactor
from torquec.control.stability_interval import stability_interval
from torquec.control.worst_case import worst_case
from torquec.errors import ArgumentError
from torquec.linearization.linearize import linearize
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory

ARM = tq.classics.puma560()


def test_it_is_the_narrowest_of_all_points():
    motion = puma560_standard_trajectory()
    poles = joint_poles(ARM.joint_names, -12 + 45j)
    found = worst_case(ARM, motion, poles, factors=(ErrorFactor.ALPHA, ErrorFactor.BETA), points=4)
    for factor in (ErrorFactor.ALPHA, ErrorFactor.BETA):
        each = []
        for t in np.linspace(0.0, 1.5, 4):
            state = motion.at(t)
            each.append(stability_interval(linearize(ARM, state.q, state.qd, state.qdd), poles, factor))
        assert found.intervals[factor].lower == pytest.approx(max(i.lower for i in each))
        assert found.intervals[factor].upper == pytest.approx(min(i.upper for i in each))
    assert found.slowest == pytest.approx(-12.0, abs=1e-6)


def test_an_unstable_instant_is_named():
    fast = minimum_jerk(np.zeros(6), np.full(6, 2 * np.pi), 0.5, joints=ARM.joint_names)
    with pytest.raises(ArgumentError, match=r"at t = 0\.\d+ s the loop is unstable"):
        worst_case(ARM, fast, joint_poles(ARM.joint_names, -3 + 3j), errors=COMPUTED_TORQUE, points=9)


def test_refusals():
    poles = joint_poles(ARM.joint_names, -3 + 3j)
    with pytest.raises(ArgumentError, match="1 points"):
        worst_case(ARM, puma560_standard_trajectory(), poles, points=1)
    with pytest.raises(ArgumentError, match="the trajectory moves"):
        worst_case(ARM, minimum_jerk([0.0], [1.0], 1.0), poles)
