"""What friction and springs add to a linear model: the slopes of their torques.

(1)  joint:   viscous coefficient of the direction that it moves in, the positive one at rest
(2)  motors:  T' diag(slope at the motor's speed) T, with T the transmission
(3)  springs: stiffness, through the multiplier of a joint that follows another

Coulomb friction has no slope; where a speed changes its sign, a linear model does not hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.mechanism import coordinates
from torquec.expr.math import select
from torquec.robot.robot import Friction, Robot
from torquec.spatial import Scalar, product, total


def friction_damping(robot: Robot, qd: Sequence[Scalar]) -> list[list[Scalar]]:
    """d(friction torque)/dqd, (n, n), at the speeds qd (n,), (1) and (2)."""
    slopes: list[list[Scalar]] = [[0.0] * robot.n for _ in range(robot.n)]
    for body, coordinate in zip(robot.bodies, coordinates(robot), strict=True):
        k = coordinate.index
        slope = _slope(body.joint.friction, product(coordinate.multiplier, qd[k]))
        slopes[k][k] = total(slopes[k][k], product(coordinate.multiplier**2, slope))
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        speed: Scalar = 0.0
        for ratio, joint_speed in zip(row, qd, strict=True):
            speed = total(speed, product(ratio, joint_speed))
        slope = _slope(motor.friction, speed)
        for i, left in enumerate(row):
            for j, right in enumerate(row):
                slopes[i][j] = total(slopes[i][j], product(left * right, slope))
    return slopes


def spring_stiffness(robot: Robot) -> list[float]:
    """d(spring torque)/dq of every joint, (n,): the diagonal of (3)."""
    stiffness = [0.0] * robot.n
    for body, coordinate in zip(robot.bodies, coordinates(robot), strict=True):
        if body.joint.spring is not None:
            stiffness[coordinate.index] += coordinate.multiplier**2 * body.joint.spring.stiffness
    return stiffness


def _slope(friction: Friction, speed: Scalar) -> Scalar:
    if friction.viscous_positive == friction.viscous_negative:
        return friction.viscous_positive
    return select(speed, friction.viscous_positive, friction.viscous_negative)
