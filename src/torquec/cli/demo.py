"""`torquec demo`: what Torquec does, on a built-in PUMA 560; needs no file."""

from __future__ import annotations

import dataclasses
import math
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import torquec
from torquec.cli.options import JsonOption
from torquec.cli.output import number, print_json, progress, table

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.robot.robot import Robot

EXAMPLE = "torquec demo -o puma560_c"

CHECK_FAILED = 1
_AGREEMENT = 1e-9

_PUBLISHED = {
    "q": (0.5, 1.589, 1.103, -1.099, -0.799, 1.494),
    "qd": (-1.979, 1.285, 1.188, -0.128, -0.788, -0.886),
    "qdd": (-0.981, -0.22, 0.018, 0.214, 1.982, 1.171),
    "tau": (-15.7970937322, 20.2381933063, 5.8211557933, -1.2916246174, -1.0613691145, -0.7751800971),
}
"""A state and its torques, friction included, for Clover's parameters of the PUMA 560, to ten decimals."""

_SHOWN = {
    "inverse_dynamics": 3,
    "mass_matrix": 1,
    "gravity_torque": 1,
    "forward_dynamics": 3,
    "inverse_dynamics_derivatives": 3,
    "coriolis_matrix": 2,
}
"""The functions of the table, with their number of inputs."""

_BATCH = 20_000
_C_LINES = 14


def demo(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Keep the generated C here.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """See what Torquec does, on a built-in PUMA 560.

    Its torques beside published ones, operation counts, speed on this machine, and its C code.
    """
    from torquec.model.model import compile
    from torquec.robot.classics import puma560

    robot = puma560()
    arm = compile(robot)
    if json:
        document = {"joints": list(robot.joint_names), **_torques(arm), "functions": _functions(arm)}
        document["files"] = [str(path) for path in _write_c(arm, output)] if output else []
        print_json(document)
        worst = document["difference"]
    else:
        worst = _tell(arm, robot, output)
    if not worst <= _AGREEMENT:
        typer.echo(f"torquec: the torques differ from the published ones by {worst:.2g} Nm", err=True)
        raise typer.Exit(CHECK_FAILED)


def _tell(arm: Model, robot: Robot, output: Path | None) -> float:
    """Print the demo part by part as its numbers arrive; gives the largest difference from the published torques."""
    typer.echo(f"Torquec {torquec.__version__}: a compiler for robot dynamics\n")
    typer.echo(f"1. A robot: {robot.name}, {robot.n} joints, {number(robot.mass, 4)} kg, built in\n")
    typer.echo(_joints(robot))

    torques = _torques(arm)
    typer.echo("\n2. Its torques at a published state, friction included [Nm]\n")
    names = ("q", "qd", "qdd", "tau", "published")
    rows = [
        [joint, *(f"{torques[name][k]:.10f}" if name in names[3:] else number(torques[name][k]) for name in names)]
        for k, joint in enumerate(robot.joint_names)
    ]
    typer.echo(table(["joint", *names], rows))
    typer.echo(f"\n  largest difference: {torques['difference']:.1g} Nm")

    typer.echo("\n3. Compiled to native code: operations, and time on this machine [ns]\n")
    functions = _functions(arm)
    columns = ("mul", "add", "sincos")
    rows = [
        [name, *(str(f[key]) for key in columns), f"{f['call_ns']:.0f}", f"{f['state_ns']:.1f}"]
        for name, f in functions.items()
    ]
    typer.echo(table(["function", *columns, "one call from Python", "per state in a batch"], rows))

    typer.echo("\n4. The same as C99 for a controller: no includes but math.h, no loops, no malloc\n")
    with tempfile.TemporaryDirectory() as folder:
        files = _write_c(arm, output or Path(folder))
        typer.echo(_excerpt(next(path for path in files if path.suffix == ".c" and path.stem != "selftest")))
    if output:
        typer.echo("\n  written: " + ", ".join(str(path) for path in files))
    typer.echo(_NEXT)
    return float(torques["difference"])


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


def _torques(arm: Model) -> dict[str, Any]:
    q, qd, qdd, published = (_PUBLISHED[key] for key in ("q", "qd", "qdd", "tau"))
    tau = arm.total_torque(q, qd, qdd).tolist()
    worst = max(abs(ours - theirs) for ours, theirs in zip(tau, published, strict=True))
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "published": published, "difference": worst}


def _functions(arm: Model) -> dict[str, dict[str, Any]]:
    """Operation counts and times by function."""
    import numpy as np

    from torquec.cli.stopwatch import race

    states = np.random.default_rng(0).uniform(-1.5, 1.5, (3, _BATCH, arm.robot.n))
    found = {}
    for name, arity in _SHOWN.items():
        progress(f"  compiling and timing {name} ...")
        call = getattr(arm, name)
        one = race({name: partial(call, *states[:arity, 0].copy())}, rounds=15)[name].minimum
        kept = call(*states[:arity])  # results go where these are: a fresh array each time would time the allocator
        many = race({name: partial(call, *states[:arity], out=kept)}, rounds=5)[name].minimum / _BATCH
        found[name] = dataclasses.asdict(arm.operation_count(name)) | {"call_ns": one, "state_ns": many}
    return found


def _write_c(arm: Model, directory: Path) -> tuple[Path, ...]:
    from torquec.model.generate import generate

    return generate(arm, directory, target="c", quantities=tuple(_SHOWN)).files


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
  torquec bench arm.urdf                        beside the peers that you have installed

  In Python:

    import torquec as tq
    arm = tq.compile(tq.load("arm.urdf"))
    tau = arm.inverse_dynamics(q, qd, qdd)      # arrays (n,), or (N, n) for a batch"""
