"""The symmetric part of a mass matrix as a table: a trigonometric polynomial, known whole from its values on a grid.

(1)  degrees are found in modular arithmetic, where nothing is rounded (:mod:`torquec.proof.checker.modular_degree`)
(2)  values on the grid of these degrees determine the coefficients (:mod:`torquec.closedform.tabulate`)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.polynomial import Variable
from torquec.closedform.tabulate import coefficient_table, grid
from torquec.errors import CheckError
from torquec.expr import Function, evaluate, trace
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array
from torquec.proof.checker.modular_degree import exact_degrees
from torquec.proof.checker.program_form import check_program
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases

_MOST_POINTS = 200_000
"""Points of a grid: six joints of degree two, and one of three, have 109,375."""

_ROUNDING = 1e-10
"""What an entry may be off by, as a part of the largest sum of magnitudes of an entry's table: a thousand times what
the rounding of grid values, tables and all that is done with them adds up to."""


@dataclass(frozen=True)
class MassMatrixTable:
    """Entries of the symmetric part, upper triangle by rows, on the product basis of variables: (entries, basis, ..).

    Variables are angles or displacements of the `joints`, with a degree each. `off`: what every entry may be off by.
    """

    joints: tuple[int, ...]
    variables: tuple[Variable, ...]
    degrees: tuple[int, ...]
    entries: Array
    off: float


def polynomial_degrees(robot: Robot, mass_matrix: Function) -> tuple[int, ...] | None:
    """The degree (n,) of a program q -> M (n, n) in each joint (1); None where it is no such polynomial."""
    sliding = tuple(not each.turns for each in robot.coordinates)
    torque = _torque(robot.n, mass_matrix)
    try:
        check_program(robot, torque)
        return tuple(exact_degrees(torque, sliding, seed=robot.content_hash))
    except CheckError:
        return None


def _torque(n: int, mass_matrix: Function) -> Function:
    """M qdd: what is known of degrees is known of torques."""

    def algorithm(q: Array, qd: Array, qdd: Array) -> dict[str, list[object]]:  # noqa: ARG001 - a torque's inputs
        M = replay(mass_matrix, {"q": q})["M"]
        return {"tau": [sum(m * a for m, a in zip(row, qdd, strict=True)) for row in M]}

    return trace("torque", algorithm, dict.fromkeys(("q", "qd", "qdd"), (n,)))


def mass_matrix_table(
    robot: Robot, mass_matrix: Function, degrees: Sequence[int], *, less: Function | None = None
) -> MassMatrixTable | None:
    """The table of M, or of M `less` another one, degrees (n,) being at most these (2); None where it is too large."""
    joints = tuple(j for j, degree in enumerate(degrees) if degree)
    bases = position_bases(robot)
    variables = tuple(Variable(((j, 1),), bases[j]) for j in joints)
    own = tuple(degrees[j] for j in joints)
    sizes = [v.basis.size(degree) for v, degree in zip(variables, own, strict=True)]
    if math.prod(sizes) > _MOST_POINTS:
        return None
    upper = np.triu_indices(robot.n)
    positions = {"q": grid(variables, robot.n, own)}
    total = 0.0

    def entries(program: Function) -> Array:
        nonlocal total
        M = evaluate(program, positions)["M"]
        S = (0.5 * (M + M.transpose(0, 2, 1)))[:, *upper]
        table: Array = np.ascontiguousarray(np.moveaxis(coefficient_table(variables, S, own), -1, 0))
        total += float(np.abs(table).reshape(len(table), -1).sum(axis=1).max())
        return table

    found = entries(mass_matrix)
    if less is not None:
        found = found - entries(less)
    return MassMatrixTable(joints, variables, own, found, _ROUNDING * total)
