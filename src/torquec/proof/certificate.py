"""Certificates: a simplified torque program with a proven bound of its error for every joint, as a file.

A certificate holds everything that is needed to prove the bounds again: the program, the box of motions, the bounds
and, per joint, the variables of its error and the tree of boxes of each root box (`branch_and_bound`). It is checked by
:mod:`torquec.proof.checker.check_certificate`, which shares no code with the search.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from torquec.errors import ArgumentError, RobotError
from torquec.expr import Function, OperationCount
from torquec.foundation.documents import INTEGERS_AS_TEXT, Codec, DocumentFormat, written_by
from torquec.foundation.json_text import document_text
from torquec.foundation.reading import FileKind, read_json, to_path
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.foundation.writing import write_files
from torquec.proof.coefficient_certificate import PROGRAMS, REMEDY, CoefficientCertificate, stated_format
from torquec.proof.torque_bound import TorqueBound, torque_bound
from torquec.proof.torque_residual import (
    TorqueResidual,
    position_degrees,
    positions_read,
    torque_residual,
    torque_tables,
)
from torquec.proof.worst_motions import error_program, worst_motions
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox

FORMAT = "torquec certificate 2"


class UnprovenError(RobotError):
    """No proof was found that the error of the torque of `joint` stays within its limit."""

    def __init__(self, joint: str) -> None:
        super().__init__(
            f"the torque error of joint '{joint}' could not be proven to stay within its limit",
            remedy="allow a larger error, or keep more terms",
        )
        self.joint = joint

    def __reduce__(self) -> tuple[type[UnprovenError], tuple[str]]:
        return type(self), (self.joint,)


@dataclass(frozen=True)
class JointProof:
    """A joint's bound [N m or N], the largest error found, the joints its error depends on, its degree in each one's
    sine and cosine (or displacement), and the trees of the proof.
    """

    bound: float
    found: float
    variables: tuple[int, ...]
    degrees: tuple[int, ...]
    trees: tuple[tuple[int, ...], ...] = field(metadata=written_by(INTEGERS_AS_TEXT))


@dataclass(frozen=True)
class Counts:
    """Terms of the equations of motion, where they can be written down, and operations of inverse dynamics."""

    terms_before: int | None
    terms_after: int | None
    operations_before: OperationCount
    operations_after: OperationCount


@dataclass(frozen=True)
class Certificate:
    """A program (q, qd, qdd -> tau) whose torques differ from the robot's by at most the bound of each joint.

    `joints` is empty where speeds and accelerations are not limited. `coefficients` are the proofs of the coefficients
    that serve other quantities, where there are such; `counts` say what was saved, and prove nothing.
    """

    robot: str
    robot_hash: str
    program: Function
    motions: MotionBox
    joints: Mapping[str, JointProof]
    coefficients: CoefficientCertificate | None = None
    counts: Counts | None = None

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name} {proof.bound:.3g}" for name, proof in self.joints.items())
        return f"Certificate('{self.robot}', torque errors at most: {bounds or 'not stated'})"

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"format": FORMAT, **_DOCUMENTS.to_values(self)}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Certificate:
        """The certificate that `to_dict` wrote; raises `ArgumentError` for anything else."""
        values = stated_format(document, FORMAT, _DOCUMENTS)
        return _DOCUMENTS.from_values(Certificate, values)


_DOCUMENTS = DocumentFormat(
    "certificate",
    remedy=REMEDY,
    codecs={
        **PROGRAMS,
        CoefficientCertificate: Codec(CoefficientCertificate.to_dict, CoefficientCertificate.from_dict),
    },
)


def certify(
    robot: Robot,
    exact: Function,
    simplified: Function,
    motions: MotionBox,
    *,
    limits: Sequence[float] | None = None,
    work: Work | None = None,
) -> Certificate:
    """Prove a bound for every joint's torque error of `simplified` against `exact` over the motions.

    `limits` are the tolerances: a bound at the tolerance will do where a closer one takes too long. Raises
    `UnprovenError` where a joint's error exceeds its limit or no proof was found.
    """
    work = as_work(work)
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    read = sorted(positions_read(exact) | positions_read(simplified))
    error = error_program(exact, simplified)
    # Of both programs, not of their difference: where that is nothing but rounding it has every degree.
    both = zip(position_degrees(exact, prismatic), position_degrees(simplified, prismatic), strict=True)
    highest = [max(pair) for pair in both]
    degree = [highest[joint] for joint in read]
    residual = torque_residual(
        torque_tables(exact, prismatic, read, degree=degree), torque_tables(simplified, prismatic, read, degree=degree)
    )
    found = worst_motions(error, motions).found
    tasks = [
        (_of_joint(residual, k), k, motions, float(found[k]), None if limits is None else float(limits[k]))
        for k in range(robot.n)
    ]
    proofs = {}
    outcomes = work.map(
        "proving the torque errors",
        _bound,
        tasks,
        metered=True,
        note=lambda task, outcome: _told(robot.joint_names[task[1]], outcome),
    )
    for joint, outcome in zip(robot.joints, outcomes, strict=True):
        if outcome is None:
            raise UnprovenError(joint.name)
        bound, (variables, degrees) = outcome
        proofs[joint.name] = JointProof(bound.bound, bound.found, variables, degrees, bound.trees)
    return Certificate(robot.name, robot.content_hash, simplified, motions, proofs)


def _of_joint(residual: TorqueResidual, joint: int) -> TorqueResidual:
    """The residual with one joint's tables only: what a process that bounds its error has to be sent."""
    nothing = np.zeros(0)
    return replace(
        residual,
        tables=tuple(table if k == joint else nothing for k, table in enumerate(residual.tables)),
        dropped=tuple(row if k == joint else nothing for k, row in enumerate(residual.dropped)),
    )


_Bounded = tuple[TorqueBound, tuple[tuple[int, ...], tuple[int, ...]]]


def _bound(
    task: tuple[TorqueResidual, int, MotionBox, float, float | None], *, meter: Meter = silent
) -> _Bounded | None:
    residual, joint, motions, found, limit = task
    bound = torque_bound(residual, joint, motions, found=found, limit=limit, meter=meter)
    return None if bound is None else (bound, residual.dependence(joint))


def _told(joint: str, outcome: _Bounded | None) -> str:
    if outcome is None:
        return f"{joint}: not proven"
    return f"{joint}: error at most {outcome[0].bound:.4g}, proven with {outcome[0].boxes} boxes"


def save_certificate(certificate: Certificate, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write the certificate as JSON, whole or not at all; a foreign file in the way is replaced with `force` only."""
    write_files({to_path(path): document_text(certificate.to_dict())}, force=force)


def load_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate; raises `ArgumentError` for a file that is none."""
    source = to_path(path)
    document = read_json(source, FileKind.CERTIFICATE, remedy=REMEDY)
    try:
        return Certificate.from_dict(document)
    except ArgumentError as error:
        raise ArgumentError(error.found, where=str(source), remedy=error.remedy) from None
