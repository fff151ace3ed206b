"""Gains of the error loop: no simulated loop exceeds them, the worst one reaches them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from torquec_check.document import RefusedError
from torquec_check.tracking_loop import Loop, cells_of, loop_gains, reached

T = 0.002


def _loop(delay, share, pole=40.0):
    return Loop((pole**2,), (2.0 * pole,), T, delay, (share,))


def _simulated(loop, w, noise, *, e=0.0, speed=0.0):
    """Outputs (K + 1, 3) of one joint's loop, constant disturbances w (K,) in every interval, noise (K + 1,)."""
    p, k, c, d = loop.stiffness[0], loop.damping[0], loop.speed_filter[0], loop.delay
    z, last, s, queue, found = speed * T, e - noise[0], speed * T, None, []
    for step in range(len(w) + 1):
        seen = e - noise[step]
        s = (1.0 - c) * s + c * (seen - last) if c else z
        last = seen
        u = p * T * T * seen + k * T * s
        queue = [u] * d if queue is None else queue
        queue.append(u)
        found.append((e, z / T, u / T**2))
        if step == len(w):
            break
        acting = queue.pop(0) if d else queue.pop()
        e, z = e + z - acting / 2.0 + T * T * w[step] / 2.0, z - acting + T * T * w[step]
    return np.array(found)


CASES = [(0, 0.0), (0, 0.7), (1, 0.7), (2, 0.4), (3, 0.0)]


@pytest.mark.parametrize(("delay", "share"), CASES)
def test_no_disturbance_exceeds_the_bound_and_the_worst_reaches_it(delay, share):
    loop, rng, count = _loop(delay, share), np.random.default_rng(delay), 260
    W, noise, position = np.linspace(1.0, 3.0, count)[:, None], np.array([2e-4]), np.array([3e-4])
    gains = loop_gains(loop, noise, position, np.zeros(1))
    bound = reached(gains, loop, W, np.zeros((2, 1)), np.full((4, 1), 1e3), noise)
    for _ in range(40):
        w, n = W[:, 0] * rng.choice([-1.0, 1.0], count), noise[0] * rng.choice([-1.0, 1.0], count + 1)
        found = np.abs(_simulated(loop, w, n, e=position[0] * rng.choice([-1.0, 1.0])))
        assert np.all(found <= bound[:, 0] + 1e-12)
    quiet = loop_gains(loop, np.zeros(1), np.zeros(1), np.zeros(1))
    alone = reached(quiet, loop, W, np.zeros((2, 1)), np.full((4, 1), 1.0), np.zeros(1))[-1, 0]
    pulse = _simulated(loop, np.eye(count)[0], np.zeros(count + 1))[1:]  # the loop does not change with time
    for output in range(3):
        worst = _simulated(loop, W[:, 0] * np.sign(pulse[::-1, output]), np.zeros(count + 1))[-1, output]
        assert 0.93 * alone[output] <= worst <= alone[output]


def test_noise_reaches_its_bound():
    loop, count, noise = _loop(1, 0.7), 260, np.array([1e-4])
    gains = loop_gains(loop, noise, np.zeros(1), np.zeros(1))
    answers = _simulated(loop, np.zeros(count), np.eye(count + 1)[1])[1:]
    worst = noise[0] * np.abs(answers).sum(axis=0)
    assert np.all(worst <= gains.always[0])
    assert np.all(worst >= 0.95 * gains.always[0])


def test_start_errors_and_jumps_of_the_reference():
    loop, count = _loop(1, 0.0), 200
    start = np.array([1e-3]), np.array([0.05])
    gains = loop_gains(loop, np.zeros(1), *start)
    bound = reached(gains, loop, np.zeros((count, 1)), np.zeros((2, 1)), np.zeros((4, 1)), np.zeros(1))[:, 0]
    for e, speed in ((1e-3, 0.05), (1e-3, -0.05), (-1e-3, 0.0)):
        assert np.all(np.abs(_simulated(loop, np.zeros(count), np.zeros(count + 1), e=e, speed=speed)) <= bound + 1e-15)
    jumped = reached(gains, loop, np.zeros((count, 1)), np.array([[1e-3], [0.0]]), np.zeros((4, 1)), np.zeros(1))
    assert np.all(jumped[50:, 0, 0] >= 1e-3)


