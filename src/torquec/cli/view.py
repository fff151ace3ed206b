"""`torquec view ROBOT -o FILE.html`: interactive 3D page; `torquec report DIR|PROJECT.toml`: HTML report of results."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.check_log import map_option, read_logs
from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Writes
from torquec.cli.motions import hold_missing, read_motion
from torquec.cli.options import degrees_option, force_option, joint_values, option
from torquec.cli.output import progress
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.model.model import Model
    from torquec.trajectory.log import Log
    from torquec.trajectory.trajectory import Trajectory

from torquec.cli.options import argument

_PERIOD = 0.004
"""Sampling period [s] of the standard trajectory in the page."""


@dataclass(frozen=True, kw_only=True)
class ViewOptions(CommandOptions):
    """The page, and what it shows."""

    output: Path = option(
        ..., "The page: one HTML file.", "--output", "-o", metavar="FILE", writes=Writes.PAGE, endings=(".html",)
    )
    q: str | None = option(
        None, "Where the joints start.  [default: 0, or mid-way between limits]", "--q", metavar="LIST"
    )
    deg: bool = degrees_option()
    trajectory: str | None = option(None, "A motion to play; 'standard' is the PUMA 560's.", metavar="CSV")
    log: Path | None = option(None, "A log to play, measured beside predicted torques.", metavar="LOG")
    log_map: Path | None = map_option()
    package: list[str] | None = option(
        None, "Where the meshes of package://NAME are; repeat for more.", metavar="NAME=DIR"
    )
    meshes: bool = option(True, "Whether shapes and meshes of the robot's file are drawn.", "--meshes/--no-meshes")
    haptic: bool = option(
        False, "Add a virtual ball to pull: controller and arm run in the page at 500 Hz.", "--haptic"
    )
    force: bool = force_option()


@command("view", ViewOptions, example="torquec view puma560 --trajectory standard -o puma560.html")
def view(model: Model, options: ViewOptions) -> Outcome:
    """Write an interactive 3D page of the model: sliders, dragging, motions.

    Torques, mass matrix, equations and inverse kinematics are computed in the page itself, by the compiled model. The
    page is one file that needs nothing else: no server, no network, nothing installed. Shapes come from the robot's
    file (STL, OBJ, DAE and GLB meshes in its folder or package, or in a --package), else from its inertias.
    """
    from torquec.foundation.writing import write_files
    from torquec.page.view_page import view_page

    packages = _packages(options.package or [])
    model, trajectory, log = _motion(model, options)
    posture = None if options.q is None else joint_values(model.robot, options.q, "--q", degrees=options.deg)
    progress(f"tracing and compiling {model.robot.name} ...")
    made = view_page(
        model,
        trajectory=trajectory,
        log=log,
        posture=posture,
        meshes=options.meshes,
        packages=packages,
        haptic=options.haptic,
    )
    write_files({options.output: made.html}, force=True)
    for problem in made.problems:
        progress(f"torquec: not drawn: {problem}")
    document: dict[str, Any] = {
        "file": str(options.output),
        "bytes": len(made.html.encode()),
        "module_bytes": made.module_bytes,
        "joints": list(model.robot.joint_names),
        "hands": list(made.hands),
        "kind": model.kind.value,
        "not_drawn": list(made.problems),
    }
    size = f"{document['bytes'] / 1e6:.2f} MB, of which {made.module_bytes / 1e3:.1f} kB are the compiled model"
    return Outcome(document, f"{model.robot.name}: {size}", (options.output,), robot=model.robot)


def _motion(model: Model, options: ViewOptions) -> tuple[Model, Trajectory | None, Log | None]:
    """The motion to play, and the model of the joints that it moves."""
    if options.log is None and options.log_map is not None:
        raise ArgumentError("--map is for a log", remedy="give --log too, or leave it out")
    if options.trajectory is not None and options.log is not None:
        raise ArgumentError("both --trajectory and --log are given", remedy="leave out one of them")
    if options.trajectory is not None:
        model, trajectory = read_motion(model, options.trajectory, _PERIOD, limits=False)
        return model, trajectory, None
    if options.log is None:
        return model, None, None
    (log,) = read_logs(model.robot, [options.log], options.log_map)
    return hold_missing(model, log.joints, "the log"), None, log


def _packages(texts: list[str]) -> dict[str, Path]:
    """Folders by package name; raises `ArgumentError` for a text that is not NAME=DIR and for a missing folder."""
    found: dict[str, Path] = {}
    for text in texts:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder):
            raise ArgumentError(
                f"--package {text}", remedy="write a name and a folder, as in --package my_arm=src/my_arm"
            )
        if not Path(folder).is_dir():
            raise ArgumentError(f"--package {text}: there is no such folder", remedy="name the folder of the package")
        found[name] = Path(folder)
    return found


@dataclass(frozen=True, kw_only=True)
class ReportOptions(CommandOptions):
    """Folder with results, and the HTML file."""

    folder: Path = argument(
        ...,
        "A folder with results of -o or --json; or a project file that was run.",
        metavar="DIR|PROJECT.toml",
    )
    output: Path | None = option(
        None,
        "The page.  [default: DIR/report.html]",
        "--output",
        "-o",
        metavar="FILE",
        writes=Writes.FILE,
        endings=(".html",),
    )
    live: bool = option(True, "The robot in 3D, if the script bundle is installed.")
    force: bool = force_option()


@command("report", ReportOptions, example="torquec report planar2r_small -o report.html", without_model=True)
def report(options: ReportOptions) -> Outcome:
    """Collect the results of a folder in one self-contained HTML report.

    The robot, its parameters, simplified models with their proofs, controllers, tracking errors, execution times: each
    number states its origin. A JSON file beside the page has the same content. Exit status 1 if a document could not
    be shown; the page names it, and shows the rest.
    """
    from torquec.report.report import PAGE, write_report
    from torquec.report.run import report_folder

    folder = report_folder(options.folder)
    progress(f"looking through {folder} ...")
    made = write_report(folder, options.output or folder / PAGE, live=options.live, force=options.force)
    document = {
        "file": str(made.page),
        "bytes": made.page.stat().st_size,
        "json": str(made.twin),
        "problems": list(made.problems),
    }
    lines = [f"{made.page}: open it in a browser; {made.twin} holds the same for programs"]
    lines += [f"not shown: {problem}" for problem in made.problems]
    count = len(made.problems)
    failed = f"{count} document{'s' if count > 1 else ''} could not be shown" if count else ""
    return Outcome(document, "\n".join(lines), (made.page, made.twin), failed=failed)
