"""Gains at a point: both ways place the poles; repeated poles get the formula and are told why."""

from __future__ import annotations

import numpy as np
import pytest
from tests.clover import POINT, farthest

import torquec as tq
from torquec.control.placed_gains import Placement, placed_gains
from torquec.control.poles import joint_poles
from torquec.linearization.linearize import linearize

ARM = tq.classics.puma560()
MODEL = linearize(ARM, *POINT)


@pytest.mark.parametrize("placement", Placement)
@pytest.mark.parametrize("pole", [-45 + 45j, (-20.0, -30.0)])
def test_both_ways_place_the_poles(placement, pole):
    if placement is Placement.ROBUST:
        pytest.importorskip("scipy")
    poles = joint_poles(ARM.joint_names, [pole] * 6)
    found = placed_gains(MODEL, poles, placement)
    assert found.placement is placement
    assert not found.note
    eigenvalues = np.linalg.eigvals(MODEL.A - MODEL.B @ np.hstack([found.G1, found.G2]))
    assert farthest(eigenvalues, poles.values) < 1e-6


def test_a_pole_too_often_repeated_gets_the_formula_and_a_reason():
    poles = joint_poles(ARM.joint_names, -45.0)
    found = placed_gains(MODEL, poles, Placement.ROBUST)
    assert found.placement is Placement.FORMULA
    assert "asked for 12 times" in found.note
    assert "at most 6 times" in found.note
    assert np.allclose(found.G1, 45.0**2 * MODEL.M - MODEL.K)
