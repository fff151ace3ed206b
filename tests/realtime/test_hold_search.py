"""The search for motions that err most stays in the box, and finds what can be computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

import torquec as tq
from torquec.expr import evaluate
from torquec.realtime.hold_search import _Motions, hold_error_function, search_hold_error
from torquec.trajectory.motion_box import MotionBox

MOTIONS = MotionBox((-1.0, -2.0), (1.0, 2.0), (1.0, 1.5), (2.0, 3.0))


@pytest.mark.parametrize("jerk", [None, (20.0, 30.0)])
def test_motions_stay_in_the_box(jerk):
    u = np.random.default_rng(0).choice([-1.0, 0.3, 1.0], (500, 8))
    q0, qd0, qdd0, q, qd, qdd = _Motions(MOTIONS, 0.05, jerk).states(u)
    for speed, acceleration in ((qd0, qdd0), (qd, qdd)):
        assert np.all(np.abs(speed) <= np.array(MOTIONS.velocity) + 1e-12)
        assert np.all(np.abs(acceleration) <= np.array(MOTIONS.acceleration) + 1e-12)
    assert np.all(np.abs(q - q0) <= 0.05 * np.array(MOTIONS.velocity) + 1e-12)


def test_the_error_is_what_the_two_rates_lose():
    arm = tq.compile(tq.classics.planar2r())
    rng = np.random.default_rng(1)
    x = {name: rng.uniform(-1.0, 1.0, 2) for name in ("q0", "qd0", "qdd0", "q", "qd", "qdd")}
    found = evaluate(hold_error_function(arm), x)
    now, held = arm.inverse_dynamics(x["q"], x["qd"], x["qdd"]), arm.inverse_dynamics(x["q0"], x["qd0"], x["qdd"])
    np.testing.assert_allclose(found["zeroth"], now - held, atol=1e-12)
    by_q, by_qd = arm.inverse_dynamics_derivatives(x["q0"], x["qd0"], x["qdd0"])
    slopes = by_q @ (x["q"] - x["q0"]) + by_qd @ (x["qd"] - x["qd0"])
    np.testing.assert_allclose(found["first"], now - held - slopes, atol=1e-12)


def test_errors_grow_with_the_age_as_they_should():
    arm = tq.classics.planar2r()
    short, long = (search_hold_error(arm, MOTIONS, age, jerk=(20.0, 20.0), samples=2000) for age in (1e-3, 1e-2))
    np.testing.assert_allclose(long.zeroth / short.zeroth, 10.0, rtol=0.2)
    np.testing.assert_allclose(long.first / short.first, 100.0, rtol=0.2)
