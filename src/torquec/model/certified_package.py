"""Code package of a model: source with its claim, the model file with its certificate, a manifest.

The build is reproducible byte by byte (objects: with the LLVM version named in the manifest), so that a package can be
rebuilt and compared (:mod:`torquec.realtime.check_package`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from torquec.codegen.identifiers import prefix_identifier
from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS, Target
from torquec.expr import Function
from torquec.foundation.json_text import document_text
from torquec.foundation.package_manifest import PackageMaking
from torquec.model.claim import code_text
from torquec.model.model import Model
from torquec.model.quantities import quantity_of
from torquec.model.save import model_document


def simplified_prefix(model: Model) -> str:
    """Default name prefix of a simplified package, different from that of the exact one."""
    return f"{model.robot.name}_simplified"


def usual_prefix(model: Model) -> str:
    """Default name prefix of a package."""
    return model.robot.name if model.record is None else simplified_prefix(model)


SIMPLIFIED_NOTE = "Of a simplified model: its errors are stated at the top."


def function_notes(model: Model, functions: Mapping[str, Function]) -> dict[str, str]:
    """The comment on each function in generated code, by function name; `functions` is keyed by quantity."""
    more = f" {SIMPLIFIED_NOTE}" if model.kind.is_simplified else ""
    return {function.name: quantity_of(name)[0].summary + more for name, function in functions.items()}


@dataclass(frozen=True)
class ModelFile:
    """The document of a certified model and the name of its file in a package; empty for a model without a claim."""

    name: str = ""
    document: Mapping[str, Any] | None = None

    @staticmethod
    def of(model: Model, quantities: Collection[str]) -> ModelFile:
        """The model file to ship beside code of these quantities, with their programs."""
        if model.record is None:
            return ModelFile()
        kept = tuple(dict.fromkeys((*model.served(), *quantities)))
        return ModelFile(f"{prefix_identifier(model.robot.name)}.tq.json", model_document(model, quantities=kept))

    @property
    def contents(self) -> dict[str, str | bytes]:
        """The file content by file name; empty where there is no file."""
        return {} if self.document is None else {self.name: document_text(self.document)}


def model_package(
    model: Model,
    target: Target,
    *,
    prefix: str,
    functions: Mapping[str, Function],
    precision: Precision = Precision.DOUBLE,
    triple: str | None = None,
    cpu: str | None = None,
) -> tuple[dict[str, str | bytes], PackageMaking]:
    """The contents of a package by file name, with its build recipe; `functions` is keyed by quantity."""
    file, names = ModelFile.of(model, functions), tuple(functions)
    contents = BACK_ENDS[target].make(
        tuple(functions.values()),
        prefix=prefix,
        description=code_text(model, file.document, file.name, precision=precision, quantities=names),
        notes=function_notes(model, functions),
        precision=precision,
        triple=triple,
        cpu=cpu,
    )
    machine = machine_options(triple, cpu) if BACK_ENDS[target].for_processor else {}
    return {**contents, **file.contents}, PackageMaking(prefix, precision.value, names, file.name, machine)


def machine_options(triple: str | None, cpu: str | None) -> dict[str, str]:
    """Manifest entries of an object: target processor and LLVM version."""
    from torquec.codegen.object.package import object_target  # LLVM is loaded for objects only
    from torquec.codegen.object.triple import llvm_version

    machine = object_target(triple, cpu)
    return {"triple": machine.triple, "cpu": machine.cpu, "llvm": llvm_version()}
