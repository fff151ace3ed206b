"""Regressor: columns known by hand, torque for any parameters, names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics import arms
from tests.dynamics.laws import holds
from tests.dynamics.oracles import PUMA560

from torquec.dynamics import parameter_names, parameter_values, regressor
from torquec.robot import classics
from torquec.robot.robot import Drives, Motor
from torquec.spatial import PARAMETER_NAMES


def test_pendulum():
    # About y: Iyy qdd + mx (-g cos q) + mz (-g sin q), the rest cannot be felt.
    row = dict(zip(PARAMETER_NAMES, regressor(arms.pendulum(), [0.6], [3.0], [2.0])[0], strict=True))
    expected = dict.fromkeys(PARAMETER_NAMES, 0.0) | {"Iyy": 2.0, "mx": -9.81 * np.cos(0.6), "mz": -9.81 * np.sin(0.6)}
    assert row == pytest.approx(expected, abs=1e-14)


def test_names_and_values_go_together():
    arm = replace(arms.pendulum(2.0, 0.5), drives=Drives((Motor("m1", 0.3),), ((4.0,),)))
    named = dict(zip(parameter_names(arm), parameter_values(arm), strict=True))
    assert named["m_rod"] == 2.0
    assert named["mx_rod"] == 1.0
    assert named["Izz_rod"] == 0.5
    assert named["rotor_m1"] == 0.3
    assert regressor(arm, [0.0], [0.0], [2.0])[0][-1] == 32.0


def test_puma560_of_clover():
    arm = classics.puma560()
    for sample in PUMA560:
        found = np.array(regressor(arm, sample.q, sample.qd, sample.qdd)) @ parameter_values(arm)
        assert found == pytest.approx(sample.tau, abs=1e-9)


def test_times_parameters_is_the_torque():
    holds("regressor_times_parameters_is_the_torque")
