"""Closed form of any torque program: polynomials M, B (Coriolis), D (centrifugal) and g, to read and compare.

(1)  tau_i = sum_j M_ij qdd_j + sum_{j <= k} h_ijk qd_j qd_k + g_i: coefficients from unit speeds and
     unit accelerations     (:mod:`torquec.proof.torque.torque_tables`)
(2)  values on a grid of positions determine each of these: degree two in every joint, three where two is not enough
     (:mod:`torquec.closedform.tabulate`)
(3)  parallel joints: an entry is written in the sums of angles that give the fewest terms, and compared at random
     positions. A simplified entry uses the sums of the exact entry, for a comparison term by term

A simplified program need not have a symmetric M, so all entries of M are listed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.layouts import Entry, Matrix, Part
from torquec.closedform.paths import parallel_groups, path_variables
from torquec.closedform.polynomial import Monomial, TrigPolynomial, Variable
from torquec.closedform.tabulate import coefficient_table, fewest_terms, grid, grid_size, polynomial_from_table
from torquec.errors import RobotError
from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.proof.torque.torque_tables import positions_read, torque_rows
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import check_single_coordinates, position_bases
from torquec.simplification.tuning import TUNING
from torquec.trajectory.motion_box import MotionBox

Key = tuple[Matrix, tuple[int, ...]]


@dataclass(frozen=True)
class TorqueCoefficients:
    """Entries of M (all of them), B (pairs of different joints), D (squares) and g that are not zero, by indices."""

    joints: tuple[str, ...]
    entries: Mapping[Key, TrigPolynomial]

    @property
    def terms(self) -> dict[str, int]:
        """Number of terms by matrix."""
        found = dict.fromkeys((str(m) for m in (Matrix.M, Matrix.B, Matrix.D, Matrix.G_TORQUE)), 0)
        for (matrix, _), polynomial in self.entries.items():
            found[str(matrix)] += len(polynomial)
        return found

    def of_joint(self, joint: int) -> dict[Key, TrigPolynomial]:
        """The entries of one joint's torque."""
        return {key: polynomial for key, polynomial in self.entries.items() if key[1][0] == joint}

    def written(self) -> list[Entry]:
        """As entries of a layout, in reading order."""
        return [Entry(*key, (Part(polynomial),)) for key, polynomial in self.entries.items()]


def torque_coefficients(
    robot: Robot, program: Function, *, like: TorqueCoefficients | None = None
) -> TorqueCoefficients:
    """The coefficients of a program q, qd, qdd -> tau; in the variables of `like` where that is possible (3).

    Raises `RobotError` for mimic joints or joints of several coordinates, for too many positions to tabulate, and for
    torques that are not polynomials of degree three.
    """
    check_single_coordinates(robot)
    if len(robot.bodies) != robot.n:
        raise RobotError(
            f"robot '{robot.name}' has joints that follow others: its torques are not polynomials",
            where=robot.source,
            remedy="read the equations of the uncoupled joints with torquec equations",
        )
    bases = position_bases(robot)
    read = sorted(positions_read(program))
    variables = [Variable(((j, 1),), bases[j]) for j in read]
    rng = np.random.default_rng(31)
    points = np.where([basis.is_periodic for basis in bases], np.pi, 1.0) * rng.uniform(
        -1.0, 1.0, (TUNING.compared_positions, robot.n)
    )
    truth = torque_rows(program, points)
    found: dict[Key, TrigPolynomial] = {}
    tables: dict[int, tuple[Array, Array]] = {}
    for i, row in itertools.product(range(robot.n), range(truth.shape[-1])):
        size = float(np.abs(truth[:, i]).max())
        polynomial = TrigPolynomial()
        for degree in (2, 3):
            if degree not in tables:
                tables[degree] = _tables(program, variables, degree)
            table, largest = tables[degree]
            entry = table[..., i, row]
            cut = TUNING.coefficient_noise * float(largest[i])
            polynomial = polynomial_from_table(variables, np.where(np.abs(entry) > cut, entry, 0.0), degree, noise=0.0)
            if _reproduces(polynomial, points, truth[:, i, row], size):
                break
        else:
            raise RobotError(
                f"the torque of joint '{robot.joint_names[i]}' is not a polynomial of degree three",
                remedy="only programs from outside torquec have such torques: write code instead of equations",
            )
        key = _key(i, row, robot.n)
        if polynomial:
            found[key] = _shortest(robot, polynomial, like.entries.get(key) if like else None, points, size, 4.0 * cut)
    order = {matrix: k for k, matrix in enumerate((Matrix.M, Matrix.B, Matrix.D, Matrix.G_TORQUE))}
    ordered = dict(sorted(found.items(), key=lambda item: (order[item[0][0]], item[0][1])))
    return TorqueCoefficients(robot.joint_names, ordered)


def _key(i: int, row: int, n: int) -> Key:
    """Which entry a row of joint i's torque is: M_ij, then pairs j <= k, then g_i."""
    if row < n:
        return Matrix.M, (i, row)
    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    if row == n + len(pairs):
        return Matrix.G_TORQUE, (i,)
    j, k = pairs[row - n]
    return (Matrix.D, (i, j)) if j == k else (Matrix.B, (i, j, k))


