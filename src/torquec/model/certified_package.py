"""The package of a model for a language: code that states its claim, the model with its certificate, a manifest.

All of it follows from the model, byte by byte (an object with the LLVM that the manifest names), so that it can be made
again and compared (:mod:`torquec.realtime.check_package`).
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
    """What the names of a simplified package begin with unless another prefix is chosen: unlike the exact one's."""
    return f"{model.robot.name}_simplified"


def usual_prefix(model: Model) -> str:
    """What the names of a package begin with unless another prefix is chosen."""
    return model.robot.name if model.record is None else simplified_prefix(model)


SIMPLIFIED_NOTE = "Of a simplified model: its errors are stated at the top."


def function_notes(model: Model, functions: Mapping[str, Function]) -> dict[str, str]:
    """What is said of each function, by the function's name; `functions` by the names of their quantities."""
    more = f" {SIMPLIFIED_NOTE}" if model.kind.is_simplified else ""
    return {function.name: quantity_of(name)[0].summary + more for name, function in functions.items()}


@dataclass(frozen=True)
class ModelFile:
    """The document of a certified model and the name of its file in a package; empty for a model without a claim."""

    name: str = ""
    document: Mapping[str, Any] | None = None

    @staticmethod
    def of(model: Model, quantities: Collection[str]) -> ModelFile:
        """The file that lies beside code of these quantities of a model, with their programs."""
        if model.record is None:
            return ModelFile()
        kept = tuple(dict.fromkeys((*model.served(), *quantities)))
        return ModelFile(f"{prefix_identifier(model.robot.name)}.tq.json", model_document(model, quantities=kept))

    @property
    def contents(self) -> dict[str, str | bytes]:
        """The file by its name; nothing where there is none."""
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
    """The contents of a package by file name, and how to make it again; `functions` by the names of quantities."""
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
    """What the manifest says of an object: for which processor, and by which LLVM."""
    from torquec.codegen.object.package import object_target  # LLVM is loaded for objects only
    from torquec.codegen.object.triple import llvm_version

    machine = object_target(triple, cpu)
    return {"triple": machine.triple, "cpu": machine.cpu, "llvm": llvm_version()}
