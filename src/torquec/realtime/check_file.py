"""`check_file`: independent check of a certificate, a model file or the package of any target, from the files alone.

(1)  certificate, model: :mod:`torquec.model.check_file`
(2)  package: its folder holds exactly the files of its manifest (:mod:`torquec_check.package`); its model as in (1);
     its hold certificate, if it has one, is proven again (:mod:`torquec_check.hold`)
(3)  controller: its C is read and compared with the program in `controller.json`; the claim about its loop is proven
     from its witness (:mod:`torquec_check.tracking`), or computed
(4)  C is read and compared with the model's programs (:mod:`torquec_check.c_source`); the code of every target is
     regenerated, from the target, options and model that the manifest states, and compared byte by byte: this trusts
     the generator

A failed check is reported in the result, not raised; only a file without a claim raises.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torquec import __version__
from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS, CodeCheck, Target
from torquec.control.controller import Controller
from torquec.control.controller_file import (
    FILE_NAME,
    SIDE_FILES,
    Kind,
    code_functions,
    controller_from_dict,
    sampled_of_kind,
    write_controller,
)
from torquec.control.observer import Observer
from torquec.control.recursive_estimator import RecursiveEstimator
from torquec.control.tracking_claim import tracking_claim
from torquec.control.tracking_witness import FILE_NAME as WITNESS
from torquec.control.tracking_witness import check_witnessed_law
from torquec.errors import ArgumentError, CheckError, ModelFileError, TorquecError
from torquec.expr import function_to_dict
from torquec.foundation.choice import chosen
from torquec.foundation.one_thread import one_thread
from torquec.foundation.reading import is_folder, to_path
from torquec.foundation.work import Work, as_work
from torquec.model.check_file import (
    CheckedFile,
    CheckedKind,
    NothingClaimedError,
    check_certificate_file,
    check_model_file,
    checked_model,
    is_certificate,
    refusals,
)
from torquec.model.model import Model, as_model
from torquec.proof.hold.hold_order import HoldOrder
from torquec.proof.torque.certificate import Certificate, load_certificate
from torquec.realtime.background_period import FrictionTask
from torquec.realtime.package import HOLD_FILE
from torquec.realtime.plan import HeldErrors
from torquec.realtime.targets import TARGETS, TargetOptions, write_target
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_from_dict, robot_to_dict
from torquec_check.claim import Claim, Standing, claimed_robot, hold_claim
from torquec_check.document import RefusedError, parse_document
from torquec_check.hold import check_hold, hold_of
from torquec_check.package import MANIFEST, OF_FLOATS, Package, check_c_code, check_c_package, read_package
from torquec_check.program import program_of
from torquec_check.tracking import check_tracking

COMPUTED = "bounds of the loop are computed: no witness is stored that could be proven again"
PROVEN = "bounds of the loop are proven for the law, feedback and model errors that the claim states"
COMPARED = f"{PROVEN}; the controller was compared with this law at random states of the tube"
IN_FLOATS = "the code computes in single precision, whose rounding the bounds of the loop do not contain"
_REMEDY = "take the original package, or generate it again"


def check_file(path: str | os.PathLike[str], *, robot: Robot | None = None, work: Work | None = None) -> CheckedFile:
    """Check the claim of a certificate (with its `robot`), a model file or the folder of a package.

    A model or a package of another robot than the given one is refused; payload, locked joints and gravity must agree,
    too. Raises `ArgumentError` for a missing file, one without a claim, and a certificate without robot.
    """
    start = time.perf_counter()
    source = to_path(path)
    if not source.exists():
        raise ArgumentError("there is no such file or folder", where=str(source), remedy="name what is to be checked")
    work = as_work(work)
    if is_folder(source):
        found = refusals(CheckedKind.PACKAGE, lambda: _package(source, robot, work))
    elif source.name == FILE_NAME:
        raise ArgumentError("a controller is checked with its code", where=str(source), remedy="name its folder")
    elif source.name == WITNESS:
        found = refusals(CheckedKind.WITNESS, lambda: _witness(source.read_bytes(), robot))
    elif is_certificate(source):
        found = check_certificate_file(source, robot, work)
    elif source.suffix.lower() != ".json":
        raise ArgumentError(
            "this is no certificate, model or witness, which end in .json",
            where=str(source),
            remedy="name such a file, or the folder of a package",
        )
    else:
        found = check_model_file(source, robot, work)
    return replace(found, seconds=time.perf_counter() - start)


def _package(folder: Path, robot: Robot | None, work: Work) -> CheckedFile:
    """(2) and (4)."""
    if not any(path.name.endswith(MANIFEST) for path in folder.iterdir()):
        inner = sorted({path.parent.relative_to(folder).as_posix() for path in folder.glob(f"*/*{MANIFEST}")})
        usual = "name the folder that torquec simplify or design wrote, or torquec generate from a certified model"
        raise NothingClaimedError(
            f"the folder holds 0 manifests (*{MANIFEST})",
            where=str(folder),
            remedy=f"name one of its folders: {', '.join(inner)}" if inner else usual,
        )
    package = read_package(folder)
    if "controller" in package.options:
        return _controller(package, robot, work)
    held = [name for name in package.files if name.endswith(HOLD_FILE)]
    if held and not package.model:
        return _held_package(package, held, robot, work)
    if not package.model and not any(name.endswith(".tq.json") for name in package.files):
        raise NothingClaimedError(
            "the package claims nothing that can be proven again",
            where=str(folder),
            remedy="generate it from a certified model, which torquec simplify makes",
        )
    if package.model not in package.files:
        raise CheckError(f"the package has no file {package.model[:80]!r}", where=str(folder), remedy=_REMEDY)
    model, found = checked_model(folder / package.model, robot, work)
    if model.record is None or found.claim is None:
        raise CheckError("the package's model has no certificate", where=str(folder), remedy=_REMEDY)
    reasons = []
    rests = f"the code of the package ({package.target}) is what the generator of torquec makes again, byte by byte"
    try:
        if TARGETS.get(package.target) is not None and TARGETS[package.target].check is CodeCheck.READ:
            check_c_package(package, json.loads(package.files[package.model]), found.claim)
            rests = "the C of the package was read and compared with the programs, operation by operation"
        with work.step("generating the files again"):
            reasons += differing_files(package, model)
        reasons += _other_certificates(package, model.record)
        claim = _held(package, held, work)
    except (TorquecError, RefusedError) as error:
        reasons.append(str(error))
        claim = None
    if claim is not None:
        found = replace(found, claims=(*found.claims, *claim.bounds), held=claim)
    in_floats = (OF_FLOATS,) if package.precision == Precision.SINGLE and model.record.rounding is None else ()
    return replace(found, refused=(*found.refused, *reasons), assumptions=(*found.assumptions, rests, *in_floats))


def _held_package(package: Package, held: Sequence[str], robot: Robot | None, work: Work) -> CheckedFile:
    """Check the two-rate package of an exact model: its only claim is that of its hold certificate."""
    claim = _held(package, held, work)
    assert claim is not None
    about = robot_from_dict(parse_document(package.files[held[0]])["robot_document"])
    if robot is not None and robot.content_hash != about.content_hash:
        raise CheckError("the package is for another robot", where=package.where, remedy="give its own robot or model")
    with work.step("generating the files again"):
        reasons = differing_files(package, as_model(about))
    rests = f"the code of the package ({package.target}) is what the generator of torquec makes again, byte by byte"
    kind = CheckedKind.PACKAGE
    return CheckedFile(kind, tuple(reasons), claim.bounds, robot=about, claim=claim, assumptions=(rests,))


def _held(package: Package, held: Sequence[str], work: Work) -> Claim | None:
    """The claim of the hold certificate of a package, proven again; None without one. Raises `RefusedError`."""
    if not held:
        return None
    if len(held) > 1:
        raise CheckError("the package has several hold certificates", where=package.where, remedy=_REMEDY)
    document = parse_document(package.files[held[0]])
    with work.step("proving the hold error again", whole=1.0) as step, one_thread():
        try:
            check_hold(hold_of(document), lambda _step, part: step.show(part))
            return hold_claim(document)
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise CheckError(f"{held[0]} is malformed: {error!r}", where=package.where, remedy=_REMEDY) from None


def _controller(package: Package, robot: Robot | None, work: Work) -> CheckedFile:
    """Check the code of a controller against its program, and a proven claim of its loop against its witness."""
    document = json.loads(package.files[FILE_NAME]) if FILE_NAME in package.files else {}
    law, guarantee = controller_from_dict(document), document.get("guarantee") or {}
    claim = tracking_claim(guarantee) if guarantee.get("valid") else None
    stands = COMPUTED
    if claim is not None and claim.standing is Standing.PROVEN:
        if WITNESS not in package.documents:
            raise CheckError(f"the package has no file {WITNESS}, which its claim names", where=package.where)
        content = (Path(package.where) / WITNESS).read_bytes()
        if _witness(content, robot).claim != claim:
            raise CheckError("the claim of the controller is not that of its witness", where=package.where)
        check_witnessed_law(law, parse_document(content))
        stands = COMPARED
    found = CheckedFile(CheckedKind.CONTROLLER, claim=claim, claims=() if claim is None else claim.bounds)
    meant = None if robot is None else claimed_robot(robot_to_dict(robot)).to_document()
    if meant is not None and guarantee.get("robot") != meant:
        raise CheckError(
            "the controller is for another robot", where=package.where, remedy="give its own robot or model"
        )
    rests = f"the code ({package.target}) is what the generator of torquec makes of the controller's program again"
    if package.target == Target.C:
        check_c_code(package, [program_of(function_to_dict(function)) for function in code_functions(law)])
        rests = "the C of the controller was read and compared with its program, operation by operation"
    with work.step("generating the files again"):
        reasons = differing_controller_files(package, document)
    in_floats = (IN_FLOATS,) if claim is not None and package.precision == Precision.SINGLE else ()
    return replace(found, refused=tuple(reasons), assumptions=(rests, stands, *in_floats))


def _witness(content: bytes, robot: Robot | None) -> CheckedFile:
    """Prove the claim of a tracking witness; raises `CheckError` where it is about another robot than the given one."""
    document = parse_document(content)
    if robot is not None and document.get("robot_document") != robot_to_dict(robot):
        raise CheckError("the witness is for another robot", remedy="give its own robot or model")
    try:
        claim = check_tracking(document)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise CheckError(f"the witness is malformed: {error!r}", remedy=_REMEDY) from None
    about = robot_from_dict(document["robot_document"])
    return CheckedFile(CheckedKind.WITNESS, claims=claim.bounds, claim=claim, robot=about, assumptions=(PROVEN,))


def _other_certificates(package: Package, record: Certificate) -> list[str]:
    """Certificates in a package that are not the model's own."""
    reasons = []
    for name in package.documents:
        if not name.endswith(".certificate.json"):
            continue
        path = Path(package.where) / name
        try:
            same = load_certificate(path).content_hash == record.content_hash
        except TorquecError as error:
            reasons.append(str(error))
            continue
        if not same:
            reasons.append(f"{path}: it is not the certificate of the model")
    return reasons


