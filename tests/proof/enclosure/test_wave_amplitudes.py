"""Sums of amplitudes: never below the function, and equal to it where waves can add up."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.closedform.polynomial import TrigPolynomial, Variable
from torquec.closedform.tabulate import basis_powers
from torquec.proof.enclosure.bernstein import table_of
from torquec.proof.enclosure.wave_amplitudes import amplitudes_within, sum_of_amplitudes
from torquec.robot.joints import PositionBasis


def angles(count):
    return [Variable(((j, 1),)) for j in range(count)]


def test_a_wave_in_two_angles_has_one_amplitude():
    """cos(a - b) = Ca Cb + Sa Sb is one wave, for all that it has two terms."""
    a, b = angles(2)
    wave = TrigPolynomial({((a, 1, 0), (b, 1, 0)): 2.0, ((a, 0, 1), (b, 0, 1)): 2.0, (): -0.5})
    assert sum_of_amplitudes(table_of([wave], [a, b], 2)[0], [a, b]) == pytest.approx(2.5)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_no_polynomial_is_larger(degree):
    rng = np.random.default_rng(degree)
    variables = angles(3)
    powers = basis_powers(variables[0], degree)
    table = rng.normal(size=(len(powers),) * 3) * (rng.random((len(powers),) * 3) < 0.2)
    q = rng.uniform(-np.pi, np.pi, (20_000, 3))
    basis = [np.stack([np.cos(x) ** a * np.sin(x) ** b for a, b in powers], axis=1) for x in q.T]
    values = np.abs(np.einsum("ijk,ni,nj,nk->n", table, *basis))
    most = sum_of_amplitudes(table, variables)
    assert values.max() <= most <= 6.0 * values.max()


def test_displacements_have_no_amplitude():
    slide = Variable(((0, 1),), PositionBasis.POLYNOMIAL)
    assert sum_of_amplitudes(np.ones(3), [slide]) is None


def test_displacements_count_as_far_as_they_reach():
    """3 d^2 - 2 d C with d of at most 5: 75 + 10."""
    slide, angle = Variable(((0, 1),), PositionBasis.POLYNOMIAL), Variable(((1, 1),))
    table = np.zeros((3, 3))
    table[2, 0], table[1, 1] = 3.0, -2.0
    assert amplitudes_within(table, [slide, angle], [5.0, np.inf]) == pytest.approx(85.0)
