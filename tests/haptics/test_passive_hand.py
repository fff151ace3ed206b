import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.haptics.passive_hand import PassiveHands, SwitchedHands, arm_hand, no_hands, random_hands


def test_a_persons_hand_is_mass_damper_and_spring():
    hand = arm_hand(1.5, 10.0, 300.0)
    for s in (1j, 20j, 3.0 + 4.0j):
        assert hand.impedance(s)[0] == pytest.approx(1.5 * s + 10.0 + 300.0 / s)
    assert hand.is_grounded
    assert not no_hands(2).impedance(1j).any()


def test_random_hands_are_positive_real():
    hands = random_hands(300, np.random.default_rng(0), mass=5.0)
    for w in np.geomspace(0.1, 1e4, 30):
        Z = hands.impedance(1j * w)
        assert (Z.real >= -1e-9 * np.abs(Z)).all()
        assert (hands.impedance(w + 3j * w).real > 0.0).all()
    assert not random_hands(3, np.random.default_rng(0), mass=5.0, grounded=False).is_grounded


def test_active_hands_are_refused():
    one, zero = np.ones(2), np.zeros((2, 1, 1))
    with pytest.raises(ArgumentError, match="hand 1 is not passive"):
        PassiveHands(one, np.array([1.0, -1.0]), zero, one[:, None])
    with pytest.raises(ArgumentError, match="hand 0 is not passive"):
        PassiveHands(one, one, zero + 0.1, one[:, None])
    with pytest.raises(ArgumentError, match="hands of the shapes"):
        PassiveHands(one, one, zero, np.ones((3, 1)))
    with pytest.raises(ArgumentError, match="not finite"):
        PassiveHands(one, one * np.nan, zero, one[:, None])
    with pytest.raises(ArgumentError, match="some hands have a mass"):
        PassiveHands(np.array([0.0, 1.0]), one, zero, one[:, None])
    with pytest.raises(ArgumentError, match="not passive"):
        arm_hand(-1.0, 0.0, 0.0)


def test_switched_hands_keep_what_has_stored_energy():
    one = arm_hand(1.5, 10.0, 300.0)
    assert len(SwitchedHands((one, arm_hand(1.5, 0.0, 200.0)))) == 1
    for other in (arm_hand(1.4, 10.0, 300.0), no_hands(1)):
        with pytest.raises(ArgumentError, match="differ in mass or in order"):
            SwitchedHands((one, other))
    with pytest.raises(ArgumentError, match="without a piece"):
        SwitchedHands(())
