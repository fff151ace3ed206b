"""Comparison of control laws on one plant along one motion: tracking errors, stiction and chatter.

(1)  stuck: a joint stands, |qd| < `standing_speed`, with an error above `stuck_error` for at least `stuck_time`
(2)  chatter: the torque less its average over `average_time` changes sign more than `chatter_rate` times a second
     within `chatter_window`; changes below `chatter_size` of the joint's largest torque do not count
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from torquec.control.controller import Controller
from torquec.errors import ArgumentError, TorquecError
from torquec.foundation.arrays import Array
from torquec.foundation.work import Work, as_work
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.plant import Plant
from torquec.simulation.simulation_result import SimulationResult
from torquec.simulation.tuning import TUNING
from torquec.trajectory.trajectory import Trajectory

_NO_OPTIONS = LoopOptions()


@dataclass(frozen=True)
class StuckJoint:
    """(1): the longest standstill [s], and the largest error in it [rad or m]."""

    seconds: float
    error: float


@dataclass(frozen=True, eq=False)
class ControlledRun:
    """The run of one law; where the law is refused, `result` is None and `refused` is the reason.

    `stuck` and `chatter` (sign changes per second) hold the joints to which (1) and (2) apply.
    """

    controller: Controller
    result: SimulationResult | None
    refused: str
    stuck: Mapping[str, StuckJoint]
    chatter: Mapping[str, float]


def compare_controllers(
    plant: Plant,
    controllers: Mapping[str, Controller],
    trajectory: Trajectory,
    *,
    options: LoopOptions = _NO_OPTIONS,
    work: Work | None = None,
) -> dict[str, ControlledRun]:
    """Simulate control laws, by name, on one plant along one motion.

    Raises `ArgumentError` if no law is given; a law whose loop diverges is refused in its own run.
    """
    if not controllers:
        raise ArgumentError("there is no controller", remedy="give at least one")
    runs, task = {}, as_work(work)
    for name, law in controllers.items():
        with task.step(f"simulating {name}"):
            try:
                result = simulate(plant, law, trajectory, options=options)
                runs[name] = ControlledRun(law, result, "", stuck_joints(result), chatter_rates(result))
            except TorquecError as error:
                runs[name] = ControlledRun(law, None, error.found, {}, {})
    return runs


def stuck_joints(result: SimulationResult) -> dict[str, StuckJoint]:
    """The stuck joints of a run (1)."""
    found = {}
    held = (np.abs(result.qd) < TUNING.standing_speed) & (np.abs(result.error) > TUNING.stuck_error)
    for k, joint in enumerate(result.joints):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], held[:, k].astype(int), [0]]))).reshape(-1, 2)
        spans = [(float(result.t[b - 1] - result.t[a]), a, b) for a, b in edges.tolist()]
        seconds, a, b = max(spans, default=(0.0, 0, 0))
        if seconds >= TUNING.stuck_time:
            found[joint] = StuckJoint(seconds, float(np.abs(result.error[a:b, k]).max()))
    return found


def chatter_rates(result: SimulationResult) -> dict[str, float]:
    """Sign changes per second of the torques of chattering joints (2)."""
    period = float(result.t[1] - result.t[0])
    rates = {joint: _busiest(result.tau[:, k], period) for k, joint in enumerate(result.joints)}
    return {joint: rate for joint, rate in rates.items() if rate > TUNING.chatter_rate}


def _busiest(torque: Array, period: float) -> float:
    """Sign changes per second in the window of (2) that has most of them."""
    average, window = (max(1, round(seconds / period)) for seconds in (TUNING.average_time, TUNING.chatter_window))
    ones = np.ones(min(average, len(torque)))
    moving = torque - np.convolve(torque, ones, "same") / np.convolve(np.ones(len(torque)), ones, "same")
    counted = np.flatnonzero(np.abs(moving) > TUNING.chatter_size * np.abs(torque).max(initial=0.0))
    at = counted[1:][np.diff(np.sign(moving[counted])) != 0.0]
    if not len(at):
        return 0.0
    most = int((np.arange(1, len(at) + 1) - np.searchsorted(at, at - window, side="right")).max())
    return most / (window * period)
