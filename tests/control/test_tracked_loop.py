"""A tracked loop is what `tracking_guarantee` is given, and knows the gains of its poles."""

from __future__ import annotations

import pytest
from tests.control.test_tracking_budget import ARM, LOOP, MOTION, SETS

import torquec as tq


def test_its_guarantee_is_that_of_its_fields():
    direct = tq.tracking_guarantee(ARM, -20.0, MOTION, period=0.001, uncertainty=SETS)
    assert LOOP.guarantee(ARM) == direct
    assert direct.valid


def test_a_double_pole_has_the_gain_of_its_stiffness():
    assert LOOP.position_gains(ARM) == pytest.approx([1 / 400] * 2, rel=1e-6)
