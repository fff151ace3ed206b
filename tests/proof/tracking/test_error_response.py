"""Norms of the error loop without sampling, against integrals of its impulse response and worst disturbances."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.control.poles import error_feedback, joint_poles
from torquec.errors import ArgumentError
from torquec.proof.tracking.error_response import error_response, sampled_response

PAIRS = [(2169.0, 24.0), (1.0, 2.0), (100.0, 20.0), (6.0, 5.0), (1000.0, 200.0), (4.0, 0.4), (225.0, 30.0 * 0.999)]


def impulse(p: float, s: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g and its derivative, by complex exponentials; a double pole by its limit."""
    root = np.emath.sqrt(0.25 * s * s - p)
    first, second = -0.5 * s + root, -0.5 * s - root
    if abs(first - second) < 1e-9:
        return t * np.exp(first * t), (1.0 + first * t) * np.exp(first * t)
    g = (np.exp(first * t) - np.exp(second * t)) / (first - second)
    slope = (first * np.exp(first * t) - second * np.exp(second * t)) / (first - second)
    return np.real(g), np.real(slope)


@pytest.mark.parametrize(("p", "s"), PAIRS)
def test_norms_are_integrals_of_the_impulse_response(p, s):
    slowest = 0.5 * s - math.sqrt(max(0.25 * s * s - p, 0.0))
    t = np.linspace(0.0, 40.0 / slowest, 1_000_001)
    g, slope = impulse(p, s, t)
    f = p * g + s * slope
    found = error_response(p, s)
    for gain, response in ((found.position, g), (found.speed, slope), (found.feedback, f)):
        assert gain.level == pytest.approx(np.trapezoid(np.abs(response), t), rel=1e-5)
        assert gain.drift == 0.0
    assert found.position.speed == pytest.approx(np.abs(g).max(), rel=1e-5)
    assert found.speed.position == pytest.approx(p * np.abs(g).max(), rel=1e-5)
    assert found.feedback.speed >= np.abs(f).max() * (1.0 - 1e-12)
    assert np.abs(slope + s * g).max() <= found.position.position * (1.0 + 1e-12)
    assert np.abs(slope).max() <= found.speed.speed * (1.0 + 1e-12)


def test_norms_of_poles_that_are_known():
    double = error_response(4.0, 4.0)
    assert double.position.level == pytest.approx(0.25, rel=1e-11)  # a constant disturbance is the worst
    assert double.speed.level == pytest.approx(2.0 / (2.0 * math.e), rel=1e-11)  # up and down again: twice 1/(a e)
    assert double.feedback.level == pytest.approx(1.0 + 2.0 * math.exp(-2.0), rel=1e-11)
    clover = error_response(144.0 + 2025.0, 24.0)  # -12 +- 45j: coth(12 pi/90)/2169
    assert clover.position.level == pytest.approx(1.0 / (2169.0 * math.tanh(12.0 * math.pi / 90.0)), rel=1e-11)


@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-7, -1e-5, -1e-3])
def test_norms_are_continuous_where_poles_meet(apart):
    here, there = error_response(100.0, 20.0), error_response(100.0, 20.0 * (1.0 + apart))
    for name in ("position", "speed", "feedback"):
        assert getattr(there, name).level == pytest.approx(getattr(here, name).level, rel=2.0 * abs(apart) + 1e-9)


def test_the_worst_disturbance_reaches_the_norm():
    p, s = 325.0, 20.0
    end = 3.0
    t = np.linspace(0.0, end, 60_001)
    g, _ = impulse(p, s, end - t)
    reached = np.trapezoid(g * np.sign(g), t)
    level = error_response(p, s).position.level
    assert 0.9999 * level < reached <= level * (1.0 + 1e-6)


@pytest.mark.parametrize(("p", "s"), [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (math.inf, 1.0), (1.0, math.nan)])
def test_unstable_feedback_is_refused(p, s):
    with pytest.raises(ArgumentError, match="both are positive"):
        error_response(p, s)


LOOPS = [(2169.0, 24.0, 0.002), (400.0, 40.0, 0.002), (400.0, 40.0, 0.02), (225.0, 30.0, 0.004), (100.0, 20.0, 0.01)]


