"""`torquec info`: contents of a robot file; `torquec drives`: rotors and friction; `torquec version`: packages."""

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
from typing import TYPE_CHECKING

from torquec.cli.files import Writes
from torquec.cli.options import force_option, option
from torquec.report.tables import number, table

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
"""Required packages, then those of the extras."""


@dataclass(frozen=True, kw_only=True)
class InfoOptions(CommandOptions):
    """No options besides the shared ones."""


@command("info", InfoOptions, example="torquec info puma560")
def info(model: Model, options: InfoOptions) -> Outcome:
    """Show joints, masses, limits and warnings of a robot file.

    Joints, limits, masses, friction, motors, gravity, frames, snapped angles and warnings; of a model also its kind and
    its proven bounds.
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
    """Proven torque errors of the model by joint; empty for a model without a proof."""
    proofs = getattr(model.record, "joints", None) or {}
    return {joint: {"torque": proof.bound} for joint, proof in proofs.items()}


def _drives_file(source: ModelSource) -> str | None:
    """The drives file that was read with the robot file."""
    from torquec.robot.load import drives_beside

    found = None if is_model_file(source.argument) else drives_beside(Path(source.argument))
    return None if found is None else str(found)


@dataclass(frozen=True, kw_only=True)
class VersionOptions(CommandOptions):
    """No options besides the shared ones."""


@command("version", VersionOptions, example="torquec version", without_model=True)
def version(_options: VersionOptions) -> Outcome:
    """Show the versions of Torquec, Python and the packages that it can use, for bug reports."""
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


@dataclass(frozen=True, kw_only=True)
class DrivesOptions(CommandOptions):
    """Drives from the library, and the output file."""

    library: str | None = option(
        None, "Drives of this name; 'assumed' is a rule by torque limits.  [default: the arm's own, else assumed]",
        metavar="NAME",
    )  # fmt: skip
    output: Path | None = option(
        None, "Write a drives file; NAME.drives.toml beside NAME.urdf is read with the robot.", "--output", "-o",
        metavar="FILE", writes=Writes.FILE, endings=(".toml",),
    )  # fmt: skip
    force: bool = force_option()


@command("drives", DrivesOptions, example="torquec drives puma560")
def drives(model: Model, options: DrivesOptions) -> Outcome:
    """Show rotor inertia and friction of the joints, and drives of the library that fit the robot.

    Few robot files state rotor inertias, although they are most of the inertia of a geared wrist. The library has
    drives of published arms, each number with its source, and 'assumed': usual sizes for joints with the robot's torque
    limits.
    """
    from torquec.foundation.writing import write_files
    from torquec.robot.drives_library import fitting_drives, library_drives

    robot = model.robot
    reflected = robot.drives.reflected_inertia(robot.n)
    document: dict[str, Any] = {
        "joints": {
            joint.name: {
                "reflected_inertia": float(reflected[k][k]),
                "viscous": joint.joint.friction.viscous_positive,
                "coulomb": joint.joint.friction.coulomb_positive,
            }
            for k, joint in enumerate(robot.coordinates)
        },
        "library": {entry.name: dict(entry.sources) for entry in fitting_drives(robot)},
    }
    files: tuple[Path, ...] = ()
    if options.output is not None or options.library is not None:
        chosen = library_drives(robot, options.library)
        document |= {"chosen": chosen.name, "text": chosen.text}
        if options.output is not None:
            files = (options.output,)
            write_files({options.output: chosen.text}, force=options.force)
    return Outcome(document, _text(document, written=bool(files)), files=files)


def _text(document: dict[str, Any], *, written: bool) -> str:
    rows = [[name, *map(number, values.values())] for name, values in document["joints"].items()]
    lines = ["In the robot's files so far:" if "chosen" in document else "In the robot's files:"]
    lines += [table(["joint", "rotor inertia [kg m^2]", "viscous [N m s/rad]", "Coulomb [N m]"], rows), ""]
    for name, sources in document["library"].items():
        lines += [f"library: {name}", *(f"  {key}: {source}" for key, source in sources.items())]
    if not document["library"]:
        lines += ["library: nothing fits this robot"]
    if "chosen" in document:
        lines += ["", f"{'Written' if written else 'Chosen'}: {document['chosen']}", document["text"].rstrip()]
    elif document["library"]:
        lines += [
            "",
            "torquec drives ROBOT --library NAME shows the numbers; with -o ROBOT.drives.toml it writes them",
        ]
    return "\n".join(lines)
