"""The worst point of a trajectory: where the least error of the model makes the loop unstable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.control.poles import JointPoles
from torquec.control.robustness import EXACT_MODEL, ErrorFactor, Hold, ModelErrors, make_loop
from torquec.control.stability_interval import StabilityInterval, loop_interval
from torquec.errors import ArgumentError
from torquec.foundation.choice import chosen
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Work, as_work
from torquec.linearization.linearize import linearize_along
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.trajectory import Trajectory, check_joints


@dataclass(frozen=True)
class WorstCase:
    """What holds over a whole trajectory.

    `intervals` hold at every point looked at; `times` say at which one each limit is reached, (lower, upper) by factor.
    `slowest` is the worst eigenvalue's real part [1/s] under the errors given, at the time `slowest_at` [s].
    """

    intervals: dict[ErrorFactor, StabilityInterval]
    times: dict[ErrorFactor, tuple[float, float]]
    slowest: float
    slowest_at: float
    points: int


def worst_case(
    source: Robot | Model,
    trajectory: Trajectory,
    poles: JointPoles,
    *,
    factors: Sequence[ErrorFactor | str] = tuple(ErrorFactor),
    errors: ModelErrors = EXACT_MODEL,
    period: float | None = None,
    hold: Hold | str = Hold.EXACT,
    sampled: bool = True,
    points: int = 31,
    work: Work | None = None,
) -> WorstCase:
    """The stability intervals that hold at all of `points` instants, evenly spaced over the trajectory.

    Raises `ArgumentError` for fewer than two points, and, with the time, where the loop is unstable without error.
    """
    robot = as_model(source).robot
    wrong = tuple(chosen(ErrorFactor, factor, "factor") for factor in factors)
    check_joints(robot, trajectory)
    if points < 2:
        raise ArgumentError(f"{points} points of a trajectory", remedy="look at two or more")
    times = np.linspace(trajectory.t[0], trajectory.t[-1], points)
    state = trajectory.at(times)
    lower = dict.fromkeys(wrong, (-np.inf, 0.0))
    upper = dict.fromkeys(wrong, (np.inf, 0.0))
    slowest = (-np.inf, 0.0)
    along = zip(times.tolist(), linearize_along(source, state.q, state.qd, state.qdd), strict=True)
    with as_work(work).step("looking for the worst point of the motion", whole=points) as step, one_thread():
        for done, (time, model) in enumerate(along, start=1):
            loop = make_loop(model, poles, period=period, hold=hold, sampled=sampled)
            slowest = max(slowest, (loop.excess(loop.matrix(errors)), time))
            for factor in wrong:
                try:
                    found = loop_interval(loop, factor, errors)
                except ArgumentError as error:
                    raise ArgumentError(
                        f"at t = {time:.4g} s {error.found}", where=f"robot '{robot.name}'", remedy=error.remedy
                    ) from error
                lower[factor] = max(lower[factor], (found.lower, time))
                upper[factor] = min(upper[factor], (found.upper, time))
            step.show(done)
    intervals = {factor: StabilityInterval(factor, lower[factor][0], upper[factor][0]) for factor in wrong}
    return WorstCase(
        intervals,
        {factor: (lower[factor][1], upper[factor][1]) for factor in wrong},
        slowest[0],
        slowest[1],
        points,
    )
