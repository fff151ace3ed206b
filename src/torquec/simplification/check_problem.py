"""What cannot be proven of a problem is refused before anything is searched for, with what would help.

Tolerances may be below what snapped angles change, or rounding, or what is proven of the exact program itself. Which
robots are refused is said by :mod:`torquec.simplification.accepts`.
"""

from __future__ import annotations

from torquec.errors import SpecificationError
from torquec.foundation.rounded_bound import rounded_up
from torquec.proof.torque.certify import rounding_of, smallest_bounds
from torquec.proof.torque.snap_bound import snap_bound
from torquec.simplification.problem import SimplificationProblem


def snapped(problem: SimplificationProblem) -> tuple[float, ...]:
    """The part of every tolerance that snapped angles take (n,): claims are about the robot's file as it is written."""
    return snap_bound(problem.robot, problem.motions)


def rounded_away(problem: SimplificationProblem) -> tuple[float, ...]:
    """The part of every tolerance that rounding takes (n,) in less than double precision; of the exact program, which
    has the most operations.
    """
    return rounding_of(problem.exact, problem.motions, problem.precision) or (0.0,) * problem.robot.n


def check_tolerances(problem: SimplificationProblem) -> None:
    """Refuse tolerances that even the exact program is not proven to keep."""
    for name, snap, allowed in zip(problem.robot.joint_names, snapped(problem), problem.tolerance, strict=True):
        if not snap < allowed:
            raise SpecificationError(
                f"joint '{name}' is allowed a torque error of {allowed:.3g}, and taking angles of the file as right "
                f"angles changes its torque by up to {rounded_up(snap, 3)}",
                where=problem.robot.source,
                remedy=f"read the robot as it is written (--no-snap, load(path, snap=False)), or allow {2 * snap:.2g}",
            )
    smallest = smallest_bounds(problem.robot, problem.exact, problem.motions, precision=problem.precision)
    for name, bound, snap, rounded, allowed in zip(
        problem.robot.joint_names, smallest, snapped(problem), rounded_away(problem), problem.tolerance, strict=True
    ):
        if not snap + rounded < allowed:
            raise SpecificationError(
                f"joint '{name}' is allowed a torque error of {allowed:.3g}, and {problem.precision} precision may "
                f"change its torque by {rounded:.3g}",
                remedy=f"allow {2 * (snap + rounded):.2g}, state smaller speeds, or leave out precision",
            )
        if not bound <= allowed:
            raise SpecificationError(
                f"joint '{name}' is allowed a torque error of {allowed:.3g}, less than rounding makes of exact torques",
                remedy=f"allow at least {rounded_up(bound, 3)}, the smallest error that can be proven",
            )
