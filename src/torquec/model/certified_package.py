"""The C package of a certified model: its names and its header say what it is, and it can be proven again.

Beside the C lie the model with its certificate and a manifest, which says what was generated from what, and by which
version. All of it follows from the model, byte by byte: `check_file` generates it again and compares.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import Any

from torquec import __version__
from torquec.codegen.c.package import c_package
from torquec.codegen.c.scalar import DOUBLE, SCALARS, CScalar
from torquec.codegen.identifiers import prefix_identifier
from torquec.codegen.precision import Precision
from torquec.foundation.json_text import document_text
from torquec.model.claim import claim_text
from torquec.model.model import Model
from torquec.model.quantities import quantity_of
from torquec.model.save import model_document
from torquec.robot.robot import Robot

FORMAT = "torquec package 1"
_ROUNDINGS = 10  # units of the last place: what some hundred operations lose in the middle, seen on the classics
WRITTEN_BY = f"torquec {__version__}"
MANIFEST = ".package.json"


def simplified_prefix(model: Model) -> str:
    """What the names of a simplified package begin with unless another prefix is chosen: unlike the exact one's."""
    return f"{model.robot.name}_simplified"


def package_description(robot: Robot) -> str:
    """What the top of every package says of its robot."""
    gravity = ", ".join(repr(value) for value in robot.gravity)
    return (
        f"Dynamics of {robot.name}: {robot.n} joints in the order {', '.join(robot.joint_names)}. "
        f"SI units, radians; gravity ({gravity}) m/s^2 in the base frame."
    )


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
) -> dict[str, str]:
    """The texts of the package by file name: C, model and manifest.

    `quantities` are those in C, `kept` those in the model's file (all that the model serves where it is None).
    """
    document = model_document(model, quantities=kept)
    model_file = f"{prefix_identifier(model.robot.name)}.tq.json"
    functions = [model.function(name) for name in quantities]
    claim = claim_text(model, model_file, document["sha256"])
    scalar = SCALARS[precision]
    assert model.record is not None
    counted = ("inverse_dynamics",) if model.record.rounding is not None else ()
    claim += rounding_text(scalar, counted, quantities)
    texts = c_package(
        functions,
        prefix=prefix,
        description=f"{claim}\n\n{package_description(model.robot)}",
        notes={f.name: quantity_of(name)[0].summary for name, f in zip(quantities, functions, strict=True)},
        scalar=scalar,
    )
    texts[model_file] = document_text(document)
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "written_by": WRITTEN_BY,
        "prefix": prefix,
        "precision": precision.value,
        "quantities": list(quantities),
        "model": model_file,
        "files": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()},
    }
    return {**texts, f"{prefix_identifier(prefix)}{MANIFEST}": document_text(manifest)}
