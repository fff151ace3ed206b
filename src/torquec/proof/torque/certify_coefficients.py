"""Certify the coefficients of a torque program: prove a bound of every coefficient's error.

Coefficients are bounded one by one (`coefficient_bound`), each in a task; unchanged ones need no proof. The error of
snapped angles against the file as written (`snap_bound`) is a part of every bound; where nothing else was changed, it
is the only error.

`certify_coefficients` raises an error where a tolerance is not proven, or not in time. `prove_coefficients` reports the
coefficient instead: the caller can leave it unchanged, and keep the proofs of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from torquec.closedform.paths import ParallelGroup, parallel_groups
from torquec.errors import RobotError, SpecificationError, TimeLimitError
from torquec.expr import Function
from torquec.foundation.arrays import Array
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.proof.torque.coefficient_bound import CoefficientBound, coefficient_bound
from torquec.proof.torque.coefficient_certificate import (
    CoefficientCertificate,
    CoefficientProof,
    CoefficientTolerance,
    ErrorKind,
    Family,
)
from torquec.proof.torque.coefficient_error import CoefficientError, coefficient_error, coefficient_row
from torquec.proof.torque.snap_bound import snap_rows
from torquec.proof.torque.torque_residual import TorqueResidual, torque_residual
from torquec.proof.torque.torque_tables import (
    TorqueTables,
    position_degrees,
    positions_read,
    torque_rows,
    torque_tables,
)
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases
from torquec.trajectory.motion_box import MotionBox
from torquec_check.claim import rounded_up

_EXACT = 1e-11
"""Errors below this part of the largest torque at rest are rounding: the coefficient is unchanged."""

_SNAPPED = 5e-10
"""The same threshold for the error of snapped angles, including the rounding of its bound."""

_OTHERS, _SAMPLES = 1e-9, 64
"""Bound of coefficients without a proof, relative to a joint's largest one; number of positions to find the largest."""


@dataclass(frozen=True)
class ProvenCoefficients:
    """Proofs by the names of coefficients, and the names of those whose tolerance was not proven, or not in time."""

    proofs: Mapping[str, CoefficientProof]
    unproven: frozenset[str]


def certify_coefficients(
    robot: Robot,
    exact: Function,
    simplified: Function,
    box: MotionBox,
    *,
    tolerances: Sequence[CoefficientTolerance] = (),
    known: Mapping[str, CoefficientProof] | None = None,
    work: Work | None = None,
) -> CoefficientCertificate:
    """Prove a bound for the error of every coefficient of `simplified` against `exact` over the box.

    A coefficient with a tolerance is bounded in the tolerance's kind, all others absolutely; those that are exact need
    no proof, and those that are `known` (proofs of another program with the same coefficients) are not proven again.
    After the time limit, remaining errors are bounded by their amplitudes, and `TimeLimitError` is raised where such a
    bound exceeds a tolerance. Raises `SpecificationError` where an error exceeds its tolerance or no proof was found,
    and `RobotError` for a robot with mimic joints, whose coefficients are not polynomials of its independent joints.
    """
    proofs = {}
    for task, outcome in _outcomes(robot, exact, simplified, box, tolerances=tolerances, known=known or {}, work=work):
        if not isinstance(outcome, CoefficientProof):
            raise _late(task) if outcome is _Unproven.NO_TIME else _refusal(task)
        proofs[outcome.name] = outcome
    return CoefficientCertificate(robot.name, robot.content_hash, simplified, box, proofs, exact_bounds(exact, box))


def prove_coefficients(
    robot: Robot,
    exact: Function,
    simplified: Function,
    box: MotionBox,
    *,
    tolerances: Sequence[CoefficientTolerance] = (),
    work: Work | None = None,
) -> ProvenCoefficients:
    """Like `certify_coefficients`, but names coefficients without a proof. Raises `RobotError` in the same cases."""
    proofs, unproven = {}, set()
    for task, outcome in _outcomes(robot, exact, simplified, box, tolerances=tolerances, known={}, work=work):
        if isinstance(outcome, CoefficientProof):
            proofs[outcome.name] = outcome
        else:
            unproven.add(task.name)
    return ProvenCoefficients(proofs, frozenset(unproven))


def exact_bounds(exact: Function, box: MotionBox) -> tuple[float, ...]:
    """Bounds (n,) of coefficients without a proof, relative to the largest one of their joint."""
    lower, upper = np.array(box.lower), np.array(box.upper)
    positions = lower + (upper - lower) * np.random.default_rng(0).uniform(size=(_SAMPLES, len(lower)))
    sizes = np.abs(torque_rows(exact, positions)).max(axis=(0, 2))
    return tuple(float(_OTHERS * size + 1e-100) for size in sizes)


