"""Code generation: `generate` writes the quantities of a model as source code into a folder.

`to_jax` and `to_torch` make a quantity a differentiable function of these libraries. It takes the quantity's inputs in
order, (*batch, *shape) each, and gives its outputs in order, a tuple where there are several. Values are the native
ones, in double precision on the CPU; derivatives are exact, traced from the same program
(:mod:`torquec.codegen.native_live`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torquec.codegen.identifiers import prefix_identifier
from torquec.codegen.live import Live, live_function
from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS, Target, check_offered
from torquec.errors import ArgumentError
from torquec.expr import OperationCount, count_operations
from torquec.foundation.choice import chosen
from torquec.foundation.reading import to_path
from torquec.foundation.writing import check_output_folder, write_package
from torquec.model.certified_package import bounds_of, machine_options, model_package, usual_prefix
from torquec.model.model import Model, as_model, compile
from torquec.model.quantities import WITH_FRICTION
from torquec.robot.passive_friction import check_friction_is_passive
from torquec.robot.robot import Robot
from torquec_check.claim import Bound


@dataclass(frozen=True)
class GeneratedPackage:
    """The files that were written, and the operations of each function by its quantity's name.

    `refused` are quantities that this kind of model does not have, each with the reason. `claim` is the proven claim of
    a certified model.
    """

    files: tuple[Path, ...]
    functions: Mapping[str, OperationCount]
    refused: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    claim: tuple[Bound, ...] = ()


def generate(
    model: Model | Robot,
    directory: str | os.PathLike[str],
    *,
    target: Target | str = Target.C,
    precision: Precision | str | None = None,
    quantities: Sequence[str] | None = None,
    prefix: str | None = None,
    triple: str | None = None,
    cpu: str | None = None,
    force: bool = False,
) -> GeneratedPackage:
    """Write `quantities` (by default all dynamics quantities of the model) as source code into `directory`.

    `prefix` begins the names of files and functions; it is the robot's name unless given, with "_simplified" for a
    certified model, whose code states its claim and comes with the model and its certificate, so that `check_file` can
    prove it again. With `force`, files of these names that Torquec did not write are replaced.

    `precision` is the floating-point precision of the code: double, or single for C or objects on small processors; by
    default that of the model's certificate (`usual_precision`). An object is for the processor of `triple` (as
    compilers name it: thumbv7em-none-eabihf; by default this machine's) and of `cpu`.

    Raises `ArgumentError` for an unknown target, precision, quantity, triple or cpu, for a target without this
    precision, and for foreign files of these names without `force`; `RobotError` for friction that drives its joint.
    Nothing is written in these cases.
    """
    language = chosen(Target, target, "target")
    source = compile(model) if isinstance(model, Robot) else model
    if not isinstance(source, Model):
        raise ArgumentError(f"generate takes a Model or a Robot, not {type(model).__name__}")
    numbers = usual_precision(source, language) if precision is None else chosen(Precision, precision, "precision")
    check_offered(language, numbers, triple=triple, cpu=cpu)
    check_output_folder(to_path(directory), force=True)  # before the work
    if BACK_ENDS[language].for_processor:
        machine_options(triple, cpu)  # refused before the work
    names = source.served() if quantities is None else tuple(dict.fromkeys(quantities))
    refused = source.refused() if quantities is None else {}
    if WITH_FRICTION & set(names):
        check_friction_is_passive(source.robot)
    functions = {name: source.function(name) for name in names}
    counts = MappingProxyType({name: count_operations(function) for name, function in functions.items()})
    begin = prefix or usual_prefix(source)
    contents, making = model_package(
        source, language, prefix=begin, functions=functions, precision=numbers, triple=triple, cpu=cpu
    )
    name = prefix_identifier(begin)
    folder = to_path(directory)
    files = write_package(folder, contents, name=name, target=language.value, making=making, force=force)
    claim = bounds_of(source.robot, source.record)
    return GeneratedPackage(tuple(files), counts, MappingProxyType(refused), claim)


def usual_precision(model: Model, target: str) -> Precision:
    """Default precision of generated code: single where the model is certified for it and the target supports it."""
    if model.record is None or target not in BACK_ENDS:
        return Precision.DOUBLE
    wanted = model.record.precision
    return wanted if wanted in BACK_ENDS[Target(target)].precisions else Precision.DOUBLE


def to_jax(source: Robot | Model, quantity: str) -> Callable[..., Any]:
    """The quantity as a JAX function: `jit`, `vmap`, `grad`, `jacfwd` and `hessian` apply; CPU, 64 bits.

    A frame's quantity is named as in "frame_pose:tool". Raises `MissingExtraError` without the extra `jax`,
    `ArgumentError` for an unknown quantity, `RefusedQuantityError` for one that the model does not have.
    """
    return live_function(as_model(source, any_joint=True).function(quantity), Live.JAX)


def to_torch(source: Robot | Model, quantity: str) -> Callable[..., Any]:
    """The quantity as a PyTorch function: autograd, `torch.func` and `torch.compile` apply; CPU, doubles.

    A frame's quantity is named as in "frame_pose:tool". Raises `MissingExtraError` without the extra `torch`,
    `ArgumentError` for an unknown quantity, `RefusedQuantityError` for one that the model does not have.
    """
    return live_function(as_model(source, any_joint=True).function(quantity), Live.TORCH)
