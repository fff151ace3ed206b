"""The logs of a command or of a project, all with the same map; delays between their columns removed where it asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from torquec.errors import ArgumentError
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap, read_log_map
from torquec.trajectory.read_log import read_log, read_log_chunks

if TYPE_CHECKING:
    from torquec.identification.identify_options import IdentifyOptions
    from torquec.identification.open_logs import LogOrPath

_SIMULATED = "simulated"
"""In place of a file: a log of the robot's own model."""
_SHOWN_ROWS = 100_000
"""Rows of a log in pieces that pictures and self-tests use: its beginning."""


def read_logs(robot: Robot, paths: Sequence[Path], log_map: Path | None, say: Callable[[str], None]) -> list[Log]:
    """The logs; where the map says `estimate_delay`, the delay of every log is estimated, said and removed.

    Raises `ArgumentError` where it cannot be found from a log.
    """
    meaning = None if log_map is None else read_log_map(log_map)
    return [read_mapped_log(robot, path, meaning, say) for path in paths]


def logs_to_fit(
    robot: Robot, paths: Sequence[Path], log_map: Path | None, options: IdentifyOptions, say: Callable[[str], None]
) -> list[LogOrPath]:
    """What `identify` takes: logs in memory, read once, and the paths of those that it will read in pieces.

    `identify` makes that choice, by expected memory and `options.reading` (`is_read_in_pieces`). Raises `ArgumentError`
    for a simulated log in pieces, and as `read_logs` does.
    """
    from torquec.identification.identify_options import Reading
    from torquec.identification.open_logs import is_read_in_pieces

    if options.reading is Reading.PIECES and _SIMULATED in map(str, paths):
        raise ArgumentError(f"'{_SIMULATED}' is no file to read in pieces", remedy="leave out --stream")
    meaning = None if log_map is None else read_log_map(log_map)
    return [
        path if is_read_in_pieces(path, robot, options) else read_mapped_log(robot, path, meaning, say)
        for path in paths
    ]


def shown_logs(robot: Robot, logs: Sequence[LogOrPath], log_map: Path | None) -> list[Log]:
    """The logs in memory; of those in pieces, their beginnings, for pictures and the self-test in C."""
    meaning = None if log_map is None else read_log_map(log_map)
    return [
        log if isinstance(log, Log) else next(iter(read_log_chunks(log, robot, log_map=meaning, rows=_SHOWN_ROWS)))
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
