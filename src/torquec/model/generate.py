"""`generate`: the quantities of a model as source code in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from torquec.codegen.precision import Precision
from torquec.codegen.target import Target, generate_package
from torquec.errors import ArgumentError
from torquec.expr import OperationCount, count_operations
from torquec.foundation.choice import chosen
from torquec.foundation.reading import to_path
from torquec.model.model import Model, compile
from torquec.model.quantities import quantity_of
from torquec.robot.robot import Robot


@dataclass(frozen=True)
class GeneratedPackage:
    """The files that were written, and the operations of each function by its quantity's name.

    `refused` are quantities that were left out because this kind of model does not have them, each with why.
    """

    files: tuple[Path, ...]
    functions: Mapping[str, OperationCount]
    refused: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def generate(
    model: Model | Robot,
    directory: str | os.PathLike[str],
    *,
    target: Target | str = Target.C,
    precision: Precision | str = Precision.DOUBLE,
    quantities: Sequence[str] | None = None,
    prefix: str | None = None,
    force: bool = False,
) -> GeneratedPackage:
    """Write `quantities` (all of the dynamics that the model has when not given) as source code into `directory`.

    `prefix` begins the names of files and functions; it is the robot's name unless given. With `force`, files of these
    names that Torquec did not write are replaced. `precision` is of the numbers that the code computes in: double, or
    single for C on small processors. Raises `ArgumentError` for an unknown target, precision or quantity, for a target
    that has not this precision, and for such files without `force`; nothing is written then.
    """
    language, numbers = chosen(Target, target, "target"), chosen(Precision, precision, "precision")
    source = compile(model) if isinstance(model, Robot) else model
    if not isinstance(source, Model):
        raise ArgumentError(f"generate takes a Model or a Robot, not {type(model).__name__}")
    names = source.served() if quantities is None else tuple(dict.fromkeys(quantities))
    refused = source.refused() if quantities is None else {}
    functions = {name: source.function(name) for name in names}
    files = generate_package(
        tuple(functions.values()),
        to_path(directory),
        prefix=prefix or source.robot.name,
        target=language,
        precision=numbers,
        description=_description(source.robot),
        notes={function.name: quantity_of(name)[0].summary for name, function in functions.items()},
        force=force,
    )
    counts = {name: count_operations(function) for name, function in functions.items()}
    return GeneratedPackage(tuple(files), MappingProxyType(counts), MappingProxyType(refused))


def _description(robot: Robot) -> str:
    gravity = ", ".join(repr(value) for value in robot.gravity)
    return (
        f"Dynamics of {robot.name}: {robot.n} joints in the order {', '.join(robot.joint_names)}. "
        f"SI units, radians; gravity ({gravity}) m/s^2 in the base frame."
    )
