"""Proving a certificate of coefficients again, with nothing of the code that made it.

(1)  The coefficients of robot and program are taken apart at positions of a grid (`residual_grid`, (1)); a table of
     their difference in the proof's variables, and of the exact coefficient where the error is relative, stands for
     them, and how far it is off anywhere in the box is bounded: the slack.
(2)  Each tree must cut its root box completely; root boxes must cover the ranges. A sum of angles ranges over the sum
     of their ranges, whatever the proof may have known better.
(3)  On a leaf, control values of the harmonics must not allow more than the bound (`check_boxes`):
       |error| + slack <= bound,   relative:  |error| - bound * exact + slacks <= 0
(4)  Coefficients that the certificate does not name are those of the robot, in the whole box (`allowances.UNNAMED`).
(5)  What the program computes in doubles, at unit speeds and accelerations, is what it means (`check_doubles`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from torquec.errors import CheckError
from torquec.foundation.arrays import Array
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.proof.checker.allowances import DOUBLES, UNNAMED
from torquec.proof.checker.check_boxes import HIGHEST_DEGREE, REMEDY, Box, LeafChecker, leaf_boxes, root_pieces
from torquec.proof.checker.check_doubles import check_doubles, largest_size
from torquec.proof.checker.grid_samples import GridSamples, grid_samples, snap_differences
from torquec.proof.checker.harmonic_table import HarmonicTable, harmonic_table, require_room, sums_matrix, table_points
from torquec.proof.checker.residual_grid import ResidualGrid
from torquec.proof.torque.coefficient_certificate import CoefficientCertificate, CoefficientProof
from torquec.proof.torque.coefficient_tolerance import ErrorKind, Family
from torquec.robot.robot import Robot

_SIZES = {Family.M: 2, Family.H: 3, Family.G: 1}


def check_coefficients(
    robot: Robot, certificate: CoefficientCertificate, *, work: Work | None = None, executor: Executor | None = None
) -> Mapping[str, float]:
    """Raise `CheckError` unless every bound of the certificate is proven for this robot; gives the slack of each error.

    Nothing of it is taken from kept results: it is proven each time.
    """
    work = as_work(work, executor=executor)
    if certificate.robot_hash != robot.content_hash:
        raise CheckError("the certificate is about another robot, or the robot has changed since", remedy=REMEDY)
    if certificate.robot != robot.name:
        raise CheckError(f"the certificate names the robot '{certificate.robot}'", remedy=REMEDY)
    if len(certificate.box.lower) != robot.n or robot.n != len(robot.bodies):
        raise CheckError(f"the box has {len(certificate.box.lower)} ranges for {robot.n} joints", remedy=REMEDY)
    for name, proof in certificate.coefficients.items():
        if proof.name != name:
            raise CheckError(f"the proof of {proof.name} is filed under {name}", remedy=REMEDY)
        _check_statement(robot, proof)
    proofs = list(certificate.coefficients.values())
    grid = ResidualGrid(robot, certificate.program, certificate.box.lower, certificate.box.upper)
    leaves = [_leaves(robot, certificate, proof) for proof in proofs]
    require_room(sum(_values(robot, proof) for proof in proofs))
    samples = grid_samples(grid, robot=True, work=work)
    check_doubles(certificate.program, certificate.box, DOUBLES * largest_size(grid.exact, certificate.box))
    with work.step("comparing the coefficients with their tables"), one_thread():
        tables = [_table(samples, proof) for proof in proofs]
        slacks = _slacks(samples, proofs, tables, snap_differences(robot, grid.lower, grid.upper, work=work))
    tasks = [
        _Task(proof, table, boxes, slack)
        for proof, table, boxes, slack in zip(proofs, tables, leaves, slacks, strict=True)
    ]
    for _ in work.map(
        "proving the coefficients again", _check_proof, tasks, kept=False, note=lambda task, _: task.proof.name
    ):
        pass
    return {proof.name: slack[0] for proof, slack in zip(proofs, slacks, strict=True)}


def _check_statement(robot: Robot, proof: CoefficientProof) -> None:
    """What the proof says of itself makes sense."""
    index = proof.index
    if len(index) != _SIZES.get(proof.family) or not all(0 <= i < robot.n for i in index):
        raise CheckError(f"the robot has no coefficient {proof.name}", remedy=REMEDY)
    if list(index[-2:]) != sorted(index[-2:]):
        raise CheckError(f"{proof.name} stands on the wrong side of the diagonal", remedy=REMEDY)
    if not (math.isfinite(proof.bound) and 0.0 <= proof.found <= proof.bound):
        raise CheckError(
            f"{proof.name}: its bound is {proof.bound}, the largest error found {proof.found}", remedy=REMEDY
        )
    if proof.kind is ErrorKind.RELATIVE and proof.bound > 1.0:
        raise CheckError(f"{proof.name}: a relative error of {proof.bound:.6g} is no bound", remedy=REMEDY)
    if proof.tolerance is not None and not proof.bound <= proof.tolerance:
        raise CheckError(
            f"{proof.name}: its bound {proof.bound:.6g} exceeds its tolerance {proof.tolerance:.6g}", remedy=REMEDY
        )
    for variable in proof.variables:
        joints = [j for j, _ in variable]
        known = joints and len(set(joints)) == len(joints) and all(0 <= j < robot.n for j in joints)
        if not known or not all(sign in (1, -1) for _, sign in variable):
            raise CheckError(f"{proof.name}: no such variable {variable}", remedy=REMEDY)
        if len(joints) > 1 and not all(robot.coordinates[j].turns for j in joints):
            raise CheckError(f"{proof.name}: displacements are not added up", remedy=REMEDY)
    if proof.variables and np.linalg.matrix_rank(sums_matrix(robot.n, proof.variables)) < len(proof.variables):
        raise CheckError(f"{proof.name}: its variables depend on each other", remedy=REMEDY)
    degrees = proof.degrees
    if len(degrees) != len(proof.variables) or not all(1 <= degree <= HIGHEST_DEGREE for degree in degrees):
        raise CheckError(f"{proof.name}: the degrees of its error are given as {degrees}", remedy=REMEDY)


@dataclass(frozen=True)
class _Task:
    """What is left to check of a coefficient (3): every leaf, with these slacks of error and exact coefficient."""

    proof: CoefficientProof
    table: HarmonicTable
    leaves: Sequence[Box]
    slack: tuple[float, float]


def _leaves(robot: Robot, certificate: CoefficientCertificate, proof: CoefficientProof) -> list[Box]:
    """(2)."""
    box = certificate.box
    pieces = []
    for variable, slides in zip(proof.variables, _sliding(robot, proof), strict=True):
        ends = [(sign * box.lower[j], sign * box.upper[j]) for j, sign in variable]
        pieces.append(root_pieces(sum(map(min, ends)), sum(map(max, ends)), slides))
    return leaf_boxes(pieces, proof.trees, proof.name)


def _sliding(robot: Robot, proof: CoefficientProof) -> list[bool]:
    return [not robot.coordinates[variable[0][0]].turns for variable in proof.variables]


def _check_proof(task: _Task) -> None:
    """The leaves of one coefficient (3)."""
    checker = _CoefficientLeaves(task)
    try:
        checker.check(task.leaves)
    except CheckError as error:
        if task.proof.kind is ErrorKind.ABSOLUTE:
            raise
        raise CheckError(
            f"{task.proof.name}: a box of the proof allows more than the relative error of {task.proof.bound:.6g}",
            remedy=REMEDY,
        ) from error


class _CoefficientLeaves(LeafChecker):
    """(3); rows are the error and, where it is relative, the exact coefficient."""

    def __init__(self, task: _Task) -> None:
        proof, table = task.proof, task.table
        absolute = proof.kind is ErrorKind.ABSOLUTE
        allowed = proof.bound - task.slack[0] if absolute else -(task.slack[0] + proof.bound * task.slack[1])
        super().__init__(1, proof.name, allowed, table.table, table.sliding, table.degrees)
        self._part = 0.0 if absolute else proof.bound
        self._all_speeds = False  # rows are no torque: there are no speeds

    def _largest(self, control: Array) -> Array:
        table = np.concatenate([control, np.zeros((1, control.shape[1]))])  # a row that was left out is the last one
        result: Array = np.abs(table[self._place(0)]) - self._part * table[self._place(1)]
        return result


# --- coefficients, their tables, and how far these are off ----------------------------------------------------------


def _place(n: int, family: Family, index: tuple[int, ...]) -> tuple[int, float]:
    """The row of the grid that holds a coefficient, and which part of the row it is."""
    if family is Family.M:
        return index[1], 1.0
    if family is Family.G:
        return n + n * (n + 1) // 2, 1.0
    _, j, k = index
    return n + j * n - j * (j - 1) // 2 + (k - j), 1.0 if j == k else 0.5


def _table(samples: GridSamples, proof: CoefficientProof) -> HarmonicTable:
    """The error and, where it is relative, the exact coefficient, in the proof's variables (1)."""
    grid, joint = samples.grid, proof.index[0]
    row, part = _place(grid.n, proof.family, proof.index)
    relative = proof.kind is ErrorKind.RELATIVE
    if samples.has_tables and all(len(variable) == 1 and variable[0][1] == 1 for variable in proof.variables):
        whole = [samples.error, samples.robot] if relative else [samples.error]
        joints = [variable[0][0] for variable in proof.variables]
        return samples.table([part * each.value[joint, row] for each in whole], joints, proof.degrees)

    def rows_at(positions: Array) -> Array:
        found = [grid.row_at(positions, row, joint)]
        if relative:
            found.append(grid.row_at(positions, row, joint, of_robot=True))
        return part * np.array(found)

    return harmonic_table(grid.n, proof.variables, _sliding(grid.robot, proof), proof.degrees, rows_at)


