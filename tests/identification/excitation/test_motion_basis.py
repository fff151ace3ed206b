"""Bases: linear, at rest at both ends, closed, and the same as the motions they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.excitation.motion_basis import FourierBasis, SplineBasis

BASES = [FourierBasis(4.0, 3), FourierBasis(2.0, 2), SplineBasis(5.0, 6), SplineBasis(3.0, 4)]


@pytest.mark.parametrize("basis", BASES, ids=str)
def test_a_motion_is_its_functions_times_its_coefficients(basis):
    x = np.random.default_rng(0).normal(size=(basis.size, 3))
    t = np.linspace(0.0, basis.duration, 17)
    phi, state = basis.at(t), basis.motion(x).at(t)
    for name in ("q", "qd", "qdd"):
        assert np.allclose(getattr(phi, name) @ x, getattr(state, name), atol=1e-10)


@pytest.mark.parametrize("basis", BASES, ids=str)
def test_it_rests_at_both_ends_which_are_one_place(basis):
    x = np.random.default_rng(1).normal(size=(basis.size, 2))
    motion = basis.motion(x)
    first, last = motion.at(0.0), motion.at(motion.end)
    assert motion.end == basis.duration
    assert np.allclose(first.q, last.q, atol=1e-12)
    for state in (first, last):
        assert np.allclose(state.qd, 0.0, atol=1e-10)
        assert np.allclose(state.qdd, 0.0, atol=1e-9)


@pytest.mark.parametrize("basis", BASES, ids=str)
def test_shifting_moves_the_position_and_nothing_else(basis):
    x = basis.random(np.random.default_rng(2), 2)
    t = np.linspace(0.0, basis.duration, 9)
    before, after = (basis.motion(c).at(t) for c in (x, basis.shifted(x, np.array([1.0, -2.0]))))
    assert np.allclose(after.q - before.q, [1.0, -2.0], atol=1e-12)
    assert np.allclose(after.qd, before.qd, atol=1e-11)


def test_the_functions_of_a_fourier_basis_span_every_series_at_rest():
    basis = FourierBasis(1.0, 4)
    assert basis.size == 1 + 2 * 4 - 2
    t = np.linspace(0.0, 1.0, 50, endpoint=False)
    assert np.linalg.matrix_rank(basis.at(t).q) == basis.size
