"""Certificates: a simplified torque program with a proven bound of its error for every joint, as a file.

A certificate holds everything that is needed to prove the bounds again: the robot as its file is written, the program,
the box of motions and the bounds. `certify` makes it; :mod:`torquec_check` proves it again from the file alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError
from torquec.expr import Function, OperationCount
from torquec.foundation.documents import Codec, DocumentFormat
from torquec.foundation.json_text import checksum, document_text
from torquec.foundation.notebook_display import NotebookDisplay
from torquec.foundation.reading import FileKind, read_json, to_path
from torquec.foundation.writing import write_files
from torquec.proof.torque.coefficient_certificate import (
    PROGRAMS,
    REMEDY,
    CoefficientCertificate,
    newer_document,
    stated_format,
)
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_from_dict, robot_to_dict
from torquec.trajectory.motion_box import MotionBox
from torquec_check.claim import rounded_up

FORMAT = "torquec certificate 4"
OLDER = ("torquec certificate 2", "torquec certificate 3")
"""Older formats that are still read: they lack the robot, and contain the boxes of the search. Format 2 also lacks the
specification and the checksum."""

_OPTIONAL = ("rounding", "robot_document", "least_inertia", "limbs")


@dataclass(frozen=True)
class JointProof:
    """A joint's bound [N m or N], the largest error found, and the tolerance, if one was stated."""

    bound: float
    found: float
    tolerance: float | None = None


@dataclass(frozen=True)
class RoundingProof:
    """Bound of the rounding error of code in `precision`, for each joint's torque [N m or N]."""

    precision: Precision
    joints: Mapping[str, float]


@dataclass(frozen=True)
class LimbProof:
    """A limb on a free base: its program, with bounds (6 + joints,) of its torques, and `base`, the ten inertial
    parameters of its copy of the base. The copies of all limbs add up to the base.
    """

    base: tuple[float, ...]
    program: Function
    bounds: tuple[float, ...]


@dataclass(frozen=True)
class Counts:
    """Terms of the equations of motion, where they can be written down, and operations of inverse dynamics."""

    terms_before: int | None
    terms_after: int | None
    operations_before: OperationCount
    operations_after: OperationCount


@dataclass(frozen=True)
class Certificate(NotebookDisplay):
    """A program (q, qd, qdd -> tau) whose torques differ from the robot's by at most the bound of each joint.

    `joints` is empty where speeds and accelerations are not limited. `coefficients` proves the coefficients of a second
    program, if there is one, for M, c, C and g; `counts` report the savings, and prove nothing. `specification` is
    the text of the specification file; empty where only the bounds are claimed. Where there is a `rounding`, it is part
    of the bounds of `joints`: they hold for generated code in its precision.
    `robot_document` is the robot itself, which older certificates do not hold. With `least_inertia` m (n,), M - diag(m)
    of the program is proven to be positive definite at all positions of the motions; empty where that is not claimed.
    A robot with a free base has `limbs`, of which the program is made. The first six positions of `motions` then
    mean nothing: the pose of the base is not limited.
    """

    robot: str
    robot_hash: str
    program: Function
    motions: MotionBox
    joints: Mapping[str, JointProof]
    coefficients: CoefficientCertificate | None = None
    counts: Counts | None = None
    specification: str = ""
    rounding: RoundingProof | None = None
    robot_document: Robot | None = None
    least_inertia: tuple[float, ...] = ()
    limbs: tuple[LimbProof, ...] = ()

    @property
    def precision(self) -> Precision:
        """Precision of generated code for which the bounds hold: double, whose rounding is negligible, or lower."""
        return Precision.DOUBLE if self.rounding is None else self.rounding.precision

    def of_second_program(self) -> Certificate:
        """The part about the second program, whose coefficients it proves."""
        assert self.coefficients is not None
        return replace(self, program=self.coefficients.program, joints={}, counts=None, rounding=None)

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name} {rounded_up(proof.bound, 3)}" for name, proof in self.joints.items())
        return f"Certificate('{self.robot}', torque errors at most: {bounds or 'not stated'})"

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, with a SHA-256 over all of them."""
        values = {"format": FORMAT, **_DOCUMENTS.to_values(self)}
        for name in _OPTIONAL:
            if not values[name]:
                del values[name]
        return {**values, "sha256": checksum(values)}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Certificate:
        """The certificate that `to_dict` wrote, now or in an older format; raises `ArgumentError` otherwise."""
        stated = document.get("format") if isinstance(document, Mapping) else None
        if stated == OLDER[0]:
            older = replace(_DOCUMENTS, defaults=True)
            values = newer_document(stated_format(document, OLDER[0], older), "joints")
            if unknown := {"specification", *_OPTIONAL} & set(values):
                older.refuse("certificate", f"'{min(unknown)}' is not known")
            return older.from_values(Certificate, values)
        known = OLDER[1] if stated == OLDER[1] else FORMAT
        values = stated_format(document, known, _DOCUMENTS)
        if values.pop("sha256", None) != checksum({"format": known, **values}):
            _DOCUMENTS.refuse("certificate.sha256", "the checksum does not fit: the document was changed or damaged")
        for name in _OPTIONAL:
            if name in values and not values[name]:
                _DOCUMENTS.refuse(f"certificate.{name}", "there is nothing in it")
        if known != FORMAT:
            values = newer_document(values, "joints")
        return _DOCUMENTS.from_values(
            Certificate, {"rounding": None, "robot_document": None, "least_inertia": [], "limbs": [], **values}
        )

    @property
    def content_hash(self) -> str:
        """SHA-256 of the certificate's content: the field `sha256` in its file, not that of the file's bytes."""
        found: str = self.to_dict()["sha256"]
        return found


_DOCUMENTS = DocumentFormat(
    "certificate",
    remedy=REMEDY,
    codecs={
        **PROGRAMS,
        CoefficientCertificate: Codec(CoefficientCertificate.to_dict, CoefficientCertificate.from_dict),
        Robot: Codec(robot_to_dict, robot_from_dict),
    },
)


def save_certificate(certificate: Certificate, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write the certificate as JSON, whole or not at all; a foreign file in the way is replaced with `force` only."""
    write_files({to_path(path): document_text(certificate.to_dict())}, force=force)


def load_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate; raises `ArgumentError` for any other file."""
    source = to_path(path)
    document = read_json(source, FileKind.CERTIFICATE, remedy=REMEDY)
    try:
        return Certificate.from_dict(document)
    except ArgumentError as error:
        raise ArgumentError(error.found, where=str(source), remedy=error.remedy) from None
