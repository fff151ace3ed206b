"""References of witnesses: enclosed over every window, jumps included."""

from __future__ import annotations

import math

import numpy as np
import pytest

import torquec as tq
from torquec.trajectory.polynomial_motion import polynomial_motion
from torquec_check.document import RefusedError
from torquec_check.reference_motion import _enclosed, _jumps, reference_of, windows


def _reference(motion):
    values = {"breaks": np.asarray(motion.breaks).tolist(), "coefficients": np.asarray(motion.coefficients).tolist()}
    return reference_of(values, np.asarray(motion.coefficients).shape[2])


@pytest.mark.parametrize("period", [0.01, 0.0137])
@pytest.mark.parametrize("rows", [2, 7, 60])
def test_windows_hold_the_motion_and_little_more(period, rows):
    rng = np.random.default_rng(rows)
    t = np.sort(np.concatenate([[0.0, 0.6], rng.uniform(0.05, 0.55, rows - 2)]))
    q, qd, qdd = rng.normal(size=(3, rows, 2))
    qd[0], qd[-1], qdd[-1] = 0.0, 0.0, 0.0
    motion = polynomial_motion(t + 1.0, q, qd, qdd)
    cells = [(a - 2, a + 3) for a in range(0, int(0.6 / period) + 6, 3)]
    found = windows(_reference(motion), period, cells)
    for k, (a, b) in enumerate(cells):
        times = 1.0 + np.linspace(max(a, 0), b, 301) * period
        moving = times[times <= 1.6]
        states = motion.at(moving)
        for order, values in enumerate((states.q, states.qd, states.qdd)):
            if len(values):
                low, high = found.ends[order, :, k]
                assert np.all(low <= values.min(axis=0) + 1e-12)
                assert np.all(high >= values.max(axis=0) - 1e-12)
        if times[-1] > 1.6:
            assert np.all(found.ends[1, 0, k] <= 0.0)
            assert np.all(np.abs(found.ends[0, :, -1] - q[-1]) < 1e-9)
    narrow = windows(_reference(motion), 1e-4, [(k, k + 1) for k in range(5900)])
    assert (narrow.ends[0, 1] - narrow.ends[0, 0]).max() < 1e-3 * (1.0 + np.abs(narrow.ends[1]).max())


def test_jumps_are_counted():
    smooth = tq.minimum_jerk([0.0], [1.0], 1.0).motion
    found = windows(_reference(smooth), 0.01, [(0, 50), (50, 100)])
    assert found.jumps.max() < 1e-11
    assert found.acceleration_jumps.max() < 1e-10
    line = {"breaks": [0.0, 1.0, 2.0], "coefficients": [[[0.0], [1.5]], [[1.0], [0.0]], *[[[0.0], [0.0]]] * 4]}
    jumped = windows(reference_of(line, 1), 0.01, [(0, 200)])
    np.testing.assert_allclose(jumped.jumps[:, 0], [0.5, 1.0], atol=1e-12)
    bent = {"breaks": [0.0, 1.0], "coefficients": [[[0.0]], [[0.0]], [[1.0]], *[[[0.0]]] * 3]}
    found = windows(reference_of(bent, 1), 0.01, [(0, 20), (90, 120)])
    np.testing.assert_allclose(found.acceleration_jumps[:, 0], [0.0, 2.0], atol=1e-12)
    assert not reference_of(line, 1).starts_at_rest
    assert reference_of(bent, 1).starts_at_rest


@pytest.mark.parametrize("breaks", [[0.0], [0.0, 0.0], [1.0, 0.5], [0.0, 1.0, 0.5], [0.0, float("inf")]])
def test_breaks_rise(breaks):
    rows = [[[0.0]] * max(len(breaks) - 1, 1)] * 6
    with pytest.raises(RefusedError):
        reference_of({"breaks": breaks, "coefficients": rows}, 1)


def test_long_references_are_refused():
    long = {"breaks": [0.0, 1e6], "coefficients": [[[0.0]]] * 6}
    with pytest.raises(RefusedError, match="samples"):
        windows(reference_of(long, 1), 0.001, [(0, 1)])


U = 2.0**-53


def _pieces(breaks, *rows):
    return reference_of(
        {"breaks": breaks, "coefficients": [*rows, *[[[0.0]] * (len(breaks) - 1)] * (6 - len(rows))]}, 1
    )


def test_ends_of_pieces_and_the_duration():
    found = _pieces([1.0, 3.0, 3.5], [[1.0], [2.0]], [[4.0], [0.5]], [[8.0], [0.25]])
    assert found.duration == 2.5
    first, last = found.ends(last=False), found.ends(last=True)
    np.testing.assert_allclose(np.stack(first)[:, :, 0], [[1.0, 2.0], [2.0, 1.0], [4.0, 2.0]])
    np.testing.assert_allclose(np.stack(last)[:, :, 0], [[13.0, 2.75], [10.0, 2.0], [4.0, 2.0]])


