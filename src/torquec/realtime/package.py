"""Writer of the two-rate C package: C99 functions of both rates, C11 tasks, self-test, build file, examples.

(1)  <prefix>.c, <prefix>.h     the functions of :mod:`torquec.realtime.two_rate`, and the step of a controller
(2)  <prefix>_tasks.h, triple_buffer.h    tasks, each one call, with wait-free triple buffers between them
(3)  selftest.c, CMakeLists.txt
(4)  example_posix.c, example_bare_metal.c: threads; a timer interrupt
(5)  with a law, in C and doubles, without run-time parameters: the runtime of
     :mod:`torquec.realtime.runtime.loop_package`, with guards and drivers
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torquec.codegen.c.names import SCALARS, Names, package_names
from torquec.codegen.c.package import c_package
from torquec.codegen.c.source import stack_bytes
from torquec.codegen.identifiers import prefix_identifier
from torquec.codegen.object.package import object_package, object_target
from torquec.codegen.object.triple import MachineTarget
from torquec.codegen.precision import Precision
from torquec.control.controller import Controller
from torquec.control.controller_file import FILE_NAME, SIDE_FILES, code_functions, controller_to_dict
from torquec.control.observer import Observer
from torquec.control.recursive_estimator import RecursiveEstimator
from torquec.dynamics.friction_memory import has_memory
from torquec.errors import ArgumentError
from torquec.expr import Function, OperationCount, count_operations
from torquec.foundation.choice import chosen
from torquec.foundation.json_text import document_text
from torquec.foundation.package_manifest import PackageMaking
from torquec.foundation.reading import to_path
from torquec.foundation.template import package_text
from torquec.foundation.writing import write_package
from torquec.model.certified_package import ModelFile, bounds_of, code_text, machine_options, simplified_prefix
from torquec.model.model import Model
from torquec.model.quantities import MEMORY_QUANTITIES, QUANTITIES
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import FrictionTask
from torquec.realtime.plan import HeldErrors, HoldPlan, held_errors_text
from torquec.realtime.runtime.library import MOST_JOINTS
from torquec.realtime.runtime.loop_law import controller_functions
from torquec.realtime.runtime.loop_package import RUNTIME_CMAKE, loop_files, loop_functions
from torquec.realtime.tasks_text import tasks_text
from torquec.realtime.tuning import TUNING
from torquec.realtime.two_rate import TwoRateFunctions, two_rate
from torquec.robot.passive_friction import check_friction_is_passive
from torquec.robot.robot import Robot
from torquec_check.claim import Bound, hold_claim

HOLD_FILE = ".hold.json"
"""Suffix of the file with the witness of the hold error."""

_EXAMPLES = ("example_posix.c", "example_bare_metal.c")

_NOTES = {
    "nominal_parameters": "Nominal values of all parameters that can change at run time.",
    "load_parameters": "Ten inertial parameters of a load from its mass, centre of mass, and inertia about the centre.",
    "update_parameters": "Constants of the other functions from the parameters; call it when a parameter has changed.",
    "background_inertia": "Mass matrix, reflected rotors included; torques against gravity (and springs).",
    "background_velocity": "Centrifugal and Coriolis torques.",
    "background_friction": "Friction at the background's speeds; rigid, if it is an input: M qdd + gravity + velocity.",
    "hold": "Torques that are held until the next coefficients.",
    "synchronous": "tau = M qdd + held.",
    "background_first_order": "Held torques and their slopes, with friction and springs if the package has them.",
    "synchronous_first_order": "tau = M qdd + held + dtau_dq (q - q0) + dtau_dqd (qd - qd0), with q0 and qd0 of "
    "the background.",
    "two_rate_law": "The law of every cycle, from coefficients of `background`; give its output qdd to the background.",
    "background": "All coefficients of `two_rate_law` in one row, with the state at which they hold.",
    "momentum_observer": "External torques from measured state and acting torque; memory from momentum_observer_start.",
    "momentum_observer_start": "Initial memory of momentum_observer, for a robot that nothing touches.",
    "recursive_estimator": "Payload and friction from measured state and acting torque; memory begins with zeros.",
    **{name: QUANTITIES[name].summary for name in MEMORY_QUANTITIES},
    "demanded_acceleration": "Computed torque: give `synchronous` this acceleration as qdd.",
}

_CMAKE_TASKS = """
find_package(Threads)
if(CMAKE_USE_PTHREADS_INIT)
  add_executable({prefix}_example_posix example_posix.c)
  set_target_properties({prefix}_example_posix PROPERTIES C_STANDARD 11)
  target_link_libraries({prefix}_example_posix {prefix} Threads::Threads)
  add_test(NAME {prefix}_example_posix COMMAND {prefix}_example_posix)
