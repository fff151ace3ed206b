"""Coefficient tolerances and certificates: a torque program with proven error bounds of its coefficients.

The program computes tau = M qdd + c(q, qd, qd) + g like the robot; its coefficients M_ij, c_ijk (H_ijk of Chang & Lee)
and g_i are compared one by one, absolute or relative, over the box of joint positions.
:mod:`torquec_check.program_error` proves the bounds again, and shares no code with the search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from torquec.expr import Function, function_from_dict, function_to_dict
from torquec.foundation.documents import Codec, DocumentFormat
from torquec.trajectory.motion_box import MotionBox


class ErrorKind(StrEnum):
    """How an error is measured: absolute, or as a part of the exact coefficient."""

    ABSOLUTE = "absolute"
    RELATIVE = "relative"


class Family(StrEnum):
    """The coefficients of the equations of motion; H are Christoffel symbols, V friction."""

    M = "M"
    H = "H"
    G = "g"
    V = "V"


@dataclass(frozen=True)
class CoefficientTolerance:
    """Error tolerance of one coefficient: its indices from zero (bodies), and the joint that requires it."""

    family: Family
    index: tuple[int, ...]
    value: float
    kind: ErrorKind
    joint: str

    @property
    def name(self) -> str:
        """'M[1,2]', 'H[1,1,2]', 'g[2]', counted from one."""
        return f"{self.family}[{','.join(str(i + 1) for i in self.index)}]"


FORMAT = "torquec coefficient certificate 3"
OLDER = ("torquec coefficient certificate 1", "torquec coefficient certificate 2")
"""Readable older formats: without the bounds of other coefficients, the first with the boxes of the search."""

_BOXES = ("variables", "degrees", "trees")
"""Fields of proofs in older formats: the subdivision of the search; the checker makes its own."""


@dataclass(frozen=True)
class CoefficientProof:
    """Proof of one coefficient: its error is at most `bound`, absolute or relative.

    `index` counts from zero (independent joints), `tolerance` is the specified one, if any, `found` the largest error
    found.
    """

    family: Family
    index: tuple[int, ...]
    kind: ErrorKind
    tolerance: float | None
    bound: float
    found: float

    @property
    def name(self) -> str:
        """'M[1,2]', 'H[1,1,2]', 'g[2]', counted from one."""
        return f"{self.family}[{','.join(str(i + 1) for i in self.index)}]"


@dataclass(frozen=True)
class CoefficientCertificate:
    """A program (q, qd, qdd -> tau) with the proofs of its coefficients, by name.

    The box has one range for each independent joint. Coefficients that are not named are exact to rounding and snapped
    angles: their absolute error is within `others` (n,) of their joint. Older formats have no `others`, and are not
    proven again.
    """

    robot: str
    robot_hash: str
    program: Function
    box: MotionBox
    coefficients: Mapping[str, CoefficientProof]
    others: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"format": FORMAT, **_DOCUMENTS.to_values(self)}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> CoefficientCertificate:
        """The certificate that `to_dict` wrote; raises `ArgumentError` for anything else."""
        older = document.get("format") if isinstance(document, Mapping) else None
        if older in OLDER:
            values = newer_document(stated_format(document, older, _DOCUMENTS), "coefficients") | {"others": []}
        else:
            values = stated_format(document, FORMAT, _DOCUMENTS)
        return _DOCUMENTS.from_values(CoefficientCertificate, values)


REMEDY = "make it again with torquec simplify"

PROGRAMS: dict[type, Codec] = {Function: Codec(function_to_dict, function_from_dict)}
"""How the programs of certificates are written."""

_POSITIONS = Codec(
    lambda box: {"lower": list(box.lower), "upper": list(box.upper)},
    lambda values: MotionBox(*(tuple(float(x) for x in values[side]) for side in ("lower", "upper"))),
)
"""A box without speeds: bounds of coefficients do not depend on them."""

_DOCUMENTS = DocumentFormat("coefficients", remedy=REMEDY, codecs={**PROGRAMS, MotionBox: _POSITIONS})


def newer_document(values: dict[str, Any], name: str) -> dict[str, Any]:
    """An older document with the boxes of the search removed from the proofs under `name`."""
    proofs = values.get(name)
    if not isinstance(proofs, dict) or not all(isinstance(proof, dict) for proof in proofs.values()):
        return values
    kept = {key: {k: v for k, v in proof.items() if k not in _BOXES} for key, proof in proofs.items()}
    return {**values, name: kept}


def stated_format(document: object, expected: str, documents: DocumentFormat) -> dict[str, Any]:
    """A document without its "format"; raises the format's error where that is not the expected one."""
    stated = document.get("format") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or stated != expected:
        documents.refuse("not a certificate", f"its format is {str(stated)[:60]!r}, not {expected!r}")
    return {key: value for key, value in document.items() if key != "format"}
