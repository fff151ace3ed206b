"""Re-check a certificate or a model file from the files alone; `check_file` in `realtime` also takes packages.

(1)  certificate: every bound (:mod:`torquec.proof.check_certificate`), and that the specification in it is met;
     it needs its robot
(2)  model: its certificate as in (1), with the robot in the file; every program must follow from the certified one and
     every operation count must be right, so the whole document is rebuilt and compared

A failed check is reported in `CheckedFile.refused`, not raised; only a file without a claim raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torquec.codegen.precision import Precision
from torquec.errors import ArgumentError, CheckError, TorquecError
from torquec.foundation.choice import chosen
from torquec.foundation.reading import FileKind, read_json
from torquec.foundation.work import Work
from torquec.model.certified_package import claim_of
from torquec.model.model import Model
from torquec.model.model_parameters import ModelKind
from torquec.model.save import VERSION, load_model, model_document
from torquec.model.simplified import counts_of
from torquec.proof.check_certificate import check_certificate, check_parts
from torquec.proof.torque.certificate import Certificate, load_certificate
from torquec.robot.robot import Robot
from torquec.simplification.specification_text import check_specification_met, stated_specification
from torquec.trajectory.motion_box import MotionBox
from torquec_check.claim import Bound, Claim
from torquec_check.document import RefusedError

_REMEDY = "take the original file, or generate it again"
_PARTS = ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")
"""Separate programs of a coefficient model, compared numerically with the certified program."""


class CheckedKind(StrEnum):
    """The kind of the checked file."""

    CERTIFICATE = "certificate"
    MODEL = "model"
    PACKAGE = "package"
    CONTROLLER = "controller"
    WITNESS = "witness"


@dataclass(frozen=True)
class CheckedFile:
    """Claims of a file and the result of re-checking them; `refused` is the reason of a failure.

    `robot` is the robot of the claims, None where the file could not be read; `specification` are the requirements of
    the certificate without comments, empty in that case. `slacks` [N m, N; as the coefficient] is the rounding
    allowance in each bound, `precision` the floating-point precision of code for which the bounds hold. `held`: the
    claim about held coefficients of a two-rate package, beside that of its model.
    """

    kind: CheckedKind
    refused: tuple[str, ...] = ()
    claims: tuple[Bound, ...] = ()
    box: MotionBox | None = None
    specification: str = ""
    precision: Precision = Precision.DOUBLE
    slacks: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    robot: Robot | None = None
    claim: Claim | None = None
    assumptions: tuple[str, ...] = ()
    held: Claim | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", chosen(CheckedKind, self.kind, "kind"))
        object.__setattr__(self, "precision", chosen(Precision, self.precision, "precision"))

    @property
    def ok(self) -> bool:
        """Whether everything that the file claims was proven."""
        return not self.refused


def check_certificate_file(source: Path, robot: Robot | None, work: Work) -> CheckedFile:
    """(1); raises `ArgumentError` where `robot` is None and the certificate, an older one, does not contain it."""
    try:
        record = load_certificate(source)
    except TorquecError as error:
        return CheckedFile(CheckedKind.CERTIFICATE, (str(error),))
    about = record.robot_document if robot is None else robot
    if about is None:
        raise ArgumentError(
            "this certificate does not contain its robot", where=str(source), remedy="give the robot: --robot ROBOT"
        )
    return refusals(CheckedKind.CERTIFICATE, lambda: _certificate(about, record, work))


def check_model_file(source: Path, robot: Robot | None, work: Work) -> CheckedFile:
    """(2); refuses a model whose robot differs from the given one, also in payload, locked joints or gravity."""
    return refusals(CheckedKind.MODEL, lambda: checked_model(source, robot, work)[1])


class NothingClaimedError(ArgumentError):
    """The file is valid, but contains no claim to check."""


def refusals(kind: CheckedKind, check: Callable[[], CheckedFile]) -> CheckedFile:
    """The result of `check`; an error that it raises becomes the reason of refusal."""
    try:
        found = check()
        return found if found.kind is CheckedKind.CONTROLLER else replace(found, kind=kind)
    except NothingClaimedError:
        raise
    except (TorquecError, RefusedError) as error:
        return CheckedFile(kind, (str(error),))


def is_certificate(source: Path) -> bool:
    """Whether a file is a certificate: by its format field or, where it cannot be read, by its name."""
    try:
        stated = str(read_json(source, FileKind.CERTIFICATE, remedy=_REMEDY).get("format"))
    except TorquecError:
        stated = ""
    return stated.startswith("torquec certificate") or (
        not stated.startswith("torquec") and ".certificate" in source.name
    )


# --- a certificate --------------------------------------------------------------------------------------------------


def _certificate(robot: Robot, record: Certificate, work: Work) -> CheckedFile:
    """(1)."""
    found = CheckedFile(CheckedKind.CERTIFICATE, box=record.motions, precision=record.precision)
    try:
        if record.robot_hash == robot.content_hash:
            claim = claim_of(robot, record)
            found = replace(found, claims=claim.bounds, claim=claim, robot=robot)
            found = replace(found, specification=stated_specification(robot, record))
        slacks = check_certificate(robot, record, work=work)
        check_specification_met(robot, record)
        if record.counts is not None and record.counts != counts_of(robot, record.program):
            raise CheckError("the certificate counts other terms or operations than there are", remedy=_REMEDY)
    except TorquecError as error:
        return replace(found, refused=(str(error),))
    return replace(found, slacks=slacks)


# --- a model --------------------------------------------------------------------------------------------------------


def checked_model(source: Path, robot: Robot | None, work: Work) -> tuple[Model, CheckedFile]:
    """(2), and the model."""
    model = load_model(source)
    if robot is not None and robot.content_hash != model.robot.content_hash:
        raise CheckError(
            f"the model of '{model.robot.name}' is about another robot than the given '{robot.name}'",
            where=str(source),
            remedy="give the robot that the model was made from, with the same payload, locked joints, gravity and "
            "snapping; torquec info FILE shows them",
        )
    document = read_json(source, FileKind.MODEL, remedy=_REMEDY)
    if document.get("version") != VERSION:
        raise CheckError(
            f"a model file of version {document.get('version')} has no kind, no certificate and no hashes of its "
            "programs: there is nothing to check",
            where=str(source),
            remedy=f"make it again, as version {VERSION}: torquec simplify, or torquec.save of the loaded model",
        )
    with work.step("generating the programs again") as step:
        step.meter(0, 2)
        _check_document(model, document, source, work)
    if model.record is None:
        return model, CheckedFile(CheckedKind.MODEL, robot=model.robot)
    return model, _certificate(model.robot, model.record, work)


def _check_document(model: Model, document: Mapping[str, Any], source: Path, work: Work) -> None:
    """Raise `CheckError`, naming the field, where the document is not the one that its program and robot give."""
    fields = [name for name in document if name not in ("sha256", "written_by", "version", "certificate")]
    differing, again = "", dict[str, Any]()
    for candidate in _made_again(model):
        again = model_document(candidate, quantities=tuple(model.functions))
        differing = next((name for name in fields if document[name] != again.get(name)), "")
        if not differing:
            _check_own_parts(candidate, work)
            return
    if differing == "quantities":
        differing = next(name for name, entry in document[differing].items() if entry != again["quantities"].get(name))
    raise CheckError(
        f"'{differing}' does not follow from robot and program; the file is from {document.get('written_by')}",
        where=str(source),
        remedy=_REMEDY,
    )


def _made_again(model: Model) -> list[Model]:
    """The model rebuilt from its robot and certified program; a coefficient model also with its separate programs."""
    if model.kind in (ModelKind.EXACT, ModelKind.IDENTIFIED):
        return [replace(model, functions=MappingProxyType({}), kept=None)]
    if model.record is None:
        raise NothingClaimedError(
            f"there is no claim about a model of the kind '{model.kind}'",
            remedy="check a model made by torquec simplify",
        )
    found = []
    for names in ((), _PARTS):
        second = model.coefficients
        if second is not None:
            assert model.record is not None
            second = replace(second, functions=_own(second, names), record=model.record.of_second_program(), kept=None)
        own = names if model.kind is ModelKind.CERTIFIED_COEFFICIENTS else ()
        found.append(replace(model, functions=_own(model, own), coefficients=second, kept=None))
    return found


def _own(model: Model, names: tuple[str, ...]) -> Mapping[str, Any]:
    assert model.record is not None
    parts = {name: model.functions[name] for name in names if name in model.functions}
    return MappingProxyType({**parts, "inverse_dynamics": model.record.program})


def _check_own_parts(model: Model, work: Work) -> None:
    """Check that the separate programs of M, c, C and g of a coefficient model agree with its certified program."""
    for each in (model, model.coefficients):
        if each is None or each.record is None:
            continue
        parts = {name: each.functions[name] for name in _PARTS if name in each.functions}
        if parts:
            check_parts(each.robot, each.record.program, parts, each.record.motions.positions, work=work)
