"""Targets of `torquec generate`: options, writer, accepted models, precisions, and how their code is checked.

Every language of :mod:`torquec.codegen.target` is a target. A package that is more than functions in a language (two
rates, ROS 2) is a row of `_PACKAGES`. The command, projects, their messages, help and docs/targets.md read `TARGETS`;
writers are imported when they are called.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from torquec.codegen.precision import Precision
from torquec.codegen.target import BACK_ENDS, BackEnd, CodeCheck, Target
from torquec.errors import ArgumentError
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import FrictionTask

if TYPE_CHECKING:
    from pathlib import Path

    from torquec.control.controller import Controller
    from torquec.control.observer import Observer
    from torquec.control.recursive_estimator import RecursiveEstimator
    from torquec.expr import OperationCount
    from torquec.model.model import Model
    from torquec.realtime.plan import HeldErrors, HoldPlan
    from torquec_check.claim import Bound


@dataclass(frozen=True, kw_only=True)
class TargetOptions:
    """Options of a target, None for its default; each target uses its own subset.

    `plan` is the bound of the hold error, which the command computes for `spec` and `period`.
    """

    precision: Precision | None = None
    quantity: Sequence[str] | None = None
    prefix: str | None = None
    triple: str | None = None
    cpu: str | None = None
    update: Sequence[str] | None = None
    friction: FrictionTask | None = None
    order: HoldOrder | None = None
    law: Controller | None = None
    observer: Observer | None = None
    estimator: RecursiveEstimator | None = None
    plan: HoldPlan | HeldErrors | None = None
    license_name: str | None = None
    force: bool = False


@dataclass(frozen=True)
class WrittenPackage:
    """The files of a package, the operations of its functions by name, its precision and the claim of its model.

    `details` are further results of one target, by their key in the JSON document.
    """

    files: tuple[Path, ...]
    functions: Mapping[str, OperationCount]
    precision: Precision
    claim: tuple[Bound, ...]
    details: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class PackageTarget:
    """A row of the table.

    `files` are those of an exact model without options; PREFIX and FUNCTION stand for names, `*` for any. `options` are
    words of the command line. `needs` are the quantities that the model must have; a target without `needs` writes all
    quantities of the model. `check`: how the code of a certified model is compared with it.
    """

    title: str
    files: tuple[str, ...]
    write: Callable[[Model, str | os.PathLike[str], TargetOptions], WrittenPackage]
    options: tuple[str, ...]
    precisions: tuple[Precision, ...] = (Precision.DOUBLE,)
    needs: tuple[str, ...] = ()
    check: CodeCheck = CodeCheck.REBUILT


def write_target(
    model: Model, directory: str | os.PathLike[str], target: str, options: TargetOptions | None = None
) -> WrittenPackage:
    """Write the package of `model` for a target of `TARGETS` into `directory`; raises as its writer does."""
    return TARGETS[target].write(model, directory, options or TargetOptions())


def check_request(target: str, model: Model, options: Collection[str] = (), precision: Precision | None = None) -> None:
    """Raise `ArgumentError` for given `options`, a precision or a model that the target does not accept.

    Traces nothing. Raises `RobotError` for a robot without the inertias that the target needs.
    """
    row = TARGETS[target]
    for name in options:
        if name not in row.options:
            raise ArgumentError(
                f"--{name} is not for {target}",
                remedy=f"leave it out, or take a target that has it: {', '.join(targets_with(name))}",
            )
    if precision is not None and precision not in row.precisions:
        raise ArgumentError(
            f"{row.title} is not written in {precision} precision",
            remedy=f"the targets that are: {', '.join(targets_in(precision))}",
        )
    for quantity in row.needs:
        reason = model.refusal(quantity)
        if reason:
            able = [name for name, other in TARGETS.items() if not any(map(model.refusal, other.needs))]
            raise ArgumentError(
                f"{target} needs {quantity}, which a model of the kind '{model.kind}' does not have: {reason}",
                remedy=f"give the robot's file, or take a target without it: {', '.join(able)}",
            )
    if row.needs and not model.kind.follows_program:
        model.robot.check_inertias()


def targets_with(option: str) -> list[str]:
    """The targets that take an option.

    >>> targets_with("triple")
    ['object', 'rt-c']
    """
    return [name for name, row in TARGETS.items() if option in row.options]


def targets_in(precision: Precision) -> list[str]:
    """The targets whose code can compute in a precision.

    >>> targets_in(Precision.SINGLE)
    ['c', 'rust', 'object', 'rt-c']
    """
    return [name for name, row in TARGETS.items() if precision in row.precisions]


# --- writers --------------------------------------------------------------------------------------------------------


def _language(target: Target, back_end: BackEnd) -> PackageTarget:
    """The row of a language: it takes quantities by name, and a processor where it writes for one."""

    def write(model: Model, directory: str | os.PathLike[str], options: TargetOptions) -> WrittenPackage:
        from torquec.model.generate import generate, usual_precision

        precision = options.precision or usual_precision(model, target)
        package = generate(
            model,
            directory,
            target=target,
            precision=precision,
            quantities=options.quantity,
            prefix=options.prefix,
            triple=options.triple,
            cpu=options.cpu,
            force=options.force,
        )
        return WrittenPackage(package.files, package.functions, precision, package.claim)

    return PackageTarget(
        back_end.title,
        back_end.files,
        write,
        ("quantity", "prefix", *(("triple", "cpu") if back_end.for_processor else ())),
        back_end.precisions,
        check=back_end.check,
    )


def _write_two_rate(model: Model, directory: str | os.PathLike[str], options: TargetOptions) -> WrittenPackage:
    from torquec.realtime.package import write_two_rate_package

    precision = options.precision or Precision.DOUBLE
    package = write_two_rate_package(
        model,
        directory,
        update=options.update or (),
        friction=options.friction or FrictionTask.BACKGROUND,
        order=options.order or HoldOrder.FIRST,
        law=options.law,
        observer=options.observer,
        estimator=options.estimator,
        plan=options.plan,
        precision=precision,
        prefix=options.prefix,
        triple=options.triple,
        cpu=options.cpu,
        force=options.force,
    )
    return WrittenPackage(package.files, package.functions, precision, package.claim, {"stack": dict(package.stack)})


def _write_ros2(model: Model, directory: str | os.PathLike[str], options: TargetOptions) -> WrittenPackage:
    from torquec.realtime.ros2_package import PROPRIETARY, write_ros2_package

    license_name = options.license_name or PROPRIETARY
    package = write_ros2_package(
        model, directory, prefix=options.prefix, license_name=license_name, force=options.force
    )
    details = {"ros_package": package.name}
    return WrittenPackage(package.files, package.functions, Precision.DOUBLE, package.claim, details)


def _write_fmu(model: Model, directory: str | os.PathLike[str], options: TargetOptions) -> WrittenPackage:
    from torquec.realtime.fmu_package import write_fmu_package

    package = write_fmu_package(model, directory, law=options.law, prefix=options.prefix, force=options.force)
    return WrittenPackage(package.files, package.functions, Precision.DOUBLE, package.claim)


# --- the table ------------------------------------------------------------------------------------------------------

ROS2_QUANTITIES = (
    "inverse_dynamics",
    "total_torque",
    "mass_matrix",
    "velocity_torque",
    "gravity_torque",
    "spring_torque",
    "friction_torque",
)
"""Quantities that the controller and the plug-in of the ROS 2 package call, in the order of its C file."""

_PACKAGES: Mapping[str, PackageTarget] = MappingProxyType(
    {
        "rt-c": PackageTarget(
            "two-rate C for real-time control",
            (
                "PREFIX.c",
                "PREFIX.h",
                "PREFIX_tasks.h",
                "triple_buffer.h",
                "selftest.c",
                "CMakeLists.txt",
                "example_posix.c",
                "example_bare_metal.c",
            ),
            _write_two_rate,
            (
                "prefix",
                "triple",
                "cpu",
                "update",
                "friction",
                "order",
                "law",
                "observer",
                "estimator",
                "spec",
                "period",
            ),
            (Precision.DOUBLE, Precision.SINGLE),
            ("mass_matrix", "gravity_torque", "velocity_torque", "inverse_dynamics_derivatives"),
        ),
        "ros2": PackageTarget(
            "ROS 2 source package",
            (
                "package.xml",
                "CMakeLists.txt",
                "README.md",
                "*_plugins.xml",
                "config/controllers.yaml",
                "include/*/*",
                "src/*",
                "test/*",
            ),
            _write_ros2,
            ("prefix",),
            needs=ROS2_QUANTITIES,
        ),
        "fmu": PackageTarget(
            "FMI 3.0 units of plant and law",
            ("PREFIX.fmu", "CMakeLists.txt"),
            _write_fmu,
            ("prefix", "law"),
            needs=("forward_dynamics",),
        ),
    }
)

TARGETS: Mapping[str, PackageTarget] = MappingProxyType(
    {**{target.value: _language(target, row) for target, row in BACK_ENDS.items()}, **_PACKAGES}
)
"""Every target by its name."""

OPTIONS: tuple[str, ...] = tuple(dict.fromkeys(name for row in TARGETS.values() for name in row.options))
"""The options that at least one target takes, except `precision`: targets differ in its values."""
