"""The step `identify`: the parameters of the real robot from its logs, as `torquec identify -o` leaves them."""

from __future__ import annotations

from torquec.project.identify_document import describe
from torquec.project.identify_files import DOCUMENT, write_results
from torquec.project.log_files import read_logs
from torquec.project.step import StepContext


def identify_step(context: StepContext) -> str:
    """Fit the logs, predict the others, and write report, model, robot files and C."""
    from torquec.identification.file_fits import fit_files
    from torquec.identification.identify import identify
    from torquec.report.identification_text import Findings
    from torquec.trajectory.log_map import read_log_map

    project, part = context.project, context.project.identify
    assert part is not None
    robot, work = project.robot, context.work
    said: list[str] = []
    training = read_logs(robot, part.logs, part.log_map, said.append)
    others = read_logs(robot, part.validate, part.log_map, said.append)
    estimate = identify(robot, training, validate=others, options=part.options, work=work)
    with work.step("fitting what the files have words for"):
        fits = fit_files(
            estimate,
            robot,
            training,
            training,
            log_map=None if part.log_map is None else read_log_map(part.log_map),
            options=part.options,
            mujoco=estimate.realization.physically_consistent,
        )
    findings = Findings(estimate, file_errors=fits.errors)
    with work.step("writing the identified robot"):
        write_results(context.folder, findings, fits, (training, others), describe(findings))
    assert (context.folder / DOCUMENT).exists()
    rows = sum(len(log) for log in training)
    return f"{len(estimate.parameters)} parameters from {rows} samples, error {100 * estimate.relative_error:.2g} %"
