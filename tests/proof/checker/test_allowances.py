"""What the checker allows for, number by number: a change of one is a change of claims and of docs/trusted-base.md."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from torquec.proof.checker import allowances


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("UNIT", sys.float_info.epsilon / 2.0),
        ("SINE_ERROR", 2.0**-50),
        ("GRID_ANGLE_ERROR", 2.0**-50 * math.pi),
        ("RADIUS_MARGIN", 1.0 + 2.0**-50),
        ("UNDERFLOW", 1e-300),
        ("ROUNDED_UP", 1.000000001),
        ("TABLE_VALUE", 50.0 * 2.0**-53),
        ("CONTROL_VALUE", 2.0**-48),
        ("UNNAMED", 1e-9),
        ("SINGLE_UNIT", float(np.finfo(np.float32).eps) / 2.0),
        ("SINGLE_SINE_ERROR", 8.8e-8),
        ("SINGLE_LARGEST_ANGLE", 4096.0),
        ("FLUSHED", float(np.finfo(np.float32).tiny)),
        ("LARGEST_FLOAT", 2.0**127),
    ],
)
def test_constants(name, value):
    assert getattr(allowances, name) == value


def test_what_grows_with_a_basis():
    unit = 2.0**-53
    assert allowances.basis_rounding(5, 2, 0.0) == 36.0 * unit
    assert allowances.basis_rounding(5, 2, 3.0) == 60.0 * unit
    assert allowances.basis_rounding(4, 3, 1.0) == 44.0 * unit
    assert allowances.added_up(45) == 280.0 * unit
    assert allowances.table_rounding(3, 2, 0, 7.0) == 10.0 * unit
    assert allowances.table_rounding(5, 2, 1, 6.0) == pytest.approx(
        (14.0 + 8.0 + 16.0 * math.pi + 24.0) * unit, rel=1e-12, abs=0.0
    )
    assert allowances.table_rounding(5, 2, 3, 6.0) == pytest.approx(
        (14.0 + 8.0 + 48.0 * math.pi + 72.0) * unit, rel=1e-12, abs=0.0
    )
