"""Closed forms whose coefficients are linear in the standard inertial parameters.

(1)  M_ij = sum over bodies b and parameters k of  phi_bk M_ij^(bk)(q),  each M^(bk) tabulated for a unit of that
     parameter
(2)  U = sum over bodies of  (mx, my, mz, m) . heights,   tabulated likewise

All entries are written in cumulative angles, from the first joint of each parallel group that the row depends on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.closedform.accepts import check_size
from torquec.closedform.closed_form import ClosedForm, assembled, sampled
from torquec.closedform.paths import (
    ParallelGroup,
    height_function,
    parallel_groups,
    path_to,
    path_variables,
    unit_mass_function,
)
from torquec.closedform.polynomial import Linear, Monomial, TrigPolynomial, Variable, constant
from torquec.closedform.tabulate import NOISE, coefficient_table, grid, monomial_at
from torquec.expr import bind
from torquec.foundation.arrays import Array
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates
from torquec.spatial import PARAMETER_NAMES


def parametric_closed_form(robot: Robot) -> ClosedForm:
    """M and U with coefficients that are `Linear` in the standard parameters (1), (2)."""
    check_single_coordinates(robot)
    links = robot.canonical.links
    n = len(links)
    groups = parallel_groups(links)
    upper = [[TrigPolynomial()] * n for _ in range(n)]
    potential = TrigPolynomial()
    for body in range(n):
        bodies = path_to(links, body)
        for (i, j), entry in _mass_entries(robot, bodies, groups).items():
            upper[i][j] = upper[i][j] + entry
        potential = potential + _potential(robot, bodies, groups)
    _add_rotors(robot, upper)
    return assembled(robot, upper, potential)


def _mass_entries(
    robot: Robot, bodies: Sequence[int], groups: Sequence[ParallelGroup]
) -> dict[tuple[int, int], TrigPolynomial]:
    """Contribution of the last body to M, upper triangle, by (row, column)."""
    function = unit_mass_function(robot, bodies)
    units = [bind(function, {"parameters": unit.tolist()}) for unit in np.eye(len(PARAMETER_NAMES))]
    names = [f"{parameter}_{robot.bodies[bodies[-1]].name}" for parameter in PARAMETER_NAMES]
    found: dict[tuple[int, int], TrigPolynomial] = {}
    for r in range(len(bodies)):
        variables, _ = path_variables(robot, bodies[r + 1 :], groups)
        check_size(robot, variables, 2)
        points = grid(variables, len(robot.bodies))
        samples = np.stack([sampled(unit, "M", points, bodies)[:, r, r:] for unit in units], axis=-1)
        table = coefficient_table(variables, samples)
        for c in range(r, len(bodies)):
            found[bodies[r], bodies[c]] = _parametric(variables, table[..., c - r, :], names, 2)
    return found


def _potential(robot: Robot, bodies: Sequence[int], groups: Sequence[ParallelGroup]) -> TrigPolynomial:
    """Contribution of the last body to U."""
    variables, _ = path_variables(robot, bodies, groups)
    check_size(robot, variables, 1)
    heights = sampled(height_function(robot, bodies), "U", grid(variables, len(robot.bodies), 1), bodies)[:, -1, :]
    names = [f"{parameter}_{robot.bodies[bodies[-1]].name}" for parameter in ("mx", "my", "mz", "m")]
    return _parametric(variables, coefficient_table(variables, heights, 1), names, 1)


def _parametric(variables: Sequence[Variable], table: Array, names: Sequence[str], degree: int) -> TrigPolynomial:
    """The polynomial of a table with the parameters along its last axis; rounding noise is judged per parameter."""
    largest = np.abs(table).reshape(-1, table.shape[-1]).max(axis=0, initial=0.0)
    kept = np.abs(table) > NOISE * np.maximum(largest, 1e-3 * largest.max(initial=0.0))
    terms: dict[Monomial, Linear] = {}
    for position in np.argwhere(kept.any(axis=-1)).tolist():
        place = tuple(position)
        parts = {name: float(table[place][k]) for k, name in enumerate(names) if kept[place][k]}
        terms[monomial_at(variables, position, degree)] = Linear(parts)
    return TrigPolynomial(terms)


def _add_rotors(robot: Robot, upper: list[list[TrigPolynomial]]) -> None:
    """Rotor inertias through the transmission."""
    bodies = [i for i, body in enumerate(robot.bodies) if body.joint.mimic is None]
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        for i in range(robot.n):
            for j in range(i, robot.n):
                if row[i] * row[j] != 0.0:
                    part = constant(Linear({f"rotor_{motor.name}": row[i] * row[j]}))
                    upper[bodies[i]][bodies[j]] = upper[bodies[i]][bodies[j]] + part
