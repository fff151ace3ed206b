"""Refitting: constants that were changed are found again, derivatives are those of the program, nothing gets worse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, motions

from torquec.dynamics.mechanism import mechanism
from torquec.expr import Op, count_operations, evaluate
from torquec.expr.replay import rebuilt
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.refit_constants import _linearized, refit_constants, values_at
from torquec.trajectory.motion_box import sampled_motions


@pytest.fixture(scope="module")
def case():
    robot = arm("planar3r")
    exact = torque_program(mechanism(robot))
    states = sampled_motions(motions(robot), 200)
    torques = evaluate(exact, {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))})["tau"]
    constants = {k: step.value for k, step in enumerate(exact.operations) if step.op is Op.CONST}
    return exact, states, torques, np.abs(torques).max(axis=0), constants


def largest(function, states, torques, tolerance):
    values = values_at(function, states)
    return max(np.abs(values[k] - torques[:, i]).max() / tolerance[i] for i, k in enumerate(function.results[0]))


def test_changed_constants_are_found_again(case):
    exact, states, torques, tolerance, constants = case
    rng = np.random.default_rng(0)
    changed = rebuilt(exact, constants={k: value * rng.uniform(0.9, 1.1) for k, value in constants.items()})
    before = largest(changed, states, torques, tolerance)
    fitted = refit_constants(changed, states, torques, tolerance)
    assert before > 0.01
    assert largest(fitted, states, torques, tolerance) < 1e-3 * before
    assert count_operations(fitted) == count_operations(exact)


def test_derivatives_are_those_of_differences(case):
    exact, states, torques, tolerance, constants = case
    error, columns = _linearized(exact, constants, states, torques, tolerance)
    assert np.abs(error).max() < 1e-12
    for column, (k, value) in enumerate(constants.items()):
        step = 1e-6 * abs(value)
        up, down = (
            _linearized(exact, {**constants, k: value + d}, states, torques, tolerance)[0] for d in (step, -step)
        )
        assert columns[:, column] == pytest.approx((up - down) / (2.0 * step), rel=1e-6, abs=1e-6)


def test_a_perfect_program_stays(case):
    exact, states, torques, tolerance, _ = case
    assert largest(refit_constants(exact, states, torques, tolerance), states, torques, tolerance) < 1e-12
