"""The step `identify`: the parameters of the real robot from its logs, as `torquec identify -o` leaves them."""

from __future__ import annotations

from torquec.project.identify_document import describe
from torquec.project.identify_files import DOCUMENT, write_results
from torquec.project.log_files import logs_to_fit, shown_logs
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
    meaning = None if part.log_map is None else read_log_map(part.log_map)
    sources, predicted = (
        logs_to_fit(robot, paths, part.log_map, part.options, said.append) for paths in (part.logs, part.validate)
    )
    estimate = identify(robot, sources, validate=predicted, log_map=meaning, options=part.options, work=work)
    training, others = (shown_logs(robot, logs, part.log_map) for logs in (sources, predicted))
    with work.step("fitting what the files have words for"):
        fits = fit_files(
            estimate,
            robot,
            sources,
            training,
            log_map=meaning,
            options=part.options,
            mujoco=estimate.realization.physically_consistent,
        )
    findings = Findings(estimate, file_errors=fits.errors)
    with work.step("writing the identified robot"):
        write_results(context.folder, findings, fits, (training, others), describe(findings))
    assert (context.folder / DOCUMENT).exists()
    read = f"{sum(len(log) for log in training)} samples"
    if any(source is not log for source, log in zip(sources, training, strict=True)):
        read = f"{len(sources)} log{'s' * (len(sources) > 1)}, read in pieces"
    return f"{len(estimate.parameters)} parameters from {read}, error {100 * estimate.relative_error:.2g} %"
