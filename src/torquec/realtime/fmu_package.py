"""Functional mock-up units (FMI 3.0) of a model: the plant, and a control law, for Simulink, OpenModelica and others.

(1)  <prefix>.fmu         the plant dy/dt = f(y, tau), y = (q, qd): Model Exchange, and Co-Simulation by Runge-Kutta 4
                          with torques held; drives saturate, springs and smooth friction act as in `simulate`
(2)  <prefix>_law.fmu     with a law: its torques at the beginning of every sampling period; Co-Simulation
(3)  CMakeLists.txt       adds a binary for this machine to both; `fmpy compile` does the same

A unit holds C99 sources, its variables, and the claim of the model in its description. A variable is a scalar, such as
q_joint1. Archives are uncompressed and without time stamps: the same model gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.sax.saxutils import quoteattr

from torquec.codegen.c.names import DOUBLE, package_names
from torquec.codegen.c.package import c_package
from torquec.codegen.identifiers import prefix_identifier
from torquec.control.controller import Controller
from torquec.control.controller_file import FILE_NAME, controller_to_dict
from torquec.errors import ArgumentError
from torquec.expr import Function, OperationCount, count_operations, trace
from torquec.foundation.json_text import document_text
from torquec.foundation.package_manifest import PackageMaking
from torquec.foundation.reading import to_path
from torquec.foundation.template import filled_template
from torquec.foundation.writing import write_package
from torquec.model.certified_package import ModelFile, bounds_of, code_text, usual_prefix
from torquec.model.model import Model, as_model
from torquec.realtime.tuning import TUNING
from torquec.robot.passive_friction import check_friction_is_passive
from torquec.robot.robot import Robot
from torquec.simulation.plant import Dynamics, Plant, drive_torque
from torquec.simulation.plant_bodies import check_movable
from torquec_check.claim import Bound

_ROOM = "realtime/fmu"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time stamp of an archive


@dataclass(frozen=True)
class FmuPackage:
    """The files, and the operations of every function by name; `claim` is the proven claim."""

    files: tuple[Path, ...]
    functions: Mapping[str, OperationCount]
    claim: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class _Variable:
    """A variable of a unit: `kind` are its attributes in modelDescription.xml besides name, reference and start."""

    name: str
    kind: str
    start: float = 0.0
    settable: bool = False
    starts: bool = True


def write_fmu_package(
    source: Robot | Model,
    directory: str | os.PathLike[str],
    *,
    law: Controller | None = None,
    prefix: str | None = None,
    force: bool = False,
) -> FmuPackage:
    """Write (1)-(3) into `directory`; (2) where a `law` is given.

    Raises `RefusedQuantityError` for a model that cannot be a plant, `RobotError` for friction that drives its joint,
    `ArgumentError` for a law of other joints, without a period or with scheduled gains, and, without `force`, for
    existing files that Torquec did not write; nothing is written then.
    """
    model = as_model(source)
    check_movable(model)
    check_friction_is_passive(model.robot)
    beside = ModelFile.of(model, ("forward_dynamics",))
    about = code_text(model, beside.document, beside.name, quantities=("forward_dynamics",))
    begin = prefix_identifier(prefix or usual_prefix(model))
    units = {begin: _plant_unit(model, begin, about)}
    if law is not None:
        units[f"{begin}_law"] = _law_unit(model, law, f"{begin}_law", about)
    texts: dict[str, str | bytes] = {f"{name}.fmu": unit.archive for name, unit in units.items()}
    cmake = "".join(filled_template(_ROOM, "unit.cmake", PREFIX=name) for name in units)
    texts["CMakeLists.txt"] = filled_template(_ROOM, "CMakeLists.txt", MODEL=begin, PREFIX=begin, UNITS=cmake)
    if law is not None:
        texts[FILE_NAME] = document_text(controller_to_dict(law))
    texts |= beside.contents
    making = PackageMaking(prefix or usual_prefix(model), "double", ("forward_dynamics",), beside.name, {})
    files = write_package(to_path(directory), texts, name=begin, target="fmu", making=making, force=force)
    counts = {unit.function.name: count_operations(unit.function) for unit in units.values()}
    return FmuPackage(tuple(files), MappingProxyType(counts), bounds_of(model.robot, model.record))


def motion_rate(model: Model) -> Function:
    """dy/dt of (1) as a program: y (2n,), tau (n,) -> rate (2n,).

    Raises `ArgumentError` for a robot with different numbers of positions and speeds.
    """
    plant = Plant(model)
    dynamics = Dynamics(plant)
    if plant.motion_size != 2 * plant.n:
        raise ArgumentError(
            f"the state of '{model.robot.name}' has {plant.motion_size} numbers for {plant.n} speeds",
            remedy="units support robots with one coordinate per joint; use the target c",
        )

    def program(y: Any, tau: Any) -> dict[str, Any]:
        return {"rate": dynamics.motion_rate(list(y), drive_torque(plant, list(tau)))}

    return trace("motion_rate", program, {"y": (2 * plant.n,), "tau": (plant.n,)})


@dataclass(frozen=True)
class _Unit:
    """A unit: its archive, and the function that it calls."""

    archive: bytes
    function: Function


def _plant_unit(model: Model, name: str, about: str) -> _Unit:
    """(1). The order of variables is that of plant.c."""
    joints, n = model.robot.joint_names, model.robot.n
    state = 'causality="output" variability="continuous" initial="exact"'
    variables = [
        _Variable("time", 'causality="independent" variability="continuous"', starts=False),
        *(_Variable(f"q_{joint}", state, settable=True) for joint in joints),
        *(_Variable(f"qd_{joint}", state, settable=True) for joint in joints),
        *(
            _Variable(f"{word}_{joint}", f'{_LOCAL} derivative="{1 + place * n + k}"', starts=False)
            for place, word in enumerate(("der_q", "der_qd"))
            for k, joint in enumerate(joints)
        ),
        *(_Variable(f"tau_{joint}", _INPUT, settable=True) for joint in joints),
        _Variable("longest_step", 'causality="parameter" variability="tunable"', TUNING.fmu_step, settable=True),
    ]
    function = motion_rate(model)
    rates = range(1 + 2 * n, 1 + 4 * n)
    structure = [f'<Output valueReference="{k}"/>' for k in range(1, 1 + 2 * n)]
    structure += [f'<ContinuousStateDerivative valueReference="{k}"/>' for k in rates]
    structure += [f'<InitialUnknown valueReference="{k}"/>' for k in rates]
    kept = f'modelIdentifier="{name}" canGetAndSetFMUState="true"'
    kinds = (f"<ModelExchange {kept}/>", f'<CoSimulation {kept} canHandleVariableCommunicationStepSize="true"/>')
    symbol = package_names([function], name).functions[0]
    words = {
        "BODY": filled_template(_ROOM, "plant.c", RATE=symbol),
        "STATES": 2 * n,
        "MEMORY": 0,
        "FIRST_MEMORY": "0.0",
    }
    return _unit(name, function, variables, about, kinds=kinds, structure=structure, words=words)


_LOCAL = 'causality="local" variability="continuous" initial="calculated"'
_INPUT = 'causality="input" variability="continuous"'


def _law_unit(model: Model, law: Controller, name: str, about: str) -> _Unit:
    """(2). The order of variables is that of law.c: the inputs of the function, then the torques."""
    if law.joints != model.robot.joint_names:
        raise ArgumentError(
            f"the controller is for the joints {', '.join(law.joints)}",
            remedy=f"design one for this robot, whose joints are {', '.join(model.robot.joint_names)}",
        )
    if law.period is None or law.schedule is not None:
        raise ArgumentError(
            "a unit is sampled: this law has no period, or has scheduled gains",
            remedy="design a law with --period and without scheduled gains",
        )
    function = law.function
    signals = [port for port in function.inputs if port.name != "state"]
    inputs = [
        f"{port.name}_{law.joints[k] if port.shape == (law.n,) else k + 1}"
        for port in signals
        for k in range(port.size)
    ]
    output = 'causality="output" variability="discrete" initial="exact"'
    variables = [
        _Variable("time", 'causality="independent" variability="continuous"', starts=False),
        *(_Variable(word, 'causality="input" variability="discrete"', settable=True) for word in inputs),
        *(_Variable(f"tau_{joint}", output) for joint in law.joints),
    ]
    first, places = 1, []
    for port in signals:
        places.append(f"&values[{first}]")
        first += port.size
    arguments = {port.name: place for port, place in zip(signals, places, strict=True)}
    arguments |= {"state": "now->memory[0]", "tau": f"&values[{first}]", "next_state": "now->memory[1]"}
    symbol = package_names([function], name).functions[0]
    listed = ", ".join(arguments[port.name] for port in (*function.inputs, *function.outputs))
    memory = [DOUBLE.number(float(value)) for value in (*law.initial_state, 0.0)]
    words = {
        "BODY": filled_template(_ROOM, "law.c", PERIOD=DOUBLE.number(law.period), CALL=f"{symbol}({listed});"),
        "STATES": 0,
        "MEMORY": len(law.initial_state),
        "FIRST_MEMORY": ", ".join(memory),
    }
    outputs = [f'<Output valueReference="{first + k}"/>' for k in range(law.n)]
    kind = (
        f'<CoSimulation modelIdentifier="{name}" canGetAndSetFMUState="true" '
        f'canHandleVariableCommunicationStepSize="true" fixedInternalStepSize="{law.period!r}"/>'
    )
    return _unit(name, function, variables, about, kinds=(kind,), structure=outputs, words=words)


def _unit(
    name: str,
    function: Function,
    variables: Sequence[_Variable],
    about: str,
    *,
    kinds: Sequence[str],
    structure: Sequence[str],
    words: Mapping[str, object],
) -> _Unit:
    """The archive of a unit: description, sources, how to build them, and the claim as text."""
    made = c_package([function], prefix=name, description=about)
    shared = {
        "MODEL": name,
        "PREFIX": name,
        "VARIABLES": len(variables),
        "START": ", ".join(DOUBLE.number(variable.start) for variable in variables),
        "SETTABLE": ", ".join("true" if variable.settable else "false" for variable in variables),
        **words,
    }
    token = hashlib.sha256("\0".join([made[f"{name}.c"], *(str(v) for v in shared.values())]).encode()).hexdigest()
    files = {
        "modelDescription.xml": _description(name, variables, about, f"{{{token}}}", kinds, structure),
        "sources/buildDescription.xml": _build(name),
        "sources/fmu.c": filled_template(_ROOM, "fmu.c", TOKEN=f"{{{token}}}", **shared),
        f"sources/{name}.c": made[f"{name}.c"],
        f"sources/{name}.h": made[f"{name}.h"],
        "documentation/claim.txt": f"{about}\n",
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:  # stored: compressed bytes differ from version to version
        for file, text in files.items():
            entry = zipfile.ZipInfo(file, _EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text)
        archive.comment = b"written by torquec"
    return _Unit(stream.getvalue(), function)


def _description(
    name: str, variables: Sequence[_Variable], about: str, token: str, kinds: Sequence[str], structure: Sequence[str]
) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<fmiModelDescription fmiVersion="3.0" modelName="{name}" instantiationToken="{token}"',
        f'  generationTool="torquec" variableNamingConvention="flat" description={quoteattr(_plain(about))}>',
        *(f"  {kind}" for kind in kinds),
        "  <ModelVariables>",
    ]
    for k, variable in enumerate(variables):
        start = f' start="{variable.start!r}"' if variable.starts else ""
        quoted = quoteattr(_plain(variable.name))
        lines.append(f'    <Float64 name={quoted} valueReference="{k}" {variable.kind}{start}/>')
    lines += ["  </ModelVariables>", "  <ModelStructure>", *(f"    {row}" for row in structure)]
    return "\n".join([*lines, "  </ModelStructure>", "</fmiModelDescription>", ""])


def _build(name: str) -> str:
    sources = "".join(f'      <SourceFile name="{file}"/>\n' for file in ("fmu.c", f"{name}.c"))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
        f'  <BuildConfiguration modelIdentifier="{name}">\n    <SourceFileSet language="C99">\n{sources}'
        "    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n"
    )


def _plain(text: str) -> str:
    """A text without characters that XML cannot hold."""
    return "".join(c if c == "\n" or c.isprintable() else " " for c in text)
