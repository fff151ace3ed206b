"""Small arms with a simplified program whose error is known."""

from __future__ import annotations

from dataclasses import replace

from torquec.dynamics.mechanism import Mechanism, mechanism
from torquec.expr import Function
from torquec.robot.classics import load_classic
from torquec.robot.robot import Drives, Robot
from torquec.simplification.moment_costs import torque_program
from torquec.trajectory.motion_box import MotionBox


def arm(name: str = "planar3r") -> Robot:
    """A classic without its motors."""
    return replace(load_classic(name), drives=Drives())


def programs(robot: Robot, link: int, part: float) -> tuple[Function, Function]:
    """The exact program, and one in which the moments of a link are `part` of what they should be."""
    m = mechanism(robot)
    return torque_program(m), torque_program(_weakened(m, link, part))


def motions(robot: Robot) -> MotionBox:
    """A box of motions."""
    n = robot.n
    lower = tuple(0.1 if joint.type.is_prismatic else -1.5 for joint in robot.joints)
    upper = tuple(0.6 if joint.type.is_prismatic else 2.0 for joint in robot.joints)
    return MotionBox(lower, upper, tuple(1.0 + 0.1 * k for k in range(n)), tuple(3.0 - 0.2 * k for k in range(n)))


def _weakened(m: Mechanism, link: int, part: float) -> Mechanism:
    moments = list(m.moments)
    moments[link] = type(moments[link])(*(part * value for value in moments[link].values))
    return replace(m, moments=tuple(moments))
