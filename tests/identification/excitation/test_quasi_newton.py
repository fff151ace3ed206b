"""BFGS: known minima, a narrow valley, kinks, a budget that is kept."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.identification.excitation.quasi_newton import minimise


def rosenbrock(x):
    a, b = x[1:] - x[:-1] ** 2, 1.0 - x[:-1]
    slope = np.zeros_like(x)
    slope[1:] += 200.0 * a
    slope[:-1] += -400.0 * x[:-1] * a - 2.0 * b
    return float((100.0 * a**2 + b**2).sum()), slope


def test_a_narrow_valley():
    found = minimise(rosenbrock, np.full(6, -0.5), evaluations=500)
    assert np.allclose(found.x, 1.0, atol=1e-5)
    assert found.evaluations < 300


def test_a_quadratic_bowl_of_any_curvature():
    curvature = np.logspace(0, 4, 8)
    found = minimise(lambda x: (0.5 * float(x @ (curvature * x)), curvature * x), np.ones(8), evaluations=200)
    assert np.abs(found.x).max() < 1e-4


def test_a_kink_is_reached():
    found = minimise(lambda x: (abs(x[0]) + x[1] ** 2, np.array([np.sign(x[0]), 2 * x[1]])), np.ones(2), evaluations=80)
    assert found.value < 1e-3


@pytest.mark.parametrize("budget", [1, 2, 7, 40])
def test_the_budget_is_kept_and_nothing_gets_worse(budget):
    calls = []

    def counted(x):
        calls.append(1)
        return rosenbrock(x)

    start = np.full(4, 2.0)
    found = minimise(counted, start, evaluations=budget)
    assert len(calls) == found.evaluations <= budget
    assert found.value <= rosenbrock(start)[0]


def test_infinite_values_are_steps_too_far():
    def walled(x):
        return (float("inf"), x) if x[0] < 0.5 else (float(x[0]), np.array([1.0]))

    assert 0.5 <= minimise(walled, np.array([2.0]), evaluations=60).x[0] < 0.51
