from dataclasses import replace

import numpy as np
import pytest
from tests.haptics.port_loops import PUMA, TORQUE_ARM, random_loop, spread

from torquec.control.poles import PolePair
from torquec.errors import ArgumentError
from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.coupled_passivity import PassivityTest
from torquec.haptics.destabilizing_hand import destabilizing_hand
from torquec.haptics.haptic_choices import RenderingKind
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.haptic_region import RenderedQuantity, renderable_interval
from torquec.haptics.passive_hand import SwitchedHands
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance


def beyond(loop, rendered, quantity):
    """Objects 10 % outside of either end of an interval."""
    found = renderable_interval(PassivityTest(loop), rendered, quantity)
    ends = [] if found is None else [0.9 * found.lower, 1.1 * found.upper]
    for value in ends:
        if 0.0 < value < np.inf:
            outside = replace(rendered, **{quantity.value: value})
            if not PassivityTest(loop).is_passive(outside):
                yield outside


def assert_destabilized(loop, rendered):
    found = destabilizing_hand(loop, rendered)
    radius = coupled_loop(loop, rendered, found.hands, mass_error=found.mass_error).radius()[0]
    assert radius - 1.0 == pytest.approx(found.growth)
    assert found.growth > 1e-9
    assert abs(found.mass_error) <= loop.port.model_error


@pytest.mark.parametrize(
    ("loop", "rendered"),
    [
        (PUMA, RenderedImpedance(5.0, 20.0)),
        (replace(PUMA, force_cutoff=20.0, force_delay=0.003), RenderedImpedance(5.0, 60.0, 1000.0)),
        (TORQUE_ARM, RenderedImpedance(0.0, 1.0, 100.0)),
        (replace(TORQUE_ARM, velocity_cutoff=60.0), RenderedImpedance(0.0, 0.5, 300.0)),
    ],
)
def test_ten_per_cent_outside_a_passive_hand_destabilizes(loop, rendered):
    cases = 0
    by_force = loop.rendering is RenderingKind.ADMITTANCE
    for quantity in (RenderedQuantity.MASS if by_force else RenderedQuantity.STIFFNESS, RenderedQuantity.DAMPING):
        for outside in beyond(loop, rendered, quantity):
            assert_destabilized(loop, outside)
            cases += 1
    assert cases


def random_edges(seed, count):
    generator = np.random.default_rng(seed)
    cases = 0
    while cases < count:
        loop = random_loop(generator)
        rendered = RenderedImpedance(loop.port.mass * spread(generator, 0.1, 10.0), loop.port.mass)
        for outside in beyond(loop, rendered, RenderedQuantity.DAMPING):
            assert_destabilized(loop, outside)
            cases += 1
    return cases


def test_random_loops():
    assert random_edges(8, 3) >= 3


@pytest.mark.slow
def test_many_random_loops():
    assert random_edges(9, 300) >= 300


ALIASING = PortLoop(
    HapticPort(6.2, 15.5),
    poles=PolePair(-12.5 + 2.4j, -12.5 - 2.4j),
    force_cutoff=355.0,
    force_delay=0.0034,
    velocity_cutoff=64.0,
    force_feedforward=0.0,
    grip=Grip(516.0, 14.0),
)
"""A sensor whose filter lets the aliases through: stable with all hands that do not change, and not passive."""


def test_a_hand_that_changes_in_step_with_the_samples():
    rendered = RenderedImpedance(1.75, 0.5)
    test = PassivityTest(ALIASING)
    assert test.worst_steady(rendered).margin > 0.01
    assert test.worst(rendered).margin < -0.01
    found = destabilizing_hand(ALIASING, rendered)
    assert isinstance(found.hands, SwitchedHands)
    assert_destabilized(ALIASING, rendered)
    # Held as it is at any one time it does no harm: the change does.
    for piece in found.hands.pieces:
        assert coupled_loop(ALIASING, rendered, piece).radius()[0] < 1.0


def test_inside_there_is_none():
    with pytest.raises(ArgumentError, match="no passive hand destabilizes this object"):
        destabilizing_hand(PUMA, RenderedImpedance(5.0, 20.0))


def test_an_arm_that_is_unstable_by_itself_needs_no_hand():
    found = destabilizing_hand(TORQUE_ARM, RenderedImpedance(0.0, 0.0, 1e6))
    assert found.growth > 0.0
    assert not found.hands.impedance(1j).any()
