"""Elimination, QR and SVD on small matrices that a reader can check."""

from __future__ import annotations

import flint
import numpy as np
import pytest

from torquec.parameters.numeric_basis import (
    elimination,
    extended,
    grouping,
    independent_columns,
    pivoted_qr,
    singular_values,
    svd,
)

W = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 0.0, 3.0, 3.0], [2.0, 4.0, 1.0, 3.0], [1.0, 2.0, -1.0, 0.0]])
"""Column 1 is twice column 0, column 3 is the sum of columns 0 and 2."""

EXACT = flint.fmpq_mat([[flint.fmpq(int(entry)) for entry in row] for row in W])
NATURAL = np.linalg.norm(W, axis=0)


def holds(basis):
    np.testing.assert_allclose(W @ basis.expansion @ basis.projection, W, atol=1e-13)
    np.testing.assert_allclose(basis.projection @ basis.expansion, np.eye(basis.rank), atol=1e-13)


def test_elimination_keeps_what_comes_first():
    basis = elimination(EXACT, [0, 1, 2, 3])
    assert basis.kept == (0, 2)
    assert basis.projection.tolist() == [[1.0, 2.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]
    holds(basis)
    other = elimination(EXACT, [3, 1, 0, 2])
    assert other.kept == (3, 1)
    holds(other)


def test_elimination_in_doubles_and_digits_agrees():
    order = [3, 1, 0, 2]
    kept = independent_columns(W, NATURAL, order)
    basis = grouping(flint.arb_mat([[flint.arb(entry) for entry in row] for row in W[:2].tolist()]), kept)
    np.testing.assert_allclose(basis.projection, elimination(EXACT, order).projection, atol=1e-14)


def test_qr_keeps_columns_group_by_group():
    holds(pivoted_qr(W, NATURAL, [range(4)]))
    assert pivoted_qr(W, NATURAL, [[1], [0, 2, 3]]).kept[0] == 1


def test_svd_is_orthonormal():
    basis, added = svd(W, NATURAL, [range(4)])
    assert basis.rank == 2
    assert added == ()
    np.testing.assert_allclose(basis.projection @ basis.projection.T, np.eye(2), atol=1e-14)
    holds(basis)
    mixed, added = svd(W, NATURAL, [[0, 1], [2, 3]])
    assert mixed.rank == 2
    assert len(added) == 1
    holds(mixed)


def test_threshold_decides_in_doubles():
    almost = W.copy()
    almost[:, 1] += 1e-7 * np.array([1.0, -1.0, 0.0, 2.0])
    assert pivoted_qr(almost, NATURAL, [range(4)]).rank == 3
    assert pivoted_qr(almost, NATURAL, [range(4)], threshold=1e-5).rank == 2
    assert svd(almost, NATURAL, [range(4)])[0].rank == 3
    assert svd(almost, NATURAL, [range(4)], threshold=1e-5)[0].rank == 2
    values = singular_values(almost, NATURAL)
    assert values[0] == 1.0
    assert 1e-9 < values[2] < 1e-6


def test_extended_adds_only_what_is_missing():
    """Given columns 0 and 1 as one combination, column 2 is missing and column 3 is not."""
    given = [[flint.fmpq(k) for k in (1, 2, 0, 0)]]
    basis, added = extended(given, EXACT, [2, 3])
    assert added == (2,)
    holds(basis)


@pytest.mark.parametrize("shape", [(4, 0), (3, 2)])
def test_nothing_to_keep(shape):
    zero = np.zeros(shape)
    natural = np.zeros(shape[1])
    assert pivoted_qr(zero, natural, [range(shape[1])]).rank == 0
    assert svd(zero, natural, [range(shape[1])])[0].rank == 0
