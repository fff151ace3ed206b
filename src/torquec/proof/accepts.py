"""Preconditions of torque error proofs: which robots are accepted, and why others are not.

(1)  every joint has one degree of freedom, but for that of a free base, which carries everything else, in the axes of
     the world. Every body has inertias
(2)  torques are polynomials of degree at most six in the sine and cosine, or displacement, of every joint: degree two
     without mimic joints, up to 2 + 2 |multiplier| with one; multipliers of revolute joints are whole numbers
(3)  torques do not depend on more positions than can be tabulated
(4)  on a free base, (1)-(3) for each limb (:mod:`torquec.robot.limbs`) of at most four joints: three rates of the base
     and more than four of joints are too many for bounds of products of speeds. Nothing but the base couples limbs
"""

from __future__ import annotations

from torquec.closedform.polynomial import Variable
from torquec.dynamics.inverse_dynamics import inverse_dynamics
from torquec.errors import RobotError, refusal
from torquec.expr import Function, trace
from torquec.proof.torque.torque_tables import HIGHEST_DEGREE, check_grid, position_degrees, positions_read
from torquec.robot.floating_base import Base, base_kind
from torquec.robot.limbs import RATES, carried_limbs
from torquec.robot.robot import Robot
from torquec.robot.state_coordinate import position_bases

MOST_JOINTS = 4
"""Joints of a limb on a free base (4)."""


def accepts(robot: Robot) -> str | None:
    """Why no torque error of a robot can be proven; None where it can.

    >>> from torquec.robot import classics
    >>> accepts(classics.scara()) is None
    True
    """
    if base_kind(robot) is Base.FLOATING:
        return refusal(lambda: check_free_base(robot))
    return refusal(lambda: _check_positions(robot)) or refusal(lambda: check_provable(robot, _exact_torque(robot)))


def check_free_base(robot: Robot) -> None:
    """Raise `RobotError` with reason and remedy unless (4)."""
    for limb in carried_limbs(robot):
        if limb.n > RATES + MOST_JOINTS:
            names = ", ".join(joint.name for joint in limb.joints[1 : 2 + MOST_JOINTS])
            raise RobotError(
                f"a limb of robot '{robot.name}' has {limb.n - RATES} joints ({names} ..): on a free base, errors are "
                f"proven of limbs with up to {MOST_JOINTS}",
                where=robot.source,
                remedy="lock joints of it (torquec.lock_joints, --lock JOINT=VALUE), or fix the base (--base fixed)",
            )
        check_provable(limb, _exact_torque(limb))


def check_provable(robot: Robot, exact: Function) -> None:
    """Raise `RobotError` with reason and remedy unless (1)-(3); `exact` is the robot's inverse dynamics."""
    _check_positions(robot)
    bases = position_bases(robot)
    _check_whole_multipliers(robot)
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


def _check_positions(robot: Robot) -> None:
    """Raise `RobotError` for joints with several coordinates (1), and for closed loops."""
    joint = next((joint for joint in robot.joints if joint.kind.nv > 1), None)
    if joint is not None and not robot.held:
        raise RobotError(
            f"the position of joint '{joint.name}' ({joint.type}) is not a single number: errors are proven of joints "
            "with one, and of limbs on one free base",
            where=robot.source,
            remedy="lock it or model it as several joints with one coordinate",
        )
    position_bases(robot)


def _check_whole_multipliers(robot: Robot) -> None:
    """Raise `RobotError` for revolute joints with fractional multipliers: sin(q/2) is no polynomial in sin q, cos q."""
    for body in robot.bodies:
        follower, mimic = body.joint, body.joint.mimic
        if mimic is None or not follower.kind.coordinate.turns or mimic.multiplier.is_integer():
            continue
        inverse = 1.0 / mimic.multiplier if mimic.multiplier else 0.5
        other = ""
        if abs(inverse - round(inverse)) < _WHOLE:
            other = f"let '{mimic.joint}' mimic '{follower.name}' with a multiplier of {round(inverse)} instead, or "
        raise RobotError(
            f"'{follower.name}' follows joint '{mimic.joint}' with a multiplier of {mimic.multiplier:g}: torques are "
            f"no polynomials in the sine and cosine of joint '{mimic.joint}'",
            where=robot.source,
            remedy=f"{other}lock the joint that follows (torquec.lock_joints, --lock JOINT=VALUE)",
        )


_WHOLE = 1e-9  # an inverse multiplier closer than this to a whole number is that number: the difference is rounding


def _exact_torque(robot: Robot) -> Function:
    shapes = dict.fromkeys(("q", "qd", "qdd"), (robot.n,))
    return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": inverse_dynamics(robot, q, qd, qdd)}, shapes)