def _values(robot: Robot, proof: CoefficientProof) -> int:
    """How many values the table of a proof has."""
    return table_points(_sliding(robot, proof), proof.degrees) * (2 if proof.kind is ErrorKind.RELATIVE else 1)


def _slacks(
    samples: GridSamples,
    proofs: Sequence[CoefficientProof],
    tables: Sequence[HarmonicTable],
    differences: Array | float,
) -> list[tuple[float, float]]:
    """How far error and exact coefficient are from the table of each proof; what no proof names must be exact (4)."""
    grid = samples.grid
    places = [(*_place(grid.n, proof.family, proof.index), proof.index[0]) for proof in proofs]
    # Tables are made of the robot with snapped angles; what is claimed is about its file as written.
    snapped = np.broadcast_to(np.transpose(differences), samples.error.radius.shape)
    _require_exact(samples, snapped, places)
    slacks = []
    for table, (row, share, joint) in zip(tables, places, strict=True):
        above = (1.0 + grid.lebesgue) * table.excess(grid.degrees, grid.lower, grid.upper)
        known = samples.on_grid(table)
        added = share * float(snapped[joint, row])
        found = [
            samples.reach(
                share * whole.value[joint, row] - known.value[k],
                share * float(whole.radius[joint, row]) + float(known.radius[k].max()),
            )
            + added
            + float(above[k])
            for k, whole in enumerate([samples.error, samples.robot][: len(table.table)])
        ]
        slacks.append((found[0], found[1] if len(found) > 1 else 0.0))
    return slacks


