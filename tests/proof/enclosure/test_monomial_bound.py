"""Sums of monomials over shared variables: exact where they are linear, never below samples, never above magnitudes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from torquec.proof.enclosure.monomial_bound import Monomial, MonomialBound


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
