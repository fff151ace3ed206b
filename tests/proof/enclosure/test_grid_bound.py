"""Sums of monomials over shared variables: exact where they are linear, never below samples, never above magnitudes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from torquec.proof.enclosure.grid_bound import (
    GridAxis,
    Monomial,
    MonomialBound,
    _without_weak_harmonics,
    amplitudes,
    grid_bound,
)
from torquec.robot.joints import PositionBasis


def sum_at(monomials, coefficients, x, y):
    """The sum itself: shared variables by part and number, y by group."""
    total = 0.0
    for monomial, f in zip(monomials, coefficients, strict=True):
        value = f * np.prod([x[monomial.part, k] for k in monomial.shared])
        total += value if monomial.group is None else value * y[monomial.group]
    return total


def one(monomials, coefficients):
    """The bound for one set of coefficients."""
    return float(MonomialBound(monomials)(np.array(coefficients)[:, None])[0])


def test_signs_that_contradict_each_other_do_not_add_up():
    # The inequality of Clauser, Horne, Shimony and Holt: two, though the magnitudes add up to four.
    pairs = [Monomial((0, 1)), Monomial((1, 2)), Monomial((2, 3)), Monomial((0, 3))]
    assert one(pairs, [1.0, 1.0, 1.0, -1.0]) == 2.0
    assert one(pairs, [1.0, 1.0, 1.0, 1.0]) == 4.0


def test_a_bilinear_form_is_bounded_by_its_norm():
    rng = np.random.default_rng(0)
    b = rng.normal(size=(4, 4))
    monomials = [Monomial((j,), ("a", e)) for j, e in itertools.product(range(4), repeat=2)]
    exact = max(np.abs(np.array(s) @ b).sum() for s in itertools.product((1.0, -1.0), repeat=4))
    assert one(monomials, b.ravel()) == pytest.approx(exact, rel=1e-14, abs=0.0)


def test_a_square_is_at_most_its_factor_and_never_negative():
    assert one([Monomial((0, 0))], [2.0]) == 2.0
    assert one([Monomial((0, 0)), Monomial()], [2.0, -1.0]) == 1.0  # 2 x^2 - 1 is within +-1


def test_parts_share_nothing():
    apart = [Monomial((0,)), Monomial((0,), None, "other")]
    assert one(apart, [1.0, -1.0]) == 2.0
    assert one([Monomial((0,)), Monomial((0,))], [1.0, -1.0]) == 0.0


def test_odd_and_even_terms_of_a_group_need_every_sign():
    assert one([Monomial((0,)), Monomial()], [-1.0, 1.0]) == 2.0


def test_too_many_variables_are_bounded_one_by_one():
    many = [Monomial((k, k + 1)) for k in range(12)]
    assert one(many, np.arange(12.0) - 5.0) == np.abs(np.arange(12.0) - 5.0).sum()


@pytest.mark.parametrize("seed", range(30))
def test_never_below_the_sum_and_never_above_the_magnitudes(seed):
    rng = np.random.default_rng(seed)
    monomials = []
    for _ in range(25):
        shared = tuple(int(k) for k in rng.integers(0, 4, rng.integers(0, 5)))
        group = None if rng.random() < 0.4 else ("a", int(rng.integers(3)))
        monomials.append(Monomial(shared, group, str(rng.choice(["", "other"]))))
    coefficients = rng.normal(size=25)
    bound = one(monomials, coefficients)
    assert bound <= np.abs(coefficients).sum() * (1.0 + 1e-12)
    keys = [(part, k) for part in ("", "other") for k in range(4)]
    largest = 0.0
    for _ in range(400):
        x = dict(zip(keys, rng.uniform(-1.5, 1.5, 8).clip(-1.0, 1.0), strict=True))
        y = {("a", k): value for k, value in enumerate(rng.choice([-1.0, 1.0], 3))}
        largest = max(largest, abs(sum_at(monomials, coefficients, x, y)))
    assert largest <= bound * (1.0 + 1e-12)


def test_many_points_at_once():
    rng = np.random.default_rng(1)
    monomials = [Monomial((0, 1), ("a", 0)), Monomial((1, 1), ("a", 0)), Monomial((0,), ("a", 1)), Monomial((2,))]
    values = rng.normal(size=(4, 7)).astype(np.float32)
    bound = MonomialBound(monomials)
    np.testing.assert_allclose(bound(values), [float(bound(values[:, [k]])[0]) for k in range(7)], rtol=1e-6)


def free_rows(table):
    """Rows whose factors have nothing in common: their magnitudes add up."""
    return lambda: ((Monomial((), ("y", k)), row) for k, row in enumerate(table))


def values_at(table, axes, q):
    """The rows at one position."""
    for axis, x in zip(axes, q, strict=True):
        table = np.tensordot(table, axis.values(np.array([x]))[0], axes=(1, 0))
    return table


def test_a_cosine_of_amplitude_two_is_bounded_by_two():
    table = np.array([[0.0, 2.0, 0.0]])
    assert 2.0 <= grid_bound(free_rows(table), [GridAxis(1)]) < 2.01


@pytest.mark.parametrize("seed", range(20))
def test_never_below_samples_and_never_far_above(seed):
    rng = np.random.default_rng(seed)
    axes = [GridAxis(2), GridAxis(1 + seed % 2, basis=PositionBasis.POLYNOMIAL, lower=-0.4, upper=1.1), GridAxis(2)][
        : 1 + seed % 3
    ]
    table = rng.normal(size=(6, *(axis.size for axis in axes)))
    bound = grid_bound(free_rows(table), axes)
    largest = 0.0
    for _ in range(3000):
        q = [rng.uniform(a.lower, a.upper) if not a.basis.is_periodic else rng.uniform(0.0, 2.0 * np.pi) for a in axes]
        largest = max(largest, float(np.abs(values_at(table, axes, q)).sum()))
    assert largest <= bound <= 1.35 * largest
    assert bound <= amplitudes(table, axes).sum() * (1.0 + 1e-6)


def test_a_grid_that_is_believed_as_it_is_would_be_too_small():
    # Planted bug: without the factor, a peak between the points of the grid is missed.
    axis = GridAxis(2)
    table = np.array([[0.0, 0.0, 0.0, np.cos(0.3), np.sin(0.3)]])
    coarse = np.abs(axis.values(axis.points(5)) @ table[0]).max()
    assert coarse < 1.0 <= coarse * axis.factor(5)


def test_slopes_are_those_of_differences():
    sliding = [GridAxis(2, basis=PositionBasis.POLYNOMIAL, lower=low, upper=0.3) for low in (-1.0, 0.05)]
    for axis in (GridAxis(2), GridAxis(3), *sliding):
        rng = np.random.default_rng(1)
        c = rng.normal(size=axis.size)
        x, h = np.array([0.1]), 1e-6
        slope = (axis.values(x + h) - axis.values(x - h))[0] @ c / (2.0 * h)
        assert axis.values(x)[0] @ (axis.slope() @ c) == pytest.approx(slope, rel=1e-6)


def test_weak_harmonics_are_left_out_one_by_one_and_are_counted():
    """Of three variables the highest ones of the first and the whole third: what is left and what went are all."""
    axes = [GridAxis(3), GridAxis(2, basis=PositionBasis.POLYNOMIAL, lower=-0.4, upper=1.1), GridAxis(1)]
    rng = np.random.default_rng(4)
    table = rng.normal(size=(4, *(axis.size for axis in axes)))
    weak = table.copy()
    weak[:, 5:] *= 1e-6
    weak[..., 1:] *= 1e-7
    left, kept, given = _without_weak_harmonics(weak.copy(), list(axes), 1e-3)
    assert [axis.degree for axis in kept] == [2, 2]
    np.testing.assert_array_equal(left, weak[:, :5, :, 0])
    gone = weak.copy()
    gone[:, :5, :, 0] = 0.0
    assert amplitudes(gone, axes).sum() * (1.0 - 1e-9) <= given <= 1e-3
    # Nothing goes where less is allowed than the weakest of them has.
    same, all_axes, none = _without_weak_harmonics(weak.copy(), list(axes), 1e-9)
    np.testing.assert_array_equal(same, weak)
    assert (all_axes, none) == (axes, 0.0)


@pytest.mark.parametrize("span", [0.0, 0.3, 1.0, 4.0])
def test_displacements_are_from_minus_one_to_one_in_their_range(span):
    """Chebyshev's polynomials are (1, -1, 1), (1, 0, -1) and (1, 1, 1) at its ends and between."""
    axis = GridAxis(2, basis=PositionBasis.POLYNOMIAL, lower=0.2, upper=0.2 + span)
    found = axis.values(0.2 + span * np.array([0.0, 0.5, 1.0]))
    expected = [[1.0, -1.0, 1.0], [1.0, 0.0, -1.0], [1.0, 1.0, 1.0]] if span else [[1.0, 0.0, -1.0]] * 3
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.any(axis.slope()) == bool(span)