def differing_files(package: Package, model: Model) -> list[str]:
    """Problems of a package: its files that differ from those generated from its model.

    Raises `CheckError` where the package cannot be regenerated here.
    """
    options = _options(package)
    return _differing(package, lambda folder: write_target(model, folder, package.target, options))


def differing_controller_files(package: Package, document: Mapping[str, Any]) -> list[str]:
    """Problems of a controller's files: those that differ from the ones generated from its document."""
    law, stated = controller_from_dict(document), document.get("guarantee")
    return _differing(
        package,
        lambda folder: write_controller(
            law,
            folder,
            prefix=package.prefix,
            target=package.target,
            precision=package.precision,
            details=document.get("details"),
            guarantee=stated,
        ),
    )


def _differing(package: Package, write: Callable[[Path], object]) -> list[str]:
    _check_version(package)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "package"
        write(folder)
        made = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    manifest = f"{package.name}{MANIFEST}"
    reasons = [
        f"{package.where}/{name}: the file is not the one that the model gives"
        for name in sorted(package.files)
        if name in made and name != manifest and package.files[name] != made[name]
    ]
    if odd := sorted(made.keys() ^ package.files.keys()):
        reasons.append(f"{package.where}: the model gives other files: {', '.join(odd)}")
    elif _without_documents(made[manifest]) != _without_documents(package.files[manifest]):
        reasons.append(f"{package.where}/{manifest}: the manifest is not the one that the model gives")
    return reasons


