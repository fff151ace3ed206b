"""Stability limits: Clover's figures, a joint by hand, and that a scan finds nothing in between."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.clover import beside
from tests.dynamics.random_robots import random_robot, random_state

import torquec as tq
from torquec.control.poles import joint_poles
from torquec.control.robustness import (
    COMPUTED_TORQUE,
    ErrorFactor,
    Hold,
    ModelErrors,
    closed_loop_eigenvalues,
    make_loop,
)
from torquec.control.stability_interval import (
    crossings,
    loop_interval,
    root_locus,
    stability_interval,
    with_factor,
    worst_case,
)
from torquec.errors import ArgumentError
from torquec.linearization.linearize import LinearModel, linearize
from torquec.papers.clover_comparisons import POINT
from torquec.trajectory import minimum_jerk, puma560_standard_trajectory


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


ARM = tq.classics.puma560()
MODEL = linearize(ARM, *POINT)
POLES = joint_poles(ARM.joint_names, -45 + 45j)


def test_inertia_moves_every_pair_on_one_curve():
    # alpha = beta = 1: s^2 + 90 gamma s + 4050 gamma = 0
    locus = root_locus(MODEL, POLES, ErrorFactor.GAMMA, [0.5, 1.0, 2.0])
    for gamma, row in zip(locus.values, locus.eigenvalues, strict=True):
        assert np.abs(row**2 + 90 * gamma * row + 4050 * gamma).max() < 1e-4


@pytest.mark.parametrize("period", [None, 0.002])
def test_branches_hold_the_same_eigenvalues_and_are_continuous(period):
    values = np.linspace(-20.0, 20.0, 401)
    locus = root_locus(MODEL, POLES, ErrorFactor.BETA, values, period=period)
    for k in (0, 137, 400):
        plain = closed_loop_eigenvalues(MODEL, POLES, errors=ModelErrors(beta=float(values[k])), period=period)
        assert np.allclose(np.sort_complex(locus.eigenvalues[k]), np.sort_complex(plain), atol=1e-6)
    steps = np.abs(np.diff(locus.eigenvalues, axis=0))
    assert steps.max() < 12.0


def test_values_are_checked():
    with pytest.raises(ArgumentError, match="not finite"):
        root_locus(MODEL, POLES, ErrorFactor.ALPHA, [np.nan])


def test_clover_figure_6_is_the_loop_of_28_and_33():
    """Clover III, Figure 6: poles -45 +- 45j at 200 Hz, roots as log(z)/h (32).

    By the text the loop is unstable for gamma above 4.55 (by the caption 4.6) and for gamma next to zero. The robot is
    discretized exactly (33); with the sampled gains (28) this agrees, the other loops that it could be do not.
    """
    period, texts = 0.005, 4.55
    limits = {
        (hold, sampled): stability_interval(MODEL, POLES, "gamma", period=period, hold=hold, sampled=sampled)
        for hold in ("exact", "euler")
        for sampled in (True, False)
    }
    nearest = min(limits, key=lambda loop: abs(limits[loop].upper - texts))
    assert nearest == ("exact", True)
    assert limits[nearest].upper == pytest.approx(texts, abs=0.03)
    assert 0.0 < limits[nearest].lower < 0.002

    values = np.append(np.geomspace(5e-4, 0.05, 40), np.linspace(0.06, 7.25, 720))  # as far as the figure goes
    locus = root_locus(MODEL, POLES, "gamma", values, period=period)
    worst = locus.eigenvalues.real.max(axis=1)
    stable = values[worst < 0.0]
    assert 5e-4 < stable[0] < 0.002
    assert stable[-1] == pytest.approx(4.52, abs=0.02)
    # It is lost where a root of the z-plane passes -1: half the sampling frequency on the imaginary axis.
    beyond = locus.eigenvalues[np.argmax(values > stable[-1])]
    assert abs(beyond[np.argmax(beyond.real)].imag) == pytest.approx(np.pi / period)
    # gamma = 1: the poles that were asked for, up to what Euler's rule in (28) leaves of them.
    at_one = locus.eigenvalues[np.argmin(np.abs(values - 1.0))]
    assert np.abs(np.abs(at_one) - 45.0 * np.sqrt(2.0)).max() < 3.0
    # Continuously there is no upper limit (Figure 5b).
    assert stability_interval(MODEL, POLES, "gamma").upper == np.inf


TOLERANCE = 1e-2

LIMITS = [
    # factor, poles, period, ours to check against, printed
    (ErrorFactor.ALPHA, 4.5, None, (-0.308, 2.571), (-0.4, 2.6)),
    (ErrorFactor.ALPHA, 45.0, None, (-129.82, 158.14), (-127.5, 160.0)),
    (ErrorFactor.BETA, 4.5, None, (-math.inf, 4.792), (-math.inf, 4.8)),
    (ErrorFactor.BETA, 45.0, None, (-math.inf, 38.92), (-math.inf, 39.0)),
    (ErrorFactor.GAMMA, 4.5, None, (0.0, math.inf), (0.0, math.inf)),
    (ErrorFactor.GAMMA, 45.0, None, (0.0, math.inf), (0.0, math.inf)),
    (ErrorFactor.GAMMA, 45.0, 0.005, (9.7e-4, 4.523), (0.0, 4.55)),
]


@pytest.mark.parametrize(("factor", "p", "period", "expected", "printed"), LIMITS)
def test_clovers_limits(factor, p, period, expected, printed):
    found = stability_interval(MODEL, joint_poles(ARM.joint_names, complex(-p, p)), factor, period=period)
    beside(f"{factor}, poles -{p} +- {p}j, period {period}", [found.lower, found.upper], printed)
    assert found.lower == pytest.approx(expected[0], abs=TOLERANCE if expected[0] < -0.1 else 1e-5)
    assert found.upper == pytest.approx(expected[1], abs=TOLERANCE)


def single(m=2.0, c=3.0, k=-5.0):
    one = np.array([[1.0]])
    zero = np.zeros(1)
    return LinearModel(("a",), zero, zero, zero, m * one, c * one, k * one)


def test_one_joint_by_hand():
    # m edd + ((1 - beta) c + gamma m s) ed + ((1 - alpha) k + gamma m p) e = 0
    p, s = 25.0, 6.0
    poles = joint_poles(("a",), -3 + 4j)
    alpha = stability_interval(single(), poles, ErrorFactor.ALPHA)
    assert alpha.lower == pytest.approx(1.0 + 2.0 * p / -5.0)
    assert alpha.upper == math.inf
    beta = stability_interval(single(), poles, ErrorFactor.BETA)
    assert (beta.lower, beta.upper) == (-math.inf, pytest.approx(1.0 + 2.0 * s / 3.0))


def test_one_sampled_joint_by_hand():
    # a pure inertia under Euler's rule: z^2 - (2 - gamma s h) z + 1 - gamma s h + gamma p h^2
    h = 0.05
    model = single(m=1.0, c=0.0, k=0.0)
    poles = joint_poles(("a",), -3 + 4j)
    loop = make_loop(model, poles, period=h, hold=Hold.EULER)
    p, s = float(loop.p[0]), float(loop.s[0])
    found = stability_interval(model, poles, ErrorFactor.GAMMA, period=h, hold=Hold.EULER)
    # 1 - s h g + p h^2 g < 1 always; 4 - 2 s h g + p h^2 g > 0 is the limit, or |constant| < 1
    assert found.upper == pytest.approx(min(4.0 / (2 * s * h - p * h**2), 2.0 / (s * h - p * h**2)), rel=1e-9)
    assert found.lower == 0.0


@pytest.mark.parametrize("period", [None, 0.002])
@pytest.mark.parametrize("seed", range(6))
def test_a_scan_agrees_on_random_robots(seed, period):
    robot = random_robot(seed, bodies=3, mimic=False)
    state = random_state(robot, seed, size=1)
    model = linearize(robot, state.q[0], state.qd[0], state.qdd[0])
    loop = make_loop(model, joint_poles(robot.joint_names, -6 + 5j), period=period)
    for factor in ErrorFactor:
        found = loop_interval(loop, factor)
        low, high = max(found.lower, -50.0), min(found.upper, 50.0)
        for value in np.linspace(low + 1e-6 * (high - low), high - 1e-6 * (high - low), 101):
            assert loop.excess(loop.matrix(with_factor(ModelErrors(), factor, float(value)))) < 1e-9
        for limit, outward in ((found.lower, -1.0), (found.upper, 1.0)):
            if abs(limit) < 1e5 and not (factor is ErrorFactor.GAMMA and limit == 0.0):
                beyond = limit + outward * 1e-5 * max(1.0, abs(limit))
                assert loop.excess(loop.matrix(with_factor(ModelErrors(), factor, beyond))) > 0.0


def test_all_crossings_of_a_line_are_found():
    # diagonal blocks cross one after the other: 1 - t, 2 - t, 5 - t
    here, slope = np.diag([-1.0, -2.0, -5.0]), np.eye(3)
    found = crossings(here, slope, sampled=False)
    assert {round(t, 9) for t in found} >= {1.0, 2.0, 5.0}
    sampled = crossings(np.diag([0.5, -0.2]), np.eye(2), sampled=True)
    assert {round(t, 9) for t in sampled} >= {0.5, 1.2, -1.5, -0.8}


def test_a_loop_that_is_unstable_from_the_start_is_refused():
    # computed torque for soft poles, on a stiffness that it does not know
    poles = joint_poles(ARM.joint_names, -1 + 1j)
    with pytest.raises(ArgumentError, match="unstable with alpha = 0 already"):
        stability_interval(MODEL, poles, ErrorFactor.ALPHA, errors=ModelErrors(alpha=0.0, beta=0.0))
