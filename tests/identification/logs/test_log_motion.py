"""The smoothed motion of a log: derivatives of known functions, rows beside gaps left out."""

from __future__ import annotations

import numpy as np

from torquec.identification.logs.log_motion import log_motion, moving_average
from torquec.trajectory.log import Log

T = 0.002 * np.arange(3000)


def log_of(t, missing=()):
    q = np.stack([np.sin(1.5 * t), np.cos(t)], axis=1)
    q[list(missing), 0] = np.nan
    return Log(("a", "b"), t, q, 2.0 * q)


def test_speeds_and_accelerations_of_sines():
    motion = log_motion(log_of(T))
    inside = slice(150, -150)
    t = motion.t[inside]
    assert np.allclose(motion.qd[inside], np.stack([1.5 * np.cos(1.5 * t), -np.sin(t)], axis=1), atol=0.01)
    assert np.allclose(motion.qdd[inside], np.stack([-2.25 * np.sin(1.5 * t), -np.cos(t)], axis=1), atol=0.02)
    assert np.allclose(motion.tau, 2.0 * motion.q)


def test_rows_without_numbers_and_rows_beside_a_gap_are_left_out():
    t = T.copy()
    t[1500:] += 1.0
    motion = log_motion(log_of(t, missing=(100, 101)))
    assert not {100, 101, 1499, 1500} & set(motion.rows.tolist())
    inside = (motion.t > 0.3) & (motion.t < t[-1] - 0.3)
    assert np.allclose(motion.qd[inside, 1], -np.sin(motion.t[inside]), atol=0.01)


def test_too_few_rows_are_no_motion():
    assert log_motion(log_of(T[:15])) is None


def test_thinning_keeps_the_span():
    few = log_motion(log_of(T)).thinned(100)
    assert 100 <= len(few.t) <= 101
    assert few.t[0] == T[0]


def test_a_moving_average_keeps_straight_lines():
    line = np.arange(50.0)[:, None]
    assert np.allclose(moving_average(line, 5)[2:-2], line[2:-2])
