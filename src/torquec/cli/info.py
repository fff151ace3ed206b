"""`torquec info ROBOT`: what the file says; `torquec version`: which packages are installed."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torquec
from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.source import ModelSource, is_model_file

if TYPE_CHECKING:
    from torquec.model.model import Model


_PACKAGES = (
    "numpy",
    "llvmlite",
    "python-flint",
    "typer",
    "scipy",
    "clarabel",
    "matplotlib",
    "mujoco",
    "casadi",
    "jax",
    "torch",
    "rosbags",
    "pyarrow",
    "xacro",
)
"""What Torquec needs, then what its extras bring."""


@dataclass(frozen=True, kw_only=True)
class InfoOptions(CommandOptions):
    """None of its own."""


@command("info", InfoOptions, example="torquec info puma560")
def info(model: Model, options: InfoOptions) -> Outcome:
    """Show joints, masses, limits and warnings of a robot file.

    Joints, limits, masses, friction, motors, gravity, frames, snapped angles and warnings; of a model also its kind
    and what is proven of it.
    """
    from torquec.dynamics.rotorless_joints import rotorless_text
    from torquec.model.accepting_rooms import accepted_by
    from torquec.report.robot import robot_facts, robot_text

    facts = robot_facts(model.robot)
    rotorless = rotorless_text(model.robot)
    document = {
        **facts,
        "warnings": [*facts["warnings"], *([f"{model.robot.source}: {rotorless}"] if rotorless else [])],
        "kind": model.kind.value,
        "claim": _claim(model),
        "drives_file": _drives_file(options.source),
        "accepts": accepted_by(model.robot),
    }
    return Outcome(document, robot_text(document))


def _claim(model: Model) -> dict[str, Any]:
    """What is proven of the model: torque errors by joint; empty where nothing is."""
    proofs = getattr(model.record, "joints", None) or {}
    return {joint: {"torque": proof.bound} for joint, proof in proofs.items()}


def _drives_file(source: ModelSource) -> str | None:
    """The side file that was read with the robot's."""
    from torquec.robot.load import drives_beside

    found = None if is_model_file(source.argument) else drives_beside(Path(source.argument))
    return None if found is None else str(found)


@dataclass(frozen=True, kw_only=True)
class VersionOptions(CommandOptions):
    """None of its own."""


@command("version", VersionOptions, example="torquec version", without_model=True)
def version(_options: VersionOptions) -> Outcome:
    """Show the versions of Torquec, Python and the packages that it can use: what a bug report needs."""
    found: dict[str, str | None] = {}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    document = {
        "torquec": torquec.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": found,
    }
    lines = [f"torquec {torquec.__version__}", f"python {document['python']}, {document['system']}"]
    lines += [f"{name} {number or 'is not installed'}" for name, number in found.items()]
    return Outcome(document, "\n".join(lines))
