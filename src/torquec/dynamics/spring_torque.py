"""Torque of the joints' own springs and of counterbalances on levers.

(1)  spring: tau = stiffness (q - rest)
(2)  counterbalance on lever and base of lengths k and D, delta = q + angle (`torquec.robot.robot.Counterbalance`):
     L = sqrt(D^2 + k^2 - 2 D k cos delta),   s = L - D + k,   F = preload + stiffness s + A c/(V - s A),
     tau = F r,   r = dL/dq = D k sin(delta)/L
(3)  its slope: dtau/dq = dF/ds r^2 + F dr/dq,   dF/ds = stiffness + c (A/(V - s A))^2,
     dr/dq = (D k cos(delta) - r^2)/L
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.closed_loops import closed_state_of, loop_torques
from torquec.dynamics.mechanism import coordinates
from torquec.errors import RobotError
from torquec.expr.math import sincos, sqrt
from torquec.robot.loops.closure import independent_rates
from torquec.robot.robot import Counterbalance, Robot
from torquec.spatial import Scalar


@loop_torques
def spring_torque(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """The torque (n,) that holds the joints at q (nq,) against their springs and counterbalances."""
    torque: list[Scalar] = [0.0 * position for position in q[: robot.n]]
    for body, coordinate in zip(robot.bodies, coordinates(robot), strict=True):
        spring = body.joint.spring
        if spring is not None:
            held = spring.stiffness * (coordinate.position(q) - spring.rest)
            torque[coordinate.index] = torque[coordinate.index] + coordinate.multiplier * held
        for counterbalance in body.joint.counterbalances:
            held = counterbalance_torque(counterbalance, coordinate.position(q))
            torque[coordinate.index] = torque[coordinate.index] + coordinate.multiplier * held
    return torque


def spring_stiffness(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """d(spring torque)/dq of every joint at q (n,), (n,): springs act on their own joints only.

    Raises `RobotError` for a spring at a joint that closed loops make dependent.
    """
    if robot.dependent:
        sprung = [b.joint.name for b in robot.bodies if b.joint.spring is not None or b.joint.counterbalances]
        held = [name for name in sprung if name not in robot.joint_names]
        if held:
            raise RobotError(
                f"the spring of '{held[0]}' acts on a dependent joint of a closed loop: it has no stiffness of its own",
                where=robot.source,
                remedy="move the spring to an independent joint",
            )
        whole = spring_stiffness(robot.tree, closed_state_of(robot, q).q)
        return [whole[k] for k in independent_rates(robot)]
    stiffness: list[Scalar] = [0.0] * robot.n
    for body, coordinate in zip(robot.bodies, coordinates(robot), strict=True):
        k, ratio = coordinate.index, coordinate.multiplier**2
        if body.joint.spring is not None:
            stiffness[k] = stiffness[k] + ratio * body.joint.spring.stiffness
        for counterbalance in body.joint.counterbalances:
            stiffness[k] = stiffness[k] + ratio * counterbalance_slope(counterbalance, coordinate.position(q))
    return stiffness


def counterbalance_torque(spring: Counterbalance, position: Scalar) -> Scalar:
    """The torque (2) that holds a joint at a position."""
    _, length, arm = _lever(spring, position)
    return _force(spring, length) * arm


def counterbalance_slope(spring: Counterbalance, position: Scalar) -> Scalar:
    """Slope dtau/dq of a counterbalance (3)."""
    cosine, length, arm = _lever(spring, position)
    per_way: Scalar = spring.stiffness
    if spring.area:
        crowding = spring.area / _volume(spring, length)
        per_way = per_way + spring.pressure_volume * (crowding * crowding)
    turning = (spring.base * spring.lever * cosine - arm * arm) / length
    return per_way * (arm * arm) + _force(spring, length) * turning


def counterbalance_energy(spring: Counterbalance, position: Scalar) -> Scalar:
    """Energy [J] of the coil spring, without that of the gas, which needs a logarithm and depends on heat."""
    _, length, _ = _lever(spring, position)
    way = length - (spring.base - spring.lever)
    return (spring.preload + (0.5 * spring.stiffness) * way) * way


def _lever(spring: Counterbalance, position: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """cos(delta), L and r of (2)."""
    s, c = sincos(position + spring.angle if spring.angle else position)
    length = sqrt((spring.base**2 + spring.lever**2) - (2.0 * spring.base * spring.lever) * c)
    return c, length, (spring.base * spring.lever) * s / length


def _volume(spring: Counterbalance, length: Scalar) -> Scalar:
    return (spring.volume + (spring.base - spring.lever) * spring.area) - spring.area * length


def _force(spring: Counterbalance, length: Scalar) -> Scalar:
    """F of (2)."""
    force: Scalar = 0.0
    if spring.preload or spring.stiffness:
        force = spring.preload + spring.stiffness * (length - (spring.base - spring.lever))
    if spring.area:
        force = force + (spring.area * spring.pressure_volume) / _volume(spring, length)
    return force
