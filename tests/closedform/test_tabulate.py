"""Tables from samples: what was put in comes out."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.closedform.paths import ParallelGroup, cumulative_variables
from torquec.closedform.polynomial import TrigPolynomial, Variable, constant, single
from torquec.closedform.tabulate import (
    basis_change,
    basis_powers,
    coefficient_table,
    fewest_terms,
    grid,
    grid_size,
    polynomial_from_table,
)
from torquec.robot.joints import PositionBasis

ANGLE, SUM, SLIDE = Variable(((0, 1),)), Variable(((0, 1), (1, 1))), Variable(((2, 1),), PositionBasis.POLYNOMIAL)
VARIABLES = [ANGLE, SUM, SLIDE]


def random_polynomial(rng, degree):
    powers = {1: [(0, 0), (1, 0), (0, 1)], 2: [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1)]}[degree]
    total = TrigPolynomial()
    for _ in range(8):
        a, b = powers[rng.integers(len(powers))], powers[rng.integers(len(powers))]
        term = single(ANGLE, *a) * single(SUM, *b) * single(SLIDE, 0, int(rng.integers(0, degree + 1)))
        total = total + term * float(rng.normal())
    return total


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_polynomial_is_found_again(degree, seed):
    polynomial = random_polynomial(np.random.default_rng(seed), degree)
    q = grid(VARIABLES, 3, degree)
    assert len(q) == grid_size(VARIABLES, degree)
    found = polynomial_from_table(VARIABLES, coefficient_table(VARIABLES, polynomial(q), degree), degree)
    assert set(found.terms) == set(polynomial.terms)
    assert all(abs(found.terms[m] - c) < 1e-13 for m, c in polynomial)


def test_several_functions_at_once():
    q = grid(VARIABLES, 3)
    samples = np.stack([single(ANGLE, 1, 1)(q), 2.0 * single(SLIDE, 0, 2)(q)], axis=-1)
    table = coefficient_table(VARIABLES, samples)
    assert table.shape == (5, 5, 3, 2)
    assert table[4, 0, 0, 0] == pytest.approx(1.0)
    assert table[0, 0, 2, 1] == pytest.approx(2.0)


def test_rounding_becomes_zero():
    q = grid([ANGLE], 1)
    found = polynomial_from_table([ANGLE], coefficient_table([ANGLE], 1.0 + 1e-16 * q[:, 0]))
    assert found.terms.keys() == {()}


def test_no_variables_is_a_constant():
    q = grid([], 2)
    assert polynomial_from_table([], coefficient_table([], np.full(len(q), 3.0))) == constant(3.0)


GROUP = ParallelGroup(((0, 1), (1, 1), (2, -1)))
CUMULATIVE = cumulative_variables(GROUP, 0)


def table_of(polynomial):
    return coefficient_table(CUMULATIVE, polynomial(grid(CUMULATIVE, 3)))


def test_a_function_of_a_difference_becomes_one_term():
    middle = Variable(((1, 1),))
    chosen, table = fewest_terms(CUMULATIVE, [[0, 1, 2]], table_of(single(middle, 0, 2)), 1e-12)
    found = polynomial_from_table(chosen, np.where(np.abs(table) > 1e-12, table, 0.0))
    assert len(found) == 1
    assert found.depends_on == (1,)


@pytest.mark.parametrize("seed", range(5))
def test_the_function_stays_the_same(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(5, 5, 5)) * (rng.uniform(size=(5, 5, 5)) < 0.1)
    before = polynomial_from_table(CUMULATIVE, table)
    chosen, changed = fewest_terms(CUMULATIVE, [[0, 1, 2]], table, 1e-13)
    after = polynomial_from_table(chosen, changed)
    q = rng.uniform(-3, 3, (30, 3))
    np.testing.assert_allclose(after(q), before(q), atol=1e-11)
    assert len(after) <= len(before)


def test_changes_of_basis_undo_each_other():
    plain = tuple(Variable(((i, 1),)) for i in range(2))
    sums = (plain[0], Variable(((0, 1), (1, 1))))
    both = basis_change(plain, sums) @ basis_change(sums, plain)
    # C^2 and S^2 of one angle are tied, so that only functions of degree two in both sets come back.
    low = [0, 1, 2, 5, 10]
    np.testing.assert_allclose(both[np.ix_(low, low)], np.eye(5), atol=1e-12)


@pytest.mark.parametrize("degree", [4, 7])
def test_any_degree_has_a_basis(degree):
    """Programs of simplified models have higher degrees by their operations than equations of motion."""
    q = grid([ANGLE, SLIDE], 3, degree)
    values = np.cos(degree * q[:, 0] + 0.3) * q[:, 2] ** degree
    table = coefficient_table([ANGLE, SLIDE], values, degree)
    at = np.random.default_rng(0).uniform(-1.0, 1.0, (20, 2))
    angle = np.stack([np.cos(at[:, 0]) ** a * np.sin(at[:, 0]) ** b for a, b in basis_powers(ANGLE, degree)], axis=1)
    slide = np.stack([at[:, 1] ** b for _, b in basis_powers(SLIDE, degree)], axis=1)
    found = np.einsum("ij,ni,nj->n", table, angle, slide)
    assert found == pytest.approx(np.cos(degree * at[:, 0] + 0.3) * at[:, 1] ** degree, abs=1e-11)
