"""`identify_stream`: `identify` for files larger than memory, the same to rounding.

(1)  a log is checked piece by piece, then passed through as often as needed: once to find its parts and its rate, once
     for every model that is compared, once for the fit, once for the residuals
(2)  what needs all rows at once is refused: Huber's weights, smoothing splines, friction that turns over a distance
(3)  the law of friction is not searched, because that takes a pass for every law: without one given it is `offset`
(4)  a cut-off that is not given is chosen from the first rows
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from functools import partial

from torquec.errors import ArgumentError
from torquec.foundation.one_thread import one_thread
from torquec.identification.fit_logs import check_prior, fit_logs
from torquec.identification.identify import told
from torquec.identification.identify_options import IdentifyOptions, Method
from torquec.identification.logs.check_log import check_log_pieces
from torquec.identification.logs.prepare import Derivatives
from torquec.identification.logs.stream_log import scan_log
from torquec.identification.result.estimate import Estimate
from torquec.identification.streamed_log import StreamedLog, StreamFolds
from torquec.identification.torque.coulomb_shape import Turnover
from torquec.identification.torque.torque_columns import FrictionLaw, FrictionModel
from torquec.robot.lock_joints import lock_joints
from torquec.robot.robot import Robot
from torquec.trajectory.log_map import LogMap
from torquec.trajectory.read_log import open_log

Paths = Sequence[str | os.PathLike[str]]

_DEFAULT = IdentifyOptions()
_ROWS = 16384
"""Samples of a block: the columns of a 7-joint arm take 60 MB."""
_CHECKED = 4
"""Blocks that are checked together: a longer motion tells more."""


def identify_stream(
    robot: Robot,
    logs: Paths,
    *,
    validate: Paths = (),
    log_map: LogMap | None = None,
    options: IdentifyOptions = _DEFAULT,
    rows: int = _ROWS,
) -> Estimate:
    """The parameters of a robot from files (`logs`), of which about `rows` samples are in memory at a time.

    `validate` are files that are only predicted; memory is constant for CSV and Parquet. Raises as `identify` and
    `read_log` do, and `ArgumentError` for what cannot be streamed (2).
    """
    if not logs:
        raise ArgumentError("there is no log to fit", remedy="give at least one")
    _check_options(options)
    with one_thread():
        return _identified(robot, logs, validate, log_map, options, rows)


def _identified(
    robot: Robot, logs: Paths, validate: Paths, log_map: LogMap | None, options: IdentifyOptions, rows: int
) -> Estimate:
    files = [open_log(path, robot, log_map=log_map) for path in (*logs, *validate)]
    notes: list[str] = []
    for file in files:
        if sorted(file.joints) != sorted(files[0].joints):
            raise ArgumentError(
                f"this log is about {', '.join(file.joints)}, the first one about {', '.join(files[0].joints)}",
                where=file.source,
                remedy="identify from logs of the same joints",
            )
        notes += told(file.source, check_log_pieces(robot, file.chunks(_CHECKED * rows)))
    moving = lock_joints(robot, {name: 0.0 for name in robot.joint_names if name not in files[0].joints})
    check_prior(moving, options)
    if options.friction is None:
        options = dataclasses.replace(options, friction=FrictionModel.OFFSET)
        notes.append("the logs are read piece by piece: the law of friction is offset, no other was tried")
    pieces = [partial(file.chunks, rows) for file in files]
    scans = [scan_log(chunks, cutoff=options.cutoff) for chunks in pieces[: len(logs)]]
    cutoff = max(scan.cutoff for scan in scans)
    scans += [scan_log(chunks, cutoff=cutoff) for chunks in pieces[len(logs) :]]
    streams = [StreamedLog(chunks, scan, rows).with_cutoff(cutoff) for chunks, scan in zip(pieces, scans, strict=True)]
    for stream in streams:
        if stream.used < 2:
            raise ArgumentError(
                "nothing is left without half a second at each end and what lies beside gaps",
                where=stream.scan.source,
                remedy="record a longer motion without pauses",
            )
    fitted, others = streams[: len(logs)], streams[len(logs) :]
    return fit_logs(
        moving,
        [stream.rows() for stream in fitted],
        [stream.rows() for stream in others],
        StreamFolds(fitted),
        options,
        correlation=max(stream.correlation(stream.used) for stream in fitted),
        cutoff=cutoff,
        notes=tuple(notes),
    )


def _check_options(options: IdentifyOptions) -> None:
    """(2)."""
    law = None if options.friction is None else FrictionLaw.of(options.friction)
    refused = {
        f"the method '{Method.HUBER}'": options.method is Method.HUBER,
        "smoothing splines": options.derivatives is not Derivatives.DIFFERENCES,
        "leaving out what is slow": options.slowest > 0.0,
        f"friction '{law}'": law is not None and law.shape.turnover is Turnover.DISTANCE,
    }
    for what, asked in refused.items():
        if asked:
            raise ArgumentError(f"{what} needs all rows of a log at once", remedy="give shorter logs, or do without it")
