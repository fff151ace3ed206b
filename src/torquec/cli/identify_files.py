"""What `torquec identify -o DIR` leaves behind: report, pictures, URDF, C code, document; all of it or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.output import json_text
from torquec.errors import ArgumentError
from torquec.foundation.writing import new_folder

if TYPE_CHECKING:
    from torquec.identification.result.estimate import Estimate
    from torquec.report.identification_text import Findings
    from torquec.trajectory.log import Log

REPORT = "report.html"
DOCUMENT = "identification.json"

_CMAKE = """
add_executable({prefix}_measured {prefix}_measured.c)
target_link_libraries({prefix}_measured {prefix})
add_test(NAME {prefix}_measured COMMAND {prefix}_measured)
"""


def write_results(
    directory: Path, findings: Findings, logs: list[Log], others: list[Log], document: dict[str, Any]
) -> list[Path]:
    """Write everything into `directory`; the files, in the order in which they are worth reading.

    The command has refused a directory with foreign files; what an earlier run left there and this one does not make
    goes.
    """
    with new_folder(directory, stale=_earlier(directory), force=True) as scratch:
        files = _made(scratch, findings, logs, others)
        names = [path.relative_to(scratch).as_posix() for path in files] + [DOCUMENT]
        text = json_text(document | {"files": names})
        (scratch / DOCUMENT).write_text(f"{text}\n", encoding="utf-8")
    return [directory / name for name in names]


def _earlier(directory: Path) -> set[str]:
    """The names of files inside `directory` that the document of an earlier run lists."""
    try:
        listed = json.loads((directory / DOCUMENT).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    names = [name for name in listed if isinstance(name, str) and not Path(name).is_absolute()]
    here = directory.resolve()
    return {name for name in names if (here / name).is_file() and (here / name).resolve().is_relative_to(here)}


def robot_of(estimate: Estimate, *, where: str) -> Any:
    """The identified robot; raises `ArgumentError` where no robot that could be built has its parameters."""
    if not estimate.realization.physically_consistent:
        raise ArgumentError(
            "no robot that could be built has these parameters, so that there is no URDF of it",
            where=where,
            remedy="identify with --method consistent",
        )
    return estimate.robot


def _made(scratch: Path, findings: Findings, logs: list[Log], others: list[Log]) -> list[Path]:
    from torquec.codegen.identifiers import c_identifier
    from torquec.identification.result.identified_model import identified_model
    from torquec.identification.result.measured_test import measured_test
    from torquec.identification.result.prediction import predict
    from torquec.model.generate import generate
    from torquec.model.quantities import default_quantities
    from torquec.report.identification_report import identification_report
    from torquec.report.prediction_plots import plot_prediction
    from torquec.robot import write_urdf

    estimate = findings.estimate
    name = c_identifier(estimate.model.robot.name)
    predictions = [predict(estimate, log) for log in logs] + [predict(estimate, log, fitted=False) for log in others]
    page = identification_report(
        estimate,
        predictions,
        elimination=None if findings.elimination is None else findings.elimination[0],
        payload=findings.payload,
        comparison=findings.comparison,
    )
    report = scratch / REPORT
    report.write_text(page, encoding="utf-8")
    files = [report]
    files += [plot_prediction(p, scratch / f"torques_{k + 1}.png") for k, p in enumerate(predictions)]
    if estimate.realization.physically_consistent:
        files += write_urdf(estimate.robot, scratch / f"{name}.urdf")
        if findings.payload is not None:
            files += write_urdf(findings.payload.attached(estimate.robot), scratch / f"{name}_loaded.urdf")
    # Bodies that could not be built give right torques, but accelerations without meaning.
    solid = estimate.realization.physically_consistent
    wanted = [quantity for quantity in default_quantities() if solid or not quantity.startswith("forward_dynamics")]
    package = generate(identified_model(estimate), scratch / "c", prefix=name, quantities=wanted)
    test, text = measured_test(estimate, [*logs, *others], prefix=name)
    measured = scratch / "c" / test
    measured.write_text(text, encoding="ascii")
    build = scratch / "c" / "CMakeLists.txt"
    with build.open("a", encoding="ascii") as stream:
        stream.write(_CMAKE.format(prefix=test.removesuffix("_measured.c")))
    return [*files, *package.files, measured]
