"""Other variables for the same function."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.closedform.polynomial import Variable, single
from torquec.closedform.rewrite import basis_change, fewest_terms
from torquec.closedform.tabulate import coefficient_table, grid, polynomial_from_table
from torquec.closedform.variables import ParallelGroup, cumulative_variables

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
