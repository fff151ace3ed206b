"""`StateCoordinate`: one element of qd, qdd and tau, with its name, units, limits and joint.

Without a given position, `start_posture` starts a joint

(1)  with two limits: at zero, or midway between the limits if zero is close to one of them or outside
(2)  with at most one limit: at zero, or at the limit if zero is outside

and a robot with closed loops at the position at which the loops were assembled, moved within the limits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torquec.errors import ArgumentError, RobotError
from torquec.robot.joints import KindCoordinate, PositionBasis
from torquec.robot.robot import Joint, Limits, Robot
from torquec.robot.tuning import TUNING


@dataclass(frozen=True)
class StateCoordinate:
    """Coordinate `of_joint` of an independent joint: units, limits and basis of one element of the state."""

    joint: Joint
    of_joint: KindCoordinate

    @property
    def name(self) -> str:
        """The joint's name, followed by the coordinate's where the joint has several."""
        return f"{self.joint.name}_{self.of_joint.suffix}" if self.of_joint.suffix else self.joint.name

    @property
    def limits(self) -> Limits:
        """Limits of position, speed and effort."""
        return self.joint.limits

    @property
    def has_position_limits(self) -> bool:
        """Whether robot files give this kind of joint limits of position."""
        return self.joint.kind.has_position_limits

    @property
    def turns(self) -> bool:
        """True for an angular rate, False for a linear one."""
        return self.of_joint.turns

    @property
    def basis(self) -> PositionBasis | None:
        """Basis of the closed form in this coordinate's position; None where it has no position of its own."""
        return self.of_joint.basis

    @property
    def position_unit(self) -> str:
        """rad or m."""
        return self.of_joint.position_unit

    @property
    def speed_unit(self) -> str:
        """rad/s or m/s."""
        return self.of_joint.speed_unit

    @property
    def effort_unit(self) -> str:
        """N m or N."""
        return self.of_joint.effort_unit


def state_coordinates(robot: Robot) -> tuple[StateCoordinate, ...]:
    """The coordinates of the independent joints, in state order, `robot.nv` of them."""
    return tuple(StateCoordinate(joint, each) for joint in robot.joints for each in joint.kind.coordinates)


def position_bases(robot: Robot) -> tuple[PositionBasis, ...]:
    """Basis of the closed form in every joint position (n,).

    Raises `RobotError` for a robot with a joint whose position is not a single number, and for one with closed loops.
    """
    if robot.held:  # the pose of the base is not read
        return tuple(each.basis or PositionBasis.TRIGONOMETRIC for each in robot.coordinates)
    check_single_coordinates(robot)
    check_tree(robot)
    return tuple(each.basis for each in robot.coordinates if each.basis is not None)


def check_single_coordinates(robot: Robot) -> None:
    """Raise `RobotError` for a robot with a free, ball or planar joint: its position is not a single number."""
    joint = next((joint for joint in robot.joints if joint.kind.nv > 1), None)
    if joint is not None:
        raise RobotError(
            f"the position of joint '{joint.name}' ({joint.type}) is not a single number",
            where=robot.source,
            remedy="fix the base (--base fixed, load(path, base='fixed')), or take the quantities of torquec.compile, "
            "which serve joints of any kind (docs/how-to/floating-base.md)",
        )


def check_tree(robot: Robot) -> None:
    """Raise `RobotError` for a robot with closed loops."""
    if robot.dependent:
        raise RobotError(
            f"robot '{robot.name}' has closed loops: {', '.join(robot.dependent[:_MOST_NAMED])} depend on other joints",
            where=robot.source,
            remedy="take the quantities of torquec.compile, which serve closed loops; see docs/closed-loops.md",
        )


_MOST_NAMED = 5
"""Number of dependent joints listed in a message."""


def start_posture(robot: Robot, given: Sequence[float] | None = None) -> list[float]:
    """Start position of every joint (n,): the given one, else (1) or (2), or the assembled one of closed loops.

    Raises `ArgumentError` for another number of joints or for positions that are not finite.

    >>> from torquec.robot import classics
    >>> start_posture(classics.planar2r())
    [0.0, 0.0]
    """
    check_single_coordinates(robot)
    if given is None and robot.dependent:
        from torquec.robot.configuration import neutral

        free = (joint.limits for joint in robot.joints)
        return [min(max(q, limits.lower), limits.upper) for q, limits in zip(neutral(robot), free, strict=True)]
    if given is None:
        return [_start(joint) for joint in robot.joints]
    values = [float(value) for value in given]
    if len(values) != robot.n or not all(map(math.isfinite, values)):
        raise ArgumentError(
            f"{len(values)} positions for robot '{robot.name}', which has {robot.n} joints"
            if len(values) != robot.n
            else "a position is not finite",
            remedy=f"give finite positions of {', '.join(robot.joint_names)}",
        )
    return values


def _start(joint: Joint) -> float:
    lower, upper = joint.limits.lower, joint.limits.upper
    if not joint.kind.has_position_limits:
        return 0.0
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return min(max(0.0, lower), upper)  # (2)
    middle = 0.5 * (lower + upper)
    return 0.0 if abs(middle) <= 0.5 * TUNING.inner_range * (upper - lower) else middle  # (1)