@pytest.mark.parametrize(("delay", "pole"), [(0, 1500.0), (12, 200.0), (20, 100.0)])
def test_unstable_loops_are_refused(delay, pole):
    with pytest.raises(RefusedError, match="unstable"):
        loop_gains(_loop(delay, 0.0, pole), np.zeros(1), np.zeros(1), np.zeros(1))


def test_cells_follow_each_other():
    assert cells_of([3, 2, 1]) == [(0, 3), (3, 5), (5, 6)]


U, UP = 2.0**-53, 1.0 + 1e-9


def _step(loop, x, noise, outputs):
    """The next state, and error, speed and feedback, of equations (1) to (3), in the state (e, z, y, s, u ..)."""
    p, k, c = loop.stiffness[0], loop.damping[0], loop.speed_filter[0]
    e, z, last, s, *queue = x
    y = e - noise
    s = (1.0 - c) * s + c * (y - last) if c else z
    u = p * T * T * y + k * T * s
    queue = [u, *queue]
    acting = queue.pop()
    outputs.append((e, z / T, u / T**2))
    return np.array([e + z - acting / 2.0, z - acting, y, s, *queue])


def _matrices(loop):
    """F (D, D), B (D,) and the outputs' rows g (3, D) and parts of the noise (3,), from unit states."""
    size = 4 + loop.delay
    columns, rows = [], []
    for state, noise in [*((x, 0.0) for x in np.eye(size)), (np.zeros(size), 1.0)]:
        outputs: list = []
        columns.append(_step(loop, state, noise, outputs))
        rows.append(outputs[0])
    F, g = np.array(columns).T, np.array(rows).T
    return F[:, :-1], F[:, -1], g[:, :-1], g[:, -1]


@pytest.mark.parametrize(("delay", "share"), [(0, 0.0), (0, 0.7), (1, 0.7), (3, 0.25)])
def test_gains_keep_their_numbers(delay, share):
    """The rows (4), their sums and all of what is added, from matrices of an own simulation."""
    loop, noise, position, speed = _loop(delay, share), np.array([2e-4]), np.array([3e-4]), np.array([0.0])
    speed = speed if share else np.array([0.02])
    gains = loop_gains(loop, noise, position, speed)
    F, B, g, heard = _matrices(loop)
    if not share:  # the filtered speed is not read
        F[3], B[3] = np.eye(4 + delay)[3], 0.0
    p, k = loop.stiffness[0] * T * T, loop.damping[0] * T
    queue = p * (position[0] + noise[0]) + k * (T * speed[0] + 2.0 * noise[0])
    start = np.array([position[0], T * speed[0], position[0] + T * speed[0] + noise[0], T * speed[0], *[queue] * delay])
    lags = len(gains.level)
    largest, most, sums, total = np.abs(g).max(axis=1), np.abs(g[:, :2]), np.zeros_like(g), np.abs(heard)
    for lag in range(lags):
        level = 0.5 * T * T * (np.abs(g[:, 0] + g[:, 1]) + np.abs(g[:, 1]))
        np.testing.assert_allclose(gains.level[lag, 0], level, rtol=1e-8, atol=1e-13 * level.max() + 1e-22)
        np.testing.assert_allclose(gains.start[lag, 0], np.abs(g) @ start, rtol=1e-8, atol=1e-12)
        if lag < 9:
            np.testing.assert_allclose(gains.level[lag, 0], level * UP, rtol=1e-11)
            np.testing.assert_allclose(gains.start[lag, 0], np.abs(g) @ start * UP, rtol=1e-11)
        total, sums = total + np.abs(g @ B), sums + np.abs(g)
        g = g @ F
        largest, most = np.maximum(largest, np.abs(g).max(axis=1)), np.maximum(most, np.abs(g[:, :2]))
        assert (lag == lags - 1) == np.all(np.abs(g).max(axis=1) <= 1e-12 * largest)
    np.testing.assert_allclose(gains.always[0], total * noise[0] * UP, rtol=1e-11)
    np.testing.assert_allclose(gains.jump[0], np.stack([most[:, 0], most.sum(axis=1)], axis=1), rtol=1e-8)
    assert np.all(gains.jump[0] > np.stack([most[:, 0], most.sum(axis=1)], axis=1) * (1 + 0.9e-9))
    np.testing.assert_allclose(gains.rest[0], np.abs(g) + 64.0 * U * sums @ np.abs(F), rtol=3e-3)