def _require_exact(samples: GridSamples, snapped: Array, places: Sequence[tuple[int, float, int]]) -> None:
    """(4): rows of the error that no proof names are rounding; M[j,i] goes with M[i,j], and is the same."""
    n, error = samples.grid.n, samples.error
    named = {(row, joint) for row, _, joint in places}
    mirrored = {(joint, row) for row, joint in named if row < n}
    scale = float(np.abs(samples.robot.value).max())
    for joint, row in np.ndindex(*error.radius.shape):
        if (row, joint) in named | mirrored:
            continue
        off = samples.reach(error.value[joint, row], float(error.radius[joint, row])) + float(snapped[joint, row])
        if not off <= UNNAMED * scale:
            raise CheckError(
                f"{_name(n, row, joint)} differs from the robot's by up to {off:.6g}, and the certificate does not "
                "name it",
                remedy=REMEDY,
            )
    _require_symmetry(samples, scale)


def _require_symmetry(samples: GridSamples, scale: float) -> None:
    """The inertia of the program is symmetric, so that M[j,i] needs no proof of its own."""
    value, radius = samples.error.value, samples.error.radius
    for i, j in itertools.combinations(range(samples.grid.n), 2):
        off = samples.reach(value[i, j] - value[j, i], float(radius[i, j] + radius[j, i]))
        if not off <= UNNAMED * scale:
            raise CheckError("the inertia of the program is not symmetric", remedy=REMEDY)


def _name(n: int, row: int, joint: int) -> str:
    if row < n:
        return f"M[{joint + 1},{row + 1}]"
    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    if row - n == len(pairs):
        return f"g[{joint + 1}]"
    j, k = pairs[row - n]
    return f"H[{joint + 1},{j + 1},{k + 1}]"
