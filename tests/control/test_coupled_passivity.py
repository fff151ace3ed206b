import math
from dataclasses import replace

import numpy as np
import pytest
from tests.control.port_loops import PUMA, TORQUE_ARM, object_inside, random_loop

from torquec.control.coupled_loop import coupled_loop
from torquec.control.coupled_passivity import PassivityTest, hand_discs, passivity_margin
from torquec.control.passive_hand import random_hands
from torquec.control.port_loop import RenderedImpedance, force_feedback, position_feedback
from torquec.errors import ArgumentError


@pytest.mark.parametrize("damping", [0.0, 0.5, 1.0, 1.9])
def test_colgate_and_schenkel(damping):
    """b > K T/2 + B (Colgate and Schenkel 1997): K = 2 (b - B)/T is the edge, to the aliases that are left out."""
    edge, slack = 2.0 * (2.0 - damping) / 0.002, 1e-4 * 2.0 * 2.0 / 0.002
    test = PassivityTest(TORQUE_ARM)
    assert test.worst(RenderedImpedance(0.0, damping, edge - slack)).margin > 0.0
    assert test.worst(RenderedImpedance(0.0, damping, edge + slack)).margin < 0.0


def test_colgates_condition_at_every_frequency():
    """With the velocity filtered the edge has no closed form, but (3) is still Colgate's condition."""
    loop = replace(TORQUE_ARM, velocity_cutoff=60.0, computation_delay=1)
    rendered = RenderedImpedance(0.0, 1.0, 900.0)
    w = np.geomspace(1.0, loop.nyquist, 200)
    discs = hand_discs(loop, w)
    Cx = position_feedback(loop, rendered, discs.z)
    left, right = discs.sides(force_feedback(loop, rendered, discs.z), Cx)
    colgate = 0.5 * loop.period * ((1.0 - 1.0 / discs.z) * Cx).real / (1.0 - np.cos(w * loop.period))
    clear = np.abs(colgate - 2.0) > 1e-3
    assert ((np.abs(left) > right) == (colgate < 2.0))[clear].all()
    assert clear.sum() > 150


def test_discs_hold_the_hands_and_nothing_less():
    """Random passive impedances behind the grip lie in the disc; lossless ones without a grip on its edge."""
    generator = np.random.default_rng(5)
    w = np.array([40.0])
    for loop in (PUMA, replace(PUMA, grip=None)):
        discs = hand_discs(loop, w)
        middle = len(discs.s) // 2
        for _ in range(200):
            lossless = generator.random() < 0.5
            Z = complex(0.0 if lossless else generator.exponential(100.0), generator.normal(0.0, 300.0))
            s = discs.s[middle, 0]
            if loop.grip is not None:
                Z = 1.0 / (1.0 / Z + s / (loop.grip.stiffness + loop.grip.damping * s))
            g = 1.0 / (discs.arm[middle, 0] + Z)
            off = abs(g - discs.centre[middle, 0]) / discs.radius[middle, 0]
            assert off <= 1.0 + 1e-9
            if lossless:
                assert off == pytest.approx(1.0, abs=1e-9)


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
        found = coupled_loop(loop, rendered, many, mass_error=delta).net_energy()
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
    found = coupled_loop(PUMA, RenderedImpedance(5.0), hands).net_energy()
    assert (~found.is_stable).sum() > 10


def test_a_sensor_without_a_filter_is_refused():
    with pytest.raises(ArgumentError, match="aliases without a filter is never passive"):
        PassivityTest(replace(PUMA, force_cutoff=1e6))
    assert math.isfinite(passivity_margin(replace(PUMA, force_cutoff=9000.0), RenderedImpedance(5.0, 20.0)).margin)
