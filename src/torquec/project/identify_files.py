"""Input and output files of an identification: logs with their map; report, URDF, MJCF, model, C code, document.

Each file holds the estimate fitted to the parameters that its format can express (`torquec.identification.file_fits`),
and the robot files state the remaining error.

All logs have the same map; delays between their columns are removed if the map asks for it. Output is complete or
absent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.errors import ArgumentError
from torquec.foundation.package_manifest import add_to_package
from torquec.foundation.writing import new_folder
from torquec.project.tuning import TUNING
from torquec.report.report import PAGE, write_report
from torquec.report.result_document import result_text
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap, read_log_map
from torquec.trajectory.read_log import read_log, read_log_chunks
from torquec_check.package import MANIFEST

if TYPE_CHECKING:
    from torquec.identification.file_fits import FileFits
    from torquec.identification.identify_options import IdentifyOptions
    from torquec.identification.open_logs import LogOrPath
    from torquec.identification.payload import Payload
    from torquec.identification.result.estimate import Estimate
    from torquec.report.identification_text import Findings
    from torquec.robot.robot import Robot
    from torquec.trajectory.log import Log

_SIMULATED = "simulated"
"""Word in place of a file name: a simulated log of the robot's own model."""


def read_logs(robot: Robot, paths: Sequence[Path], log_map: Path | None, say: Callable[[str], None]) -> list[Log]:
    """The logs; where the map says `estimate_delay`, the delay of every log is estimated, reported and removed.

    Raises `ArgumentError` if a log does not determine its delay.
    """
    meaning = None if log_map is None else read_log_map(log_map)
    return [read_mapped_log(robot, path, meaning, say) for path in paths]


def logs_to_fit(
    robot: Robot, paths: Sequence[Path], log_map: Path | None, options: IdentifyOptions, say: Callable[[str], None]
) -> list[LogOrPath]:
    """Inputs of `identify`: logs in memory, and the paths of logs that it will stream.

    `identify` chooses between them, by expected memory and `options.reading` (`is_read_in_pieces`). Raises
    `ArgumentError` for a simulated log in pieces, and as `read_logs` does.
    """
    from torquec.identification.identify_options import Reading
    from torquec.identification.open_logs import is_read_in_pieces

    if options.reading is Reading.PIECES and _SIMULATED in map(str, paths):
        raise ArgumentError(f"'{_SIMULATED}' is not a file that can be streamed", remedy="leave out --stream")
    meaning = None if log_map is None else read_log_map(log_map)
    return [
        path if is_read_in_pieces(path, robot, options) else read_mapped_log(robot, path, meaning, say)
        for path in paths
    ]


def shown_logs(robot: Robot, logs: Sequence[LogOrPath], log_map: Path | None) -> list[Log]:
    """The logs for pictures and the C self-test: those in memory, and the beginnings of those read in pieces."""
    meaning = None if log_map is None else read_log_map(log_map)
    return [
        log
        if isinstance(log, Log)
        else next(iter(read_log_chunks(log, robot, log_map=meaning, rows=TUNING.shown_rows)))
        for log in logs
    ]


def read_mapped_log(robot: Robot, path: Path, meaning: LogMap | None, say: Callable[[str], None]) -> Log:
    """One log; see `read_logs`."""
    from torquec.identification.excitation.excitation import simulated_log
    from torquec.identification.logs.torque_delay import remove_estimated_delay

    log = simulated_log(robot) if str(path) == _SIMULATED else read_log(path, robot, log_map=meaning)
    if meaning is None or not meaning.estimate_delay:
        return log
    log, note = remove_estimated_delay(robot, log)
    say(f"{log.source}: {note.text}")
    return log


DOCUMENT = "identification.json"

_CMAKE = """
add_executable({prefix}_measured {prefix}_measured.c)
target_link_libraries({prefix}_measured {prefix})
add_test(NAME {prefix}_measured COMMAND {prefix}_measured)
"""


def write_results(
    directory: Path, findings: Findings, fits: FileFits, logs: tuple[list[Log], list[Log]], document: dict[str, Any]
) -> list[Path]:
    """Write all results into `directory`; returns the files in reading order.

    `logs` are those that were fitted, and those that were only predicted. The command has refused a directory with
    foreign files; files of an earlier run that this one does not write are deleted.
    """
    with new_folder(directory, stale=_earlier(directory), force=True) as scratch:
        files = _made(scratch, findings, fits, *logs)
        page = scratch / PAGE
        listed = [page, page.with_suffix(".json"), *files, scratch / DOCUMENT]
        names = [path.relative_to(scratch).as_posix() for path in listed]
        kept = document | {"files": names, "samples": _samples(findings.estimate, *logs)}
        (scratch / DOCUMENT).write_text(result_text("identify", kept, findings.estimate.model.robot), encoding="ascii")
        write_report(scratch, page, called=str(directory), live=False)
    return [directory / name for name in names]


