"""Limit checks of a trajectory against the robot's file: positions, speeds and, on request, torques.

(1)  A position has its extreme where the speed is zero, a speed where the acceleration is zero. Where the sign changes
     between two samples, bisection finds that instant, so that the peak between them is found, too.
(2)  Torques are those of the whole robot, friction and springs too, at the samples.
(3)  Positions beyond two turns, or beyond one turn and a joint limit, are probably in degrees: the message says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from torquec.dynamics import total_torque
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.robot.degrees import degrees_text, is_placement_in_degrees, is_position_in_degrees
from torquec.robot.robot import Limits, Robot
from torquec.trajectory.trajectory import Trajectory

_BISECTIONS = 40  # down to the rounding error of a time between two samples
_SLACK = 1e-9  # relative to the size of the limit: rounding is no violation


class LimitKind(StrEnum):
    """The limited quantity."""

    LOWER = "lower position limit"
    UPPER = "upper position limit"
    VELOCITY = "speed limit"
    EFFORT = "torque limit"


@dataclass(frozen=True)
class Violation:
    """The worst excess of one joint over one of its limits, and when."""

    joint: str
    kind: LimitKind
    time: float
    value: float
    limit: float
    unit: str

    def __str__(self) -> str:
        return (
            f"joint '{self.joint}' passes its {self.kind}: {self.value:.6g} {self.unit} at t = {self.time:.4g} s, "
            f"allowed {self.limit:.6g}"
        )


def limit_violations(robot: Robot, trajectory: Trajectory, *, efforts: bool = False) -> tuple[Violation, ...]:
    """The worst violation of every limit that the trajectory breaks, in joint order; with `efforts` also of torques.

    Raises `ArgumentError` where the trajectory's joints are not the robot's.
    """
    check_joints(robot, trajectory)
    found: list[Violation] = []
    torques = _torques(robot, trajectory) if efforts else None
    places = _extremes(trajectory, trajectory.qd, position=True)
    peaks = _extremes(trajectory, trajectory.qdd, position=False)
    for j, joint in enumerate(robot.coordinates):
        length = joint.position_unit
        times, values = places[j]
        if joint.has_position_limits:
            lower, upper = joint.limits.lower, joint.limits.upper
            found += _worst(joint.name, LimitKind.LOWER, times, values, lower, length, sign=-1.0)
            found += _worst(joint.name, LimitKind.UPPER, times, values, upper, length)
        times, values = peaks[j]
        found += _worst(joint.name, LimitKind.VELOCITY, times, np.abs(values), joint.limits.velocity, f"{length}/s")
        if torques is not None:
            unit = joint.effort_unit.replace(" ", "")
            loads = np.abs(torques[:, j])
            found += _worst(joint.name, LimitKind.EFFORT, trajectory.t, loads, joint.limits.effort, unit)
    return tuple(found)


def check_limits(robot: Robot, trajectory: Trajectory, *, efforts: bool = False) -> None:
    """Raise `ArgumentError` that names joint, time and remedy unless the trajectory stays within the robot's limits."""
    found = limit_violations(robot, trajectory, efforts=efforts)
    if found:
        remedy = text_of_degrees(
            robot, trajectory, "write radians; to_deg in a project and --deg in a shell take degrees"
        ) or _remedy(robot, found)
        raise ArgumentError("; ".join(map(str, found)), where=f"trajectory of '{robot.name}'", remedy=remedy)


def _remedy(robot: Robot, found: Sequence[Violation]) -> str:
    kinds = {violation.kind for violation in found}
    slower = kinds & {LimitKind.VELOCITY, LimitKind.EFFORT}
    remedy = "make the motion slower" if slower else "move its start or shorten its path"
    if slower and len(kinds - slower):
        remedy += ", and move its start or shorten its path"
    if still := [violation.joint for violation in found if violation.kind in slower and violation.limit == 0.0]:
        remedy = f"{robot.source} has limits of zero for {', '.join(still)}: give the true limits there, or none"
    return remedy


def text_of_degrees(robot: Robot, trajectory: Trajectory, remedy: str) -> str:
    """Message for a motion whose positions look like degrees (3); empty where none does."""
    for j, joint in enumerate(robot.coordinates):
        if not joint.turns:
            continue
        largest = float(max(trajectory.q[:, j], key=abs))
        bounds = joint.limits if joint.has_position_limits else Limits()
        beyond = not bounds.lower <= largest <= bounds.upper
        if is_position_in_degrees(largest) or (beyond and is_placement_in_degrees(largest)):
            return degrees_text(f"the position of joint '{joint.name}'", largest, remedy)
    return ""


def check_joints(robot: Robot, trajectory: Trajectory) -> None:
    """Raise `ArgumentError` unless the trajectory moves the robot's joints, in their order (or q1 .. qn)."""
    numbered = tuple(f"q{k + 1}" for k in range(robot.n))
    if trajectory.joints not in (robot.joint_names, numbered):
        raise ArgumentError(
            f"the trajectory moves {', '.join(trajectory.joints)}; robot '{robot.name}' has the joints "
            f"{', '.join(robot.joint_names)}",
            remedy="name the robot's joints, in joint order",
        )


def _extremes(trajectory: Trajectory, rate: Array, *, position: bool) -> list[tuple[Array, Array]]:
    """Per joint the times and values of all samples and of the extremes between them (1)."""
    t, values = trajectory.t, trajectory.q if position else trajectory.qd
    rows, columns = np.nonzero(rate[:-1] * rate[1:] < 0.0)
    low, high = t[rows].copy(), t[rows + 1].copy()
    rising = rate[rows, columns] > 0.0
    each = np.arange(len(rows))
    for _ in range(_BISECTIONS if len(rows) else 0):
        middle = 0.5 * (low + high)
        state = trajectory.at(middle)
        still_before = ((state.qd if position else state.qdd)[each, columns] > 0.0) == rising
        low, high = np.where(still_before, middle, low), np.where(still_before, high, middle)
    between = trajectory.at(low) if len(rows) else None
    found = []
    for j in range(trajectory.n):
        mine = columns == j
        if between is None:
            found.append((t, values[:, j]))
            continue
        inner = (between.q if position else between.qd)[mine, j]
        found.append((np.concatenate([t, low[mine]]), np.concatenate([values[:, j], inner])))
    return found


def _worst(
    joint: str, kind: LimitKind, times: Array, values: Array, limit: float, unit: str, *, sign: float = 1.0
) -> Iterator[Violation]:
    k = int(np.argmax(sign * values))
    if sign * (float(values[k]) - limit) > _SLACK * max(1.0, abs(limit)):
        yield Violation(joint, kind, float(times[k]), float(values[k]), limit, unit)


def _torques(robot: Robot, trajectory: Trajectory) -> Array:
    """(2), all samples at once."""
    tau = total_torque(robot, list(trajectory.q.T), list(trajectory.qd.T), list(trajectory.qdd.T))
    return np.stack([np.broadcast_to(values, len(trajectory)) for values in tau], axis=1)
