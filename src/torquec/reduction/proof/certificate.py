"""Certificates: a simplified torque program with a proven bound of its error for every joint, as a file.

A certificate holds everything that is needed to prove the bounds again: the program, the box of motions, the bounds
and, per joint, the variables of its error and the tree of boxes of each root box (`branch_and_bound`). It is checked by
:mod:`torquec.reduction.proof.check_certificate`, which shares no code with the search.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError, RobotError
from torquec.expr import Function, function_from_dict, function_to_dict
from torquec.reduction.proof.torque_bound import Motions, TorqueBound, torque_bound
from torquec.reduction.proof.torque_residual import (
    TorqueResidual,
    positions_read,
    torque_residual,
    torque_tables,
)
from torquec.robot.file import write_files
from torquec.robot.robot import Robot

FORMAT = "torquec certificate 1"


@dataclass(frozen=True)
class JointProof:
    """A joint's bound [N m or N], the largest error found, the joints its error depends on, and the trees of the
    proof.
    """

    bound: float
    found: float
    variables: tuple[int, ...]
    trees: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Certificate:
    """A program (q, qd, qdd -> tau) whose torques differ from the robot's by at most the bound of each joint.

    `degree` is that of the error in each joint's sine and cosine.
    """

    robot: str
    robot_hash: str
    program: Function
    motions: Motions
    joints: Mapping[str, JointProof]
    degree: int = 2

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "format": FORMAT,
            "robot": self.robot,
            "robot_hash": self.robot_hash,
            "degree": self.degree,
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
                    "trees": [" ".join(map(str, tree)) for tree in proof.trees],
                }
                for name, proof in self.joints.items()
            },
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
                    tuple(tuple(map(int, tree.split())) for tree in proof["trees"]),
                )
                for name, proof in document["joints"].items()
            }
            program = function_from_dict(document["program"])
            return Certificate(
                str(document["robot"]), str(document["robot_hash"]), program, motions, joints, int(document["degree"])
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ArgumentError(f"not a certificate: {error}", remedy="make it again with torquec simplify") from error


def certify(
    robot: Robot,
    exact: Function,
    simplified: Function,
    motions: Motions,
    *,
    limits: Sequence[float] | None = None,
    degree: int = 2,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
) -> Certificate:
    """Prove a bound for every joint's torque error of `simplified` against `exact` over the motions.

    `degree` is that of the error in each joint's sine and cosine: two for mass moments left out, three for a pruned
    program. `limits` are the tolerances: a bound at the tolerance will do where a closer one takes too long. Raises
    `RobotError` where a joint's error exceeds its limit or no proof was found.
    """
    prismatic = [joint.type.is_prismatic for joint in robot.joints]
    read = sorted(positions_read(exact) | positions_read(simplified))
    residual = torque_residual(
        torque_tables(exact, prismatic, read, degree=degree), torque_tables(simplified, prismatic, read, degree=degree)
    )
    tasks = [
        (_of_joint(residual, joint), joint, motions, None if limits is None else float(limits[joint]))
        for joint in range(robot.n)
    ]
    proofs = {}
    outcomes = map(_bound, tasks) if executor is None else executor.map(_bound, tasks)
    for joint, outcome in zip(robot.joints, outcomes, strict=True):
        if outcome is None:
            raise RobotError(
                f"the torque error of joint '{joint.name}' could not be proven to stay within its limit",
                remedy="allow a larger error, or keep more terms",
            )
        bound, variables = outcome
        if progress is not None:
            progress(f"{joint.name}: error at most {bound.bound:.4g}, proven with {bound.boxes} boxes")
        proofs[joint.name] = JointProof(bound.bound, bound.found, variables, bound.trees)
    return Certificate(robot.name, robot.content_hash, simplified, motions, proofs, degree)


def _of_joint(residual: TorqueResidual, joint: int) -> TorqueResidual:
    """The residual with one joint's tables only: what a process that bounds its error has to be sent."""
    nothing = np.zeros(0)
    return replace(
        residual,
        tables=tuple(table if k == joint else nothing for k, table in enumerate(residual.tables)),
        dropped=tuple(row if k == joint else nothing for k, row in enumerate(residual.dropped)),
    )


def _bound(
    task: tuple[TorqueResidual, int, Motions, float | None],
) -> tuple[TorqueBound, tuple[int, ...]] | None:
    residual, joint, motions, limit = task
    bound = torque_bound(residual, joint, motions, limit=limit)
    return None if bound is None else (bound, residual.needed_joints(joint))


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
