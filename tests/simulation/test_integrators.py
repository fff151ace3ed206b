"""Integration steps: exact on polynomials, of the right order, adaptive within tolerance; misuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.simulation.integrators import DormandPrince, RungeKutta4, dormand_prince_attempt, rk4_step


def kepler(y):
    r = math.hypot(y[0], y[1]) ** 3
    return [y[2], y[3], -y[0] / r, -y[1] / r]


def run_adaptive(f, y, end, options):
    left, h, attempts = end, 1e-3, 0
    while left > 0.0:
        done = dormand_prince_attempt(f, y, left, h, options=options)
        y, left, h = done.y, done.left, done.h
        attempts += 1
        assert attempts < 100_000
    return y, attempts


def test_rk4_is_exact_where_the_fourth_derivative_is_the_last():
    # y = t^4 with time as a state: y' = 4 t^3.
    y = rk4_step(lambda s: [1.0, 4.0 * s[0] ** 3], [1.0, 1.0], 0.5)
    assert y == pytest.approx([1.5, 1.5**4], rel=1e-15)


def test_rk4_is_of_fourth_order():
    def error(steps):
        y = [1.0, 0.0]
        for _ in range(steps):
            y = rk4_step(lambda s: [s[1], -s[0]], y, 1.0 / steps)
        return math.hypot(y[0] - math.cos(1.0), y[1] + math.sin(1.0))

    assert math.log2(error(16) / error(32)) == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("relative", [1e-6, 1e-9, 1e-11])
def test_an_orbit_closes_as_well_as_with_the_peer(relative):
    integrate = pytest.importorskip("scipy.integrate")
    e = 0.6
    start = [1.0 - e, 0.0, 0.0, math.sqrt((1.0 + e) / (1.0 - e))]
    y, _ = run_adaptive(kepler, start, 2.0 * math.pi, DormandPrince(relative=relative, absolute=relative))
    peer = integrate.solve_ivp(
        lambda _, s: kepler(s), (0.0, 2.0 * math.pi), start, method="RK45", rtol=relative, atol=relative
    )
    # The same stages and the same norm; only the choice of the next step differs.
    assert np.abs(np.subtract(y, start)).max() < 2.0 * np.abs(peer.y[:, -1] - start).max()


def test_steps_follow_the_motion():
    e = 0.9
    start = [1.0 - e, 0.0, 0.0, math.sqrt((1.0 + e) / (1.0 - e))]
    options = DormandPrince(relative=1e-9, absolute=1e-9)
    _, attempts = run_adaptive(kepler, start, 2.0 * math.pi, options)
    steps = 4 * attempts  # as many stages and more, evenly spaced
    y = start
    for _ in range(steps):
        y = rk4_step(kepler, y, 2.0 * math.pi / steps)
    assert np.abs(np.subtract(y, start)).max() > 1e-6


def test_a_refused_attempt_changes_nothing_but_the_step():
    options = DormandPrince(relative=1e-12, absolute=1e-12)
    done = dormand_prince_attempt(kepler, [0.1, 0.0, 0.0, 4.0], 1.0, 1.0, options=options)
    assert done.y == [0.1, 0.0, 0.0, 4.0]
    assert done.left == 1.0
    assert done.h == pytest.approx(0.2)


def test_with_nothing_left_nothing_changes():
    done = dormand_prince_attempt(kepler, [0.4, 0.0, 0.0, 2.0], 0.0, 0.01, options=DormandPrince())
    assert (done.y, done.left, done.h) == ([0.4, 0.0, 0.0, 2.0], 0.0, 0.01)


def test_the_end_of_an_interval_is_met_exactly_and_keeps_the_step():
    done = dormand_prince_attempt(lambda y: [1.0], [0.0], 1e-4, 1e-2, options=DormandPrince())
    assert (done.y[0], done.left) == (pytest.approx(1e-4, rel=1e-15), 0.0)
    assert done.h >= 1e-2


def test_the_smallest_step_is_always_taken():
    options = DormandPrince(smallest=1e-3)
    done = dormand_prince_attempt(lambda y: [1e9 * (1.0 if y[0] < 0.5 else -1.0)], [0.5], 1.0, 1e-3, options=options)
    assert done.left < 1.0


@pytest.mark.parametrize("substeps", [0, -1, 1.5, True])
def test_substeps_are_counted(substeps):
    with pytest.raises(ArgumentError, match="integration steps"):
        RungeKutta4(substeps)


@pytest.mark.parametrize(
    "wrong", [{"relative": 0.0}, {"relative": 2.0}, {"absolute": -1.0}, {"smallest": 0.0}, {"most": 0}]
)
def test_tolerances_are_positive(wrong):
    with pytest.raises(ArgumentError, match="tolerances"):
        DormandPrince(**wrong)
