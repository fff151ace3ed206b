"""Triangles that grow: the same as one QR of all rows, also where columns nearly depend and where rows surprise."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.estimators.triangle_sum import TriangleSum


def added(blocks, width):
    total = TriangleSum(width)
    for block in blocks:
        total.add(block)
    return total.triangle()


def upright(r):
    return r * np.where(np.diag(r) < 0.0, -1.0, 1.0)[:, None]


def one_qr(rows):
    return upright(np.linalg.qr(rows, mode="r"))


def test_known_answer():
    r = upright(added([np.array([[3.0, 1.0]]), np.array([[4.0, 1.0]])], 2))
    assert np.allclose(r, [[5.0, 1.4], [0.0, 0.2]], atol=1e-15)


@pytest.mark.parametrize("sizes", [[500] * 8, [3, 1, 4000], [4000, 1, 3]])
def test_blocks_of_any_size_give_the_r_of_one_qr(sizes):
    rows = np.random.default_rng(0).normal(size=(sum(sizes), 20)) * np.logspace(-3, 3, 20)
    r = upright(added(np.split(rows, np.cumsum(sizes)[:-1]), 20))
    assert np.allclose(r / np.linalg.norm(rows, axis=0), one_qr(rows) / np.linalg.norm(rows, axis=0), atol=1e-12)
    assert np.array_equal(r, np.triu(r))


@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-9])
def test_nearly_dependent_columns_keep_what_householder_keeps(size):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(6000, 5))
    rows[:, 4] = rows[:, 0] + rows[:, 1] + size * rng.normal(size=6000)
    r = upright(added(np.split(rows, 6), 5))
    # The normal equations would know nothing of the last pivot below 1e-8.
    assert abs(r[4, 4] / one_qr(rows)[4, 4] - 1.0) < 100.0 * np.finfo(float).eps / size


def test_what_moves_late_is_not_lost():
    """First a joint stands nearly still: its column is a ten-millionth of what it will be."""
    rng = np.random.default_rng(2)
    still, moving = rng.normal(size=(2, 2000, 4))
    still[:, 2] *= 1e-7
    rows = np.concatenate([still, moving])
    assert np.allclose(upright(added([still, moving], 4)), one_qr(rows), rtol=1e-11, atol=1e-10)


def test_a_column_of_zeros_and_repeated_columns():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(3000, 4))
    rows[:, 1], rows[:, 3] = 0.0, rows[:, 0]
    r = added(np.split(rows, 3), 4)
    assert np.allclose(r.T @ r, rows.T @ rows, rtol=1e-12, atol=1e-9)


def test_what_is_not_finite_stays_visible():
    rows = np.ones((10, 2)) + np.eye(10, 2)
    bad = rows.copy()
    bad[4, 1] = np.nan
    assert np.isnan(added([rows, bad, rows], 2)).any()
