"""Proving a bound for the error of every coefficient of a torque program, with a certificate as the result.

Coefficients are bounded one by one (:mod:`torquec.proof.coefficient_bound`), each a task of the work; those that are as
they were need no proof. What snapped angles change against the file as written (:mod:`torquec.proof.snap_bound`) is a
part of every bound, and of an error of its own where nothing else was changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.closedform.variables import ParallelGroup, parallel_groups
from torquec.errors import RobotError, SpecificationError
from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.proof.coefficient_bound import CoefficientBound, coefficient_bound
from torquec.proof.coefficient_certificate import CoefficientCertificate, CoefficientProof
from torquec.proof.coefficient_error import CoefficientError, coefficient_error, coefficient_row
from torquec.proof.coefficient_tolerance import CoefficientTolerance, ErrorKind, Family
from torquec.proof.snap_bound import snap_rows
from torquec.proof.torque_residual import TorqueResidual, torque_residual
from torquec.proof.torque_tables import TorqueTables, position_degrees, positions_read, torque_tables
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox

_EXACT = 1e-11
"""Errors below this part of the largest torque at rest are rounding: the coefficient is as it was."""


def certify_coefficients(
    robot: Robot,
    exact: Function,
    simplified: Function,
    box: MotionBox,
    *,
    tolerances: Sequence[CoefficientTolerance] = (),
    work: Work | None = None,
) -> CoefficientCertificate:
    """Prove a bound for the error of every coefficient of `simplified` against `exact` over the box.

    A coefficient with a tolerance is bounded in the tolerance's kind, all others absolutely; those that are exact need
    no proof. When a time limit of the work is over, errors that are left are bounded by their amplitudes, and
    `TimeLimitError` is raised where that is more than a tolerance. Raises `SpecificationError` where an error exceeds
    its tolerance or no proof was found, and `RobotError` for a robot with mimic joints, whose coefficients are no
    polynomials of its independent joints.
    """
    check_independent(robot)
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    read = sorted(positions_read(exact) | positions_read(simplified))
    both = zip(position_degrees(exact, prismatic), position_degrees(simplified, prismatic), strict=True)
    highest = [max(pair) for pair in both]
    degree = [highest[joint] for joint in read]
    tables = torque_tables(exact, prismatic, read, degree=degree)
    residual = torque_residual(tables, torque_tables(simplified, prismatic, read, degree=degree))
    stated = {(t.family, t.index): t for t in tolerances}
    groups = tuple(parallel_groups(robot.canonical.links))
    tasks = _tasks(tables, residual, stated, box, groups, snap_rows(robot, box))
    outcomes = as_work(work).map("proving the coefficients", _bound, tasks, metered=True, note=_note)
    proofs: dict[str, CoefficientProof] = {}
    for task, outcome in zip(tasks, outcomes, strict=True):
        tolerance = stated.get((task.family, task.index))
        if outcome is None:
            raise _refusal(task, tolerance)
        proof = CoefficientProof(
            task.family,
            task.index,
            task.error.kind,
            None if tolerance is None else tolerance.value,
            outcome.bound,
            outcome.found,
            tuple(variable.joints for variable in outcome.variables),
            outcome.degrees,
            outcome.trees,
        )
        proofs[proof.name] = proof
    return CoefficientCertificate(robot.name, robot.content_hash, simplified, box, proofs)


def check_independent(robot: Robot) -> None:
    """Raise `RobotError` for a robot with mimic joints."""
    for body in robot.bodies:
        if body.joint.mimic is not None:
            raise RobotError(
                f"joint '{body.joint.name}' of robot '{robot.name}' follows another one: coefficients of independent "
                "joints cannot be bounded one by one",
                remedy="lock it (torquec.robot.lock_joints), or leave the mimic out of the robot's file",
            )


@dataclass(frozen=True)
class _Task:
    family: Family
    index: tuple[int, ...]
    error: CoefficientError
    box: MotionBox
    groups: tuple[ParallelGroup, ...]
    limit: float | None

    @property
    def name(self) -> str:
        return f"{self.family}[{','.join(str(i + 1) for i in self.index)}]"


def _tasks(
    tables: TorqueTables,
    residual: TorqueResidual,
    stated: Mapping[tuple[Family, tuple[int, ...]], CoefficientTolerance],
    box: MotionBox,
    groups: tuple[ParallelGroup, ...],
    snapped: Array,
) -> list[_Task]:
    """Every coefficient that is not exact, M by its upper triangle."""
    n = residual.n
    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    every: list[tuple[Family, tuple[int, ...]]] = [(Family.M, pair) for pair in pairs]
    every += [(Family.H, (i, *pair)) for i in range(n) for pair in pairs]
    every += [(Family.G, (i,)) for i in range(n)]
    tasks = []
    for family, index in every:
        joint, row, part = coefficient_row(n, family, index)
        snap = part * float(snapped[joint, row])
        if max(np.abs(residual.tables[joint][row]).max(), snap) <= _EXACT * residual.size:
            continue
        tolerance = stated.get((family, index))
        kind = ErrorKind.ABSOLUTE if tolerance is None else tolerance.kind
        error = coefficient_error(tables, residual, family, index, kind, snap=snap)
        tasks.append(_Task(family, index, error, box, groups, None if tolerance is None else tolerance.value))
    return tasks


def _bound(task: _Task, *, meter: Meter = silent) -> CoefficientBound | None:
    return coefficient_bound(task.error, task.box, groups=task.groups, limit=task.limit, meter=meter)


def _note(task: _Task, outcome: CoefficientBound | None) -> str:
    if outcome is None:
        return f"{task.name}: not proven"
    return f"{task.name}: {task.error.kind} error at most {outcome.bound:.4g}, proven with {outcome.boxes} boxes"


def _refusal(task: _Task, tolerance: CoefficientTolerance | None) -> SpecificationError:
    name = task.name
    if tolerance is None:
        return SpecificationError(f"no bound of the error of {name} was found", remedy="keep more of its terms")
    found = coefficient_bound(task.error, task.box, groups=task.groups)
    reached = "" if found is None else f"; what is proven is {found.bound:.6g}"
    return SpecificationError(
        f"the error of {name} was not proven to stay within the tolerance {tolerance.value:.6g} of joint "
        f"'{tolerance.joint}'{reached}",
        remedy="allow a larger error, or keep more of its terms",
    )