endif()
"""


@dataclass(frozen=True)
class TwoRatePackage:
    """The files, the operations and the stack [bytes] of every function by name; `claim` is the proven claim."""

    files: tuple[Path, ...]
    functions: Mapping[str, OperationCount]
    stack: Mapping[str, int]
    claim: tuple[Bound, ...] = ()


def write_two_rate_package(
    source: Robot | Model,
    directory: str | os.PathLike[str],
    *,
    update: Sequence[str] = (),
    friction: FrictionTask | str = FrictionTask.BACKGROUND,
    order: HoldOrder | str = HoldOrder.FIRST,
    law: Controller | None = None,
    observer: Observer | None = None,
    estimator: RecursiveEstimator | None = None,
    plan: HoldPlan | HeldErrors | None = None,
    precision: Precision | str = Precision.DOUBLE,
    prefix: str | None = None,
    triple: str | None = None,
    cpu: str | None = None,
    force: bool = False,
) -> TwoRatePackage:
    """Write (1)-(5) into `directory`; with a `triple`, machine code for its processor replaces (1) and (3).

    `update` names parameters or groups that can change while the robot runs (`torquec.realtime.run_time_parameters`);
    `law` adds the step of a controller, `observer` and `estimator` theirs; the header states the hold error of a
    `plan`, and examples and runtime use its background period, 20 ms without a plan. Raises `ArgumentError` for
    unknown words and choices, for a controller, an observer, an estimator or a plan of other joints, and, without
    `force`, for existing files that Torquec did not write, `RobotError` for friction that drives its joint; nothing is
    written then.
    """
    numbers = chosen(Precision, precision, "precision")
    two = two_rate(source, update=update, friction=friction, order=order)
    if two.friction is not FrictionTask.NONE:
        check_friction_is_passive(two.robot)
    functions = [*two.functions.values(), *([] if law is None else controller_functions(two.model, law))]
    if has_memory(two.robot):
        functions += [two.model.function(name) for name in MEMORY_QUANTITIES]
    watching = [each for each in (observer, estimator) if each is not None]
    for each in watching:
        _check_joints(each, two.robot.joint_names)
        functions += code_functions(each)
    plain = not (triple or cpu or two.groups) and numbers is Precision.DOUBLE
    runs = plain and two.robot.n <= MOST_JOINTS
    if law is not None and runs:
        functions += loop_functions(two.model, law, two.order)
    certified = two.model.record is not None
    begin = prefix or f"{simplified_prefix(two.model) if certified else two.robot.name}_rt"
    names = package_names(functions, begin, scalar=SCALARS[numbers])
    stack = {function.name: stack_bytes(function, names) for function in functions}
    errors = plan.errors if isinstance(plan, HoldPlan) else plan
    if errors is not None and errors.joints != two.robot.joint_names:
        raise ArgumentError("the plan is for other joints", remedy="plan for the model that is written")
    target = object_target(triple, cpu) if triple or cpu else None
    if errors is not None and two.groups:
        errors = replace(errors, witness=None)  # the witness holds for the model's own parameters only
    proof = None if errors is None else errors.certificate(two.model)
    witness_file = f"{names.prefix}{HOLD_FILE}"
    held = held_errors_text(
        two.robot,
        errors,
        certified=certified,
        kind=two.model.kind,
        claim=None if proof is None else hold_claim(proof),
        witness_file=witness_file,
    )
    file = ModelFile.of(two.model, ())
    texts = {**_texts(two, functions, names, stack, file, held, target=target, precision=numbers), **file.contents}
    period = TUNING.usual_background_period if errors is None else errors.period
    texts[f"{names.prefix}_tasks.h"] = tasks_text(two, names, period=period, planned=errors is not None)
    if law is not None and runs:
        texts |= loop_files(two.model, law, functions, names, background_period=period)
        texts["CMakeLists.txt"] = f"{texts['CMakeLists.txt']!s}{RUNTIME_CMAKE.format(prefix=names.prefix)}"
    if proof is not None:
        texts[witness_file] = document_text(proof)
    if law is not None:
        texts[FILE_NAME] = document_text(controller_to_dict(law))
    for each in watching:
        texts[SIDE_FILES[each.KIND]] = document_text(controller_to_dict(each))
    options = {
        "update": list(update),
        "friction": two.friction.value,
        "order": two.order.value,
        "plan": None if errors is None else errors.to_dict(),
        **(machine_options(triple, cpu) if target else {}),
    }
    making = PackageMaking(begin, numbers.value, (), file.name, options)
    name = prefix_identifier(begin)
    files = write_package(to_path(directory), texts, name=name, target="rt-c", making=making, force=force)
    counts = MappingProxyType({function.name: count_operations(function) for function in functions})
    return TwoRatePackage(tuple(files), counts, MappingProxyType(stack), bounds_of(two.robot, two.model.record))


def _check_joints(found: Observer | RecursiveEstimator, joints: tuple[str, ...]) -> None:
    if found.joints != joints:
        raise ArgumentError(
            f"the {found.KIND} is for the joints {', '.join(found.joints)}",
            remedy=f"make one for this robot, whose joints are {', '.join(joints)}",
        )


def _texts(
    two: TwoRateFunctions,
    functions: Sequence[Function],
    names: Names,
    stack: Mapping[str, int],
    file: ModelFile,
    promise: str,
    *,
    target: MachineTarget | None,
    precision: Precision,
) -> dict[str, str | bytes]:
    description = code_text(two.model, file.document, file.name, precision=precision)
    description += f"\n\n{promise}\n\nTwo-rate structure: the tasks are in {names.prefix}_tasks.h."
    if two.groups:
        description += "\nChangeable at run time, in this order:"
        for group in two.groups:
            about = f" about frame {group.frame}" if group.frame else ""
            description += f"\n  {group.port}: {', '.join(p.name for p in group.parameters)}{about}"
    notes = {function.name: _NOTES.get(function.name, "The step of the controller.") for function in functions}
    words: dict[str, Any] = {"prefix": names.prefix, "description": description, "precision": precision}
    made: dict[str, str | bytes]
    if target is not None:
        made = object_package(functions, target=target, notes=notes, **words)
    else:
        for name in notes:
            notes[name] += (
                f"\nStack: at most {stack[name]} bytes, with every local and input in its own place, and without "
                "that of sin and cos of math.h."
            )
        made = {**c_package(functions, notes=notes, **words)}
        made["CMakeLists.txt"] = f"{made['CMakeLists.txt']!s}{_CMAKE_TASKS.format(prefix=names.prefix)}"
    made["triple_buffer.h"] = package_text("realtime/c", "triple_buffer.h")
    for example in _EXAMPLES:
        made[example] = package_text("realtime/c", example).replace("PREFIX", names.prefix)
    return made
