"""Certificates: a simplified torque program with a proven bound of its error for every joint, as a file.

A certificate holds everything that is needed to prove the bounds again: the program, the box of motions, the bounds
and, per joint, the variables of its error and the tree of boxes of each root box (`branch_and_bound`).
:mod:`torquec.proof.certify` makes it, and :mod:`torquec.proof.checker.check_certificate` proves it again; this file is
all that the two share.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError
from torquec.expr import Function, OperationCount
from torquec.foundation.documents import INTEGERS_AS_TEXT, Codec, DocumentFormat, written_by
from torquec.foundation.json_text import checksum, document_text
from torquec.foundation.reading import FileKind, read_json, to_path
from torquec.foundation.rounded_bound import rounded_up
from torquec.foundation.writing import write_files
from torquec.proof.coefficient_certificate import PROGRAMS, REMEDY, CoefficientCertificate, stated_format
from torquec.trajectory.motion_box import MotionBox

FORMAT = "torquec certificate 3"
OLDER = "torquec certificate 2"
"""The format without tolerances, specification and checksum; it is still read."""


@dataclass(frozen=True)
class JointProof:
    """A joint's bound [N m or N], the largest error found, the joints its error depends on, its degree in each one's
    sine and cosine (or displacement), and the trees of the proof. `tolerance` is what was allowed, if it was stated.
    """

    bound: float
    found: float
    variables: tuple[int, ...]
    degrees: tuple[int, ...]
    trees: tuple[tuple[int, ...], ...] = field(metadata=written_by(INTEGERS_AS_TEXT))
    tolerance: float | None = None


@dataclass(frozen=True)
class RoundingProof:
    """What code that computes in `precision` adds to the error of each joint's torque, at most [N m or N]."""

    precision: Precision
    joints: Mapping[str, float]


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
    that serve other quantities, where there are such; `counts` say what was saved, and prove nothing. `specification`
    is what was asked for, as the text of a specification file; empty where the bounds are all that is claimed. Where
    there is a `rounding`, it is part of the bounds of `joints`: they hold for generated code in its precision.
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

    @property
    def precision(self) -> Precision:
        """What code may compute in for the bounds to hold: doubles, whose rounding is nothing beside them, or less."""
        return Precision.DOUBLE if self.rounding is None else self.rounding.precision

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name} {rounded_up(proof.bound, 3)}" for name, proof in self.joints.items())
        return f"Certificate('{self.robot}', torque errors at most: {bounds or 'not stated'})"

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, with a SHA-256 over all of them."""
        values = {"format": FORMAT, **_DOCUMENTS.to_values(self)}
        if self.rounding is None:
            del values["rounding"]  # certificates of doubles are as they were before there were others
        return {**values, "sha256": checksum(values)}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> Certificate:
        """The certificate that `to_dict` wrote, now or in the older format; raises `ArgumentError` otherwise."""
        if isinstance(document, Mapping) and document.get("format") == OLDER:
            older = replace(_DOCUMENTS, defaults=True)
            values = stated_format(document, OLDER, older)
            if unknown := {"specification", "rounding"} & set(values):
                older.refuse("certificate", f"'{min(unknown)}' is not known")
            return older.from_values(Certificate, values)
        values = stated_format(document, FORMAT, _DOCUMENTS)
        stated = values.pop("sha256", None)
        if stated != checksum({"format": FORMAT, **values}):
            _DOCUMENTS.refuse("certificate.sha256", "the checksum does not fit: the document was changed or damaged")
        if "rounding" in values and values["rounding"] is None:
            _DOCUMENTS.refuse("certificate.rounding", "there is nothing in it")
        return _DOCUMENTS.from_values(Certificate, {"rounding": None, **values})

    @property
    def content_hash(self) -> str:
        """SHA-256 of all that the certificate says: the field `sha256` in its file, not that of the file's bytes."""
        found: str = self.to_dict()["sha256"]
        return found


_DOCUMENTS = DocumentFormat(
    "certificate",
    remedy=REMEDY,
    codecs={
        **PROGRAMS,
        CoefficientCertificate: Codec(CoefficientCertificate.to_dict, CoefficientCertificate.from_dict),
    },
)


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
