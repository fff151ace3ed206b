"""Norms of the sampled error loop: against its own simulation, and against the loop without sampling."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.control.poles import error_feedback, joint_poles
from torquec.errors import ArgumentError
from torquec.proof.tracking.error_response import error_response
from torquec.proof.tracking.sampled_response import sampled_response

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
