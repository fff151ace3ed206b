"""Gains of the error loop: no simulated loop exceeds them, the worst one reaches them."""

from __future__ import annotations

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
