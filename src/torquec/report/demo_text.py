"""The page of `torquec demo`: a robot, its torques, its compiled functions, its C code, and what to try next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torquec
from torquec.report.tables import number, table
from torquec.robot.robot import Robot

_C_LINES = 14
"""Lines of the C code that are shown, from its beginning: the signature and the first steps."""


def demo_text(robot: Robot, document: Mapping[str, Any], files: Sequence[Path]) -> str:
    """The whole story; the C code is read from `files`."""
    names = ("q", "qd", "qdd", "tau", "published")
    states = [
        [joint, *(f"{document[name][k]:.10f}" if name in names[3:] else number(document[name][k]) for name in names)]
        for k, joint in enumerate(robot.joint_names)
    ]
    columns = ("mul", "add", "sincos")
    functions = [
        [name, *(str(f[key]) for key in columns), f"{f['call_ns']:.0f}", f"{f['state_ns']:.1f}"]
        for name, f in document["functions"].items()
    ]
    source = next(path for path in files if path.suffix == ".c" and path.stem != "selftest")
    return "\n".join(
        [
            f"Torquec {torquec.__version__}: a compiler for robot dynamics\n",
            f"1. A robot: {robot.name}, {robot.n} joints, {number(robot.mass, 4)} kg, built in\n",
            _joints(robot),
            "\n2. Its torques at a published state, friction included [Nm]\n",
            table(["joint", *names], states),
            f"\n  largest difference: {document['difference']:.1g} Nm",
            "\n3. Compiled to native code: operations, and time on this machine [ns]\n",
            table(["function", *columns, "one call from Python", "per state in a batch"], functions),
            "\n4. The same as C99 for a controller: no includes but math.h, no loops, no malloc\n",
            _excerpt(source),
            _NEXT,
        ]
    )


def _joints(robot: Robot) -> str:
    rows = [
        [
            joint.name,
            joint.type.value,
            f"{number(math.degrees(joint.limits.lower), 4)} .. {number(math.degrees(joint.limits.upper), 4)}",
            number(joint.limits.effort, 4),
        ]
        for joint in robot.joints
    ]
    return table(["joint", "type", "range [deg]", "effort [Nm]"], rows, left=2)


def _excerpt(source: Path) -> str:
    """The beginning and the end of the first function of a C file."""
    lines = source.read_text(encoding="utf-8").splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("void "))
    end = next(k for k in range(start, len(lines)) if lines[k] == "}")
    head, tail = lines[start : start + _C_LINES], lines[end - 3 : end + 1]
    cut = f"    ... {end - start - _C_LINES - 3} more lines ..."
    return "\n".join(f"  {line}" for line in [*head, cut, *tail])


_NEXT = """
5. Your robot

  torquec info arm.urdf                         what the file says
  torquec eval arm.urdf --deg --q 0,45,-30      torques, mass matrix, gravity at a state
  torquec generate arm.urdf -o arm_c            C99 with a self-test and a CMake file
  torquec bench arm.urdf                        compared with the peers that you have installed

  In Python:

    import torquec as tq
    arm = tq.compile(tq.load("arm.urdf"))
    tau = arm.inverse_dynamics(q, qd, qdd)      # arrays (n,), or (N, n) for a batch"""