def test_a_start_is_at_rest_up_to_a_billionth():
    assert _pieces([0.0, 2.0], [[0.0]], [[2e-9]]).starts_at_rest
    assert _pieces([0.0, 2.0], [[0.0]], [[-2e-9]]).starts_at_rest
    assert not _pieces([0.0, 2.0], [[0.0]], [[2.1e-9]]).starts_at_rest
    assert not _pieces([0.0, 2.0], [[0.0]], [[-2.1e-9]]).starts_at_rest


def test_an_enclosure_is_the_taylor_polynomial_and_its_rounding():
    """(1) and (2) of a part in the middle of a piece of two seconds."""
    c = np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0])
    x, r, h = 0.25, 0.125, 2.0
    for order in range(4):
        p = np.polynomial.Polynomial(c).deriv(order) if order else np.polynomial.Polynomial(c)
        size = np.abs(p.coef).sum()
        spread = 128.0 * U * size
        for i in range(1, len(p.coef)):
            q = p.deriv(i)
            spread += (abs(q(x)) + 64.0 * U * np.abs(q.coef).sum()) * r**i / math.factorial(i)
        low, high = _enclosed(c[:, None, None], order, np.array([x]), np.array([r]), np.array([h]))[:, 0, 0]
        np.testing.assert_allclose((low, high), ((p(x) - spread) / h**order, (p(x) + spread) / h**order), rtol=1e-8)
        assert high - low > 2.0 * spread / h**order
    still = _enclosed(np.eye(6)[:1].T[:, :, None] * 4.0, 0, np.array([x]), np.zeros(1), np.array([h]))[:, 0, 0]
    np.testing.assert_allclose(still - 4.0, [-512.0 * U, 512.0 * U], rtol=1e-2)
    slow = _enclosed(np.eye(6)[1:2].T[:, :, None] * 4.0, 0, np.array([0.0]), np.array([1e-15]), np.array([h]))[:, 0, 0]
    np.testing.assert_allclose(slow, [-512.0 * U - 4e-15, 512.0 * U + 4e-15], rtol=1e-8)
    zero = _enclosed(np.zeros((6, 1, 1)), 0, np.array([x]), np.array([r]), np.array([h]))[:, 0, 0]
    assert zero.tolist() == [-1e-300, 1e-300]


def test_jumps_count_with_their_rounding():
    found = _jumps(_pieces([0.0, 2.0, 4.0], [[1.0], [5.0]], [[4.0], [2.0]], [[8.0], [4.0]]))[:, :, 0]
    exact = np.array([[8.0, 0.0], [9.0, 5.0], [2.0, 2.0]])
    sizes = np.array([[13.0 + 11.0, 11.0 + 11.0], [20.0 / 2 + 10.0 / 2, 10.0 / 2 + 10.0 / 2], [4.0 + 2.0, 2.0 + 2.0]])
    np.testing.assert_allclose(found, exact + 64.0 * U * sizes, rtol=1e-15)
    np.testing.assert_allclose((found - exact)[0, 1], 64.0 * U * 22.0, rtol=1e-9)


def _ramp(speed=2.0, length=1.0, start=0.0):
    """A ramp, the rest that follows it, and where it ends."""
    return _pieces([start, start + length], [[1.0]], [[speed * length]])


def test_windows_of_a_ramp_have_the_ends_of_its_cells():
    """Cells of a motion that does not bend: their ends and one interval beside them, which a part may touch."""
    cells = [(-3, 0), (-1, 1), (0, 1), (2, 5), (8, 10), (9, 10), (9, 11), (10, 11), (10, 12), (40, 50)]
    found = windows(_ramp(), 0.1, cells)
    wanted = [(0, 2), (0, 2), (0, 2), (1, 6), (7, 10), (8, 10), (8, 10), (9, 10), (9, 10), (10, 10)]
    for k, (a, b) in enumerate(wanted):
        np.testing.assert_allclose(found.ends[0, :, k, 0], [1.0 + 0.2 * a, 1.0 + 0.2 * b], atol=1e-12)
        moving = a < b
        low = 0.0 if cells[k][1] > 9 or not moving else 2.0
        np.testing.assert_allclose(found.ends[1, :, k, 0], [low, 2.0 if moving else 0.0], atol=1e-12)
    np.testing.assert_allclose(found.jumps[:, 0], [0.0, 2.0], atol=1e-12)
    middle, radius = found.ball(0)
    np.testing.assert_allclose(middle[3], [1.7], atol=1e-12)
    np.testing.assert_allclose(radius[3], [0.5], rtol=1e-8)
    assert np.all(middle - radius <= found.ends[0, 0])
    assert np.all(middle + radius >= found.ends[0, 1])
    assert found.largest(0)[3] == found.ends[0, 1, 3]
    down = windows(_ramp(-2.0), 0.1, [(2, 5)])
    assert down.largest(1)[0] == -down.ends[1, 0, 0]


