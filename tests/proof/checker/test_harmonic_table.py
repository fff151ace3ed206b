"""Tables of functions of sums of angles and displacements give the functions back, within their radius."""

from __future__ import annotations

import numpy as np

from torquec.proof.checker.harmonic_table import harmonic_table

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
