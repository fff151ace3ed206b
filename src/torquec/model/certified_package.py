"""The package of a certified model, C or object: its names and its header say what it is, and it can be proven again.

Beside the code lie the model with its certificate and a manifest, which says what was generated from what, and by which
version. All of it follows from the model, byte by byte (an object with the LLVM that the manifest names): `check_file`
generates it again and compares.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torquec import __version__
from torquec.codegen.c.names import DOUBLE, SCALARS, CScalar
from torquec.codegen.c.package import c_package
from torquec.codegen.identifiers import prefix_identifier
from torquec.codegen.precision import Precision
from torquec.expr import Function
from torquec.foundation.json_text import document_text
from torquec.foundation.package_manifest import FORMAT, MANIFEST, file_hashes
from torquec.model.claim import claim_text, simplified_text
from torquec.model.model import Model
from torquec.model.quantities import quantity_of
from torquec.model.save import model_document
from torquec.robot.payload import changes_text
from torquec.robot.robot import Robot

if TYPE_CHECKING:
    from torquec.codegen.object.triple import MachineTarget

_ROUNDINGS = 10  # units of the last place: what some hundred operations lose in the middle, seen on the classics
WRITTEN_BY = f"torquec {__version__}"


def simplified_prefix(model: Model) -> str:
    """What the names of a simplified package begin with unless another prefix is chosen: unlike the exact one's."""
    return f"{model.robot.name}_simplified"


def usual_prefix(model: Model) -> str:
    """What the names of a package begin with unless another prefix is chosen."""
    return model.robot.name if model.record is None else simplified_prefix(model)


def package_description(robot: Robot) -> str:
    """What the top of every package says of its robot: joints, gravity, payloads and locked joints."""
    gravity = ", ".join(repr(value) for value in robot.gravity)
    about = (
        f"Dynamics of {robot.name}: {robot.n} joints in the order {', '.join(robot.joint_names)}. "
        f"SI units, radians; gravity ({gravity}) m/s^2 in the base frame."
    )
    return "\n".join(part for part in (about, changes_text(robot)) if part)


def model_description(model: Model) -> str:
    """What the top of code says that comes without its model: `package_description`, below the model's claim."""
    return "\n\n".join(part for part in (simplified_text(model), package_description(model.robot)) if part)


def function_notes(model: Model, functions: Mapping[str, Function]) -> dict[str, str]:
    """What is said of each function in code that comes without its model, by the function's name.

    `functions` by the names of their quantities.
    """
    more = " Of a simplified model: its errors are stated at the top." if simplified_text(model) else ""
    return {function.name: quantity_of(name)[0].summary + more for name, function in functions.items()}


def rounding_text(scalar: CScalar, counted: Collection[str] = (), functions: Collection[str] = ()) -> str:
    """What a claim says besides where code computes in less than doubles.

    `counted` are the quantities whose roundings the proof counts, `functions` those of the package.
    """
    if scalar == DOUBLE or (functions and set(functions) <= set(counted)):
        return ""
    part = f"{_ROUNDINGS * scalar.epsilon:.0e}"
    others = " in functions other than " + ", ".join(counted) if counted else ""
    return f"\nRounding to {scalar.type}, some {part} of the torques, comes on top of the proven errors{others}."


def certified_package(
    model: Model,
    *,
    prefix: str,
    quantities: Sequence[str],
    kept: Sequence[str] | None = None,
    precision: Precision = Precision.DOUBLE,
    machine: MachineTarget | None = None,
) -> dict[str, str | bytes]:
    """The contents of the package by file name: C, or an object for a `machine`, model and manifest.

    `quantities` are those in code, `kept` those in the model's file (all that the model serves where it is None).
    """
    document = model_document(model, quantities=kept)
    model_file = f"{prefix_identifier(model.robot.name)}.tq.json"
    functions = [model.function(name) for name in quantities]
    claim = claim_text(model, model_file, document["sha256"])
    assert model.record is not None
    counted = ("inverse_dynamics",) if model.record.rounding is not None else ()
    claim += rounding_text(SCALARS[precision], counted, quantities)
    description = f"{claim}\n\n{package_description(model.robot)}"
    notes = {f.name: quantity_of(name)[0].summary for name, f in zip(quantities, functions, strict=True)}
    contents: dict[str, str | bytes] = {}
    if machine is None:
        contents |= c_package(functions, prefix=prefix, description=description, notes=notes, precision=precision)
    else:
        from torquec.codegen.object.package import object_package  # LLVM is loaded for objects only

        contents |= object_package(
            functions, prefix=prefix, target=machine, description=description, notes=notes, precision=precision
        )
    contents[model_file] = document_text(document)
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "written_by": WRITTEN_BY,
        "prefix": prefix,
        "precision": precision.value,
        "quantities": list(quantities),
        "model": model_file,
        **({} if machine is None else {"object": machine_document(machine)}),
        "files": file_hashes(contents),
    }
    return {**contents, f"{prefix_identifier(prefix)}{MANIFEST}": document_text(manifest)}


def machine_document(machine: MachineTarget) -> dict[str, str]:
    """What the manifest says of an object: for which processor, and by which LLVM."""
    from torquec.codegen.object.triple import llvm_version

    return {"triple": machine.triple, "cpu": machine.cpu, "llvm": llvm_version()}
