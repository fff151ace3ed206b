"""`torquec generate MODEL`: source code for another program."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import force_option, option
from torquec.cli.output import progress, step_report
from torquec.codegen.precision import Precision
from torquec.codegen.target import Target
from torquec.errors import ArgumentError
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import FrictionTask
from torquec.realtime.targets import OPTIONS, TARGETS, TargetOptions, check_request, write_target
from torquec.report.tables import table

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.realtime.plan import HoldPlan

# Made from the table: a new target needs no change here.
_TARGETS = [(name.upper().replace("-", "_"), name) for name in TARGETS]
GenerateTarget = StrEnum("GenerateTarget", _TARGETS)  # type: ignore[misc]
_USUAL_TARGET = GenerateTarget(Target.C.value)
_KINDS = ("mul", "add", "div", "sincos", "other")


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(CommandOptions):
    """Target, options of the package, and output folder."""

    output: Path = option(..., "Where the files go.", "--output", "-o", metavar="DIR", writes=Writes.PACKAGE)
    target: GenerateTarget = option(_USUAL_TARGET, "What to write; {target titles}.")
    precision: Precision | None = option(
        None,
        "Precision of the code; {single targets}: single (32 bits) for small processors.  [default: double, or "
        "single for a model that was certified in it]",
    )
    single: bool = option(False, "The same as --precision single.", "--float")
    triple: str | None = option(
        None,
        "{targets of triple}: the processor as compilers name it, such as thumbv7em-none-eabihf, aarch64-linux-gnu, "
        "riscv64-unknown-elf or x86_64-pc-windows-msvc; rt-c then has an object instead of its source.",
        metavar="TRIPLE",
    )
    cpu: str | None = option(None, "{targets of cpu}: one processor of the triple, such as cortex-m4.")
    quantity: list[str] | None = option(
        None,
        "{targets of quantity}: only this quantity (repeat for more); a frame's is frame_pose:FRAME.  [default: all]",
    )
    prefix: str | None = option(
        None, "Prefix of the names of files and functions.  [default: the robot's name; NAME_simplified]"
    )
    update: list[str] | None = option(
        None,
        "{targets of update}: changeable at run time (again for more): load, load:FRAME, gravity, friction, rotors, a "
        "body's name or one parameter such as m_link6.",
        metavar="WORD",
    )
    friction: FrictionTask | None = option(
        None, "{targets of friction}: the task that computes friction.  [default: background]", show_default=False
    )
    order: HoldOrder | None = option(
        None, "{targets of order}: what is held between backgrounds.  [default: first, with zeroth]", show_default=False
    )
    law: Path | None = option(None, "{targets of law}: the controller.json whose step is written too.", metavar="FILE")
    observer: Path | None = option(
        None, "{targets of observer}: the controller.json of an observer (design --observe).", metavar="FILE"
    )
    estimator: Path | None = option(
        None, "{targets of estimator}: the controller.json of an estimator (design --estimate).", metavar="FILE"
    )
    force: bool = force_option()

    spec: Path | None = option(
        None,
        "{targets of spec}: state the bound of the hold error for this specification in the header.",
        metavar="FILE",
    )
    period: float | None = option(
        None, "{targets of period}: the background period [s] for --spec.  [default: the recommended one]"
    )


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
    docs/targets.md lists the files and options of every target, and which parts of a certified model's claim they
    carry.
    """
    from torquec.control.controller_file import read_controller, read_estimator, read_observer
    from torquec.model.quantities import long_quantities

    target = options.target.value
    precision = Precision.SINGLE if options.single else options.precision
    check_request(target, model, [name for name in OPTIONS if getattr(options, name) is not None], precision)
    if options.period is not None and options.spec is None:
        raise ArgumentError("--period needs --spec", remedy="name the specification of the motions")
    progress(f"tracing and writing {model.robot.name} as {TARGETS[target].title} ...")
    package = write_target(
        model,
        options.output,
        target,
        TargetOptions(
            precision=precision,
            quantity=options.quantity,
            prefix=options.prefix,
            triple=options.triple,
            cpu=options.cpu,
            update=options.update,
            friction=options.friction,
            order=options.order,
            law=None if options.law is None else read_controller(options.law),
            observer=None if options.observer is None else read_observer(options.observer),
            estimator=None if options.estimator is None else read_estimator(options.estimator),
            plan=None if options.spec is None else _plan(model, options.spec, options),
            force=options.force,
        ),
    )
    counts = {name: dataclasses.asdict(count) for name, count in package.functions.items()}
    document = {
        "files": [str(path) for path in package.files],
        "functions": counts,
        "target": target,
        "precision": package.precision.value,
        "kind": model.kind.value,
        "claim": [dataclasses.asdict(claim) for claim in package.claim],
        **package.details,
    }
    listed = "\n".join(f"  {path}" for path in package.files)
    text = f"{operations_table(counts)}\n\nin these files:\n{listed}"
    left_out = {name: why for name, why in long_quantities(model.robot).items() if name not in counts}
    if left_out and options.quantity is None:
        document["left_out"] = left_out
        text += "".join(f"\n{name} is left out: {why} (--quantity {name})" for name, why in left_out.items())
    return Outcome(document, text, package.files)


def _plan(model: Model, path: Path, options: GenerateOptions) -> HoldPlan:
    """The bound of the hold error for a specification."""
    from torquec.foundation.work import Work
    from torquec.realtime.plan import plan_background
    from torquec.simplification.specification import load_specification

    specification, order = load_specification(path, model.robot), options.order or HoldOrder.FIRST
    work = Work(report=step_report())
    return plan_background(model, specification, period=options.period, order=order, search=False, work=work)


def operations_table(counts: Mapping[str, Mapping[str, int]]) -> str:
    """One row per function, its operations by kind.

    >>> print(operations_table({"gravity_torque": {"mul": 3, "add": 2, "div": 0, "sincos": 2, "other": 0}}))
      function        mul  add  div  sincos  other
      gravity_torque    3    2    0       2      0
    """
    return table(["function", *_KINDS], [[name, *(str(count[k]) for k in _KINDS)] for name, count in counts.items()])
