"""Triangles: they know the norm of every residual, merge exactly, and need no more memory for more rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.identification.estimators.estimator import joint_weights
from torquec.identification.estimators.joint_factors import TriangleSum, joint_factors, stream_factors


def added(blocks, width):
    total = TriangleSum(width)
    for block in blocks:
        total.add(block)
    return total.triangle()


def upright(r):
    return r * np.where(np.diag(r) < 0.0, -1.0, 1.0)[:, None]


def one_qr(rows):
    return upright(np.linalg.qr(rows, mode="r"))


def test_known_answer_sum():
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


def rows(seed, size=200, n=3, k=8):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(size, n, k))
    a[:, 1, :3] = 0.0  # columns that a joint does not have
    return a, rng.normal(size=(size, n))


def test_known_answer():
    factors = joint_factors(np.array([[[3.0]], [[4.0]]]), np.array([[1.0], [1.0]]))
    assert np.allclose(np.abs(factors.triangles[0]), [[5.0, 1.4], [0.0, 0.2]])


def test_residuals_of_any_x():
    a, tau = rows(0)
    x = np.random.default_rng(1).normal(size=8)
    assert np.allclose(joint_factors(a, tau).squares(x), ((tau - a @ x) ** 2).sum(axis=0), rtol=1e-12, atol=0.0)


def test_chunks_merge_to_the_whole():
    a, tau = rows(2, size=1000)
    whole = joint_factors(a, tau)
    cut = stream_factors(((a[i : i + 130], tau[i : i + 130]) for i in range(0, 1000, 130)), threads=2)
    x = np.ones(8)
    assert cut.count == 1000
    assert np.allclose(cut.squares(x), whole.squares(x), rtol=1e-12, atol=0.0)
    gram = [np.einsum("jab,jac->jbc", f.triangles, f.triangles) for f in (cut, whole)]
    assert np.allclose(gram[0], gram[1], rtol=1e-11, atol=1e-11)


def test_many_samples_give_the_r_of_one_qr():
    a, tau = rows(6, size=7000)
    found = joint_factors(a, tau)
    for j in range(3):
        present = [k for k in range(8) if a[:, j, k].any()]
        one = np.linalg.qr(np.column_stack([a[:, j, present], tau[:, j]]), mode="r")
        many = found.triangles[j][: len(one)][:, [*present, 8]]
        assert np.abs(np.abs(many) - np.abs(one)).max() <= 1e-12 * np.abs(one).max()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_factors_merge_in_any_order(order):
    heaps = [rows(seed, size=300) for seed in range(3)]
    parts = [joint_factors(*heap) for heap in heaps]
    merged = parts[order[0]].merged(parts[order[1]]).merged(parts[order[2]])
    whole = joint_factors(*(np.concatenate(both) for both in zip(*heaps, strict=True)))
    gram = [np.einsum("jab,jac->jbc", f.triangles, f.triangles) for f in (merged, whole)]
    assert np.abs(gram[0] - gram[1]).max() <= 1e-13 * np.abs(gram[1]).max()


def test_weights_of_joints_come_later():
    a, tau = rows(3)
    weights = np.array([1.0, 10.0, 0.1])
    triangle = joint_factors(a, tau).weighted(weights)
    flat = np.concatenate([(a * weights[:, None]).reshape(-1, 8), (tau * weights).reshape(-1, 1)], axis=1)
    assert np.allclose(triangle.T @ triangle, flat.T @ flat)


def test_nearly_dependent_columns_keep_their_digits():
    a, tau = rows(4)
    a[:, :, 7] = a[:, :, 6] + 1e-9 * a[:, :, 5]
    x = np.array([0, 0, 0, 0, 0, 0, 1.0, -1.0])
    # Normal equations would lose this: 1e-9 squared is below rounding.
    assert np.allclose(
        np.sqrt(joint_factors(a, 0 * tau).squares(x)), 1e-9 * np.linalg.norm(a[:, :, 5], axis=0), rtol=1e-5, atol=0.0
    )


def test_misuse():
    a, tau = rows(5)
    with pytest.raises(ArgumentError, match="belong together"):
        joint_factors(a, tau[:, :2])
    tau[3, 1] = np.nan
    with pytest.raises(ArgumentError, match="finite"):
        joint_factors(a, tau)
    with pytest.raises(ArgumentError, match="no samples"):
        stream_factors([])


def test_rows_that_do_not_count_leave_no_trace():
    rng = np.random.default_rng(4)
    a, tau, counted = rng.normal(size=(60, 2, 3)), rng.normal(size=(60, 2)), rng.random((60, 2)) < [0.3, 0.9]
    found = joint_factors(a[:25], tau[:25], counted[:25]).merged(joint_factors(a[25:], tau[25:], counted[25:]))
    assert found.row_counts.tolist() == counted.sum(axis=0).tolist()
    assert found.count == 60
    for j in range(2):
        rows = np.column_stack([a[counted[:, j], j], tau[counted[:, j], j]])
        np.testing.assert_allclose(found.triangles[j].T @ found.triangles[j], rows.T @ rows, atol=1e-12)
    assert found.of_columns([0, 2]).row_counts.tolist() == found.row_counts.tolist()
    assert joint_factors(a, tau).row_counts.tolist() == [60.0, 60.0]


def test_weights_are_by_the_rows_that_count():
    """Twice the rows at the same deviation: the same weight."""
    rng = np.random.default_rng(5)
    a, noise = rng.normal(size=(4000, 2, 1)), rng.normal(size=(4000, 2))
    counted = np.ones((4000, 2), dtype=bool)
    counted[::2, 0] = False
    weights = joint_weights(joint_factors(a, a[..., 0] + noise, counted), np.ones(1))
    np.testing.assert_allclose(weights, [1.0, 1.0], rtol=0.05)
