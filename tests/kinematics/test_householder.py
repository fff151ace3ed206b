"""Determinants, null vectors and left null spaces by reflections against LAPACK."""

from __future__ import annotations

import numpy as np

from torquec.kinematics.householder import determinant, left_null_rows, null_vector


def test_determinants_are_those_of_lapack_up_to_one_sign():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(20):
        A = rng.normal(size=(7, 7))
        found.append(determinant(A.tolist()) / np.linalg.det(A))
    np.testing.assert_allclose(np.array(found) / found[0], 1.0, rtol=1e-11)
    assert abs(abs(found[0]) - 1.0) < 1e-12


def test_null_vectors_are_those_of_the_singular_value_decomposition():
    rng = np.random.default_rng(1)
    for _ in range(20):
        A = rng.normal(size=(6, 6))
        A[:, 2] = A[:, [0, 1, 3, 4, 5]] @ rng.normal(size=5)
        v = np.array(null_vector(A.tolist()))
        assert abs(abs(v @ np.linalg.svd(A)[2][-1]) - 1.0) < 1e-12


def test_left_null_rows_are_orthonormal_and_across_even_of_dependent_columns():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(9, 4))
    A[:, 3] = A[:, 0]
    A[:, 1] = 0.0
    N = np.array(left_null_rows(A.tolist()))
    np.testing.assert_allclose(N @ N.T, np.eye(5), atol=1e-14)
    np.testing.assert_allclose(N @ A, 0.0, atol=1e-14)
