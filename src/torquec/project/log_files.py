"""The logs of a command or of a project, all with the same map; delays between their columns removed where it asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from torquec.errors import ArgumentError
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.log_map import LogMap, read_log_map
from torquec.trajectory.read_log import read_log

_SIMULATED = "simulated"
"""In place of a file: a log of the robot's own model."""


def read_logs(robot: Robot, paths: Sequence[Path], log_map: Path | None, say: Callable[[str], None]) -> list[Log]:
    """The logs; where the map says `estimate_delay`, the delay of every log is estimated, said and removed.

    Raises `ArgumentError` where it cannot be found from a log.
    """
    meaning = None if log_map is None else read_log_map(log_map)
    return [read_mapped_log(robot, path, meaning, say) for path in paths]


def read_mapped_log(robot: Robot, path: Path, meaning: LogMap | None, say: Callable[[str], None]) -> Log:
    """One log; see `read_logs`."""
    from torquec.identification.excitation.simulated_log import simulated_log
    from torquec.identification.logs.torque_delay import torque_delay, without_delay

    log = simulated_log(robot) if str(path) == _SIMULATED else read_log(path, robot, log_map=meaning)
    if meaning is None or not meaning.estimate_delay:
        return log
    found = torque_delay(robot, log)
    if not found.found:
        raise ArgumentError(
            "the delay between torques and positions cannot be found from this log",
            where=log.source,
            remedy="record a faster motion, or give it in the map (delay = seconds)",
        )
    say(f"{log.source}: torques are late by {found.seconds * 1e3:.2f} ms (+- {found.std * 1e3:.2f}); removed")
    return without_delay(log, found.seconds)
