"""`torquec demo`: what Torquec does, on a built-in PUMA 560; needs no file."""

from __future__ import annotations

import dataclasses
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.options import ForceOption
from torquec.cli.output import progress
from torquec.cli.writes import Writes

if TYPE_CHECKING:
    from torquec.model.model import Model

_AGREEMENT = 1e-9  # Nm, below the last of the ten digits that were published

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

_BATCH = 20_000  # large enough that the call itself costs nothing


@dataclass(frozen=True, kw_only=True)
class DemoOptions(CommandOptions):
    """Where the code goes."""

    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Keep the generated C here."), Writes.FOLDER
    ] = None
    force: ForceOption = False


@command("demo", DemoOptions, example="torquec demo -o puma560_c", without_model=True)
def demo(options: DemoOptions) -> Outcome:
    """See what Torquec does, on a built-in PUMA 560.

    Its torques against published ones, operation counts, speed on this machine, and its C code.
    """
    from torquec.model.model import as_model
    from torquec.report.demo_text import demo_text
    from torquec.robot.classics import puma560

    arm = as_model(puma560())
    document = {"joints": list(arm.robot.joint_names), **_torques(arm), "functions": _functions(arm)}
    with tempfile.TemporaryDirectory() as folder:
        written = _write_c(arm, options.output or Path(folder), force=options.force)
        text = demo_text(arm.robot, document, written)
    files = written if options.output else ()
    document["files"] = [str(path) for path in files]
    worst = document["difference"]
    differs = f"the torques differ from the published ones by {worst:.2g} Nm"
    return Outcome(document, text, files, failed="" if worst <= _AGREEMENT else differs)


def _torques(arm: Model) -> dict[str, Any]:
    q, qd, qdd, published = (_PUBLISHED[key] for key in ("q", "qd", "qdd", "tau"))
    tau = arm.total_torque(q, qd, qdd).tolist()
    worst = max(abs(ours - theirs) for ours, theirs in zip(tau, published, strict=True))
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "published": published, "difference": worst}


def _functions(arm: Model) -> dict[str, dict[str, Any]]:
    """Operation counts and times by function."""
    import numpy as np

    from torquec.foundation.stopwatch import race

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


def _write_c(arm: Model, directory: Path, *, force: bool) -> tuple[Path, ...]:
    from torquec.model.generate import generate

    return generate(arm, directory, target="c", quantities=tuple(_SHOWN), force=force).files