def check_independent(robot: Robot) -> None:
    """Raise `RobotError` for a robot with mimic joints."""
    for body in robot.bodies:
        if body.joint.mimic is not None:
            raise RobotError(
                f"joint '{body.joint.name}' of robot '{robot.name}' follows another one: coefficients of independent "
                "joints cannot be bounded one by one",
                remedy="lock it (torquec.robot.lock_joints), or leave the mimic out of the robot's file",
            )


class _Unproven(Enum):
    """Why there is no proof of a coefficient."""

    TOO_LARGE = "its error exceeds the tolerance, or was not shown to be within it"
    NO_TIME = "the time limit was reached"


@dataclass(frozen=True)
class _Task:
    family: Family
    index: tuple[int, ...]
    error: CoefficientError
    box: MotionBox
    groups: tuple[ParallelGroup, ...]
    tolerance: CoefficientTolerance | None

    @property
    def name(self) -> str:
        return f"{self.family}[{','.join(str(i + 1) for i in self.index)}]"

    @property
    def limit(self) -> float | None:
        return None if self.tolerance is None else self.tolerance.value


def _outcomes(
    robot: Robot,
    exact: Function,
    simplified: Function,
    box: MotionBox,
    *,
    tolerances: Sequence[CoefficientTolerance],
    known: Mapping[str, CoefficientProof],
    work: Work | None,
) -> Iterator[tuple[_Task, CoefficientProof | _Unproven]]:
    """Every coefficient that is not exact, with its proof where there is one."""
    check_independent(robot)
    bases = position_bases(robot)
    read = sorted(positions_read(exact) | positions_read(simplified))
    both = zip(position_degrees(exact, bases), position_degrees(simplified, bases), strict=True)
    highest = [max(pair) for pair in both]
    degree = [highest[joint] for joint in read]
    tables = torque_tables(exact, bases, read, degree=degree)
    residual = torque_residual(tables, torque_tables(simplified, bases, read, degree=degree))
    stated = {(t.family, t.index): t for t in tolerances}
    groups = tuple(parallel_groups(robot.canonical.links))
    tasks = _tasks(tables, residual, stated, box, groups, snap_rows(robot, box))
    yield from ((task, known[task.name]) for task in tasks if task.name in known)
    others = [task for task in tasks if task.name not in known]
    bounds = as_work(work).map("proving the coefficients", _bound, others, metered=True, note=_note)
    for task, bound in zip(others, bounds, strict=True):
        yield task, bound if isinstance(bound, _Unproven) else _proof(task, bound)


def _proof(task: _Task, found: CoefficientBound) -> CoefficientProof:
    return CoefficientProof(task.family, task.index, task.error.kind, task.limit, found.bound, found.found)


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
        if np.abs(residual.tables[joint][row]).max() <= _EXACT * residual.size and snap <= _SNAPPED * residual.size:
            continue
        tolerance = stated.get((family, index))
        kind = ErrorKind.ABSOLUTE if tolerance is None else tolerance.kind
        error = coefficient_error(tables, residual, family, index, kind, snap=snap)
        tasks.append(_Task(family, index, error, box, groups, tolerance))
    return tasks


def _bound(task: _Task, *, meter: Meter = silent) -> CoefficientBound | _Unproven:
    try:
        found = coefficient_bound(task.error, task.box, groups=task.groups, limit=task.limit, meter=meter)
    except TimeLimitError:
        return _Unproven.NO_TIME
    return found or _Unproven.TOO_LARGE


def _note(task: _Task, outcome: CoefficientBound | _Unproven) -> str:
    if isinstance(outcome, _Unproven):
        return f"{task.name}: {outcome.value}"
    bound = rounded_up(outcome.bound, 4)
    return f"{task.name}: {task.error.kind} error at most {bound}, proven with {outcome.boxes} boxes"


def _late(task: _Task) -> TimeLimitError:
    return TimeLimitError(f"the error of {task.name} was not proven in time", remedy="allow more time")


def _refusal(task: _Task) -> SpecificationError:
    name, tolerance = task.name, task.tolerance
    if tolerance is None:
        return SpecificationError(f"no bound of the error of {name} was found", remedy="keep more of its terms")
    found = coefficient_bound(task.error, task.box, groups=task.groups)
    reached = "" if found is None else f"; the proven bound is {rounded_up(found.bound, 6)}"
    return SpecificationError(
        f"the error of {name} was not proven to stay within the tolerance {tolerance.value:.6g} of joint "
        f"'{tolerance.joint}'{reached}",
        remedy="allow a larger error, or keep more of its terms",
    )
