"""Preconditions of torque error proofs: which robots are accepted, and why others are not.

(1)  every joint has one degree of freedom, every body has inertias
(2)  torques are of degree three at most in the sine and cosine, or displacement, of every joint: two without mimic
     joints; mimic joints with a gear ratio may have more
(3)  torques do not depend on more positions than can be tabulated
"""

from __future__ import annotations

from torquec.closedform.polynomial import Variable
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import RobotError, refusal
from torquec.expr import Function, trace
from torquec.proof.torque.torque_tables import HIGHEST_DEGREE, check_grid, position_degrees, positions_read
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases


def accepts(robot: Robot) -> str | None:
    """Why no torque error of a robot can be proven; None where it can.

    >>> from torquec.robot import classics
    >>> accepts(classics.scara()) is None
    True
    """
    return refusal(lambda: position_bases(robot)) or refusal(lambda: check_provable(robot, _exact_torque(robot)))


def check_provable(robot: Robot, exact: Function) -> None:
    """Raise `RobotError` with reason and remedy unless (1)-(3); `exact` is the robot's inverse dynamics."""
    bases = position_bases(robot)
    degrees = position_degrees(exact, bases)
    for joint, degree in zip(robot.coordinates, degrees, strict=True):
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
    read = sorted(positions_read(exact))
    check_grid([Variable(((j, 1),), bases[j]) for j in read], [degrees[j] for j in read])


def _exact_torque(robot: Robot) -> Function:
    shapes = dict.fromkeys(("q", "qd", "qdd"), (robot.n,))
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": inverse_dynamics(robot, q, qd, qdd)}, shapes)
