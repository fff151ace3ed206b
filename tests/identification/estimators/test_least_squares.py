"""Friction that no fit makes negative: known answers, the best fit under its bounds, every method on driving data."""

from __future__ import annotations

import dataclasses
import itertools
from functools import partial

import numpy as np
import pytest
from scipy.optimize import nnls
from tests.identification import simulated_arm

from torquec.dynamics import friction_torque
from torquec.identification.estimators.estimator import Needs
from torquec.identification.estimators.least_squares import (
    DissipativeEstimator,
    HuberLeastSquares,
    InstrumentalVariables,
    OrdinaryLeastSquares,
    TotalLeastSquares,
)
from torquec.identification.estimators.method import Method
from torquec.identification.identify import identify
from torquec.identification.torque.friction_law import FrictionLaw, FrictionModel
from torquec.robot.passive_friction import check_friction_is_passive

SPEEDS = 1e3 * np.random.default_rng(1).standard_cauchy((100_000, 2)).T
"""rad/s: far beyond what any joint reaches."""


def problem(x, size=300, noise=0.01):
    rng = np.random.default_rng(4)
    a = rng.normal(size=(size, 1, len(x)))
    return a, a @ np.array(x) + noise * rng.normal(size=(size, 1))


def test_nothing_changes_where_nothing_is_negative():
    a, tau = problem([1.0, -2.0, 0.5])
    plain = OrdinaryLeastSquares().fit(a, tau)
    found = DissipativeEstimator(OrdinaryLeastSquares, np.array([True, False, True])).fit(a, tau)
    np.testing.assert_array_equal(found.x_, plain.x_)
    np.testing.assert_array_equal(found.covariance_, plain.covariance_)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_best_of_the_fits_under_its_bounds(seed):
    rng = np.random.default_rng(seed)
    a, tau = problem(rng.normal(size=6))
    best, _ = nnls(a[:, 0], tau[:, 0])
    found = DissipativeEstimator(OrdinaryLeastSquares, np.full(6, True)).fit(a, tau)
    np.testing.assert_allclose(found.x_, best, atol=1e-9)
    assert (found.x_ == 0.0).any()
    # A parameter at its bound is not known exactly.
    assert np.all(np.diag(found.covariance_) > 0.0)


@pytest.mark.parametrize("kind", [HuberLeastSquares, TotalLeastSquares, InstrumentalVariables])
def test_what_the_estimator_inside_needs_is_what_it_needs(kind):
    a, tau = problem([1.0, -0.5, 0.3])
    estimator = DissipativeEstimator(partial(kind, correlation=2.0), np.array([False, True, True]))
    assert (estimator.needs, estimator.correlation) == (kind.needs, 2.0)
    tools = (a,) if kind.needs is Needs.INSTRUMENTS else ()
    found = estimator.fit(a, tau, *tools)
    assert found.x_[1] == 0.0
    kept = a[:, :, [0, 2]]
    plain = kind(correlation=2.0).fit(kept, tau, *((kept,) if tools else ()))
    np.testing.assert_allclose(found.x_[[0, 2]], plain.x_, rtol=1e-12)


def sinking(log):
    """A log of an arm whose friction grows less than its speed, and drives joint 2 by a small negative viscous one."""
    more = -0.3 * log.qd * np.abs(log.qd)
    more[:, 1] -= 0.9 * log.qd[:, 1]
    return dataclasses.replace(log, tau=log.tau + more)


FRICTIONS = ("curved", "cubic", "powers", "directional")
SLOW = [(Method.ENTROPIC, friction) for friction in FRICTIONS[1:]]  # seconds each


@pytest.mark.parametrize(
    ("method", "friction"),
    [
        pytest.param(*pair, marks=[pytest.mark.slow] if pair in SLOW else [])
        for pair in itertools.product(Method, FRICTIONS)
    ],
)
def test_no_method_finds_friction_that_drives(method, friction):
    law = FrictionLaw().with_term("powers") if friction == "powers" else FrictionModel(friction)
    log = sinking(simulated_arm.log())
    noisy = dataclasses.replace(log, tau=log.tau + 0.02 * np.random.default_rng(0).normal(size=log.tau.shape))
    options = dataclasses.replace(simulated_arm.QUICK, method=method, friction=law)
    found = identify(simulated_arm.arm(1.3), noisy, options=options)
    robot = found.robot
    check_friction_is_passive(robot)
    offsets = np.array([body.joint.friction.offset for body in robot.bodies])[:, None]
    torque = np.array([np.broadcast_to(row, SPEEDS.shape[1:]) for row in friction_torque(robot, SPEEDS)])
    assert np.min((torque - offsets) * SPEEDS) >= 0.0
    # Report and robot are one: what is told is what is written.
    values = dict(zip(found.names, found.x, strict=True))
    assert robot.bodies[1].joint.friction.value("curved") == values.get("curved_joint2", 0.0)


def test_powers_of_the_speed_may_bend_as_far_as_they_dissipate():
    """-0.3 v|v| needs v^3 beside it: curved friction may reach -2 sqrt(viscous cubic), not zero only."""
    log = simulated_arm.log()
    bent = dataclasses.replace(log, tau=log.tau - 0.3 * log.qd * np.abs(log.qd))
    fits = {}
    for term in ("curved", "powers"):
        options = dataclasses.replace(simulated_arm.QUICK, friction=FrictionLaw().with_term(term))
        fits[term] = identify(simulated_arm.arm(1.3), bent, options=options)
        assert fits[term].is_buildable
    friction = fits["powers"].robot.bodies[0].joint.friction
    limit = -2.0 * np.sqrt(friction.viscous_positive * friction.value("cubic"))
    assert limit <= friction.value("curved") < -0.05
    assert fits["curved"].robot.bodies[0].joint.friction.value("curved") == pytest.approx(0.0, abs=1e-6)
    assert fits["powers"].relative_error < 0.95 * fits["curved"].relative_error
