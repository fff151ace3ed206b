"""Check of a package by regeneration: its files are generated again from its model and compared byte by byte.

This works for any target: the manifest states the target, its options and the model. The check trusts the generator,
which also wrote the package; the C of functions is also *read* (:mod:`torquec_check.c_source`).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torquec import __version__
from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS
from torquec.control.controller import Controller
from torquec.control.controller_file import (
    FILE_NAME,
    SIDE_FILES,
    Kind,
    controller_from_dict,
    sampled_of_kind,
    write_controller,
)
from torquec.control.observer import Observer
from torquec.control.recursive_estimator import RecursiveEstimator
from torquec.errors import ArgumentError, CheckError, ModelFileError
from torquec.foundation.choice import chosen
from torquec.model.model import Model
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import FrictionTask
from torquec.realtime.plan import HeldErrors
from torquec.realtime.targets import TARGETS, TargetOptions, write_target
from torquec_check.package import MANIFEST, Package

_REMEDY = "take the package from where it was made, or generate it again"


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
