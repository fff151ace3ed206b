"""`torquec drives ROBOT [-o FILE]`: drives of the robot, and those that the library offers for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.options import force_option, option
from torquec.report.tables import number, table

if TYPE_CHECKING:
    from torquec.model.model import Model


@dataclass(frozen=True, kw_only=True)
class DrivesOptions(CommandOptions):
    """Which drives of the library, and where to write them."""

    library: str | None = option(
        None, "Drives of this name; 'assumed' is a rule by torque limits.  [default: the arm's own, else assumed]",
        metavar="NAME",
    )  # fmt: skip
    output: Path | None = option(
        None, "Write a drives file; NAME.drives.toml beside NAME.urdf is read with the robot.", "--output", "-o",
        metavar="FILE", writes=Writes.FILE,
    )  # fmt: skip
    force: bool = force_option()


@command("drives", DrivesOptions, example="torquec drives puma560")
def drives(model: Model, options: DrivesOptions) -> Outcome:
    """Show rotor inertia and friction of the joints, and drives of the library that fit the robot.

    Few robot files state rotors, which are most of what a geared wrist accelerates. The library has drives of published
    arms, each number with its source, and 'assumed': usual sizes for joints with the robot's torque limits.
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
    lines = [table(["joint", "rotor inertia [kg m^2]", "viscous [N m s/rad]", "Coulomb [N m]"], rows), ""]
    for name, sources in document["library"].items():
        lines += [f"library: {name}", *(f"  {key}: {source}" for key, source in sources.items())]
    if not document["library"]:
        lines += ["library: nothing fits this robot"]
    if "chosen" in document and not written:
        lines += ["", document["text"].rstrip()]
    elif not written and document["library"]:
        lines += ["", "torquec drives ROBOT --library NAME -o ROBOT.drives.toml writes them beside the robot file"]
    return "\n".join(lines)
