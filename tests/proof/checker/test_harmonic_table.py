"""Tables of functions of sums of angles and displacements give the functions back, within their radius."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import CheckError
from torquec.proof.checker.allowances import TABLE_VALUE, table_rounding
from torquec.proof.checker.harmonic_table import (
    _MOST_VALUES,
    HarmonicTable,
    harmonic_table,
    require_room,
    table_points,
)

VARIABLES = [((0, 1), (1, -1)), ((2, 1),)]


def functions(positions):
    x, d = positions[:, 0] - positions[:, 1], positions[:, 2]
    return np.array([3.0 + np.cos(2.0 * x) * d - np.sin(x) * d * d, np.sin(x) * 0.5])


def test_sums_of_angles_and_displacements():
    table = harmonic_table(3, VARIABLES, [False, True], [2, 2], functions)
    positions = np.random.default_rng(1).uniform(-2.0, 2.0, (1000, 3))
    found = table.at(positions)
    np.testing.assert_allclose(found.value, functions(positions), atol=1e-12)
    assert np.all(found.radius < 1e-12)


def test_nodes_and_positions_agree():
    single = [((0, 1),), ((2, 1),)]
    table = harmonic_table(3, single, [False, True], [2, 2], functions)
    angles, slides = np.linspace(-3.0, 3.0, 7), np.array([0.1, 0.4])
    grid = np.array([[a, 0.0, d] for a in angles for d in slides])
    on_nodes = table.on_nodes([angles, slides])
    np.testing.assert_allclose(on_nodes.value.reshape(2, -1), table.at(grid).value, atol=1e-13)


def test_without_variables_a_table_is_constant():
    table = harmonic_table(3, [], [], [], lambda positions: np.full((2, len(positions)), 4.0))
    assert table.at(np.zeros((5, 3))).value.tolist() == [[4.0] * 5] * 2


def test_what_is_above_the_degrees_of_the_joints():
    """cos 2x cos 2y in x = q1, y = q1 + q2 is (cos(4 q1 + 2 q2) + cos 2 q2)/2: half of it is of degree four in q1."""
    variables = (((0, 1),), ((0, 1), (1, 1)))
    table = np.zeros((2, 5, 5))
    table[0, 3, 3] = 6.0
    table[1, 3, 3] = table[1, 4, 4] = 6.0  # with sin 2x sin 2y it is cos(2x - 2y) = cos 2 q2
    waves = HarmonicTable(variables, (False, False), (2, 2), table)
    limits = (-1.0, -1.0), (1.0, 1.0)
    assert waves.excess((2, 2), *limits) == pytest.approx([3.0, 0.0], abs=1e-7)
    assert waves.excess((4, 2), *limits) == pytest.approx([0.0, 0.0], abs=1e-7)
    assert waves.excess((2, 1), *limits) == pytest.approx([6.0, 6.0])
    sliding = HarmonicTable((((1, 1),),), (True,), (3,), np.array([[1.0, 1.0, 1.0, 2.0]]))
    assert sliding.excess((0, 1), (0.0, -3.0), (0.0, 2.0)) == pytest.approx([9.0 + 54.0])


def test_radii_by_hand():
    """e sum |table| times the largest basis values: of an angle one, of a displacement up to 3 its square; e has the
    part of every variable.
    """
    rows = np.array([[[1.0, -2.0, 3.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.25]], np.ones((3, 3))])
    table = HarmonicTable((((0, 1), (2, -1)), ((1, 1),)), (False, True), (1, 2), rows)
    positions = np.array([[0.5, -3.0, 4.0], [-2.0, 1.0, 1.0]])
    e = TABLE_VALUE + table_rounding(3, 1, 2, 2.0 + 4.0) + table_rounding(3, 2, 0, 3.0)
    found = table.at(positions)
    np.testing.assert_allclose(found.radius, [[e * 9.0 * 6.75] * 2, [e * 9.0 * 9.0] * 2], rtol=1e-12)
    single = HarmonicTable((((0, 1),), ((1, 1),)), (False, True), (1, 2), rows)
    e = TABLE_VALUE + table_rounding(3, 1, 1, 2.0) + table_rounding(3, 2, 0, 0.5)
    found = single.on_nodes([np.array([0.5, -2.0]), np.array([0.5, 0.25])])
    np.testing.assert_allclose(found.radius[:, 0, 0], [e * 6.75, e * 9.0], rtol=1e-12)
    none = HarmonicTable((), (), (), np.array([4.0, -8.0]))
    np.testing.assert_allclose(none.at(positions).radius[:, 0], [4.0 * TABLE_VALUE, 8.0 * TABLE_VALUE], rtol=1e-12)


def test_tables_have_room():
    assert table_points((False, True, False), (2, 3, 1)) == 5 * 4 * 3
    require_room(_MOST_VALUES)
    with pytest.raises(CheckError, match="too many variables"):
        require_room(_MOST_VALUES + 1)


def test_positions_worked_off_a_few_at_a_time(monkeypatch):
    table = harmonic_table(3, VARIABLES, [False, True], [2, 2], functions)
    positions = np.random.default_rng(2).uniform(-2.0, 2.0, (100, 3))
    whole = table.at(positions)
    monkeypatch.setattr("torquec.proof.checker.harmonic_table._MOST_PRODUCTS", 90)
    parts = table.at(positions)
    np.testing.assert_allclose(parts.value, whole.value, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(parts.radius, whole.radius)


def test_what_is_above_in_one_variable_whatever_the_other():
    """d^b of a displacement up to 3 in size times 1, cos x, sin x, cos 2x, ..: every product by its largest value."""
    table = np.arange(1.0, 16.0).reshape(1, 3, 5)
    for order in ((0, 1, 2), (0, 2, 1)):
        variables, sliding, degrees = (((0, 1),), ((1, 1),)), (True, False), (2, 2)
        if order[1] == 2:
            variables, sliding = variables[::-1], sliding[::-1]
        waves = HarmonicTable(variables, sliding, degrees, np.ascontiguousarray(table.transpose(order)))
        limits = (-3.0, -1.0), (2.0, 1.0)
        sizes = table[0] * np.array([[1.0], [3.0], [9.0]])
        # A cosine and a sine of the same multiple are one wave: sqrt(a^2 + b^2), half of it for each direction.
        amplitudes = np.stack([sizes[:, 0], np.hypot(sizes[:, 1], sizes[:, 2]), np.hypot(sizes[:, 3], sizes[:, 4])])
        assert waves.excess((2, 1), *limits) == pytest.approx([amplitudes[2].sum()])
        assert waves.excess((1, 2), *limits) == pytest.approx([amplitudes[:, 2].sum()])
        assert waves.excess((0, 0), *limits) == pytest.approx([amplitudes.sum() - amplitudes[0, 0]])
        assert waves.excess((2, 2), *limits) == [0.0]
