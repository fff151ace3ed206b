"""Certificates of coefficients: a torque program with a proven bound of the error of every one of its coefficients.

The program computes tau = M qdd + c(q, qd, qd) + g like the robot; its coefficients M_ij, c_ijk (H_ijk of Chang & Lee)
and g_i are compared one by one, absolute or relative, over the box of joint positions. A certificate holds all that is
needed to prove the bounds again; :mod:`torquec.proof.checker.check_coefficients` does, and shares no code with the
search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from torquec.closedform.variables import ParallelGroup, parallel_groups
from torquec.errors import RobotError, SpecificationError
from torquec.expr import Function, function_from_dict, function_to_dict
from torquec.foundation.documents import INTEGERS_AS_TEXT, Codec, DocumentFormat, written_by
from torquec.foundation.work import Work, as_work
from torquec.proof.coefficient_bound import CoefficientBound, coefficient_bound
from torquec.proof.coefficient_error import CoefficientError, coefficient_error, coefficient_row
from torquec.proof.coefficient_tolerance import CoefficientTolerance, Family
from torquec.proof.error_peaks import ErrorKind
from torquec.proof.torque_residual import (
    TorqueResidual,
    TorqueTables,
    position_degrees,
    positions_read,
    torque_residual,
    torque_tables,
)
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox

FORMAT = "torquec coefficient certificate 1"

_EXACT = 1e-11
"""Errors below this part of the largest torque at rest are rounding: the coefficient is as it was."""


@dataclass(frozen=True)
class CoefficientProof:
    """What is proven of one coefficient: its error is at most `bound`, absolute or relative.

    `index` counts from zero (independent joints), `tolerance` is what was asked for, if anything was, `found` the
    largest error found; `variables` are what the error depends on, each a sum of joint positions as (joint, sign)
    pairs, `degrees` its degrees in them, `trees` the boxes of the proof.
    """

    family: Family
    index: tuple[int, ...]
    kind: ErrorKind
    tolerance: float | None
    bound: float
    found: float
    variables: tuple[tuple[tuple[int, int], ...], ...]
    degrees: tuple[int, ...]
    trees: tuple[tuple[int, ...], ...] = field(metadata=written_by(INTEGERS_AS_TEXT))

    @property
    def name(self) -> str:
        """'M[1,2]', 'H[1,1,2]', 'g[2]', counted from one."""
        return f"{self.family}[{','.join(str(i + 1) for i in self.index)}]"


@dataclass(frozen=True)
class CoefficientCertificate:
    """A program (q, qd, qdd -> tau) with the proofs of its coefficients, by name; those not named are exact.

    The box has one range for each independent joint.
    """

    robot: str
    robot_hash: str
    program: Function
    box: MotionBox
    coefficients: Mapping[str, CoefficientProof]

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"format": FORMAT, **_DOCUMENTS.to_values(self)}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> CoefficientCertificate:
        """The certificate that `to_dict` wrote; raises `ArgumentError` for anything else."""
        values = stated_format(document, FORMAT, _DOCUMENTS)
        return _DOCUMENTS.from_values(CoefficientCertificate, values)


REMEDY = "make it again with torquec simplify"

PROGRAMS: dict[type, Codec] = {Function: Codec(function_to_dict, function_from_dict)}
"""How the programs of certificates are written."""

_POSITIONS = Codec(
    lambda box: {"lower": list(box.lower), "upper": list(box.upper)},
    lambda values: MotionBox(*(tuple(float(x) for x in values[side]) for side in ("lower", "upper"))),
)
"""A box without speeds: they are no part of what is proven of a coefficient."""

_DOCUMENTS = DocumentFormat("coefficients", remedy=REMEDY, codecs={**PROGRAMS, MotionBox: _POSITIONS})


def stated_format(document: object, expected: str, documents: DocumentFormat) -> dict[str, Any]:
    """A document without its "format"; raises the format's error where that is not the expected one."""
    stated = document.get("format") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or stated != expected:
        documents.refuse("not a certificate", f"its format is {str(stated)[:60]!r}, not {expected!r}")
    return {key: value for key, value in document.items() if key != "format"}


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
    no proof. Raises `SpecificationError` where an error exceeds its tolerance or no proof was found, and `RobotError`
    for a robot with mimic joints, whose coefficients are no polynomials of its independent joints.
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
    tasks = _tasks(tables, residual, stated, box, groups)
    outcomes = as_work(work).map("proving the coefficients", _bound, tasks, note=_told)
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
) -> list[_Task]:
    """Every coefficient that is not exact, M by its upper triangle."""
    n = residual.n
    pairs = [(j, k) for j in range(n) for k in range(j, n)]
    every: list[tuple[Family, tuple[int, ...]]] = [(Family.M, pair) for pair in pairs]
    every += [(Family.H, (i, *pair)) for i in range(n) for pair in pairs]
    every += [(Family.G, (i,)) for i in range(n)]
    tasks = []
    for family, index in every:
        joint, row, _ = coefficient_row(n, family, index)
        if np.abs(residual.tables[joint][row]).max() <= _EXACT * residual.size:
            continue
        tolerance = stated.get((family, index))
        kind = ErrorKind.ABSOLUTE if tolerance is None else tolerance.kind
        error = coefficient_error(tables, residual, family, index, kind)
        tasks.append(_Task(family, index, error, box, groups, None if tolerance is None else tolerance.value))
    return tasks


def _bound(task: _Task) -> CoefficientBound | None:
    return coefficient_bound(task.error, task.box, groups=task.groups, limit=task.limit)


def _told(task: _Task, outcome: CoefficientBound | None) -> str:
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
