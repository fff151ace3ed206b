"""The chosen cut-off: above the motion, below the noise, and bounded by the rate."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.logs.cutoff import choose_cutoff

RATE = 500.0
T = np.arange(10_000) / RATE


def motion(frequency):
    return np.column_stack([np.sin(2 * np.pi * frequency * T), 0.5 * np.cos(2 * np.pi * frequency * T)])


@pytest.mark.parametrize("frequency", [0.5, 1.0, 3.0])
def test_it_lies_above_the_motion_and_follows_it(frequency):
    assert frequency < choose_cutoff(motion(frequency), RATE) < 30.0 * frequency


def test_noise_of_an_encoder_does_not_raise_it():
    quiet = choose_cutoff(motion(1.0), RATE)
    noise = 1e-4 * np.random.default_rng(0).normal(size=(len(T), 2))
    assert choose_cutoff(motion(1.0) + noise, RATE) < 2.0 * quiet


def test_it_stays_below_half_the_rate_and_above_zero_whatever_is_given():
    white = np.random.default_rng(1).normal(size=(len(T), 2))
    for values in (white, np.zeros((len(T), 2)), motion(100.0)):
        assert 0.0 < choose_cutoff(values, RATE) < 0.5 * RATE


def test_torques_that_end_lower_lower_it():
    quick = motion(1.0) + 0.05 * motion(4.0)
    assert choose_cutoff(quick, RATE, tau=motion(1.0)) <= choose_cutoff(quick, RATE)
