from __future__ import annotations

import math

import pytest

from torquec.simplification.loop_tolerance import (
    ShaftLoop,
    inertia_tolerance,
    parabolic_budget,
    ramp_budget,
    smallest_parabolic_error,
    step_budget,
)
from torquec.simplification.specification import ControlRequirement, MotorData

MOTOR = MotorData(
    armature_resistance=2.0,
    torque_constant=0.5,
    back_emf_constant=0.25,
    gear_ratio=0.1,
    resonance=10.0,
    inertia=5.0,
    viscous_friction=0.01,
)
LOOP = ShaftLoop.of(MOTOR)


def test_gains_by_hand():
    # J0 = 0.01 * 5 = 0.05 at the shaft; K_p = 0.05 * 100 * 2 / (4 * 0.5)                                    (12)
    assert pytest.approx(0.05) == LOOP.J0
    assert LOOP.position_gain == pytest.approx(5.0)
    # K_v = (2 * 10 * sqrt(0.05 * 0.2) - 2 * 0.01 - 0.5 * 0.25) / 0.5 = (2 - 0.02 - 0.125) / 0.5              (13)
    assert LOOP.velocity_gain(0.2) == pytest.approx(3.71)


def test_the_gains_give_critical_damping_for_the_computed_inertia():
    for J in (0.01, 0.2, 3.0):
        gain = LOOP.velocity_gain(J)
        assert LOOP.damping(J, position_gain=LOOP.position_gain, velocity_gain=gain) == pytest.approx(1.0)
        actual = 1.21 * J  # (14) with exact friction
        damping = LOOP.damping(actual, position_gain=LOOP.position_gain, velocity_gain=gain)
        assert damping == pytest.approx(math.sqrt(J / actual))


def test_ten_percent_of_inertia_keep_the_damping_within_five_percent():
    # The paper: 0.95 to 1.05, to first order (15).
    assert inertia_tolerance(ControlRequirement()) == pytest.approx(0.1)
    gain = LOOP.velocity_gain(1.0)
    for change in (-0.1, 0.1):
        damping = LOOP.damping(1.0 / (1.0 - change), position_gain=LOOP.position_gain, velocity_gain=gain)
        assert damping == pytest.approx(1.0 - change / 2, abs=2e-3)


def test_half_the_resonance_is_the_natural_frequency():
    # omega_n^2 = K_p K_a / (R_a J_0)                                                                      (9), (12)
    assert math.sqrt(LOOP.position_gain * LOOP.Ka / (LOOP.Ra * LOOP.J0)) == pytest.approx(LOOP.omega0 / 2)


def test_budgets_by_hand():
    control = ControlRequirement(step_error=0.01, ramp_error=0.02, parabolic_error=0.03)
    # At the joint: J_0 omega_0^2 / 4 = 125 N m per radian, whatever the gear.                            (20), (21)
    assert step_budget(MOTOR, control) == pytest.approx(1.25)
    assert ramp_budget(MOTOR, control) == pytest.approx(2.5)
    # less 0.1 |J_ii|max                                                                                        (22)
    assert parabolic_budget(MOTOR, control, 4.0) == pytest.approx(3.75 - 0.4)
    assert step_budget(MOTOR, ControlRequirement(ramp_error=1.0)) == math.inf


def test_steady_state_error_of_the_loop_is_what_was_asked():
    # A torque error dT at the joint moves the shaft by n R_a dT / (K_p K_a), the joint by n times that.        (18)
    control = ControlRequirement(step_error=0.01)
    error = LOOP.n**2 * LOOP.Ra * step_budget(MOTOR, control) / (LOOP.position_gain * LOOP.Ka)
    assert error == pytest.approx(0.01)


def test_the_smallest_parabolic_error_leaves_nothing():
    control = ControlRequirement(parabolic_error=smallest_parabolic_error(MOTOR, ControlRequirement(), 4.0))
    assert parabolic_budget(MOTOR, control, 4.0) == pytest.approx(0.0, abs=1e-12)
