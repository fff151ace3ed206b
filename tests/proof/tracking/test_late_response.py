"""Gains of late feedback: the loop, run sample by sample, stays below them; aligned disturbances come close."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.proof.tracking.error_response import sampled_response
from torquec.proof.tracking.late_response import late_response

T = 1e-3


def run(p, s, w, *, delay, share, e0=0.0, ed0=0.0):
    """e, ed and feedback at every sample of the loop (1)-(3) under disturbances held over a sample."""
    e, ed, before, filtered = e0, ed0, e0 - T * ed0, ed0
    first = p * e + s * ed0
    waiting = [first] * delay
    found = []
    for disturbance in w:
        filtered = ed if share is None else filtered + share * ((e - before) / T - filtered)
        u = p * e + s * filtered
        waiting.append(u)
        acting = waiting.pop(0)
        found.append((e, ed, u))
        before = e
        a = -acting + disturbance
        e, ed = e + T * ed + 0.5 * T**2 * a, ed + T * a
    return np.array(found)


CASES = [(400.0, 40.0, 1, None), (3600.0, 120.0, 1, 0.5), (400.0, 40.0, 3, 0.3), (2500.0, 60.0, 0, 1.0)]


@pytest.mark.parametrize(("p", "s", "delay", "share"), CASES)
def test_aligned_disturbances_come_close_and_never_pass(p, s, delay, share):
    gains = late_response(p, s, T, delay=delay, share=share)
    count = 2000
    impulse = np.zeros(count)
    impulse[0] = 1.0
    response = run(p, s, impulse, delay=delay, share=share)
    for k, gain in enumerate((gains.position, gains.speed, gains.feedback)):
        aligned = np.sign(response[::-1, k])
        reached = np.abs(run(p, s, aligned, delay=delay, share=share)[:, k]).max()
        assert reached <= gain.level
        assert reached >= 0.9 * gain.level


@pytest.mark.parametrize(("p", "s", "delay", "share"), CASES)
def test_starts_away_from_the_reference_stay_below(p, s, delay, share):
    gains = late_response(p, s, T, delay=delay, share=share)
    for e0, ed0, name in ((1.0, 0.0, "position"), (0.0, 1.0, "speed")):
        found = np.abs(run(p, s, np.zeros(3000), delay=delay, share=share, e0=e0, ed0=ed0)).max(axis=0)
        limits = [getattr(gain, name) for gain in (gains.position, gains.speed, gains.feedback)]
        assert np.all(found <= limits)
        assert found[0] >= 0.5 * limits[0]


def test_without_delay_and_differences_it_is_the_sampled_loop():
    assert late_response(400.0, 40.0, T) == sampled_response(400.0, 40.0, T)


def test_a_delay_costs_and_an_unstable_loop_is_refused():
    levels = [late_response(3600.0, 120.0, T, delay=delay).position.level for delay in range(4)]
    assert levels == sorted(levels)
    with pytest.raises(ArgumentError, match="with a delay of 20 samples is not stable"):
        late_response(3600.0, 120.0, T, delay=20)