@pytest.mark.parametrize(("start", "period"), [(0.0, 0.3), (1000.0, 0.1), (1.7e9, 0.1), (0.0, 1.5), (-5.0, 0.25)])
def test_windows_hold_a_ramp_at_odd_times(start, period):
    cells = [(k, k + 1) for k in range(14)]
    found = windows(_ramp(start=start), period, cells)
    loose = 1e-5 if start > 1e9 else 1e-10
    for k, (a, b) in enumerate(cells):
        t, near = (np.clip(np.array(ends) * period, 0.0, 1.0) for ends in ((a, b), (a - 1, b + 1)))
        low, high = found.ends[0, :, k, 0]
        assert low <= 1.0 + 2.0 * t[0] <= 1.0 + 2.0 * t[1] <= high
        if b * period < 1.0 + 1e-6:
            np.testing.assert_allclose([low, high], 1.0 + 2.0 * near, atol=loose)
        if b * period < 1.0 - 1e-6:
            np.testing.assert_allclose(found.ends[1, :, k, 0], [2.0, 2.0], atol=1e-9)
        if (a - 1) * period > 1.0 + 1e-6:
            np.testing.assert_allclose(found.ends[1, :, k, 0], [0.0, 0.0], atol=1e-12)


def test_short_pieces_late_in_time_are_held():
    """A break of 1.7e9 s is right to 2.4e-7 s, which is much for a piece of 0.04 s."""
    found = windows(_ramp(speed=50.0, length=0.0400001, start=1.7e9), 0.01, [(k, k + 1) for k in range(4)])
    for k in range(4):
        low, high = found.ends[0, :, k, 0]
        assert low <= 1.0 + 0.5 * k <= 1.0 + 0.5 * (k + 1) <= high
    far = windows(_ramp(speed=50.0, length=0.0400001, start=1.7e9), 0.01, [(0, 1)]).ends[0, :, 0, 0]
    assert 1.0 - far[0] > 14.0 * U * 1.7e9 * 50.0


def test_jumps_of_the_acceleration_belong_to_cells_and_their_neighbours():
    """Breaks at 0.25, 0.55 and 1.0 s, where the acceleration jumps by 1, 2 and 3."""
    h = np.array([0.25, 0.3, 0.45])
    half = 0.5 * np.array([1.0, 2.0, 4.0]) * h**2
    rows = [[[0.0]] * 3, [[0.0]] * 3, half[:, None].tolist()]
    found = windows(_pieces([0.0, 0.25, 0.55, 1.0], *rows), 0.1, [(a, a + 1) for a in range(12)])
    wanted = [sum(j for k, j in ((2, 1.0), (5, 2.0), (10, 4.0)) if a - 1 <= k <= a + 1) for a in range(12)]
    np.testing.assert_allclose(found.acceleration_jumps[:, 0], wanted, atol=1e-11)


def test_the_most_samples_and_pieces(monkeypatch):
    with pytest.raises(RefusedError, match="more than 200000 samples"):
        windows(_ramp(), 1.0 / 200_001.0, [(0, 1)])
    monkeypatch.setattr("torquec_check.reference_motion.MOST_SAMPLES", 11)
    windows(_ramp(), 0.1, [(0, 1)])
    with pytest.raises(RefusedError, match="samples"):
        windows(_ramp(), 0.099, [(0, 1)])
    with pytest.raises(RefusedError, match="two at least"):
        reference_of({"breaks": [0.0], "coefficients": [[]] * 6}, 1)
    monkeypatch.setattr("torquec_check.reference_motion.MOST_PIECES", 2)
    assert len(_pieces([0.0, 1.0, 2.0], [[0.0]] * 2).breaks) == 3
    with pytest.raises(RefusedError, match="two at least"):
        _pieces([0.0, 1.0, 2.0, 3.0], [[0.0]] * 3)
    with pytest.raises(RefusedError, match="a list of 6"):
        reference_of({"breaks": [0.0, 1.0], "coefficients": [[[0.0]]] * 5}, 1)
    with pytest.raises(RefusedError, match="a list of 1"):
        reference_of({"breaks": [0.0, 1.0], "coefficients": [[[0.0], [0.0]]] * 6}, 1)


def test_a_jump_in_the_first_interval_is_over_two_samples_later():
    bent = {"breaks": [0.0, 0.005, 1.0], "coefficients": [[[0.0], [0.0]], [[0.0], [0.0]], [[1.0], [0.0]]]}
    bent["coefficients"] += [[[0.0], [0.0]]] * 3
    found = windows(reference_of(bent, 1), 0.01, [(0, 1), (1, 2), (2, 20)])
    np.testing.assert_allclose(found.acceleration_jumps[:, 0], [8e4, 8e4, 0.0], atol=1e-6)