def test_noise_that_no_row_hears_counts_with_its_rounding():
    """Without feedback of speeds and positions: 64 u of the magnitudes that are multiplied."""
    loop = Loop((1600.0,), (80.0,), T, 0, (1.0,))
    gains = loop_gains(loop, np.ones(1), np.zeros(1), np.zeros(1))
    assert np.all(gains.always > 0.0)


def test_what_is_reached_keeps_its_numbers():
    loop, rng = _loop(1, 0.7), np.random.default_rng(1)
    noise, count = np.array([2e-4]), 5
    gains = loop_gains(loop, noise, np.array([1e-3]), np.zeros(1))
    W, jumps, largest = (
        rng.random((count, 1)) + 1.0,
        np.array([[1e-3], [2e-2]]),
        np.array([[0.1], [2.0], [30.0], [400.0]]),
    )
    found = reached(gains, loop, W, jumps, largest, noise)
    x = np.array([0.1, T * 2.0, 0.1 + 2e-4, T * 2.0 + 4e-4, T * T * 400.0]) * UP
    same = gains.always[0] + gains.jump[0, :, 0] * 1e-3 + gains.jump[0, :, 1] * T * 2e-2 + gains.rest[0] @ x
    assert found.shape == (count + 1, 1, 3)
    for k in range(count + 1):
        wanted = (
            sum((gains.level[lag, 0] * W[k - 1 - lag, 0] for lag in range(k)), np.zeros(3)) + gains.start[k, 0] + same
        )
        np.testing.assert_allclose(found[k, 0], wanted * UP, rtol=1e-11)
    many = reached(gains, loop, np.ones((3 * len(gains.level), 1)), 0.0 * jumps, 0.0 * largest, noise)
    rest = gains.rest[0] @ np.array([0.0, 0.0, 2e-4, 4e-4, 0.0])
    np.testing.assert_allclose(many[-1, 0], gains.level.sum(axis=0)[0] + gains.always[0] + rest, rtol=1e-8)


def test_a_filtered_speed_before_the_last_rows_has_the_jumps_of_the_reference():
    gains = loop_gains(_loop(1, 0.7), np.zeros(1), np.zeros(1), np.zeros(1))
    gains = replace(gains, jump=0.0 * gains.jump, rest=np.ones_like(gains.rest))
    found = reached(gains, _loop(1, 0.7), np.zeros((3, 1)), np.array([[1e-3], [0.5]]), np.zeros((4, 1)), np.zeros(1))
    np.testing.assert_allclose(found, 1e-3, rtol=1e-8)


def test_the_lag_of_a_filter():
    found = Loop((1.0,) * 3, (1.0,) * 3, 0.01, 0, (0.0, 1.0, 0.25)).speed_lag
    assert found[0] == 0.0
    np.testing.assert_allclose(found[1:], [0.005, 0.035], rtol=2e-9)
    assert np.all(found[1:] > [0.005, 0.035])


def test_a_loop_that_needs_too_many_lags_is_refused(monkeypatch):
    slow, none = Loop((400.0,), (40.0,), T, 0, (0.0,)), np.zeros(1)
    count = len(loop_gains(slow, none, none, none).level)
    monkeypatch.setattr("torquec_check.tracking_loop.MOST_LAGS", count - 1)
    with pytest.raises(RefusedError, match="unstable"):
        loop_gains(slow, none, none, none)
    monkeypatch.setattr("torquec_check.tracking_loop.MOST_LAGS", count)
    assert len(loop_gains(slow, none, none, none).level) == count
