"""Solving with the mass matrix: known systems, zeros kept, exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.dynamics.random_robots import random_robot, random_state

from torquec.dynamics import mass_matrix
from torquec.dynamics.joint_space_solve import BranchedInverse, factorize, general_factorize, general_solve, solve
from torquec.expr import count_operations, trace
from torquec.expr.graph import Graph, is_zero


def test_two_by_two():
    assert solve(factorize([[2.0, 1.0], [1.0, 1.0]]), [3.0, 2.0]) == [1.0, 1.0]


def test_exact_on_fractions():
    hilbert = [[Fraction(1, i + j + 1) for j in range(5)] for i in range(5)]
    y = [Fraction(k, 3) for k in range(5)]
    x = solve(factorize(hilbert), y)
    assert [sum(a * b for a, b in zip(row, x, strict=True)) for row in hilbert] == y


@pytest.mark.parametrize("seed", range(15))
def test_agrees_with_numpy(seed):
    robot = random_robot(seed)
    state = random_state(robot, seed, size=1)
    matrix = np.array(mass_matrix(robot, list(state.q[0])))
    x = solve(factorize(matrix.tolist()), list(state.tau[0]))
    assert np.allclose(matrix @ x, state.tau[0], atol=1e-11)


def test_branches_do_not_fill_in():
    # Joints 1 and 2 both stand on joint 0.
    factors = factorize([[5.0, 1.0, 1.0], [1.0, 2.0, 0.0], [1.0, 0.0, 2.0]])
    assert [sorted(row) for row in factors.lower] == [[], [0], [0]]


def test_zero_is_the_number_zero():
    graph = Graph()
    assert is_zero(0.0)
    assert is_zero(0)
    assert is_zero(graph.constant(0.0))
    assert not is_zero(1e-300)
    assert not is_zero(np.zeros(3))
    assert not is_zero(graph.input("q", 0))


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


@pytest.mark.parametrize("seed", range(15))
def test_branched_inverse_agrees_with_numpy(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    lower = np.eye(n)
    for k in range(1, n):
        ancestor = int(rng.integers(0, k))  # a tree; some entries between ancestors vanish
        lower[k, : ancestor + 1] = np.where(rng.uniform(size=ancestor + 1) < 0.7, rng.normal(size=ancestor + 1), 0.0)
    matrix = lower.T @ np.diag(rng.uniform(0.5, 2.0, n)) @ lower
    inverse, y = BranchedInverse.of(factorize(matrix.tolist())), rng.normal(size=n)
    np.testing.assert_allclose(inverse.matrix(), np.linalg.inv(matrix), atol=1e-9)
    np.testing.assert_allclose(inverse.solve(list(y)), np.linalg.solve(matrix, y), atol=1e-9)


def test_branched_inverse_is_exact_on_fractions():
    matrix = [[Fraction(4), Fraction(1)], [Fraction(1), Fraction(3)]]
    inverse = BranchedInverse.of(factorize(matrix))
    assert inverse.solve([Fraction(1), Fraction(2)]) == [Fraction(1, 11), Fraction(7, 11)]
    assert inverse.matrix() == [[Fraction(3, 11), Fraction(-1, 11)], [Fraction(-1, 11), Fraction(4, 11)]]
