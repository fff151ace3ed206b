"""Speed profiles: known answers of one mass with and without friction, every row met, no profile above is feasible."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.planning.speed_profile import LimitRows, largest_speeds, speed_profile

FREE = 1e30


def rows_of(a, b, d, low, high):
    return LimitRows(np.array([a, b, d, low, high], dtype=float))


def same(count, *values):
    """Rows (5, N, R) of R constant rows, each (a, b, d, low, high)."""
    return LimitRows(np.repeat(np.array(values, dtype=float).T[:, None, :], count, axis=1))


def duration(profile, cells):
    v = np.sqrt(profile.x)
    return float(np.sum(2.0 * cells / (v[1:] + v[:-1])))


def test_one_mass_is_bang_bang():
    cells = np.full(1000, 1e-3)
    profile = speed_profile(
        same(1000, (2.0, 0.0, 0.0, -6.0, 6.0)), cells, np.full(1001, FREE), np.full(1000, FREE), 0.0, 0.0
    )
    assert duration(profile, cells) == pytest.approx(2.0 * np.sqrt(1.0 / 3.0), rel=1e-6)
    assert profile.x.max() == pytest.approx(3.0, rel=1e-9)
    assert np.allclose(np.abs(profile.u), 3.0)


def test_viscous_friction_is_met_exactly():
    """I dv/dt = tau - B v, then -tau - B v: with t1, t2 the two phases, tau/B (t1 - t2) = distance."""
    inertia, viscous, tau = 2.0, 5.0, 6.0

    def distance(t1):
        v = tau / viscous * (1.0 - np.exp(-t1 * viscous / inertia))
        t2 = inertia / viscous * np.log1p(v * viscous / tau)
        return tau / viscous * (t1 - t2), t1 + t2

    low, high = 0.0, 10.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if distance(middle)[0] < 1.0 else (low, middle)
    known = distance(low)[1]
    cells = np.full(2000, 5e-4)
    rows = same(2000, (inertia, 0.0, viscous, -tau, tau))
    profile = speed_profile(rows, cells, np.full(2001, FREE), np.full(2000, FREE), 0.0, 0.0)
    assert duration(profile, cells) == pytest.approx(known, rel=2e-5)
    without = speed_profile(
        same(2000, (inertia, 0.0, 0.0, -tau, tau)), cells, np.full(2001, FREE), np.full(2000, FREE), 0.0, 0.0
    )
    assert duration(without, cells) == pytest.approx(2.0 * np.sqrt(1.0 / 3.0), rel=1e-6)  # 15 % less


def test_caps_and_speeds_at_the_ends():
    cells = np.full(500, 2e-3)
    rows = same(500, (1.0, 0.0, 0.0, -4.0, 4.0))
    profile = speed_profile(rows, cells, np.full(501, 0.25), np.full(500, 0.25), 0.04, 0.09)
    assert profile.x.max() == pytest.approx(0.25)
    assert profile.x[[0, -1]].tolist() == pytest.approx([0.04, 0.09])
    beyond = speed_profile(rows, cells, np.full(501, FREE), np.full(500, FREE), 100.0, 0.0)
    assert beyond.controllable[0] == pytest.approx(8.0, rel=1e-9)  # 2 u s
    assert beyond.x[0] == pytest.approx(8.0, rel=1e-9)


def test_the_largest_speed_of_two_rows():
    """u >= -1 + x and u <= 1 - x - v meet at 2 x + v = 2."""
    found = largest_speeds(same(3, (1.0, -1.0, 0.0, -1.0, 50.0), (1.0, 1.0, 1.0, -50.0, 1.0)))
    v = (-1.0 + np.sqrt(17.0)) / 4.0
    assert found == pytest.approx(v * v)


@pytest.mark.parametrize("seed", range(6))
def test_random_rows_are_met_and_the_profile_is_the_largest(seed):
    rng = np.random.default_rng(seed)
    count, size = 400, 5
    s = np.linspace(0.0, 1.0, count)[:, None]

    def wave(low, high):
        return low + (high - low) * 0.5 * (1.0 + np.sin(rng.uniform(0.0, 9.0, size) * s + rng.uniform(0.0, 6.0, size)))

    values = np.array([wave(0.2, 2.0), wave(-2.0, 2.0), wave(-0.5, 0.5), -wave(1.0, 3.0), wave(1.0, 3.0)])
    rows, cells = LimitRows(values), np.full(count, 1.0 / count)
    profile = speed_profile(rows, cells, np.full(count + 1, FREE), np.full(count, FREE), 0.0, 0.0)
    a, b, d, low, high = values
    x = 0.5 * (profile.x[:-1] + profile.x[1:])[:, None]
    torque = a * profile.u[:, None] + b * x + d * np.sqrt(x)
    assert np.all(torque <= high + 1e-9)
    assert np.all(torque >= low - 2e-2)  # grid points between cells have their own limit
    used = np.maximum((torque / high).max(axis=1), (torque / low).max(axis=1))
    assert np.mean(used > 0.97) > 0.9  # bang-bang but for switches
