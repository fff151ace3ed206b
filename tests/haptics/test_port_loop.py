import math

import numpy as np
import pytest
from tests.haptics.port_loops import PUMA, TORQUE_ARM

from torquec.control.poles import PolePair
from torquec.errors import ArgumentError
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.port_loop import (
    Grip,
    PortLoop,
    RenderedImpedance,
    force_feedback,
    object_steps,
    position_feedback,
    velocity_filter,
)
from torquec.haptics.virtual_object import ObjectState, ObjectWrench, VirtualObject, object_step


def test_the_object_is_the_virtual_object_along_one_axis():
    steps = object_steps(RenderedImpedance(5.0), 0.002)
    body = VirtualObject(5.0, (1.0, 1.0, 1.0)).parameters
    state = ObjectState((0.1, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.0, 0.0))
    after = object_step(body, state, ObjectWrench((7.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 0.002)
    found = steps.Ad @ [0.1, 0.3] + steps.Bd * 7.0
    np.testing.assert_allclose(found, [after.position[0], after.velocity[0]], rtol=1e-13)


def test_low_frequencies_see_the_gains_and_the_object():
    z = np.exp(1j * np.array([1e-3]) * PUMA.period)
    rendered = RenderedImpedance(5.0, 20.0, 300.0)
    assert position_feedback(PUMA, rendered, z)[0].real == pytest.approx(8.0 * 4050.0, rel=1e-6)
    # Pushed slowly, the spring gives way by 1/K, and the measured force is taken off.
    assert force_feedback(PUMA, rendered, z)[0].real == pytest.approx(8.0 * 4050.0 / 300.0 - 1.0, rel=1e-3)
    assert not force_feedback(TORQUE_ARM, RenderedImpedance(0.0, 1.0, 2.0), z).any()
    assert position_feedback(TORQUE_ARM, RenderedImpedance(0.0, 1.0, 2.0), z)[0].real == pytest.approx(2.0, rel=1e-6)


def test_filters_have_half_their_power_at_the_cutoff():
    s = np.array([2j * math.pi * PUMA.force_cutoff])
    assert abs(PUMA.sampled_port.sensor(s)[0]) == pytest.approx(math.sqrt(0.5))
    loop = PortLoop(PUMA.port, velocity_cutoff=40.0)
    numerator, denominator = velocity_filter(loop)
    back = np.exp(-2j * math.pi * 40.0 * loop.period)
    gain = np.polyval(numerator[::-1], back) / np.polyval(denominator[::-1], back)
    assert abs(gain) == pytest.approx(math.sqrt(0.5))
    assert numerator.sum() == pytest.approx(denominator.sum())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"period": 0.0}, "period of a haptic loop is 0.0 s"),
        ({"force_cutoff": math.nan}, "force cutoff of a haptic loop is nan Hz"),
        ({"force_delay": -1.0}, "force delay"),
        ({"velocity_cutoff": 300.0}, "is not between 0 and half the sampling rate, 250 Hz"),
        ({"computation_delay": -1}, "computation delay of -1 periods"),
        ({"force_feedforward": 1.5}, "between 0 and 1"),
        ({"rendering": "telepathy"}, "there is no rendering 'telepathy'"),
        ({"poles": PolePair(-900 + 900j, -900 - 900j)}, "too fast for samples every 0.002 s"),
    ],
)
def test_loops_that_cannot_be(options, message):
    with pytest.raises(ArgumentError, match=message):
        PortLoop(HapticPort(8.0, 20.0), **options)


def test_objects_grips_and_arms_that_cannot_be():
    with pytest.raises(ArgumentError, match="the rendered damping is -1"):
        RenderedImpedance(1.0, -1.0)
    with pytest.raises(ArgumentError, match="the damping of a grip is 0"):
        Grip(1000.0, 0.0)
    with pytest.raises(ArgumentError, match="no sampled loop is passive"):
        PortLoop(HapticPort(1.0, 0.0))
    with pytest.raises(ArgumentError, match="an admittance needs an object with mass"):
        PUMA.check_rendered(RenderedImpedance(0.0, 1.0))
    with pytest.raises(ArgumentError, match="springs and dampers only"):
        TORQUE_ARM.check_rendered(RenderedImpedance(1.0))
    assert TORQUE_ARM.rendering is RenderingKind.IMPEDANCE
