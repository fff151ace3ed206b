"""Criteria: by hand, their derivatives against differences, and how smooth values approach true ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from torquec.identification.excitation.excitation_options import Criterion, criterion_slope, criterion_value

DIAGONAL = np.diag([1.0, 4.0, 100.0])


def random_information(seed, size=5):
    a = np.random.default_rng(seed).normal(size=(12, size)) * [1.0, 2.0, 0.5, 3.0, 1.5][:size]
    return a.T @ a


def test_values_by_hand():
    assert criterion_value(Criterion.CONDITION, DIAGONAL) == pytest.approx(math.log(10.0))
    assert criterion_value(Criterion.UNIT_CONDITION, DIAGONAL) == pytest.approx(0.0)
    assert criterion_value(Criterion.DETERMINANT, DIAGONAL) == pytest.approx(-math.log(400.0) / 3.0)


@pytest.mark.parametrize("criterion", list(Criterion))
def test_values_agree_with_numpy(criterion):
    w = random_information(0)
    scale = np.sqrt(np.diag(w))
    expected = {
        Criterion.CONDITION: 0.5 * math.log(np.linalg.cond(w)),
        Criterion.UNIT_CONDITION: 0.5 * math.log(np.linalg.cond(w / np.outer(scale, scale))),
        Criterion.DETERMINANT: -math.log(np.linalg.det(w)) / len(w),
    }[criterion]
    assert criterion_value(criterion, w) == pytest.approx(expected, rel=1e-9)
    assert criterion_slope(criterion, w, power=4.0).value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("criterion", list(Criterion))
@pytest.mark.parametrize("power", [1.0, 4.0, 16.0])
def test_derivatives_against_differences(criterion, power):
    w = random_information(1)
    slope = criterion_slope(criterion, w, power=power).by_w
    assert np.allclose(slope, slope.T)
    rng = np.random.default_rng(2)
    for _ in range(5):
        step = rng.normal(size=w.shape)
        step = 1e-6 * (step + step.T)
        high, low = (criterion_slope(criterion, w + sign * step, power=power).smooth for sign in (1.0, -1.0))
        assert (slope * step).sum() == pytest.approx(0.5 * (high - low), rel=1e-5, abs=1e-12)


def test_smooth_values_come_down_to_the_true_one():
    w = random_information(3)
    values = [criterion_slope(Criterion.CONDITION, w, power=p).smooth for p in (1.0, 4.0, 16.0, 200.0)]
    true = criterion_value(Criterion.CONDITION, w)
    assert values == sorted(values, reverse=True)
    assert true <= values[-1] <= true + 0.02


def test_a_singular_matrix_is_bad_and_not_an_error():
    w = np.outer([1.0, 2.0], [1.0, 2.0])
    for criterion in Criterion:
        found = criterion_slope(criterion, w, power=8.0)
        assert found.value > 5.0
        assert np.isfinite(found.by_w).all()
