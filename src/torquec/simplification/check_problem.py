"""What cannot be proven of a problem is refused before anything is searched for, with what would help.

(1)  torques of joints that follow others with a gear need not be polynomials of low degree
(2)  tolerances below what snapped angles change, or rounding, or what is proven of the exact program itself
"""

from __future__ import annotations

from torquec.errors import RobotError, SpecificationError
from torquec.proof.certify import rounding_of, smallest_bounds
from torquec.proof.snap_bound import snap_bound
from torquec.proof.torque_tables import HIGHEST_DEGREE, position_degrees
from torquec.simplification.problem import SimplificationProblem


def check_degrees(problem: SimplificationProblem) -> None:
    """Refuse torques that are no polynomials of low degree: those of joints that follow others with a gear."""
    robot = problem.robot
    for joint, degree in zip(robot.joints, position_degrees(problem.exact, problem.bases), strict=True):
        if degree <= HIGHEST_DEGREE:
            continue
        followers = [body.joint for body in robot.bodies if body.joint.mimic and body.joint.mimic.joint == joint.name]
        named = ", ".join(f"'{f.name}' with a multiplier of {f.mimic.multiplier:g}" for f in followers if f.mimic)
        raise RobotError(
            f"the torques are of degree {degree} or more in the sine and cosine of joint '{joint.name}', and errors "
            f"are proven up to degree {HIGHEST_DEGREE}{f': it is followed by {named}' if named else ''}",
            where=robot.source,
            remedy="lock the joints that follow (torquec.lock_joints, --lock JOINT=VALUE) and simplify the rest",
        )


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
                f"angles changes its torque by up to {snap:.3g}",
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
                remedy=f"allow at least {bound:.3g}, the smallest error that can be proven",
            )
