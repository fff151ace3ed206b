"""Abbreviated torques of the PUMA 560: the errors of Clover's Tables III and IV, printed, recomputed and proven."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.clover import TABLE_III, TABLE_IV, beside

import torquec as tq
from torquec.closedform.fourier import CLOVER
from torquec.control.pole_placement import pole_placement_gains
from torquec.expr import evaluate
from torquec.model.quantities import trace_quantity
from torquec.papers.abbreviated_torque import (
    abbreviated_counts,
    abbreviated_torque_function,
    gains_function,
    table_iii_errors,
    table_iv_errors,
)
from torquec.proof.check_certificate import check_certificate
from torquec.proof.torque.certify import certify
from torquec.robot import classics
from torquec.trajectory.motion_box import MotionBox

ARM = tq.classics.puma560()

LARGEST = (3.74, 2.58, 2.53, 1.14, 1.24, 0.02)
"""Largest errors printed in Table IV, of 12,000 random motions at 10 rad/s and 100 rad/s^2."""

FOUND = (4.5808, 4.0798, 3.0752, 1.567, 1.5869, 0.03145)
"""Largest errors found at those speeds and accelerations, over all positions."""

CLOSE = 1.2
"""A bound is at most this much above what was found."""


@pytest.fixture(scope="module")
def program():
    """Inverse dynamics without friction."""
    return abbreviated_torque_function()


def test_table_iii_as_computed_elsewhere(program):
    e = table_iii_errors(program)
    assert e.shape == (151, 6)
    size = np.abs(e)
    found = np.transpose([e.mean(axis=0), size.max(axis=0), size.mean(axis=0), size.std(axis=0)])
    assert found == pytest.approx(np.array(TABLE_III), abs=1e-8)


def test_table_iv_as_computed_elsewhere(program):
    """5 % for sampling: the standard error of 12,000 points is 0.7 %."""
    assert np.abs(table_iv_errors(program)).mean(axis=0) == pytest.approx(TABLE_IV, rel=0.05)
    assert not np.array_equal(table_iv_errors(program, seed=5), table_iv_errors(program))


@pytest.mark.slow
def test_the_proven_error_at_the_motions_of_table_iv(program):
    box = MotionBox((-math.pi,) * 6, (math.pi,) * 6, (10.0,) * 6, (100.0,) * 6)
    certificate = certify(ARM, trace_quantity(ARM, "inverse_dynamics"), program, box)
    check_certificate(ARM, certificate)
    bounds = [proof.bound for proof in certificate.joints.values()]
    beside("Table IV, proven and printed (sampled) errors", bounds, LARGEST)
    for bound, printed, found in zip(bounds, LARGEST, FOUND, strict=True):
        assert printed < found <= bound <= CLOSE * found


MOST = {
    "matrices": (38, 35),
    "inverse dynamics with friction": (72, 64),
    "linear model": (89, 83),
    "gains, continuous": (125, 116),
    "gains, sampled": (131, 110),
}
"""What they are now; fewer is better. Plain common subexpressions reach 41/36, 73/65, 99/88, 144/116, 155/125."""


def test_counts():
    found = abbreviated_counts()
    assert found.keys() == MOST.keys()
    for name, (mul, add) in MOST.items():
        assert found[name].mul <= mul, name
        assert found[name].add <= add, name


def test_poles_as_inputs_give_the_gains_of_these_poles():
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 6))
    state = {"q": q, "qd": qd, "qdd": qdd}
    poles = {"decay": np.full(6, 12.0), "frequency": np.full(6, 45.0)}
    expected = evaluate(pole_placement_gains(classics.puma560(), -12 + 45j, rule=CLOVER), state)
    found = evaluate(gains_function(None), state | poles)
    h = 0.002
    sampled = evaluate(gains_function(h), state | {"decay": 12.0 * np.full(6, h), "frequency": 45.0 * np.full(6, h)})
    for name in ("G1", "G2"):
        wanted = np.ravel(expected[name])
        assert np.ravel(found[name]) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        assert np.ravel(sampled[name]) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
