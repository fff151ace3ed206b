"""Elimination without symmetry: NumPy's solution, zeros kept, fractions exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from torquec.dynamics.general_solve import general_factorize, general_solve
from torquec.dynamics.joint_space_solve import factorize, solve
from torquec.expr import count_operations, trace


def test_it_solves_what_numpy_solves():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 8):
        A = rng.uniform(-1.0, 1.0, (n, n)) + 2.0 * n * np.eye(n)
        y = rng.uniform(-1.0, 1.0, n)
        found = general_solve(general_factorize(A.tolist()), y.tolist())
        np.testing.assert_allclose(found, np.linalg.solve(A, y), rtol=1e-13)


def test_fractions_stay_exact():
    A = [[Fraction(2), Fraction(1, 3)], [Fraction(-1, 7), Fraction(5)]]
    x = general_solve(general_factorize(A), [Fraction(1), Fraction(2)])
    assert [A[i][0] * x[0] + A[i][1] * x[1] for i in range(2)] == [1, 2]


def test_zeros_between_branches_cost_nothing_and_symmetry_halves_the_work():
    def cost(matrix, ways):
        factor, solver = ways
        traced = trace("f", lambda a, y: {"x": solver(factor(matrix(a)), y)}, {"a": (4, 4), "y": (4,)})
        return count_operations(traced).cost

    def full(a):
        return a

    def branched(a):
        return [[a[i][j] if i == 0 or j == 0 or i == j else 0.0 for j in range(4)] for i in range(4)]

    general = (general_factorize, general_solve)
    assert cost(branched, general) < cost(full, general)
    assert cost(full, (factorize, solve)) < cost(full, general)
