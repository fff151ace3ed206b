import math
from dataclasses import replace

import numpy as np
import pytest
from tests.haptics.net_energy import net_energy
from tests.haptics.port_loops import PUMA, TORQUE_ARM, feedback, object_inside, random_loop, spread

from torquec.control.poles import PolePair
from torquec.errors import ArgumentError
from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.coupled_passivity import PassivityTest, passivity_margin
from torquec.haptics.haptic_port import HapticPort
from torquec.haptics.haptic_region import RenderedQuantity, renderable_interval
from torquec.haptics.passive_hand import random_hands
from torquec.haptics.port_loop import Grip, PortLoop, RenderedImpedance
from torquec.proof.passivity.hand_discs import hand_discs


@pytest.mark.parametrize("damping", [0.0, 0.5, 1.0, 1.9])
def test_colgate_and_schenkel(damping):
    """b > K T/2 + B (Colgate and Schenkel 1997): K = 2 (b - B)/T is the edge, to the aliases that are left out."""
    edge, slack = 2.0 * (2.0 - damping) / 0.002, 1e-4 * 2.0 * 2.0 / 0.002
    test = PassivityTest(TORQUE_ARM)
    assert test.worst(RenderedImpedance(0.0, damping, edge - slack)).margin > 0.0
    assert test.worst(RenderedImpedance(0.0, damping, edge + slack)).margin < 0.0


def test_edges_are_told_from_a_dense_look_at_frequency_and_mass():
    """Just inside and outside of an edge that was proven, against 3000 frequencies and 21 masses."""
    generator = np.random.default_rng(12)
    dips = 0
    while dips < 2:
        loop = random_loop(generator)
        mass = loop.port.mass * spread(generator, 0.05, 20.0)
        stiffness = mass * spread(generator, 1.0, 0.01 / loop.period**2)
        test = PassivityTest(loop)
        found = renderable_interval(test, RenderedImpedance(mass, mass, stiffness), RenderedQuantity.DAMPING)
        if found is None or found.lower == 0.0:
            continue
        dips += 1
        own = math.sqrt(stiffness / mass)
        w = np.concatenate([np.geomspace(1e-2, loop.nyquist, 1500), own * np.linspace(0.95, 1.05, 1500)])
        w = np.clip(w, 0.0, loop.nyquist)
        for share, inside in ((1.0, True), (0.999, False)):
            rendered = RenderedImpedance(mass, share * found.lower, stiffness)
            least = math.inf
            for delta in np.linspace(-1.0, 1.0, 21 if loop.port.model_error else 1) * loop.port.model_error:
                discs = hand_discs(loop.sampled_port, w, delta)
                least = min(least, float(discs.margin(*feedback(loop, rendered, discs)).min()))
            assert (least > 0.0) == inside == test.is_passive(rendered)


@pytest.mark.parametrize(
    ("loop", "rendered", "lowest"),
    [
        (
            PortLoop(
                HapticPort(18.76892, 75.52514, model_error=0.05),
                period=0.0005,
                poles=PolePair(-54.38953 + 142.88242j, -54.38953 - 142.88242j),
                force_cutoff=1358.50387,
                force_delay=0.00085,
                velocity_cutoff=747.88196,
                damping_feedforward=0.0,
                grip=Grip(839.13029, 18.05589),
            ),
            RenderedImpedance(0.97646, 0.0, 32081.74171),
            1.99,
        ),
        (
            PortLoop(
                HapticPort(8.60049, 85.08065),
                poles=PolePair(-9.83385 + 5.45478j, -9.83385 - 5.45478j),
                force_cutoff=105.0583,
                force_delay=0.0008,
                velocity_cutoff=32.86413,
                computation_delay=1,
                force_feedforward=0.0,
                grip=Grip(3585.97621, 20.18079),
            ),
            RenderedImpedance(0.75386, 5.23332),
            5.273,
        ),
    ],
)
def test_dips_between_samples_of_the_frequency_count(loop, rendered, lowest):
    """Two loops whose objects passed while the condition was sampled, and which random hands then made unstable."""
    test = PassivityTest(loop)
    assert not test.is_passive(rendered)
    assert test.worst_steady(rendered).margin < -1e-4
    found = renderable_interval(test, rendered, RenderedQuantity.DAMPING)
    assert found.lower == pytest.approx(lowest, rel=1e-3)


def test_lag_makes_a_pure_mass_active_and_damping_mends_it():
    assert passivity_margin(PUMA, RenderedImpedance(5.0)).margin < 0.0
    assert passivity_margin(PUMA, RenderedImpedance(5.0, 20.0)).margin > 0.0
    slow = replace(PUMA, force_cutoff=5.0)
    assert passivity_margin(slow, RenderedImpedance(5.0, 20.0)).margin < 0.0


def test_the_arm_by_itself_must_be_stable():
    test = PassivityTest(TORQUE_ARM)
    assert test.is_stable_alone(RenderedImpedance(0.0, 0.0, 0.0))
    assert not test.is_stable_alone(RenderedImpedance(0.0, 0.0, 1e6))


def energy_makers(seed, loops, hands):
    """How many random passive hands take energy out of loops inside the printed region, or shake them; and of how
    many.
    """
    generator = np.random.default_rng(seed)
    makers = tried = 0
    while tried < loops * hands:
        loop = random_loop(generator)
        rendered = object_inside(generator, loop)
        if rendered is None:
            continue
        delta = float(generator.uniform(-1.0, 1.0)) * loop.port.model_error
        many = random_hands(hands, generator, mass=loop.port.mass, grounded=bool(generator.random() < 0.5))
        found = net_energy(coupled_loop(loop, rendered, many, mass_error=delta))
        makers += int((~found.is_stable | (found.least_share < -1e-9)).sum())
        tried += hands
    return makers, tried


def test_no_hand_gets_energy_out_of_the_region():
    assert energy_makers(1, 5, 150) == (0, 750)


@pytest.mark.slow
def test_no_hand_of_a_million_gets_energy_out_of_the_region():
    assert energy_makers(2, 250, 4000) == (0, 1_000_000)


def test_outside_of_the_region_random_hands_do():
    hands = random_hands(300, np.random.default_rng(3), mass=8.0)
    found = net_energy(coupled_loop(PUMA, RenderedImpedance(5.0), hands))
    assert (~found.is_stable).sum() > 10


def test_a_sensor_without_a_filter_is_refused():
    with pytest.raises(ArgumentError, match="aliases without a filter is never passive"):
        PassivityTest(replace(PUMA, force_cutoff=1e6))
    assert math.isfinite(passivity_margin(replace(PUMA, force_cutoff=9000.0), RenderedImpedance(5.0, 20.0)).margin)
