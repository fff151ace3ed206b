"""`check_file`: a certificate, a model file or a package (C or an object) proven again, from the files alone.

(1)  certificate: every bound (:mod:`torquec.proof.checker.check_certificate`), and that the specification in it is met;
     it needs its robot
(2)  model: its certificate as in (1), with the robot in the file; every program must be what follows from the certified
     one, and every count what it counts, so the whole document is made again and compared
(3)  package: its model as in (2); every file of the package is generated again and compared byte by byte: an object by
     the LLVM that made it, else it is refused

What is refused is said in words, never raised; only a file that is none of the three raises.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS, CarriedClaim
from torquec.errors import ArgumentError, CheckError, ModelFileError, TorquecError
from torquec.foundation.choice import chosen
from torquec.foundation.package_manifest import FORMAT, MANIFEST, as_bytes
from torquec.foundation.reading import FileKind, is_folder, read_json, to_path
from torquec.foundation.work import Work, as_work
from torquec.model.certified_package import WRITTEN_BY, certified_package
from torquec.model.claim import Claim, claims_of
from torquec.model.kinds import ModelKind
from torquec.model.model import Model
from torquec.model.model_kinds import second_record
from torquec.model.save import VERSION, load_model, model_document
from torquec.model.simplified import counts_of
from torquec.proof.checker.check_certificate import check_certificate
from torquec.proof.checker.check_parts import check_parts
from torquec.proof.torque.certificate import Certificate, load_certificate
from torquec.robot.robot import Robot
from torquec.simplification.specification_text import check_specification_met, stated_specification
from torquec.trajectory.motion_box import MotionBox

if TYPE_CHECKING:
    from torquec.codegen.object.triple import MachineTarget

_REMEDY = "take the file from where it was made, or make it again"
_PARTS = ("mass_matrix", "gravity_torque", "velocity_torque", "coriolis_matrix")
"""Programs that a model by coefficients has of its own: they are compared with the certified program as functions."""


_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".i", ".ii", ".s")
_PRECOMPILED = (".gch", ".pch")
"""GCC takes NAME.h.gch for NAME.h without a word, whatever stands in the header itself."""
_OBJECTS = (".o", ".obj")


class CheckedKind(StrEnum):
    """What was checked."""

    CERTIFICATE = "certificate"
    MODEL = "model"
    PACKAGE = "package"


@dataclass(frozen=True)
class CheckedFile:
    """What a file claims, and whether it was proven again; `refused` says why not.

    `robot` is the robot of the claims and `specification` what the certificate's specification requires, without
    comments; None and empty where the file could not be read. `slacks` [N m, N; as the coefficient] is the part of each
    bound that stands for rounding, `precision` what code may compute in for the bounds to hold.
    """

    kind: CheckedKind
    refused: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    box: MotionBox | None = None
    specification: str = ""
    precision: Precision = Precision.DOUBLE
    slacks: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    robot: Robot | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", chosen(CheckedKind, self.kind, "kind"))
        object.__setattr__(self, "precision", chosen(Precision, self.precision, "precision"))

    @property
    def ok(self) -> bool:
        """Whether everything that the file claims was proven."""
        return not self.refused


def check_file(path: str | os.PathLike[str], *, robot: Robot | None = None, work: Work | None = None) -> CheckedFile:
    """Prove again what a certificate (with its `robot`), a model file or the folder of a package claims.

    A model or a package of another robot than the given one is refused: payload, locked joints and gravity count.
    Raises `ArgumentError` where there is no such file, where it claims nothing, and for a certificate without robot.
    """
    start = time.perf_counter()
    source = to_path(path)
    if not source.exists():
        raise ArgumentError("there is no such file or folder", where=str(source), remedy="name what is to be checked")
    work = as_work(work)
    if is_folder(source):
        found = _refusals(CheckedKind.PACKAGE, lambda: _package(source, robot, work))
    elif _is_certificate(source):
        if robot is None:
            raise ArgumentError(
                "a certificate alone does not hold its robot", where=str(source), remedy="give the robot: --robot ROBOT"
            )
        given = robot
        found = _refusals(CheckedKind.CERTIFICATE, lambda: _certificate(given, load_certificate(source), work))
    else:
        found = _refusals(CheckedKind.MODEL, lambda: _model_file(source, robot, work)[1])
    return replace(found, seconds=time.perf_counter() - start)


class _NothingClaimedError(ArgumentError):
    """The file is whole and claims nothing."""


def _refusals(kind: CheckedKind, check: Callable[[], CheckedFile]) -> CheckedFile:
    try:
        return replace(check(), kind=kind)
    except _NothingClaimedError:
        raise
    except TorquecError as error:
        return CheckedFile(kind, (str(error),))


def _is_certificate(source: Path) -> bool:
    """By what the document says of itself or, where it cannot be read, by its name."""
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
            found = replace(found, claims=claims_of(robot, record), robot=robot)
            found = replace(found, specification=stated_specification(robot, record))
        slacks = check_certificate(robot, record, work=work)
        check_specification_met(robot, record)
        if record.counts is not None and record.counts != counts_of(robot, record.program):
            raise CheckError("the certificate counts other terms or operations than there are", remedy=_REMEDY)
    except TorquecError as error:
        return replace(found, refused=(str(error),))
    return replace(found, slacks=slacks)


# --- a model --------------------------------------------------------------------------------------------------------


def _model_file(source: Path, robot: Robot | None, work: Work) -> tuple[Model, CheckedFile]:
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
    with work.step("making the programs again") as step:
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
        f"'{differing}' is not what follows from robot and program; the file is from {document.get('written_by')}",
        where=str(source),
        remedy=_REMEDY,
    )


def _made_again(model: Model) -> list[Model]:
    """The model made from its robot and certified program alone or, by coefficients, with its own programs of them."""
    if model.kind in (ModelKind.EXACT, ModelKind.IDENTIFIED):
        return [replace(model, functions=MappingProxyType({}), kept=None)]
    if model.record is None:
        raise _NothingClaimedError(
            f"nothing is claimed of a model of the kind '{model.kind}'", remedy="check a model made by torquec simplify"
        )
    found = []
    for names in ((), _PARTS):
        second = model.coefficients
        if second is not None:
            assert model.record is not None
            second = replace(second, functions=_own(second, names), record=second_record(model.record), kept=None)
        own = names if model.kind is ModelKind.CERTIFIED_COEFFICIENTS else ()
        found.append(replace(model, functions=_own(model, own), coefficients=second, kept=None))
    return found


def _own(model: Model, names: tuple[str, ...]) -> Mapping[str, Any]:
    assert model.record is not None
    parts = {name: model.functions[name] for name in names if name in model.functions}
    return MappingProxyType({**parts, "inverse_dynamics": model.record.program})


def _check_own_parts(model: Model, work: Work) -> None:
    """The programs of M, c, C and g that a model by coefficients has of its own are parts of its certified program."""
    for each in (model, model.coefficients):
        if each is None or each.record is None:
            continue
        parts = {name: each.functions[name] for name in _PARTS if name in each.functions}
        if parts:
            check_parts(each.robot, each.record.program, parts, each.record.motions.positions, work=work)


# --- a package ------------------------------------------------------------------------------------------------------


def _package(folder: Path, robot: Robot | None, work: Work) -> CheckedFile:
    """(3)."""
    manifests = sorted(path for path in folder.iterdir() if path.name.endswith(MANIFEST))
    checkable = [target.value for target, row in BACK_ENDS.items() if row.claim is CarriedClaim.PACKAGE]
    remedy = (
        "name the folder that torquec simplify wrote, or torquec generate from a certified model with "
        f"--target {' or '.join(checkable)}; of another package, the model (.tq.json) that its code was made from"
    )
    if len(manifests) != 1:
        raise _NothingClaimedError(
            f"the folder holds {len(manifests)} manifests (*{MANIFEST})", where=str(folder), remedy=remedy
        )
    (manifest,) = manifests
    stated = read_json(manifest, FileKind.MODEL, remedy=_REMEDY)
    if stated.get("format") != FORMAT:
        raise CheckError("this is no manifest of a package", where=str(manifest), remedy=_REMEDY)
    if "model" not in stated:
        raise _NothingClaimedError(
            "the package claims nothing that can be proven again", where=str(folder), remedy=remedy
        )
    if stated.get("written_by") != WRITTEN_BY:
        raise CheckError(
            f"the package was written by {stated.get('written_by')}, this is {WRITTEN_BY}",
            where=str(manifest),
            remedy="check it with the version that wrote it",
        )
    quantities, prefix, name = (stated.get(key) for key in ("quantities", "prefix", "model"))
    if not isinstance(quantities, list) or not all(isinstance(each, str) for each in quantities):
        raise CheckError("the manifest does not say what was generated", where=str(manifest), remedy=_REMEDY)
    if not isinstance(prefix, str) or not isinstance(name, str) or name != Path(name).name:
        raise CheckError("the manifest does not say what was generated", where=str(manifest), remedy=_REMEDY)
    if stated.get("precision") not in list(Precision):
        raise CheckError(f"there is no precision {stated.get('precision')!r}", where=str(manifest), remedy=_REMEDY)
    precision = Precision(stated["precision"])
    model, found = _model_file(folder / name, robot, work)
    if model.record is None:
        raise CheckError("the package's model has no certificate", where=str(folder), remedy=_REMEDY)
    try:
        with work.step("generating the files again"):
            again = certified_package(
                model,
                prefix=prefix,
                quantities=quantities,
                kept=model.kept,
                precision=precision,
                machine=_machine(stated.get("object"), manifest),
            )
        reasons = [*_differing(folder, again), *_foreign(folder, again), *_other_certificates(folder, model.record)]
    except TorquecError as error:
        reasons = [str(error)]
    return replace(found, refused=(*found.refused, *reasons))


def _machine(stated: Any, manifest: Path) -> MachineTarget | None:
    """What an object was made for; None for C. Raises `CheckError` where this LLVM would make another one."""
    if stated is None:
        return None
    from torquec.codegen.object.triple import llvm_version, machine_target  # LLVM is loaded for objects only

    if not isinstance(stated, dict) or not all(isinstance(stated.get(key), str) for key in ("triple", "cpu", "llvm")):
        raise CheckError("the manifest does not say what the object is for", where=str(manifest), remedy=_REMEDY)
    if stated["llvm"] != llvm_version():
        raise CheckError(
            f"the object was made by LLVM {stated['llvm']}, this is LLVM {llvm_version()}",
            where=str(manifest),
            remedy="check it with the llvmlite that it was made with, or generate it again",
        )
    return machine_target(stated["triple"], stated["cpu"] or None)


def _differing(folder: Path, texts: Mapping[str, str | bytes]) -> list[str]:
    """Files that are not what the model gives, byte by byte."""
    reasons = []
    for name, text in texts.items():
        try:
            same = (folder / name).read_bytes() == as_bytes(text)
        except OSError as error:
            reasons.append(f"{folder / name}: {error.strerror}")
            continue
        if not same:
            reasons.append(f"{folder / name}: the file is not the one that the model gives")
    return reasons


def _foreign(folder: Path, texts: Mapping[str, str | bytes]) -> list[str]:
    """Sources that lie beside those of the package, as if they were part of it, or objects beside an object."""
    code = _SOURCES + _PRECOMPILED + (_OBJECTS if any(name.endswith(_OBJECTS) for name in texts) else ())
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in code and path.name not in texts)
    return [f"{path}: the model gives no such file; keep sources of your own in another folder" for path in found]


def _other_certificates(folder: Path, record: Certificate) -> list[str]:
    """Certificates that lie in the folder are the model's own."""
    reasons = []
    for path in sorted(folder.glob("*.certificate.json")):
        try:
            same = load_certificate(path).content_hash == record.content_hash
        except (TorquecError, ModelFileError) as error:
            reasons.append(str(error))
            continue
        if not same:
            reasons.append(f"{path}: it is not the certificate of the model")
    return reasons
