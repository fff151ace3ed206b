"""Friction torque of joints and motors, by direction of motion.

(1)  joint:   v >= 0:  viscous+ v + coulomb+,     v < 0:  viscous- v - coulomb-,     always + offset
(2)  motors:  T' f(T qd), with T the transmission (motor speeds from joint speeds) and f as (1) at the motor shaft
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.expr.math import select
from torquec.robot.robot import Friction, Robot
from torquec.spatial import Scalar


def friction_torque(robot: Robot, qd: Sequence[Scalar]) -> list[Scalar]:
    """The torque (n,) that friction costs at joint speeds qd (n,); the positive branch at zero speed."""
    torque: list[Scalar] = [0.0 * speed for speed in qd]
    for body in robot.bodies:
        joint = body.joint
        index = robot.joint_index(joint.name if joint.mimic is None else joint.mimic.joint)
        ratio = 1.0 if joint.mimic is None else joint.mimic.multiplier
        torque[index] = torque[index] + ratio * _friction(joint.friction, ratio * qd[index])
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        if motor.friction == Friction():
            continue
        speed: Scalar = 0.0
        for ratio, joint_speed in zip(row, qd, strict=True):
            speed = speed + ratio * joint_speed
        at_shaft = _friction(motor.friction, speed)
        for index, ratio in enumerate(row):
            if ratio != 0.0:
                torque[index] = torque[index] + ratio * at_shaft
    return torque


def _friction(f: Friction, speed: Scalar) -> Scalar:
    """(1)."""
    if f == Friction():
        return 0.0
    viscous = select(speed, f.viscous_positive, f.viscous_negative)
    return (viscous * speed + select(speed, f.coulomb_positive, -f.coulomb_negative)) + f.offset
