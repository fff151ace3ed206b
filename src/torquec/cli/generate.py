"""`torquec generate MODEL`: source code for another program."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.options import ForceOption
from torquec.cli.output import progress, step_report
from torquec.cli.writes import Writes
from torquec.codegen.precision import Precision
from torquec.codegen.target import Target, check_offered
from torquec.errors import ArgumentError
from torquec.realtime.choices import PACKAGE_TARGETS, ROS2, TWO_RATE, FrictionTask, HoldOrder

if TYPE_CHECKING:
    from torquec.model.generate import GeneratedPackage
    from torquec.model.model import Model
    from torquec.realtime.package import TwoRatePackage
    from torquec.realtime.plan import HoldPlan
    from torquec.realtime.ros2_package import Ros2Package


# Made from the languages, so that a new one is offered here by itself.
_TARGETS = [
    *((target.name, target.value) for target in Target),
    *((name.upper().replace("-", "_"), name) for name in PACKAGE_TARGETS),
]
GenerateTarget = StrEnum("GenerateTarget", _TARGETS)  # type: ignore[misc]
_USUAL_TARGET = GenerateTarget(Target.C.value)


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(CommandOptions):
    """What to write, and where."""

    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go."), Writes.PACKAGE]
    target: Annotated[
        GenerateTarget,
        typer.Option(help="What to write; rt-c: two rates, for real-time control; ros2: a source package."),
    ] = _USUAL_TARGET
    precision: Annotated[
        Precision | None,
        typer.Option(
            help="What the code computes in; single (32 bits) for C or objects on small processors.  [default: double, "
            "or single for a model that was certified in it]"
        ),
    ] = None
    single: Annotated[bool, typer.Option("--float", help="The same as --precision single.")] = False
    triple: Annotated[
        str | None,
        typer.Option(
            metavar="TRIPLE",
            help="object, rt-c: the processor as compilers name it, such as thumbv7em-none-eabihf, aarch64-linux-gnu, "
            "riscv64-unknown-elf or x86_64-pc-windows-msvc; rt-c then has an object instead of its source.",
        ),
    ] = None
    cpu: Annotated[str | None, typer.Option(help="object, rt-c: one processor of the triple, such as cortex-m4.")] = (
        None
    )
    quantity: Annotated[
        list[str] | None,
        typer.Option(help="Only this quantity (repeat for more); a frame's is frame_pose:FRAME.  [default: all]"),
    ] = None
    prefix: Annotated[
        str | None,
        typer.Option(
            help="What names of files and functions begin with.  [default: the robot's name; NAME_simplified]"
        ),
    ] = None
    update: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="rt-c: changeable at run time (again for more): load, load:FRAME, gravity, friction, rotors, "
            "a body's name or one parameter such as m_link6.",
        ),
    ] = None
    friction: Annotated[
        FrictionTask | None,
        typer.Option(help="rt-c: the task that computes friction.  [default: background]", show_default=False),
    ] = None
    order: Annotated[
        HoldOrder | None,
        typer.Option(help="rt-c: what is held between backgrounds.  [default: first, with zeroth]", show_default=False),
    ] = None
    law: Annotated[
        Path | None, typer.Option(metavar="FILE", help="rt-c: the controller.json whose step is written too.")
    ] = None
    force: ForceOption = False

    spec: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="rt-c: bound what holding costs for this specification, in the header."),
    ] = None
    period: Annotated[
        float | None, typer.Option(help="rt-c: the background period [s] for --spec.  [default: the recommended one]")
    ] = None


@command(
    "generate",
    GenerateOptions,
    example="torquec generate puma560 --target c -o puma560_c --quantity inverse_dynamics --quantity mass_matrix",
)
def generate(model: Model, options: GenerateOptions) -> Outcome:
    """Write {targets} code.

    With --target object: machine code for the processor of --triple, without a compiler; docs/generated-c.md.
    With --target rt-c: the two-rate package for real-time control, whose functions, tasks and examples
    docs/real-time.md describes. With --target ros2: a source package for ROS 2, described there, too.
    """
    from torquec.model.generate import generate as write
    from torquec.model.generate import usual_precision

    if options.single:
        options = dataclasses.replace(options, precision=Precision.SINGLE)
    elif options.precision is None:
        options = dataclasses.replace(options, precision=usual_precision(model, options.target.value))
    if options.target.value == TWO_RATE:
        return _two_rate(model, options)
    if options.target.value == ROS2:
        return _ros2(model, options)
    for name in ("update", "friction", "order", "law", "spec", "period"):
        if getattr(options, name) is not None:
            raise ArgumentError(f"--{name} is for the two-rate package", remedy="add --target rt-c, or leave it out")
    check_offered(
        Target(options.target.value), options.precision or Precision.DOUBLE, triple=options.triple, cpu=options.cpu
    )
    progress(f"tracing and writing {model.robot.name} ...")
    package = write(
        model,
        options.output,
        target=options.target.value,
        precision=options.precision,
        quantities=options.quantity or None,
        prefix=options.prefix,
        triple=options.triple,
        cpu=options.cpu,
        force=options.force,
    )
    return _outcome(model, options, package)


def _two_rate(model: Model, options: GenerateOptions) -> Outcome:
    from torquec.control.controller_file import read_controller
    from torquec.realtime.package import write_two_rate_package

    if options.quantity:
        raise ArgumentError("--quantity is not for rt-c", remedy="leave it out: the two-rate package has its functions")
    progress(f"tracing and writing the two rates of {model.robot.name} ...")
    package = write_two_rate_package(
        model,
        options.output,
        update=options.update or (),
        friction=options.friction or FrictionTask.BACKGROUND,
        order=options.order or HoldOrder.FIRST,
        law=None if options.law is None else read_controller(options.law),
        plan=_plan(model, options),
        precision=options.precision or Precision.DOUBLE,
        prefix=options.prefix,
        triple=options.triple,
        cpu=options.cpu,
        force=options.force,
    )
    return _outcome(model, options, package, stack=dict(package.stack))


def _ros2(model: Model, options: GenerateOptions) -> Outcome:
    from torquec.realtime.ros2_package import write_ros2_package

    for name in ("quantity", "update", "friction", "order", "law", "spec", "period", "triple", "cpu"):
        if getattr(options, name) is not None:
            raise ArgumentError(f"--{name} is not for ros2", remedy="leave it out")
    if options.precision not in (None, Precision.DOUBLE):
        raise ArgumentError("ROS 2 computes in doubles", remedy="leave out --precision and --float")
    progress(f"tracing and writing the ROS 2 package of {model.robot.name} ...")
    package = write_ros2_package(model, options.output, prefix=options.prefix, force=options.force)
    return _outcome(model, options, package, ros_package=package.name)


def _plan(model: Model, options: GenerateOptions) -> HoldPlan | None:
    """What holding costs, where a specification is given."""
    if options.spec is None:
        if options.period is not None:
            raise ArgumentError("--period needs --spec", remedy="name the specification whose motions are meant")
        return None
    from torquec.foundation.work import Work
    from torquec.realtime.plan import plan_background
    from torquec.simplification.specification import load_specification

    specification, order = load_specification(options.spec, model.robot), options.order or HoldOrder.FIRST
    work = Work(report=step_report())
    return plan_background(model, specification, period=options.period, order=order, search=False, work=work)


def _outcome(
    model: Model, options: GenerateOptions, package: GeneratedPackage | TwoRatePackage | Ros2Package, **more: Any
) -> Outcome:
    """What was written, its operations and what is proven of it."""
    from torquec.report.operation_text import operations_table

    counts = {name: dataclasses.asdict(count) for name, count in package.functions.items()}
    document = {
        "files": [str(path) for path in package.files],
        "functions": counts,
        "target": options.target.value,
        "precision": (options.precision or Precision.DOUBLE).value,
        "kind": model.kind.value,
        "claim": [dataclasses.asdict(claim) for claim in package.claim],
        **more,
    }
    listed = "\n".join(f"  {path}" for path in package.files)
    return Outcome(document, f"{operations_table(counts)}\n\nin these files:\n{listed}", package.files)
