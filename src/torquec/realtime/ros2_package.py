"""A ROS 2 source package of a model: chainable effort controllers and a plug-in that computes inverse dynamics.

(1)  the C package of the dynamics, and a law with its guards as one C++ header, without ROS
(2)  `EffortController` (computed torque) and `GravityController` (gravity compensation with PD) for ros2_control, which
     call the law, and `DynamicsSolver` for inverse_dynamics_solver
(3)  package.xml, CMakeLists.txt, plug-in descriptions, parameters, README, and the tests of (1)
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torquec.codegen.c.names import package_names
from torquec.codegen.c.package import c_package
from torquec.codegen.identifiers import prefix_identifier
from torquec.control.independent_joint import drive_poles, gains_from_poles
from torquec.dynamics.friction_memory import has_memory
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mechanism import place
from torquec.dynamics.motion import motions
from torquec.errors import ArgumentError, RefusedQuantityError
from torquec.expr import Function, OperationCount, count_operations, trace
from torquec.foundation.package_manifest import PackageMaking
from torquec.foundation.reading import to_path
from torquec.foundation.template import filled_template
from torquec.foundation.writing import write_package
from torquec.model.certified_package import ModelFile, bounds_of, code_text, function_notes, usual_prefix
from torquec.model.model import Model, as_model
from torquec.model.quantities import MEMORY_QUANTITIES
from torquec.realtime.run_time_parameters import ParameterGroup, parameter_groups, run_time_robot
from torquec.realtime.targets import ROS2_QUANTITIES
from torquec.realtime.tuning import TUNING
from torquec.robot.passive_friction import check_friction_is_passive
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import start_posture
from torquec_check.claim import Bound

PROPRIETARY = "Proprietary"
_FRICTION = ROS2_QUANTITIES.index("friction_torque")  # springs come before it
_PLACES = {
    "effort_law.hpp": "include/{package}/effort_law.hpp",
    "effort_controller.hpp": "include/{package}/effort_controller.hpp",
    "effort_controller.cpp": "src/effort_controller.cpp",
    "dynamics_solver.cpp": "src/dynamics_solver.cpp",
    "effort_law_test.cpp": "test/effort_law_test.cpp",
    "CMakeLists.txt": "CMakeLists.txt",
    "package.xml": "package.xml",
    "controller_plugins.xml": "controller_plugins.xml",
    "solver_plugins.xml": "solver_plugins.xml",
    "controllers.yaml": "config/controllers.yaml",
    "README.md": "README.md",
}
"""Destination of each of our files in the package."""


@dataclass(frozen=True)
class Ros2Package:
    """The files, the name of the package, and the operations of every function by name; `claim` is the proven claim."""

    files: tuple[Path, ...]
    name: str
    functions: Mapping[str, OperationCount]
    claim: tuple[Bound, ...] = ()


def write_ros2_package(
    source: Robot | Model,
    directory: str | os.PathLike[str],
    *,
    prefix: str | None = None,
    license_name: str = PROPRIETARY,
    force: bool = False,
) -> Ros2Package:
    """Write (1)-(3) into `directory`; `license_name` is the license stated in package.xml, your choice.

    Raises `ArgumentError` for a model that lacks a called quantity, and, without `force`, for existing files that
    Torquec did not write, and `RobotError` for friction that drives its joint; nothing is written then.
    """
    model = as_model(source)
    check_friction_is_passive(model.robot)
    functions = _functions(model)
    begin = prefix_identifier(prefix or usual_prefix(model)).lower()
    package = f"{begin}_torquec"
    names = package_names(functions, begin)
    quantities = _quantities(model)
    notes = function_notes(model, dict(zip(quantities, functions, strict=True)))
    beside = ModelFile.of(model, quantities)
    about = code_text(model, beside.document, beside.name, quantities=quantities)
    made = c_package(functions, prefix=begin, description=about, notes=notes)
    load = _load(model.robot)
    beside_load = f"{names.prefix}_load"
    held = c_package([_load_torque(model.robot, load)], prefix=beside_load, description="Torques of tool and payload.")
    words = _words(model.robot, package, names.prefix, (functions[_FRICTION - 1], functions[_FRICTION]), license_name)
    words |= {"FRAME": "none" if load is None else _plain(load.frame), "CARRIES": "false" if load is None else "true"}
    words["ROBOT"] += " (simplified, see README.md)" if model.kind.is_simplified else " (see README.md)"
    texts: dict[str, str | bytes] = {
        f"src/{names.prefix}.c": made[f"{names.prefix}.c"],
        f"include/{package}/{names.prefix}.h": made[f"{names.prefix}.h"],
        f"src/{beside_load}.c": held[f"{beside_load}.c"],
        f"include/{package}/{beside_load}.h": held[f"{beside_load}.h"],
        "test/selftest.c": made["selftest.c"],
    }
    for file, destination in _PLACES.items():
        text = filled_template("realtime/ros2", file, **words)
        if file == "README.md":
            lines = [f"    {line}".rstrip() for line in about.splitlines()]
            text += "\n".join(["", "## The model", "", *lines, ""])
        texts[destination.format(package=package)] = text
    texts |= beside.contents
    options = {"license_name": license_name}
    making = PackageMaking(prefix or usual_prefix(model), "double", quantities, beside.name, options)
    files = write_package(to_path(directory), texts, name=begin, target="ros2", making=making, force=force)
    counts = MappingProxyType({function.name: count_operations(function) for function in functions})
    return Ros2Package(tuple(files), package, counts, bounds_of(model.robot, model.record))


def _quantities(model: Model) -> tuple[str, ...]:
    """Quantities that controller and plug-in call, and functions with state where friction has memory."""
    return (*ROS2_QUANTITIES, *(MEMORY_QUANTITIES if has_memory(model.robot) else ()))


def _functions(model: Model) -> list[Function]:
    found = []
    for name in _quantities(model):
        try:
            found.append(model.function(name))
        except RefusedQuantityError as error:
            raise ArgumentError(
                f"the controller needs {name}, which this model does not have: {error}",
                remedy="give a model that has it, or the robot's file",
            ) from error
    return found


def _load(robot: Robot) -> ParameterGroup | None:
    """The load of the hand; None for closed loops, whose torques are projected, and for a robot without frames."""
    return None if robot.loops is not None or not robot.frames else parameter_groups(robot, ["load"])[0]


def _load_torque(robot: Robot, load: ParameterGroup | None) -> Function:
    """Torques (n,) of a load alone, ten inertial parameters about the frame's origin, at (q, qd, qdd)."""

    def program(q: Any, qd: Any, qdd: Any, load_parameters: Any) -> dict[str, Any]:
        if load is None:
            return {"tau": [0.0] * robot.n}
        m = run_time_robot(robot, [load], {load.port: load_parameters}).changed_mechanism()
        placed = place(m, q)
        return {"tau": joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, qdd), qdd)}

    n = (robot.n,)
    return trace("torque", program, {"q": n, "qd": n, "qdd": n, "load_parameters": (10,)})


