"""Tables of mass matrices: all of M, at any position, from a grid."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.closedform.tabulate import basis_powers
from torquec.expr import evaluate, trace
from torquec.expr.math import sincos
from torquec.model.quantities import trace_quantity
from torquec.proof.inertia.mass_matrix_table import mass_matrix_table, polynomial_degrees
from torquec.robot.classics import load_classic


def value_at(table, q, n):
    """The symmetric matrix that a table stands for."""
    entries = table.entries
    for joint, variable, degree in zip(table.joints, table.variables, table.degrees, strict=True):
        x = q[joint]
        powers = basis_powers(variable, degree)
        c = 1.0 if variable.prismatic else np.cos(x)
        s = x if variable.prismatic else np.sin(x)
        entries = np.tensordot(entries, np.array([c**a * s**b for a, b in powers]), axes=(1, 0))
    M = np.zeros((n, n))
    M[np.triu_indices(n)] = entries
    return np.maximum(M, M.T) + np.minimum(M, M.T) - np.diag(np.diag(M))


@pytest.mark.parametrize("name", ["planar3r", "scara", "stanford", "puma560"])
def test_a_table_is_the_matrix_anywhere(name):
    robot = load_classic(name)
    own = trace_quantity(robot, "mass_matrix")
    table = mass_matrix_table(robot, own, polynomial_degrees(robot, own))
    for q in np.random.default_rng(0).uniform(-2.0, 2.0, (5, robot.n)):
        M = evaluate(own, {"q": q[None]})["M"][0]
        assert value_at(table, q, robot.n) == pytest.approx(M, abs=1e-10)
        assert np.abs(value_at(table, q, robot.n) - M).max() <= table.off


def test_less_itself_nothing_is_left():
    robot = load_classic("puma560")
    own = trace_quantity(robot, "mass_matrix")
    table = mass_matrix_table(robot, own, polynomial_degrees(robot, own), less=own)
    assert np.all(table.entries == 0.0)
    assert table.off > 0.0


def test_only_the_symmetric_part_is_in_it():
    robot = load_classic("planar2r")
    M = trace("mass_matrix", lambda q: {"M": [[1.0, 4.0 * sincos(q[1])[0]], [2.0, 1.0]]}, {"q": (2,)})
    table = mass_matrix_table(robot, M, polynomial_degrees(robot, M))
    assert value_at(table, [0.3, 0.5], 2)[0, 1] == pytest.approx(1.0 + 2.0 * np.sin(0.5))


def test_what_is_no_polynomial_or_too_large_has_no_table():
    robot = load_classic("planar2r")
    quotient = trace("mass_matrix", lambda q: {"M": [[1.0 / (2.0 + sincos(q[0])[0]), 0.0], [0.0, 1.0]]}, {"q": (2,)})
    assert polynomial_degrees(robot, quotient) is None
    own = trace_quantity(robot, "mass_matrix")
    assert mass_matrix_table(robot, own, [400, 400]) is None