def _samples(estimate: Estimate, logs: list[Log], others: list[Log]) -> list[dict[str, Any]]:
    """Measured and predicted torques of every log, as many samples as a page can show."""
    from torquec.identification.result.prediction import predict
    from torquec.report.sample_curves import prediction_curves

    units = {each.name: each.effort_unit for each in estimate.model.robot.coordinates}
    predictions = [predict(estimate, log) for log in logs] + [predict(estimate, log, fitted=False) for log in others]
    return [prediction_curves(prediction, units) for prediction in predictions]


def _earlier(directory: Path) -> set[str]:
    """The names of files inside `directory` that the document of an earlier run lists."""
    try:
        listed = json.loads((directory / DOCUMENT).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    names = [name for name in listed if isinstance(name, str) and not Path(name).is_absolute()]
    here = directory.resolve()
    return {name for name in names if (here / name).is_file() and (here / name).resolve().is_relative_to(here)}


def robot_of(estimate: Estimate, *, where: str) -> Robot:
    """The identified robot; raises `ArgumentError` where its parameters are not physically consistent."""
    if not estimate.realization.physically_consistent:
        raise ArgumentError(
            "no physically consistent robot has these parameters, so there is no file to write",
            where=where,
            remedy="identify with --method consistent",
        )
    return estimate.robot


def write_urdf_of(fits: FileFits, path: Path, *, payload: Payload | None = None, force: bool = False) -> list[Path]:
    """Write the identified robot, with the `payload` if one is given, into a copy of its original URDF."""
    from torquec.identification.file_fits import CODE, URDF_ALONE
    from torquec.robot import write_urdf
    from torquec.robot.drives import side_file
    from torquec.robot.edit_urdf import urdf_source

    robot = robot_of(fits.program, where=str(path))
    note = (
        f"{_origin(fits.program)} Together with {side_file(path).name} the error of its torques is "
        f"{fits.errors[CODE]:.2%}. Without it rotors and much of the friction are missing: the damping and friction of "
        f"this file are fitted to its bodies alone, and leave {fits.errors[URDF_ALONE]:.2%}."
    )
    loaded = robot if payload is None else payload.attached(robot)
    made = write_urdf(loaded, path, original=urdf_source(robot), dynamics=fits.dynamics, note=note, force=force)
    return list(made)


def write_mjcf_of(fits: FileFits, path: Path, *, force: bool = False) -> list[Path]:
    """Write the identified robot as MJCF."""
    from torquec.identification.file_fits import MJCF
    from torquec.robot import write_mjcf

    estimate = fits.mujoco
    assert estimate is not None, "asked for where MJCF is written"
    note = (
        f"{_origin(estimate)} Fitted with the terms that MuJoCo supports, with an error of {fits.errors[MJCF]:.2%}; "
        f"that of the report is {fits.errors['report']:.2%}."
    )
    return list(write_mjcf(robot_of(estimate, where=str(path)), path, note=note, force=force))


def _origin(estimate: Estimate) -> str:
    logs = ", ".join(Path(error.file).name for error in estimate.training)
    return f"Identified from {logs}."


def _made(scratch: Path, findings: Findings, fits: FileFits, logs: list[Log], others: list[Log]) -> list[Path]:
    from torquec.codegen.identifiers import prefix_identifier
    from torquec.identification.result.estimate import identified_model
    from torquec.identification.result.measured_test import measured_test
    from torquec.model.generate import generate
    from torquec.model.save import save

    estimate, program = findings.estimate, fits.program
    name = prefix_identifier(estimate.model.robot.name)
    files: list[Path] = []
    solid = program.realization.physically_consistent
    if solid:
        files += write_urdf_of(fits, scratch / f"{name}.urdf")
        if findings.payload is not None:
            files += write_urdf_of(fits, scratch / f"{name}_loaded.urdf", payload=findings.payload)
        # A separate name: the side file of the URDF does not fit MJCF.
        files += write_mjcf_of(fits, scratch / f"{name}_mujoco.xml")
    model = identified_model(program)
    # Physically inconsistent bodies give correct torques, but meaningless accelerations.
    wanted = [quantity for quantity in model.served() if solid or not quantity.startswith("forward_dynamics")]
    saved = scratch / f"{name}.tq.json"
    save(model, saved, quantities=wanted)
    package = generate(model, scratch / "c", prefix=name, quantities=wanted)
    test, text = measured_test(program, [*logs, *others], prefix=name)
    measured = scratch / "c" / test
    measured.write_text(text, encoding="ascii")
    build = scratch / "c" / "CMakeLists.txt"
    with build.open("a", encoding="ascii") as stream:
        stream.write(_CMAKE.format(prefix=test.removesuffix("_measured.c")))
    add_to_package(scratch / "c", [test, build.name])
    return [*files, saved, *package.files, measured, *(scratch / "c").glob(f"*{MANIFEST}")]
