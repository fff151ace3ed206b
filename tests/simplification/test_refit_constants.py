"""Refitting: constants that were changed are found again, derivatives are those of the program, nothing gets worse."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proof.arms import arm, motions

from torquec.dynamics.mechanism import mechanism
from torquec.expr import Op, count_operations, evaluate, trace
from torquec.expr.math import sincos
from torquec.expr.replay import rebuilt
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.refit_constants import (
    _linearized,
    foresee,
    refit_by_least_squares,
    refit_constants,
    values_at,
)
from torquec.simplification.replacements import replaced_together
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


SHAPES = {"q": (1,), "qd": (1,), "qdd": (1,)}
TOLERANCE = np.array([2.0])


def errors_of(program, states, torques, tolerance):
    values = values_at(program, states)
    return np.array([np.abs(values[k] - torques[:, i]).max() / tolerance[i] for i, k in enumerate(program.results[0])])


def states_of(seed, n=1, count=200):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (count, 3, n))


def test_without_constants_it_is_the_error():
    """qdd + qd^2 has no constant to fit; without either term it errs by just that term."""
    program = trace("f", lambda q, qd, qdd: {"tau": [qdd[0] + qd[0] * qd[0]]}, SHAPES)
    states = states_of(1)
    torques = evaluate(program, {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))})["tau"]
    here, found = foresee(program, states, torques, TOLERANCE)
    assert here[0] < 1e-6
    for one in found:
        shorter = replaced_together(program, [one.replacement])
        assert one.errors == pytest.approx(errors_of(shorter, states, torques, TOLERANCE), rel=1e-5), one


def test_a_constant_of_the_lost_term_makes_up_for_nothing():
    """Of 5 qdd + 3.7 qd^2 the square is lost: its constant 3.7 is lost with it."""
    program = trace("f", lambda q, qd, qdd: {"tau": [5.0 * qdd[0] + 3.7 * (qd[0] * qd[0])]}, SHAPES)
    states = states_of(2)
    torques = evaluate(program, {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))})["tau"]
    _, found = foresee(program, states, torques, TOLERANCE)
    least = {}
    for one in found:
        least[one.replacement.step] = min(one.largest, least.get(one.replacement.step, np.inf))
    assert min(least.values()) > 0.5 * 3.7 * 4.0 / 2.0


def test_what_another_constant_makes_up_for_is_foreseen():
    """1.3 (sin^2 + cos^2) qd is left out, and 3.7 qd takes it over."""

    def algorithm(q, qd, qdd):
        sine, cosine = sincos(q[0])
        one = sine * sine + cosine * cosine
        return {"tau": [3.7 * qd[0] + 1.3 * (one * qd[0])]}

    program = trace("f", algorithm, SHAPES)
    states = states_of(3)
    torques = evaluate(program, {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))})["tau"]
    _, found = foresee(program, states, torques, TOLERANCE)
    best = max((one for one in found if one.largest < 0.01), key=lambda one: one.replacement.saved)
    shorter = refit_by_least_squares(replaced_together(program, [best.replacement]), states, torques, TOLERANCE)
    assert count_operations(shorter).cost == 1
    assert errors_of(shorter, states, torques, TOLERANCE)[0] < 0.01


def test_of_an_arm_it_agrees_with_trying():
    """Four of five small errors that were foreseen are reached by one step of least squares."""
    robot = arm("planar3r")
    program = torque_program(mechanism(robot))
    states = sampled_motions(motions(robot), 300)
    torques = evaluate(program, {name: states[:, k] for k, name in enumerate(("q", "qd", "qdd"))})["tau"]
    tolerance = 0.5 * np.abs(torques).max(axis=0)
    _, found = foresee(program, states, torques, tolerance)
    small = [one for one in found if one.largest < 0.2]
    kept = 0
    for one in small:
        tried = refit_by_least_squares(replaced_together(program, [one.replacement]), states, torques, tolerance)
        kept += bool(errors_of(tried, states, torques, tolerance).max() < one.largest + 0.1)
    assert len(small) > 20
    assert kept > 0.8 * len(small)
