"""Bernstein enclosures contain the range, touch it at corners, and tighten under halving."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.proof.tables import table_of

from torquec.closedform.polynomial import TrigPolynomial, Variable, single
from torquec.closedform.tabulate import basis_powers
from torquec.proof.enclosure.bernstein import (
    WIDEST,
    Range,
    along,
    amplitudes_within,
    basis_degree,
    halves,
    numerator_matrix,
    root_ranges,
    rounding_steps,
    sum_of_amplitudes,
)
from torquec.robot.joints import PositionBasis

X, Y, Z = Variable(((0, 1),)), Variable(((1, 1),)), Variable(((2, 1),), PositionBasis.POLYNOMIAL)


def _control(table, ranges):
    weight = np.ones(())
    for axis, r in enumerate(ranges, start=1):
        matrix, denominator = numerator_matrix(r, 2)
        table = along(matrix, table, axis)
        weight = np.multiply.outer(weight, denominator)
    return table / weight


def test_cosine_on_a_quarter_turn_is_known():
    """cos on [0, pi/2]: the ends are 1 and 0, and all control values lie between the bounds of its range."""
    control = _control(table_of([single(X, 1, 0)], [X], 2), [Range(X, 0.0, math.pi / 2)])[0]
    assert control[0] == pytest.approx(1.0, abs=1e-15)
    assert control[-1] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("seed", range(12))
def test_range_is_enclosed(seed):
    rng = np.random.default_rng(seed)
    basis = [single(X, a, b) * single(Y, c, d) * single(Z, 0, e) for a, b in [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1)]
             for c, d in [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1)] for e in (0, 1, 2)]  # fmt: skip
    p = sum((f * float(rng.normal()) for f in basis[1:]), basis[0])
    ends = np.sort(rng.uniform(-3.0, 3.0, (3, 2)), axis=1)
    ranges = [Range(v, low, min(high, low + 2.8)) for v, (low, high) in zip((X, Y, Z), ends, strict=True)]
    control = _control(table_of([p], [X, Y, Z], 2), ranges)[0]
    q = np.stack([rng.uniform(r.lower, r.upper, 20_000) for r in ranges], axis=1)
    values = p(q)
    assert control.min() <= values.min()
    assert values.max() <= control.max()
    corner = p(np.array([[r.upper for r in ranges]]))[0]
    assert control[-1, -1, -1] == pytest.approx(corner, abs=1e-12 * np.abs(control).max())


def test_halving_gives_both_halves():
    p = single(X, 1, 1) + single(X, 0, 1) * 0.3
    table = table_of([p], [X], 2)
    matrix, weight = numerator_matrix(Range(X, -1.0, 1.0), 2)
    whole = along(matrix, table, 1)
    for half, low, high in zip(halves(5), (-1.0, 0.0), (0.0, 1.0), strict=True):
        values = (along(half, whole, 1) / (half @ weight))[0]
        assert values[0] == pytest.approx(p(np.array([[low]]))[0], abs=1e-14)
        assert values[-1] == pytest.approx(p(np.array([[high]]))[0], abs=1e-14)
        inside = p(np.linspace(low, high, 500)[:, None])
        assert values.min() <= inside.min() + 1e-14
        assert inside.max() <= values.max() + 1e-14


def test_root_ranges_cover_and_are_narrow():
    pieces = root_ranges([Range(X, -3.0, 2.5), Range(Y, -7.0, 7.0), Range(Z, 0.0, 9.0)])
    for parts, (low, high) in zip(pieces, ((-3.0, 2.5), (-math.pi, math.pi), (0.0, 9.0)), strict=True):
        assert parts[0].lower == low
        assert parts[-1].upper == high
        assert all(a.upper == b.lower for a, b in itertools.pairwise(parts))
    assert all(part.upper - part.lower < math.pi for part in pieces[0] + pieces[1])


def test_halves_by_hand():
    """De Casteljau's means: of a parabola with control values a, b, c the left half has a, (a+b)/2, (a+2b+c)/4."""
    left, right = halves(3)
    np.testing.assert_array_equal(left, [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.5, 0.25]])
    np.testing.assert_array_equal(right, [[0.25, 0.5, 0.25], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("variable", [X, Z], ids=["angle", "displacement"])
def test_numerators_and_denominators_are_bernstein_polynomials(variable, degree):
    """N/D is every basis function at all points of the interval, N and D of degree 2 d in t, or d in a displacement."""
    interval = Range(variable, -0.4, 1.7)
    numerators, denominators = numerator_matrix(interval, degree)
    top = 2 * degree if variable.is_angle else degree
    powers = basis_powers(variable, degree)
    assert (numerators.shape, denominators.shape) == ((top + 1, len(powers)), (top + 1,))
    assert basis_degree(variable, len(powers)) == degree
    u = np.linspace(0.0, 1.0, 23)
    polynomials = np.stack([math.comb(top, b) * u**b * (1.0 - u) ** (top - b) for b in range(top + 1)], axis=1)
    if not variable.is_angle:
        cosine, sine = np.ones_like(u), -0.4 + 2.1 * u
    else:
        x = 0.65 + 2.0 * np.arctan(math.tan(0.25 * 2.1) * (2.0 * u - 1.0))
        cosine, sine = np.cos(x), np.sin(x)
    expected = np.stack([cosine**a * sine**b for a, b in powers], axis=1)
    np.testing.assert_allclose(polynomials @ numerators / (polynomials @ denominators)[:, None], expected, atol=1e-13)
    assert np.all(denominators > 0.0)


def test_what_rounding_is_allowed_for():
    """64 units for each variable, and once for the sum."""
    assert [rounding_steps(k) / np.finfo(float).eps for k in range(4)] == [64.0, 128.0, 192.0, 256.0]


def test_tables_place_coefficients_by_their_powers():
    p = single(X, 0, 2) * single(Z, 0, 1) * 3.0 + single(Y, 1, 1) * -2.0 + single(X, 0, 2) * 0.5
    table = table_of([p, single(Z, 0, 2)], [X, Y, Z], 2)
    expected = np.zeros((2, 5, 5, 3))
    at = basis_powers(X, 2).index((0, 2))
    expected[0, at, 0, 1], expected[0, at, 0, 0] = 3.0, 0.5
    expected[0, 0, basis_powers(Y, 2).index((1, 1)), 0] = -2.0
    expected[1, 0, 0, 2] = 1.0
    np.testing.assert_array_equal(table, expected)


def test_root_ranges_are_as_few_as_are_narrow_enough():
    for parts, count in ((0.0, 1), (0.5, 1), (1.0, 1), (1.01, 2), (2.0, 2), (2.1, 3)):
        (found,) = root_ranges([Range(X, 0.3, 0.3 + parts * WIDEST)])
        assert len(found) == count
        assert {round(r.upper - r.lower, 9) for r in found} == {round(parts * WIDEST / count, 9)}
    (whole,) = root_ranges([Range(X, 0.0, 2.0 * math.pi)])
    assert (whole[0].lower, whole[-1].upper) == (-math.pi, math.pi)


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
