import math

import numpy as np
import pytest
from tests.haptics.port_loops import PUMA, TORQUE_ARM

from torquec.errors import ArgumentError
from torquec.haptics.coupled_loop import coupled_loop
from torquec.haptics.cutoff_stability import FilterPlace, cutoff_stability
from torquec.haptics.passive_hand import arm_hand, random_hands
from torquec.haptics.port_loop import PortLoop, RenderedImpedance

PERSON = arm_hand(1.5, 10.0, 300.0)
LIGHT = RenderedImpedance(5.0)


def test_lag_costs_stability_as_clovers_users_felt():
    """Below some cut-off the loop with a person on it grows, above it settles; the edge is where it does neither."""
    found = cutoff_stability(PUMA, LIGHT, PERSON, np.geomspace(2.0, 200.0, 9))
    assert found.growth[0] > 0.0 > found.growth[-1]
    assert found.stable_from is not None
    edge = PortLoop(PUMA.port, grip=PUMA.grip, force_cutoff=found.stable_from)
    radius = coupled_loop(edge, LIGHT, PERSON).radius()[0]
    assert abs(math.log(radius)) < 1e-6
    assert found.lag[0] == pytest.approx(math.sqrt(2.0) / (2.0 * math.pi * 2.0))
    assert not found.is_passive.any()  # a mass without damping: some hand destabilizes it at every cut-off


def test_speeds_that_lag_too():
    found = cutoff_stability(PUMA, RenderedImpedance(5.0, 20.0), PERSON, [5.0, 40.0, 200.0], place="velocity")
    assert found.place is FilterPlace.VELOCITY
    assert 5.0 < found.stable_from < 200.0
    assert found.is_passive.tolist() == [False, True, True]


def test_stable_everywhere_or_nowhere():
    assert cutoff_stability(PUMA, RenderedImpedance(5.0, 200.0), PERSON, [50.0, 100.0]).stable_from == 0.0
    assert cutoff_stability(PUMA, LIGHT, PERSON, [1.0, 1.5]).stable_from is None


def test_misuse():
    with pytest.raises(ArgumentError, match="not ascending"):
        cutoff_stability(PUMA, LIGHT, PERSON, [10.0, 5.0])
    with pytest.raises(ArgumentError, match="for one hand, not 2"):
        cutoff_stability(PUMA, LIGHT, random_hands(2, np.random.default_rng(0), mass=1.0), [5.0])
    with pytest.raises(ArgumentError, match="has no force filter"):
        cutoff_stability(TORQUE_ARM, RenderedImpedance(0.0, 1.0), PERSON, [5.0])
    with pytest.raises(ArgumentError, match="there is no filter 'sound'"):
        cutoff_stability(PUMA, LIGHT, PERSON, [5.0], place="sound")
