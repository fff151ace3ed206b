"""`identify`: from a robot and logs to an `Estimate`.

(1)  logs are checked and prepared; joints that they lack are locked
(2)  the rest is the same for logs in memory and for those that stream (`fit_logs`)

The error everywhere: |tau - predicted| / |tau| over all joints and samples, both low-passed, half a second cut at each
end.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from torquec.errors import ArgumentError
from torquec.foundation.one_thread import one_thread
from torquec.identification.fit_logs import LogRows, Rows, fit_logs
from torquec.identification.identify_options import IdentifyOptions
from torquec.identification.logs.check_log import check_log
from torquec.identification.logs.prepare import Samples, prepare
from torquec.identification.model_choice import SampleFolds
from torquec.identification.result.estimate import Estimate
from torquec.identification.torque.torque_model import TorqueModel
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log, LogFinding, Severity

_DEFAULT = IdentifyOptions()


def identify(
    robot: Robot, logs: Sequence[Log] | Log, *, validate: Sequence[Log] = (), options: IdentifyOptions = _DEFAULT
) -> Estimate:
    """The parameters of a robot from logs; `validate` are logs that are only predicted.

    Raises `ArgumentError` for logs with errors, for logs of different joints and, unless `partial` is set, for motions
    that excite too little (with the list of what they identify); `MissingExtraError` without scipy, or without
    clarabel where it is needed.
    """
    with one_thread():
        return _identified(robot, [logs] if isinstance(logs, Log) else list(logs), list(validate), options)


def _identified(robot: Robot, training: list[Log], validate: list[Log], options: IdentifyOptions) -> Estimate:
    if not training:
        raise ArgumentError("there is no log to fit", remedy="give at least one")
    notes = _checked(robot, [*training, *validate])
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in training[0].joints})
    ready = functools.partial(prepare, derivatives=options.derivatives)
    samples = [ready(log, cutoff=options.cutoff, slowest=options.slowest) for log in training]
    cutoff = max(s.cutoff for s in samples)
    if options.cutoff is None:
        samples = [ready(log, cutoff=cutoff, slowest=options.slowest) for log in training]
    others = [ready(log, cutoff=cutoff) for log in validate]
    return fit_logs(
        moving,
        [_rows(s) for s in samples],
        [_rows(s) for s in others],
        SampleFolds(samples),
        options,
        correlation=max(s.correlation(int(s.used.sum())) for s in samples),
        cutoff=cutoff,
        notes=notes,
    )


def _rows(samples: Samples) -> LogRows:
    """The rows of samples in memory, in one block."""

    def rows(model: TorqueModel) -> Rows:
        return [(model.regressor(samples)[samples.used], samples.tau[samples.used])]

    return LogRows(samples.source, rows)


def _checked(robot: Robot, logs: Sequence[Log]) -> tuple[str, ...]:
    """(1): errors are raised, the rest is told."""
    notes = []
    for log in logs:
        if log.joints != logs[0].joints:
            raise ArgumentError(
                f"this log is about {', '.join(log.joints)}, the first one about {', '.join(logs[0].joints)}",
                where=log.source,
                remedy="identify from logs of the same joints",
            )
        notes += told(log.source, check_log(robot, log))
    return tuple(notes)


def told(source: str, findings: Sequence[LogFinding]) -> list[str]:
    """What was found in a log, as notes; raises `ArgumentError` for errors."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        raise ArgumentError("; ".join(map(str, errors)), where=source, remedy="mend the log, or give a map")
    return [f"{source}: {finding}" for finding in findings]
