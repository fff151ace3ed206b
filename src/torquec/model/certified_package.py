"""Code package of a model: source with its claim, the model file with its certificate, a manifest.

The build is reproducible byte by byte (objects: with the LLVM version named in the manifest), so that a package can be
rebuilt and compared (:mod:`torquec.realtime.check_file`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torquec.codegen.identifiers import prefix_identifier
from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS, Target
from torquec.expr import Function
from torquec.foundation.json_text import document_text
from torquec.foundation.package_manifest import PackageMaking
from torquec.model.model import Model
from torquec.model.quantities import quantity_of
from torquec.model.save import model_document
from torquec.proof.torque.certificate import Certificate
from torquec.robot.payload import changes_text
from torquec.robot.robot import Robot
from torquec.robot.robot_document import robot_to_dict
from torquec_check.claim import Bound, Claim, certificate_claim, code_lines


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


def claim_of(robot: Robot, record: Certificate) -> Claim:
    """The claim of a certificate about a robot, from the same documents that the checker reads."""
    return certificate_claim(record.to_dict(), robot_to_dict(robot))


def bounds_of(robot: Robot, record: Certificate | None) -> tuple[Bound, ...]:
    """All bounds of a certificate; empty without a certificate."""
    return () if record is None else claim_of(robot, record).bounds


def code_text(
    model: Model,
    document: Mapping[str, Any] | None,
    file: str,
    *,
    precision: Precision = Precision.DOUBLE,
    quantities: Sequence[str] = (),
) -> str:
    """Header comment of generated code: the claim, or that nothing is claimed; robot and joints.

    `document` is that of a certified model, stored in `file` beside the code.
    """
    if document is not None and model.record is not None:
        return "\n".join(code_lines(claim_of(model.robot, model.record), document, file, precision.value, quantities))
    simplified = (
        f"SIMPLIFIED, NOT CERTIFIED: this is not the exact dynamics of {model.robot.name} ({model.kind} model), and no "
        "error of it is proven."
    )
    described = _robot_text(model.robot)
    return f"{simplified}\n\n{described}" if model.kind.is_simplified else described


def _robot_text(robot: Robot) -> str:
    """The robot of a model as text: joints, gravity, payloads and locked joints."""
    gravity = ", ".join(repr(value) for value in robot.gravity)
    about = (
        f"Dynamics of {robot.name}: {robot.n} joints in the order {', '.join(robot.joint_names)}. "
        f"SI units, radians; gravity ({gravity}) m/s^2 in the base frame."
    )
    return "\n".join(part for part in (about, changes_text(robot)) if part)
