"""Enclosures of motions between samples hold what the motions do."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory import Trajectory, minimum_jerk
from torquec.trajectory.fourier_motion import fourier_motion
from torquec.trajectory.motion_enclosure import motion_enclosure
from torquec.trajectory.polynomial_motion import quintic_spline


def motions():
    rng = np.random.default_rng(5)
    t = np.array([0.0, 0.4, 1.1, 1.5])
    spline = quintic_spline(t, rng.normal(size=(4, 3)), end_speeds=rng.normal(size=(2, 3)))
    wave = fourier_motion(rng.normal(size=3), rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), base_period=2.0)
    bare = Trajectory(spline.joints, spline.t[::50], spline.q[::50], spline.qd[::50], spline.qdd[::50])
    return {"minimum jerk": minimum_jerk([0.0, 1.0], [1.0, -2.0], 1.5), "spline": spline, "wave": wave, "samples": bare}


@pytest.mark.parametrize("name", ["minimum jerk", "spline", "wave", "samples"])
@pytest.mark.parametrize("pieces", [7, 300])
def test_the_motion_stays_in_its_enclosure(name, pieces):
    trajectory = motions()[name]
    held = motion_enclosure(trajectory, pieces=pieces)
    assert held.t[0] - held.radius <= trajectory.t[0]
    assert np.all(np.diff(held.t) <= 2.0 * held.radius)
    for part in np.linspace(-1.0, 1.0, 41):
        state = trajectory.at(np.clip(held.t + part * held.radius, trajectory.t[0], trajectory.t[-1]))
        for key in ("q", "qd", "qdd"):
            off = np.abs(getattr(state, key) - getattr(held, key))
            assert np.all(off <= getattr(held, f"{key}_spread"))
    times = np.linspace(trajectory.t[0], trajectory.t[-1], 20_001)
    jerk = np.abs(np.diff(trajectory.at(times).qdd, axis=0)).max(axis=0) / (times[1] - times[0])
    assert np.all(jerk <= held.jerk * (1.0 + 1e-6))
    assert np.all(jerk >= 0.3 * held.jerk)


def test_the_least_jerk_is_the_papers():
    held = motion_enclosure(minimum_jerk([0.0], [1.57], 1.5), pieces=10)
    assert held.jerk[0] == pytest.approx(60.0 * 1.57 / 1.5**3)  # Clover, chapter II, the derivative of (20) at t = 0


def test_polynomials_that_do_not_meet_are_refused():
    spline = motions()["spline"]
    broken = spline.motion.coefficients.copy()
    broken[2, 1, 2] += 0.01
    trajectory = dataclasses.replace(spline, motion=dataclasses.replace(spline.motion, coefficients=broken))
    with pytest.raises(ArgumentError, match=r"the position of joint 'q3' jumps by 0\.01 at t = 1\.1 s"):
        motion_enclosure(trajectory, pieces=10)


def test_polynomials_that_meet_jump_by_rounding_only():
    bare = motions()["samples"]
    held = motion_enclosure(bare, pieces=10, window=0.2)
    assert np.all(held.jump < 1e-10)
    assert held.end == bare.t[-1]


def test_it_ends_with_the_formula():
    """A sample later than the end of the formula is not enclosed: the speed does not fit the position any more."""
    wave = fourier_motion([0.0], [[1.0]], [[0.0]], base_period=1.0, period=0.3)
    assert wave.t[-1] > 1.0
    assert motion_enclosure(wave, pieces=10).end == 1.0


def test_a_formula_without_a_largest_jerk_is_refused():
    class Unknown:
        start, end = 0.0, 1.0

    rest = Trajectory(("a",), [0.0, 1.0], [[0.0]] * 2, [[0.0]] * 2, [[0.0]] * 2, Unknown())
    with pytest.raises(ArgumentError, match="no largest jerk is known"):
        motion_enclosure(rest, pieces=10)
    with pytest.raises(ArgumentError, match="one or more"):
        motion_enclosure(rest, pieces=0)
