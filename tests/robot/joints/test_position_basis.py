"""Bases: as many samples as functions determine a function of a degree, and no fewer do."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.robot.joints import PositionBasis


def functions(basis, degree, x):
    """The functions of a basis at x, (N, size)."""
    if basis.is_periodic:
        return np.stack([f(k * x) for k in range(degree + 1) for f in (np.cos, np.sin) if k or f is np.cos], axis=1)
    return np.stack([x**k for k in range(degree + 1)], axis=1)


@pytest.mark.parametrize("basis", list(PositionBasis))
@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_size_is_the_number_of_independent_functions(basis, degree):
    size = basis.size(degree)
    x = np.random.default_rng(degree).uniform(-1.0, 1.0, 40)
    assert functions(basis, degree, x).shape[1] == np.linalg.matrix_rank(functions(basis, degree, x)) == size
    assert basis.degree(size) == degree


@pytest.mark.parametrize("basis", list(PositionBasis))
def test_periodic_functions_repeat_after_a_turn(basis):
    x = np.linspace(-1.0, 1.0, 7)
    assert np.allclose(functions(basis, 2, x), functions(basis, 2, x + 2.0 * np.pi)) is basis.is_periodic
