"""Fewer base parameters: the recursion with some of its regrouped mass moments left out and the rest fitted again.

The moments are chosen and fitted by :mod:`torquec.simplification.moment_search`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from torquec.dynamics.mechanism import mechanism
from torquec.errors import RobotError, TimeLimitError
from torquec.expr import Function, OperationCount, count_operations
from torquec.foundation.one_thread import one_thread
from torquec.foundation.work import Meter, silent
from torquec.robot.robot import Robot
from torquec.simplification.moment_costs import torque_program
from torquec.simplification.moment_search import MomentSearch
from torquec.simplification.problem import SimplificationProblem
from torquec.trajectory.motion_box import MotionBox


@dataclass(frozen=True)
class FewerParameters:
    """The program, the moments that it keeps with their fitted values, and the largest error found per joint."""

    function: Function
    kept: tuple[str, ...]
    values: tuple[float, ...]
    all_parameters: int
    found: tuple[float, ...]

    @property
    def operations(self) -> OperationCount:
        """Of one evaluation."""
        return count_operations(self.function)


def recursion_with_fewer_parameters(problem: SimplificationProblem, cheapest: Function) -> list[Function]:  # noqa: ARG001
    """The strategy: one program, whatever the cheapest known is."""
    robot, motions, tolerance = problem.robot, problem.motions, problem.tolerance
    search = "searching for fewer parameters"
    return [problem.work.run(search, fewest_operations, robot, motions, tolerance, metered=True)]


def fewest_operations(
    robot: Robot, motions: MotionBox, tolerance: Sequence[float], *, meter: Meter = silent
) -> Function:
    """The program of :func:`fewer_parameters`."""
    return fewer_parameters(robot, motions, tolerance, meter=meter).function


def fewer_parameters(
    robot: Robot, motions: MotionBox, tolerance: Sequence[float], *, meter: Meter = silent
) -> FewerParameters:
    """The recursion with fewest operations that keeps every joint's torque error below its tolerance (as far as found).

    With all moments kept, the error is that of rounding. Friction and springs are not part of it; reflected rotor
    inertias are kept exactly. A meter that stops the search (`TimeLimitError`) gets the best that it has; where that is
    nothing, the error is raised.
    """
    for joint, allowed in zip(robot.joints, tolerance, strict=True):
        if not allowed > 0.0:
            raise RobotError(f"joint '{joint.name}' has a tolerance of {allowed}", remedy="allow a positive error")
    problem = MomentSearch(mechanism(robot), motions, np.asarray(tolerance, dtype=np.float64))
    with one_thread():
        fitted = problem.first_within(meter)
        with suppress(TimeLimitError):  # what is within the tolerance already stays
            while (cheaper := problem.exchanged(fitted.kept, meter)) != fitted.kept:
                trial = problem.fit(cheaper, meter)
                if trial.ratio <= 1.0:
                    fitted = trial
                    break
    kept, beta, found = fitted.kept, fitted.beta, fitted.found
    simplified = problem.simplified(kept, beta)
    names = tuple(
        f"{_TITLES[problem.parameters[k].moment]}_{robot.bodies[problem.parameters[k].link].name}" for k in kept
    )
    return FewerParameters(
        torque_program(simplified),
        names,
        tuple(float(b) for b in beta),
        len(problem.parameters),
        tuple(map(float, found)),
    )


_TITLES = {
    "xx": "Exx",
    "xy": "Exy",
    "xz": "Exz",
    "yy": "Eyy",
    "yz": "Eyz",
    "zz": "Ezz",
    "x": "mx",
    "y": "my",
    "z": "mz",
    "m": "m",
}
