"""Tables from samples: what was put in comes out."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.closedform.polynomial import TrigPolynomial, Variable, constant, single
from torquec.closedform.tabulate import coefficient_table, grid, grid_size, polynomial_from_table
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
