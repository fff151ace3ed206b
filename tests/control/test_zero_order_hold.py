"""Held inputs: a double integrator, a rotation, agreement with scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.control.zero_order_hold import matrix_exponential, zero_order_hold


def test_a_rotation():
    found = matrix_exponential(np.array([[0.0, -20.0], [20.0, 0.0]]))
    assert np.allclose(found, [[math.cos(20.0), -math.sin(20.0)], [math.sin(20.0), math.cos(20.0)]], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 30.0])
def test_scipy_agrees(scale):
    linalg, signal = pytest.importorskip("scipy.linalg"), pytest.importorskip("scipy.signal")
    rng = np.random.default_rng(0)
    A, B = scale * rng.normal(size=(8, 8)), rng.normal(size=(8, 3))
    assert np.allclose(matrix_exponential(A), linalg.expm(A), rtol=1e-10, atol=1e-10 * np.abs(linalg.expm(A)).max())
    Phi, Psi, *_ = signal.cont2discrete((A, B, np.eye(8), np.zeros((8, 3))), 0.1)
    ours = zero_order_hold(A, B, 0.1)
    assert np.allclose(ours[0], Phi, rtol=1e-9, atol=1e-9 * np.abs(Phi).max())
    assert np.allclose(ours[1], Psi, rtol=1e-9, atol=1e-9 * np.abs(Psi).max())


def test_nothing_happens_without_dynamics():
    assert np.array_equal(matrix_exponential(np.zeros((3, 3))), np.eye(3))