def _words(
    robot: Robot, package: str, prefix: str, parts: tuple[Function, Function], license_name: str
) -> dict[str, str]:
    """Values of the @placeholders@ in our files; `parts` are springs and friction."""
    springs, friction = parts
    start = start_posture(robot)
    gains = gains_from_poles(robot, drive_poles(robot, start, TUNING.example_period), start)
    efforts = [joint.limits.effort for joint in robot.joints if joint.name in robot.joint_names]
    stated = ", ".join(repr(float(value)) if math.isfinite(value) else "0.0" for value in efforts)
    unknown = [port.name for port in friction.inputs if port.name != "qd"]
    if unknown:
        raise ArgumentError(
            f"friction depends on {', '.join(unknown)}, which the plug-in does not receive",
            remedy="remove load-dependent friction from the robot's file",
        )
    return {
        "PACKAGE": package,
        "GUARD": package.upper(),
        "PREFIX": prefix,
        "ROBOT": _plain(robot.name),
        "N": str(robot.n),
        "JOINT_NAMES": ", ".join(_quoted(name) for name in robot.joint_names),
        "JOINT_LIST": ", ".join(_plain(name) for name in robot.joint_names),
        "POSITION_GAINS": ", ".join(f"{float(gain):#.4g}" for gain in gains.position),
        "SPEED_GAINS": ", ".join(f"{float(gain):#.4g}" for gain in gains.speed),
        "EFFORTS": stated,
        "YAML_EFFORTS": stated,
        "SPRING_ARGUMENTS": "q.data(), " * len(springs.inputs),
        "FRICTION_ARGUMENTS": "joint_velocities.data(), " * len(friction.inputs),
        "REFERENCE_FRICTION_ARGUMENTS": "speed.data(), " * len(friction.inputs),
        "CYCLES": str(TUNING.test_cycles),
        "LICENSE": _plain(license_name),
    }


def _quoted(name: str) -> str:
    """A name as a C++ string of any characters."""
    encoded = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in name.encode()
    )
    return f'"{encoded}"'


def _plain(text: str) -> str:
    """A text without characters that would end a comment, string or element."""
    return "".join(c if c.isalnum() or c in " _-." else "_" for c in text)
