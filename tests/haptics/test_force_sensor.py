import math

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.force_sensor import PERFECT_SENSOR, ForceSensor

QUIET = ForceSensor(noise=(0.0,) * 6)


def test_the_printed_figures_are_the_default():
    sensor = ForceSensor()
    assert sensor.limits == (133.0, 133.0, 266.0, 11.3, 11.3, 11.3)
    assert sensor.resolution == (0.11, 0.11, 0.22, 0.006, 0.006, 0.006)


@pytest.mark.parametrize("ratio", [0.3, math.sqrt(0.5), 1.0, 1.7])
def test_the_filter_is_exact_for_a_held_input(ratio):
    """Against the step response by many tiny Runge-Kutta steps."""
    sensor = ForceSensor(cutoff=80.0, ratio=ratio)
    u = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    memory = [0.0] * 12
    for _ in range(10):
        memory = sensor.filtered(memory, u, 0.0005)
    w = 2.0 * math.pi * 80.0
    y, v = np.zeros(6), np.zeros(6)
    h = 0.005 / 4000
    for _ in range(4000):

        def rate(y, v):
            return v, w * w * (u - y) - 2.0 * ratio * w * v

        a, b = rate(y, v)
        c, d = rate(y + h / 2 * a, v + h / 2 * b)
        e, f = rate(y + h / 2 * c, v + h / 2 * d)
        g, i = rate(y + h * e, v + h * f)
        y, v = y + h / 6 * (a + 2 * c + 2 * e + g), v + h / 6 * (b + 2 * d + 2 * f + i)
    np.testing.assert_allclose(memory, [*y, *v], rtol=1e-9, atol=1e-9)


def test_a_constant_wrench_is_measured_to_its_resolution_and_within_its_range():
    memory = [0.0] * 12
    wrench = [10.04, -200.0, 30.3, 1.0021, -50.0, 0.0]
    for _ in range(200):
        memory = QUIET.filtered(memory, wrench, 0.001)
    read = QUIET.measured(memory, None)
    assert read == pytest.approx([10.01, -132.99, 30.36, 1.002, -11.298, 0.0], abs=1e-9)
    assert all(
        abs(value / step - round(value / step)) < 1e-9 for value, step in zip(read, QUIET.resolution, strict=True)
    )


def test_noise_has_the_stated_size():
    sensor = ForceSensor(resolution=(0.0,) * 6)
    rng = np.random.default_rng(0)
    rows = np.array([sensor.measured([0.0] * 12, rng.standard_normal(6).tolist()) for _ in range(4000)])
    np.testing.assert_allclose(rows.std(axis=0), sensor.noise, rtol=0.05)


def test_a_perfect_sensor_measures_exactly():
    wrench = [1000.0, 2.0, 3.0, 40.0, 5.0, 0.123456]
    assert PERFECT_SENSOR.measured(PERFECT_SENSOR.filtered([0.0] * 12, wrench, 0.001), [1.0] * 6) == wrench


@pytest.mark.parametrize("change", [{"limits": (1.0,)}, {"noise": (-1.0,) * 6}, {"cutoff": 0.0}, {"ratio": -1.0}])
def test_misuse(change):
    with pytest.raises(ArgumentError):
        ForceSensor(**change)
