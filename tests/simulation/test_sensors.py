"""Sensors: rounding, differences, delays, noise as they are written down; misuse."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.expr import evaluate, trace
from torquec.simulation.sensors import Sensors, SpeedSource, measure, quantised


@pytest.mark.parametrize("resolution", [1e-4, 0.25, 3e-7])
def test_quantised_values_are_the_nearest_multiples(resolution):
    rng = np.random.default_rng(1)
    for value in [0.0, 0.4 * resolution, -0.6 * resolution, *rng.uniform(-7.0, 7.0, 200)]:
        assert quantised(float(value), resolution) == pytest.approx(
            resolution * round(float(value) / resolution), abs=1e-9 * resolution
        )


def test_quantising_survives_tracing_and_every_back_end():
    from torquec.codegen.llvm import compile_function

    f = trace("f", lambda x: {"y": [quantised(x[0], 1e-3)]}, {"x": (1,)})
    x = np.random.default_rng(2).uniform(-4.0, 4.0, (100, 1))
    expected = 1e-3 * np.round(x / 1e-3)
    assert np.allclose(evaluate(f, {"x": x})["y"], expected, atol=1e-12)
    assert np.allclose(compile_function(f).call(x), expected, atol=1e-12)


def test_without_sensors_the_state_is_seen():
    seen = measure(Sensors(), [1.0, 2.0], [3.0, 4.0], [], noise=None, period=0.1)
    assert (seen.q, seen.qd, seen.memory) == ([1.0, 2.0], [3.0, 4.0], [])


def test_speed_by_difference():
    sensors = Sensors(speed=SpeedSource.DIFFERENCE)
    memory = sensors.first_memory([1.0], [0.5], period=0.1)
    seen = measure(sensors, [1.0], [9.9], memory, noise=None, period=0.1)
    assert seen.qd == pytest.approx([0.5])  # it came here at that speed
    seen = measure(sensors, [1.2], [9.9], seen.memory, noise=None, period=0.1)
    assert seen.qd == pytest.approx([2.0])


def test_the_filter_forgets_geometrically():
    sensors = Sensors(speed=SpeedSource.DIFFERENCE, filter_share=0.25)
    memory = sensors.first_memory([0.0], [0.0], period=1.0)
    speeds = []
    for k in range(1, 4):
        seen = measure(sensors, [float(k)], [0.0], memory, noise=None, period=1.0)
        memory = seen.memory
        speeds.append(seen.qd[0])
    assert speeds == pytest.approx([1.0 - 0.75**k for k in range(1, 4)])


@pytest.mark.parametrize("speed", SpeedSource)
def test_delay_shifts_everything(speed):
    sensors, period = Sensors(speed=speed, delay=3), 0.1

    def motion(k):
        return [0.2 * k], [2.0]  # constant speed: the past before the first sample is known

    memory = sensors.first_memory(*motion(0), period=period)
    assert len(memory) == sensors.memory_size(1)
    for k in range(8):
        seen = measure(sensors, *motion(k), memory, noise=None, period=period)
        memory = seen.memory
        assert seen.q == pytest.approx([0.2 * (k - 3)])
        assert seen.qd == pytest.approx([2.0])


def test_noise_is_scaled():
    sensors = Sensors(position_noise=0.1, speed_noise=0.2)
    seen = measure(sensors, [1.0], [2.0], [], noise=[1.0, -1.0], period=0.1)
    assert (seen.q, seen.qd) == ([1.1], [1.8])
    assert sensors.is_noisy
    assert not Sensors(speed_noise=0.2, speed=SpeedSource.DIFFERENCE).is_noisy


def test_resolutions_per_joint():
    assert Sensors(resolution=(0.1, 0.2)).resolutions(2) == [0.1, 0.2]
    assert Sensors(resolution=0.1).resolutions(3) == [0.1] * 3
    with pytest.raises(ArgumentError, match="2 encoder resolutions for 3 joints"):
        Sensors(resolution=(0.1, 0.2)).resolutions(3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"resolution": -1.0}, "negative"),
        ({"position_noise": np.nan}, "not finite"),
        ({"delay": -1}, "delay"),
        ({"delay": 1.5}, "delay"),
        ({"filter_share": 0.0}, "filter"),
    ],
)
def test_misuse(wrong, message):
    with pytest.raises(ArgumentError, match=message):
        Sensors(**wrong)
