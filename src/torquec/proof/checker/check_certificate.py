"""Proving a certificate again, from what it says and the robot alone.

(1)  The program has the form of a torque (`program_form`), of known degree in every position (`modular_degree`).
     Nothing that the certificate says of degrees or variables is believed.
(2)  Of each joint's error a table in the certificate's variables is made (`harmonic_table`). How far the error is from
     it anywhere in the ranges is bounded, rounding included (`residual_grid`): the slack of each row.
(3)  Each tree must cut its root box completely; root boxes must cover the ranges. On a leaf, the table, its slack and
     the rounding of the leaf's own arithmetic must not allow more than the bound (`check_boxes`).
(4)  Where the certificate is about code in single precision, what rounding to floats does there is bounded again
     (`check_floats`). It counts in full, as a slack does.
(5)  What the program computes in doubles is what it means, all over the box (`check_doubles`).

docs/trusted-base.md lists every slack, and what this code shares with the search.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from torquec.codegen.precision import Precision
from torquec.errors import CheckError
from torquec.expr import count_operations
from torquec.foundation.arrays import Array
from torquec.foundation.budget import Budget
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.proof.checker.allowances import DOUBLES, ROUNDED_UP, SMALLEST_RATE
from torquec.proof.checker.check_boxes import HIGHEST_DEGREE, REMEDY, Box, LeafChecker, leaf_boxes, root_pieces
from torquec.proof.checker.check_coefficients import check_coefficients
from torquec.proof.checker.check_doubles import check_doubles, largest_size
from torquec.proof.checker.check_floats import check_floats
from torquec.proof.checker.grid_samples import GridSamples, grid_samples, snap_differences
from torquec.proof.checker.harmonic_table import HarmonicTable, harmonic_table, require_room, table_points
from torquec.proof.checker.residual_grid import ResidualGrid, row_weights
from torquec.proof.torque.certificate import Certificate, JointProof
from torquec.robot.robot import Robot

_UNLIMITED = Budget()
"""Of a part of the check that is done by itself: it ends when it is done."""


def check_certificate(
    robot: Robot, certificate: Certificate, *, work: Work | None = None, executor: Executor | None = None
) -> Mapping[str, float]:
    """Raise `CheckError` unless every bound of the certificate is proven for this robot.

    Gives the slack of every joint and coefficient: the part of its bound that stands for rounding and for what the
    tables of the proof leave out. Nothing of it is taken from kept results: it is proven each time.
    """
    work = as_work(work, executor=executor)
    _check_statement(robot, certificate)
    inner: Mapping[str, float] = {}
    if certificate.coefficients is not None:
        inner = _check_inner(robot, certificate, work)
        if not certificate.joints:
            return inner
    box = certificate.motions
    grid = ResidualGrid(robot, certificate.program, box.lower, box.upper)
    # The trees are gone through before anything is computed: a proof with a hole is refused at once.
    leaves = [_leaves(grid, certificate, joint) for joint in range(robot.n)]
    require_room(sum(_values(grid, proof) for proof in certificate.joints.values()))
    samples = grid_samples(grid, work=work)
    least = min(proof.bound for proof in certificate.joints.values())
    check_doubles(certificate.program, box, DOUBLES * (largest_size(grid.exact, box) + least))
    with work.step("comparing the errors with their tables"), one_thread():
        tables = [_table(samples, k, proof, budget=work.budget) for k, proof in enumerate(certificate.joints.values())]
        # The program is made of the robot with snapped angles; what is claimed is about its file as written.
        slacks = _slacks(samples, tables, budget=work.budget) + snap_differences(robot, box.lower, box.upper, work=work)
    weights = row_weights(box.velocity, box.acceleration)
    rounding = _checked_rounding(certificate, work)
    tasks = [
        _Task(
            robot.n,
            f"joint '{name}'",
            proof.bound,
            tables[k],
            leaves[k],
            weights,
            float(weights @ slacks[:, k]) * ROUNDED_UP + rounding[k],
        )
        for k, (name, proof) in enumerate(certificate.joints.items())
    ]
    for _ in work.map(
        "proving the torque errors again",
        _check_leaves,
        tasks,
        kept=False,
        metered=True,
        note=lambda task, _: task.name,
    ):
        pass
    return {**{name: task.slack for name, task in zip(certificate.joints, tasks, strict=True)}, **inner}


def _check_statement(robot: Robot, certificate: Certificate) -> None:
    """What the certificate says of itself makes sense."""
    if certificate.robot_hash != robot.content_hash:
        raise CheckError("the certificate is about another robot, or the robot has changed since", remedy=REMEDY)
    if certificate.robot != robot.name:
        raise CheckError(f"the certificate names the robot '{certificate.robot}'", remedy=REMEDY)
    if certificate.counts is not None and certificate.counts.operations_after != count_operations(certificate.program):
        raise CheckError("the certificate counts other operations than its program has", remedy=REMEDY)
    box = certificate.motions
    sides = [box.lower, box.upper]
    if certificate.joints or certificate.coefficients is None:
        if tuple(certificate.joints) != robot.joint_names:
            raise CheckError("the certificate does not name the robot's joints in order", remedy=REMEDY)
        sides += [box.velocity, box.acceleration]
    if any(len(side) != robot.n or not np.all(np.isfinite(side)) for side in sides):
        raise CheckError("the box of motions does not fit the robot", remedy=REMEDY)
    if not all(low <= high for low, high in zip(box.lower, box.upper, strict=True)):
        raise CheckError("a range of the box is empty", remedy=REMEDY)
    rates = [*box.velocity, *box.acceleration]
    if min(rates, default=0.0) < 0.0:
        raise CheckError("a largest speed or acceleration is negative", remedy=REMEDY)
    if any(0.0 < rate < SMALLEST_RATE for rate in rates):
        raise CheckError(f"a largest speed or acceleration is below {SMALLEST_RATE}, and not zero", remedy=REMEDY)
    for name, proof in certificate.joints.items():
        _check_joint_statement(robot, f"joint '{name}'", proof)
    _check_rounding_statement(certificate)


def _check_joint_statement(robot: Robot, name: str, proof: JointProof) -> None:
    if not (math.isfinite(proof.bound) and 0.0 <= proof.found <= proof.bound):
        raise CheckError(f"{name}: its bound is {proof.bound}, the largest error found {proof.found}", remedy=REMEDY)
    if proof.tolerance is not None and not proof.bound <= proof.tolerance:
        raise CheckError(
            f"{name}: its bound {proof.bound:.6g} exceeds its tolerance {proof.tolerance:.6g}", remedy=REMEDY
        )
    variables, degrees = proof.variables, proof.degrees
    if len(set(variables)) != len(variables) or not all(0 <= v < robot.n for v in variables):
        raise CheckError(f"{name}: no such variables {variables}", remedy=REMEDY)
    if len(degrees) != len(variables) or not all(1 <= degree <= HIGHEST_DEGREE for degree in degrees):
        raise CheckError(f"{name}: the degrees of its error are given as {degrees}", remedy=REMEDY)


def _check_rounding_statement(certificate: Certificate) -> None:
    rounding = certificate.rounding
    if rounding is None:
        return
    if rounding.precision is not Precision.SINGLE:
        raise CheckError(f"nothing is known of rounding in {rounding.precision} precision", remedy=REMEDY)
    if not certificate.joints:
        raise CheckError("rounding is stated, and there are no torque errors that it is a part of", remedy=REMEDY)
    if tuple(rounding.joints) != tuple(certificate.joints):
        raise CheckError("the rounding of other joints is stated than those of the certificate", remedy=REMEDY)
    for name, most in rounding.joints.items():
        if not 0.0 <= most <= certificate.joints[name].bound:
            raise CheckError(f"joint '{name}': its rounding is stated as {most}", remedy=REMEDY)


def _checked_rounding(certificate: Certificate, work: Work) -> Sequence[float]:
    """What rounding to floats does to each torque (4), as stated and proven again; nothing where it is not stated."""
    if certificate.rounding is None:
        return [0.0] * len(certificate.joints)
    stated = tuple(certificate.rounding.joints.values())
    with work.step("proving the rounding to floats again"):
        check_floats(certificate.program, certificate.motions, stated)
    return stated


def _check_inner(robot: Robot, certificate: Certificate, work: Work) -> Mapping[str, float]:
    """The certificate of coefficients within one of torques: about the same positions, and without torque bounds about
    the same program.
    """
    inner = certificate.coefficients
    assert inner is not None
    if (inner.box.lower, inner.box.upper) != (certificate.motions.lower, certificate.motions.upper):
        raise CheckError("torques and coefficients are certified over different positions", remedy=REMEDY)
    if not certificate.joints and inner.program.content_hash != certificate.program.content_hash:
        raise CheckError("the certificate's program is not the one whose coefficients are proven", remedy=REMEDY)
    return check_coefficients(robot, inner, work=work)


@dataclass(frozen=True)
class _Task:
    """What is left to check of a joint (3): its table on every leaf, with this slack."""

    n: int
    name: str
    bound: float
    table: HarmonicTable
    leaves: Sequence[Box]
    weights: Array
    slack: float


def _leaves(grid: ResidualGrid, certificate: Certificate, joint: int) -> list[Box]:
    name = grid.robot.joint_names[joint]
    proof, box = certificate.joints[name], certificate.motions
    pieces = [root_pieces(box.lower[v], box.upper[v], grid.sliding[v]) for v in proof.variables]
    return leaf_boxes(pieces, proof.trees, f"joint '{name}'")


def _values(grid: ResidualGrid, proof: JointProof) -> int:
    """How many values the table of a proof has."""
    return table_points([grid.sliding[v] for v in proof.variables], proof.degrees) * grid.rows


def _table(samples: GridSamples, joint: int, proof: JointProof, *, budget: Budget = _UNLIMITED) -> HarmonicTable:
    """The error of a joint in its proof's variables (2)."""
    budget.check()
    grid = samples.grid
    if samples.has_tables:
        return samples.table(samples.error.value[joint], proof.variables, proof.degrees)
    require_room(_values(grid, proof) * grid.n)  # those of all joints come together
    return harmonic_table(
        grid.n,
        [((v, 1),) for v in proof.variables],
        [grid.sliding[v] for v in proof.variables],
        proof.degrees,
        lambda positions: grid.values_at(positions)[..., joint],
    )


def _slacks(samples: GridSamples, tables: Sequence[HarmonicTable], *, budget: Budget = _UNLIMITED) -> Array:
    """How far every joint's error is from its table, row by row (rows, n) (2)."""
    grid, error = samples.grid, samples.error
    found = np.zeros(error.radius.shape)
    for joint, table in enumerate(tables):
        budget.check()
        known = samples.on_grid(table)
        excess = (1.0 + grid.lebesgue) * table.excess(grid.degrees, grid.lower, grid.upper)
        for row in range(len(known.value)):
            radius = float(error.radius[joint, row]) + float(known.radius[row].max())
            left = error.value[joint, row] - known.value[row]
            found[joint, row] = samples.reach(left, radius) + float(excess[row])
    return found.T


def _check_leaves(task: _Task, *, meter: Meter = silent) -> None:
    table = task.table
    rows = table.table * task.weights.reshape(-1, *([1] * len(table.variables)))
    checker = LeafChecker(task.n, task.name, task.bound - task.slack, rows, table.sliding, table.degrees)
    with one_thread():
        checker.check(task.leaves, meter=meter)
