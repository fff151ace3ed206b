"""`torquec check-log ROBOT LOG...`: data-quality check of logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torquec.cli.command import CommandOptions, Outcome, command
from torquec.cli.files import Reads, Writes
from torquec.cli.options import argument, force_option, option
from torquec.cli.output import progress, step_report
from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.foundation.work import WorkStep
    from torquec.model.model import Model
    from torquec.robot.robot import Robot
    from torquec.trajectory.log import Log, LogFinding
    from torquec.trajectory.log_map import LogMap

STREAMED = 400_000_000
"""File size [bytes] from which a log is read piece by piece, if its format allows it."""


def logs_argument() -> Any:
    """LOG..."""
    words = "{log files}, with columns t, q1.., tau1.., dq1.., or joint names; or the word simulated."
    return argument(..., words, metavar="LOG...", reads=Reads.LOGS)


def map_option() -> Any:
    """`--map`."""
    return option(None, "A TOML file that maps the log's columns.", "--map", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class CheckLogOptions(CommandOptions):
    """The logs, and the faults to look for."""

    logs: list[Path] = logs_argument()
    log_map: Path | None = map_option()
    delay: bool = option(True, "Look for small delays between torques and positions, too.", "--delay/--no-delay")
    plot: Path | None = option(
        None, "Draw the log (the last one), with the findings marked.", metavar="FILE", writes=Writes.PICTURE
    )
    force: bool = force_option()


@command(
    "check-log",
    CheckLogOptions,
    example="torquec check-log planar2r simulated",
    bodies="compares torques with those of a robot's bodies",
)
def check_log(model: Model, options: CheckLogOptions) -> Outcome:
    """Look for missing rows, gaps, wrong signs, order, units, gravity, delays; exit status 1 if there is a problem."""
    from torquec.foundation.work import Work
    from torquec.trajectory.log_map import read_log_map

    meaning = None if options.log_map is None else read_log_map(options.log_map)
    work = Work(report=step_report())
    checked = []
    with work.step("checking the logs", whole=float(len(options.logs))) as step:
        for k, path in enumerate(options.logs):
            checked.append(_checked(model.robot, path, meaning, delay=options.delay, show=partial(_show, step, k)))
            step.show(k + 1.0)
    documents = [_document(one) for one in checked]
    document: dict[str, Any] = {"logs": documents}
    files: tuple[Path, ...] = ()
    if options.plot is not None:
        _draw(checked[-1], options.plot)
        document["plot"], files = str(options.plot), (options.plot,)
    text = "\n".join(log_text(log, one.findings) for log, one in zip(documents, checked, strict=True))
    return Outcome(document, text, files, failed="\ntorquec: ".join(filter(None, map(log_verdict, documents))))


def read_logs(robot: Robot, paths: list[Path], log_map: Path | None) -> list[Log]:
    """The logs of a command line (:mod:`torquec.project.identify_files`); removed delays are reported on stderr."""
    from torquec.project import identify_files

    return identify_files.read_logs(robot, paths, log_map, progress)


def is_large(path: Path) -> bool:
    """Whether a file is of a kind that can be read piece by piece, and large enough to do so."""
    from torquec.trajectory.log_formats import is_readable_in_pieces

    return is_readable_in_pieces(path) and path.stat().st_size > STREAMED


@dataclass(frozen=True, eq=False)
class _Checked:
    """Name, size and findings of a log, and the log itself if it is in memory."""

    file: str
    samples: int
    duration: float
    rate: float
    joints: tuple[str, ...]
    findings: tuple[LogFinding, ...]
    log: Log | None

    @property
    def severities(self) -> set[str]:
        return {str(finding.severity) for finding in self.findings}


def _show(step: WorkStep, log: int, share: float) -> None:
    step.show(log + min(share, 1.0))


def _checked(
    robot: Robot, path: Path, meaning: LogMap | None, *, delay: bool, show: Callable[[float], None]
) -> _Checked:
    from torquec.identification.logs.check_log import check_log as findings_of
    from torquec.identification.logs.check_log import check_log_pieces
    from torquec.identification.open_logs import expected_rows
    from torquec.trajectory.read_log import read_log_chunks

    if is_large(path):
        progress(f"{path} is large: checking it piece by piece ...")
        size = _Size(lambda rows: show(rows / max(expected_rows(path, robot), 1)))
        found = check_log_pieces(robot, size.counted(read_log_chunks(path, robot, log_map=meaning)))
        seconds = size.last - size.first
        return _Checked(str(path), size.samples, seconds, (size.samples - 1) / seconds, size.joints, found, None)
    from torquec.project.identify_files import read_mapped_log

    log = read_mapped_log(robot, path, meaning, progress)
    found = findings_of(robot, log, delay=delay, meter=lambda done, whole, _="": show(done / whole))
    return _Checked(log.source, len(log), log.duration, 1.0 / log.period, log.joints, found, log)


class _Size:
    """Size of a streamed log."""

    def __init__(self, show: Callable[[int], None]) -> None:
        self.show = show
        self.samples = 0
        self.first = self.last = 0.0
        self.joints: tuple[str, ...] = ()

    def counted(self, pieces: Iterator[Log]) -> Iterator[Log]:
        """The pieces unchanged; counts their samples and reports them to `show`."""
        for piece in pieces:
            self.first = float(piece.t[0]) if self.samples == 0 else self.first
            self.samples, self.last, self.joints = self.samples + len(piece), float(piece.t[-1]), piece.joints
            yield piece
            self.show(self.samples)


def _document(checked: _Checked) -> dict[str, Any]:
    return {
        "file": checked.file,
        "samples": checked.samples,
        "duration": checked.duration,
        "rate": checked.rate,
        "joints": list(checked.joints),
        "usable": "error" not in checked.severities,
        "clean": not checked.severities & {"error", "warning"},
        "findings": [
            {
                "kind": str(finding.kind),
                "severity": str(finding.severity),
                "column": finding.column,
                "rows": None if finding.rows is None else list(finding.rows),
                "lines": None if finding.lines is None else list(finding.lines),
                "spans": [list(span) for span in finding.spans],
                "text": finding.text,
                "remedy": finding.remedy,
            }
            for finding in checked.findings
        ],
    }


def _draw(checked: _Checked, plot: Path) -> None:
    from torquec.report.log_plot import plot_log

    if checked.log is None:
        raise ArgumentError(
            f"{checked.file} is too large for a picture", where=str(plot), remedy="draw a part of the log"
        )
    plot_log(checked.log, checked.findings, plot)


def log_text(document: dict[str, Any], findings: Iterable[LogFinding]) -> str:
    """Size and findings of a log; states that a clean log has no problem (`log_verdict` is for the others)."""
    size = f"{document['samples']} samples, {document['duration']:.3g} s at {document['rate']:.4g} Hz"
    lines = [f"{document['file']}: {size}", *(f"  {finding}" for finding in findings)]
    return "\n".join(lines if not document["clean"] else [*lines, "  no problem found"])


def log_verdict(document: dict[str, Any]) -> str:
    """Whether a log with findings can be used, in one sentence; empty for a clean log."""
    counts = {
        severity: sum(finding["severity"] == severity for finding in document["findings"])
        for severity in ("error", "warning")
    }
    found = " and ".join(f"{count} {severity}{'s' * (count > 1)}" for severity, count in counts.items() if count)
    if not document["usable"]:
        return f"{document['file']}: not usable before its errors are corrected ({found})"
    return "" if document["clean"] else f"{document['file']}: usable with care ({found})"