def _without_documents(manifest: bytes) -> dict[str, object]:
    return {key: value for key, value in json.loads(manifest).items() if key != "documents"}


def _check_version(package: Package) -> None:
    if package.written_by != f"torquec {__version__}":
        raise CheckError(
            f"the package was written by {package.written_by}, this is torquec {__version__}",
            where=f"{package.where}/{package.name}{MANIFEST}",
            remedy="check it with the version that wrote it",
        )


def _options(package: Package) -> TargetOptions:
    """The options that the package was made with, as its manifest states them."""
    stated, where = package.options, f"{package.where}/{package.name}{MANIFEST}"
    if package.target not in TARGETS:
        raise CheckError(f"there is no target {package.target!r}", where=where, remedy=_REMEDY)
    _check_version(package)
    if "llvm" in stated:
        _check_llvm(stated["llvm"], where)
    words = [stated.get(key) for key in ("triple", "cpu")]
    if not all(word is None or isinstance(word, str) for word in words):
        raise CheckError("the manifest does not say how the package was made", where=where, remedy=_REMEDY)
    try:
        order, friction, plan = stated.get("order"), stated.get("friction"), stated.get("plan")
        return TargetOptions(
            precision=chosen(Precision, package.precision, "precision"),
            quantity=package.quantities if package.target in BACK_ENDS else None,
            prefix=package.prefix,
            triple=stated.get("triple"),
            cpu=stated.get("cpu") or None,
            update=stated.get("update"),
            friction=None if friction is None else chosen(FrictionTask, friction, "friction"),
            order=None if order is None else chosen(HoldOrder, order, "order"),
            law=_sampled(package, FILE_NAME, Controller),
            observer=_sampled(package, SIDE_FILES[Observer.KIND], Observer),
            estimator=_sampled(package, SIDE_FILES[RecursiveEstimator.KIND], RecursiveEstimator),
            license_name=stated.get("license_name"),
            plan=None if plan is None else HeldErrors.from_dict(plan),
        )
    except (ArgumentError, KeyError, TypeError) as error:
        raise CheckError(
            f"the manifest does not say how the package was made: {error}", where=where, remedy=_REMEDY
        ) from None


def _sampled(package: Package, name: str, kind: type[Kind]) -> Kind | None:
    """The law, observer or estimator in a file of a two-rate package."""
    if name not in package.files:
        return None
    try:
        return sampled_of_kind(json.loads(package.files[name]), kind)
    except ModelFileError as error:
        raise CheckError(error.found, where=f"{package.where}/{name}", remedy=_REMEDY) from None


def _check_llvm(stated: object, where: str) -> None:
    from torquec.codegen.object.triple import llvm_version  # LLVM is loaded for objects only

    if stated != llvm_version():
        raise CheckError(
            f"the object was made by LLVM {stated}, this is LLVM {llvm_version()}",
            where=where,
            remedy="check it with the llvmlite that it was made with, or generate it again",
        )