def kernels(p: float, s: float, T: float, r: float, count: int, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """What a unit of disturbance, acting for T/parts, does to position and speed r T after the last of `count` samples.

    Rows are periods, the running one first; columns parts of a period. The loop is simulated, pulse by pulse.
    """
    h = T / parts
    z = (np.arange(parts) + 0.5) * h

    def after(e, v, time):  # motion from a sample on, feedback held
        a = -(p * e + s * v)
        return e + v * time + 0.5 * a * time**2, v + a * time

    # The running period: only what came before r T counts.
    left = np.maximum(r * T - z, 0.0)
    position, speed = [h * left], [h * (left > 0.0)]
    e, v = h * (T - z), np.full(parts, h)
    for _ in range(count):
        for rows, value in zip((position, speed), after(e, v, r * T), strict=True):
            rows.append(value)
        e, v = after(e, v, T)
    return np.array(position), np.array(speed)


@pytest.mark.parametrize(("p", "s", "T"), LOOPS)
def test_norms_are_what_the_worst_disturbance_does(p, s, T):
    found = sampled_response(p, s, T)
    parts = 40
    z = (np.arange(parts) + 0.5) * T / parts
    worst = np.zeros(4)
    for r in np.linspace(0.0, 1.0, 11):
        position, speed = kernels(p, s, T, r, int(60.0 / (s * T)) + 100, parts)
        sizes = [np.abs(kernel) for kernel in (position, speed)]
        worst = np.maximum(worst, [x for size in sizes for x in (size.sum(), (size * z).sum())])
    bounds = [found.position.level, found.position.drift, found.speed.level, found.speed.drift]
    assert np.all(worst <= np.array(bounds) * (1.0 + 1e-3))  # pulses instead of integrals
    assert np.all(worst >= 0.97 * np.array(bounds))


@pytest.mark.parametrize(("p", "s", "T"), LOOPS)
def test_what_the_start_does_is_never_more(p, s, T):
    found = sampled_response(p, s, T)
    for e, v, column in ((1.0, 0.0, "position"), (0.0, 1.0, "speed")):
        for _ in range(3000):
            asked = p * e + s * v
            assert abs(asked) <= getattr(found.feedback, column) * (1.0 + 1e-12)
            for z in np.linspace(0.0, T, 5):
                assert abs(e + v * z - 0.5 * asked * z * z) <= getattr(found.position, column) * (1.0 + 1e-12)
                assert abs(v - asked * z) <= getattr(found.speed, column) * (1.0 + 1e-12)
            e, v = e + v * T - 0.5 * asked * T * T, v - asked * T


@pytest.mark.parametrize(("p", "s"), [(2169.0, 24.0), (400.0, 40.0), (30.0, 13.0)])
def test_fast_sampling_is_no_sampling(p, s):
    fast, none = sampled_response(p, s, 1e-4), error_response(p, s)
    for name in ("position", "speed", "feedback"):
        ours, continuous = getattr(fast, name), getattr(none, name)
        assert ours.level == pytest.approx(continuous.level, rel=6e-3)
        assert ours.level >= continuous.level * (1.0 - 1e-9)
        assert ours.drift == pytest.approx(0.5e-4 * ours.level, rel=2e-3)


def test_poles_that_are_placed_for_the_sampling_are_covered():
    T = 0.01
    feedback = error_feedback(joint_poles(("a",), -30 + 20j), period=T, sampled=True)
    found = sampled_response(feedback.stiffness[0], feedback.damping[0], T)
    assert 0.9 / feedback.stiffness[0] < found.position.level < 2.0 / feedback.stiffness[0]


@pytest.mark.parametrize(("p", "s", "T"), [(400.0, 40.0, 0.051), (400.0, 1.0, 0.01), (1.0, 2.0, 1e-9)])
def test_a_loop_that_is_not_stable_or_too_slow_is_refused(p, s, T):
    with pytest.raises(ArgumentError, match="not stable, or far too slow"):
        sampled_response(p, s, T)


def test_bad_periods_are_refused():
    with pytest.raises(ArgumentError, match="positive number of seconds"):
        sampled_response(1.0, 2.0, 0.0)