def _tables(program: Function, variables: Sequence[Variable], degree: int) -> tuple[Array, Array]:
    """Coefficients (basis, .., joint, row), and the largest value of each joint's torque (joint,)."""
    if grid_size(variables, degree) > TUNING.largest_grid:
        raise RobotError(
            f"the torques depend on {len(variables)} joint positions, too many for a table of coefficients",
            remedy="read single entries with torquec equations",
        )
    rows = torque_rows(program, grid(variables, program.input("q").size, degree))
    largest: Array = np.abs(rows).max(axis=(0, 2))
    return coefficient_table(variables, rows, degree), largest


def _shortest(
    robot: Robot, polynomial: TrigPolynomial, like: TrigPolynomial | None, points: Array, size: float, cut: float
) -> TrigPolynomial:
    """The same function in the variables of `like`, else in those that give the fewest terms (3).

    Coefficients below `cut` are remainders of cancellation.
    """
    values = polynomial(points)
    if like is not None:
        alike = _in_variables(polynomial, like.variables, robot.n, cut)
        if alike is not None and _reproduces(alike, points, values, size):
            return alike
    fewest = _in_fewest(robot, polynomial, cut)
    shorter = fewest is not None and len(fewest) <= len(polynomial) and _reproduces(fewest, points, values, size)
    return fewest if fewest is not None and shorter else polynomial


def _in_fewest(robot: Robot, polynomial: TrigPolynomial, cut: float) -> TrigPolynomial | None:
    """The function in sums of angles of parallel joints; None where there are none, or its degree is above two."""
    if any(a + b > 2 for monomial, _ in polynomial for _, a, b in monomial):
        return None
    groups = parallel_groups(robot.canonical.links)
    variables, axes = path_variables(robot, polynomial.depends_on, groups)
    if all(len(group) < 2 for group in axes):
        return None
    table = coefficient_table(variables, np.asarray(polynomial(grid(variables, robot.n))))
    chosen, best = fewest_terms(variables, axes, table, cut)
    return polynomial_from_table(chosen, np.where(np.abs(best) > cut, best, 0.0), noise=0.0)


def _in_variables(
    polynomial: TrigPolynomial, variables: Sequence[Variable], n: int, cut: float
) -> TrigPolynomial | None:
    """The function tabulated in other variables, or None if these do not determine the joint positions."""
    ordered = sorted(variables, key=lambda variable: (len(variable.joints), variable))
    if not ordered:
        return None
    try:
        samples = np.asarray(polynomial(grid(ordered, n)))
    except ValueError:
        return None
    table = coefficient_table(ordered, samples)
    return polynomial_from_table(ordered, np.where(np.abs(table) > cut, table, 0.0), noise=0.0)


def _reproduces(polynomial: TrigPolynomial, points: Array, values: Array, size: float) -> bool:
    return bool(np.all(np.abs(polynomial(points) - values) <= TUNING.reproduction_tolerance * max(size, 1e-12)))


# --- what changed ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TermChange:
    """A term whose coefficient changed; `after` is 0 for a dropped term, `before` is 0 for a new one.

    `torque` [N m, N] bounds the effect on the joint's torque within a box of motions.
    """

    matrix: Matrix
    index: tuple[int, ...]
    monomial: Monomial
    before: float
    after: float
    torque: float

    @property
    def dropped(self) -> bool:
        """Whether the term is gone."""
        return self.after == 0.0


def term_changes(before: TorqueCoefficients, after: TorqueCoefficients, motions: MotionBox) -> list[TermChange]:
    """What changed from one set of coefficients to the other, term by term, largest torques first.

    Terms that are the same but for rounding are not listed.
    """
    found = []
    for matrix, index in dict.fromkeys((*before.entries, *after.entries)):
        old = before.entries.get((matrix, index), TrigPolynomial()).terms
        new = after.entries.get((matrix, index), TrigPolynomial()).terms
        speeds = {Matrix.M: (), Matrix.B: index[1:], Matrix.D: index[1:] * 2}.get(matrix, ())
        weight = float(np.prod([motions.velocity[j] for j in speeds]))
        weight *= motions.acceleration[index[1]] if matrix is Matrix.M else 1.0
        for monomial in dict.fromkeys((*old, *new)):
            a, b = float(old.get(monomial, 0.0)), float(new.get(monomial, 0.0))
            if abs(a - b) > 1e-9 * max(abs(a), abs(b)):
                size = abs(a - b) * weight * _largest_value(monomial, motions)
                found.append(TermChange(matrix, index, monomial, a, b, size))
    return sorted(found, key=lambda change: -change.torque)


def _largest_value(monomial: Monomial, motions: MotionBox) -> float:
    """Bound of a monomial's absolute value: displacements at their limits, sines and cosines at one."""
    value = 1.0
    for variable, _, power in monomial:
        if not variable.is_angle:
            joint = variable.joints[0][0]
            value *= max(abs(motions.lower[joint]), abs(motions.upper[joint])) ** power
    return value
