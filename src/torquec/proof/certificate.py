"""Certificates: a simplified torque program with a proven bound of its error for every joint, as a file.

A certificate holds everything that is needed to prove the bounds again: the program, the box of motions, the bounds
and, per joint, the variables of its error and the tree of boxes of each root box (`branch_and_bound`). It is checked by
:mod:`torquec.proof.checker.check_certificate`, which shares no code with the search.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError, RobotError
from torquec.expr import Function, OperationCount, function_from_dict, function_to_dict
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.proof.coefficient_certificate import CoefficientCertificate
from torquec.proof.motions import Motions
from torquec.proof.torque_bound import TorqueBound, torque_bound
from torquec.proof.torque_residual import (
    TorqueResidual,
    position_degrees,
    positions_read,
    torque_residual,
    torque_tables,
)
from torquec.proof.worst_motions import error_program, worst_motions
from torquec.robot.file import write_files
from torquec.robot.robot import Robot

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
    trees: tuple[tuple[int, ...], ...]


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
    motions: Motions
    joints: Mapping[str, JointProof]
    coefficients: CoefficientCertificate | None = None
    counts: Counts | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "format": FORMAT,
            "robot": self.robot,
            "robot_hash": self.robot_hash,
            "program": function_to_dict(self.program),
            "motions": {
                "lower": list(self.motions.lower),
                "upper": list(self.motions.upper),
                "velocity": list(self.motions.velocity),
                "acceleration": list(self.motions.acceleration),
            },
            "joints": {
                name: {
                    "bound": proof.bound,
                    "found": proof.found,
                    "variables": list(proof.variables),
                    "degrees": list(proof.degrees),
                    "trees": [" ".join(map(str, tree)) for tree in proof.trees],
                }
                for name, proof in self.joints.items()
            },
            "coefficients": None if self.coefficients is None else self.coefficients.to_dict(),
            "counts": None if self.counts is None else dataclasses.asdict(self.counts),
        }

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Certificate:
        """The certificate that `to_dict` wrote; raises `ArgumentError` for anything else."""
        try:
            if document["format"] != FORMAT:
                raise ValueError(f"its format is {document['format']!r}")
            motions = Motions(
                *(tuple(map(float, document["motions"][key])) for key in ("lower", "upper", "velocity", "acceleration"))
            )
            joints = {
                str(name): JointProof(
                    float(proof["bound"]),
                    float(proof["found"]),
                    tuple(map(int, proof["variables"])),
                    tuple(map(int, proof["degrees"])),
                    tuple(tuple(map(int, tree.split())) for tree in proof["trees"]),
                )
                for name, proof in document["joints"].items()
            }
            program = function_from_dict(document["program"])
            inner, counts = document["coefficients"], document["counts"]
            return Certificate(
                str(document["robot"]),
                str(document["robot_hash"]),
                program,
                motions,
                joints,
                None if inner is None else CoefficientCertificate.from_dict(inner),
                None if counts is None else _counts(counts),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ArgumentError(f"not a certificate: {error}", remedy="make it again with torquec simplify") from error


def _counts(document: Mapping[str, Any]) -> Counts:
    before, after = (
        OperationCount(**{f.name: int(document[key][f.name]) for f in dataclasses.fields(OperationCount)})
        for key in ("operations_before", "operations_after")
    )
    whole, left = (None if document[key] is None else int(document[key]) for key in ("terms_before", "terms_after"))
    return Counts(whole, left, before, after)


def certify(
    robot: Robot,
    exact: Function,
    simplified: Function,
    motions: Motions,
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


def _bound(task: tuple[TorqueResidual, int, Motions, float, float | None], *, meter: Meter = silent) -> _Bounded | None:
    residual, joint, motions, found, limit = task
    bound = torque_bound(residual, joint, motions, found=found, limit=limit, meter=meter)
    return None if bound is None else (bound, residual.dependence(joint))


def _told(joint: str, outcome: _Bounded | None) -> str:
    if outcome is None:
        return f"{joint}: not proven"
    return f"{joint}: error at most {outcome[0].bound:.4g}, proven with {outcome[0].boxes} boxes"


def save_certificate(certificate: Certificate, path: str | os.PathLike[str]) -> None:
    """Write the certificate as JSON, in one piece or not at all."""
    write_files({Path(path): json.dumps(certificate.to_dict(), indent=1) + "\n"})


def load_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate; raises `ArgumentError` for a file that is none."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ArgumentError(f"not a certificate: {error}", where=str(path)) from error
    return Certificate.from_dict(document)
