"""Centroidal momentum matrix A(q) and its time derivative: A qd is the momentum about the center of mass.

Rows 0..2 are linear momentum, rows 3..5 angular momentum about the center of mass c, both in base axes. With C_i the
composite mass moments of link i about its origin o_i (:mod:`torquec.dynamics.composite`) and z the axis of a rate:

(1)  unit rate, at o_i in link axes:   rotation  l = z x h, k = J z        translation  l = m z, k = h x z
(2)  column of A:                      (R l,  R k + (o_i - c) x R l)
(3)  its derivative, with P, D of `coriolis_matrix` and zd = w x z:
       ld, kd:   rotation     ld = zd x h + z x P,   kd = J zd + 2 z tr D - D z - D' z
                 translation  ld = m zd,             kd = h x zd + P x z
       column:   (R ld,  R kd + (o_i - c) x R ld + (vo_i - vc) x R l)

vo_i is the velocity of the link's origin, vc that of the center of mass. ld and one part of kd are the wrench of the
Coriolis matrix, int r x dJ/dt dm. The other part of kd is int v x J dm: the moment arm of a momentum moves, too.
Orin, Goswami & Lee (2013) define A; it leaves out the momentum of rotors relative to their bodies.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.center_of_mass import CompositeBodies, composite_bodies
from torquec.dynamics.closed_loops import closed_state_of, times_rates
from torquec.dynamics.coriolis_matrix import VelocityMoments, coriolis_wrench, origin_velocities, velocity_moments
from torquec.dynamics.mass_matrix import unit_acceleration_wrench
from torquec.dynamics.motion import angular_velocities
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, Vector3, add, cross, matvec, scale, subtract

ZERO: Vector3 = (0.0, 0.0, 0.0)


def centroidal_momentum_matrix(robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Centroidal momentum matrix A(q), (6, n), equation (2)."""
    if robot.dependent:
        state = closed_state_of(robot, q)
        return times_rates(centroidal_momentum_matrix(robot.tree, state.q), state.rates)
    bodies = composite_bodies(robot, q)
    total = _zero(robot.n)
    for i, link in enumerate(bodies.placed):
        rotation, arm = bodies.poses[i].rotation, bodies.arm(i)
        for k, column in enumerate(link.columns):
            momentum, own = unit_acceleration_wrench(bodies.composite[i], column)
            linear = matvec(rotation, momentum)
            if bodies.carries_all(i):  # in link axes: a translation of all mass has no angular momentum
                _collect(
                    bodies, total, (i, k), linear, matvec(rotation, _about_center(bodies, i, column, own, momentum))
                )
                continue
            _collect(bodies, total, (i, k), linear, add(matvec(rotation, own), cross(arm, linear)))
    return total


def centroidal_momentum_matrix_derivative(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar]
) -> list[list[Scalar]]:
    """Time derivative dA/dt of the matrix at (q, qd), (6, n), equation (3)."""
    if robot.dependent:
        state = closed_state_of(robot, q)
        v = state.rate(qd)
        turning = times_rates(centroidal_momentum_matrix_derivative(robot.tree, state.q, v), state.rates)
        more = times_rates(centroidal_momentum_matrix(robot.tree, state.q), state.rates_derivative(v))
        return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(turning, more, strict=True)]
    bodies = composite_bodies(robot, q)
    placed, coordinates = bodies.placed, bodies.constants.coordinates
    w = angular_velocities(placed, coordinates, qd)
    u = origin_velocities(placed, coordinates, w, qd)
    velocity = velocity_moments(placed, bodies.composite, w, u)
    drifts = _drifts(bodies, velocity, u)
    total = _zero(robot.n)
    for i, link in enumerate(placed):
        rotation, arm = bodies.poses[i].rotation, bodies.arm(i)
        for k, column in enumerate(link.columns):
            momentum, _ = unit_acceleration_wrench(bodies.composite[i], column)
            ld, kd = coriolis_wrench(column, bodies.composite[i], velocity[i], w[i])
            kd = add(kd, _moving_arm(column, velocity[i]))
            linear = matvec(rotation, ld)
            angular = add(matvec(rotation, kd), cross(arm, linear))
            _collect(bodies, total, (i, k), linear, add(angular, cross(drifts[i], matvec(rotation, momentum))))
    return total


def _about_center(bodies: CompositeBodies, i: int, column: UnitTwist, own: Vector3, momentum: Vector3) -> Vector3:
    """k of (1) about the center of mass, in the axes of a link that carries all mass."""
    if not column.turns:
        return ZERO
    return subtract(own, cross(scale(bodies.composite[i].first, 1.0 / bodies.mass), momentum))


def _moving_arm(column: UnitTwist, velocity: VelocityMoments) -> Vector3:
    """int v x J dm of (3), v relative to the link's origin:  z tr D - D z (rotation), P x z (translation)."""
    i, j, k = (column.axis + 1) % 3, (column.axis + 2) % 3, column.axis
    p, d = velocity.linear, velocity.moment
    parts: list[Scalar] = [0.0, 0.0, 0.0]
    if column.turns:
        parts[i], parts[j], parts[k] = -d[i][k], -d[j][k], d[i][i] + d[j][j]
    else:
        parts[i], parts[j] = p[j], -p[i]
    return (parts[0], parts[1], parts[2])


def _drifts(bodies: CompositeBodies, velocity: Sequence[VelocityMoments], u: Sequence[Vector3]) -> list[Vector3]:
    """vo_i - vc of every link, in base axes."""
    speeds: list[Vector3] = []
    center: Vector3 = ZERO
    for i, link in enumerate(bodies.placed):
        turned = matvec(bodies.poses[link.parent].rotation, u[i])
        speeds.append(turned if link.parent == BASE else add(speeds[link.parent], turned))
        if link.parent == BASE:
            momentum = matvec(bodies.poses[i].rotation, scale(velocity[i].linear, 1.0 / bodies.mass))
            center = add(center, add(momentum, scale(turned, bodies.composite[i].m / bodies.mass)))
    return [subtract(speed, center) for speed in speeds]


def _zero(n: int) -> list[list[Scalar]]:
    return [[0.0] * n for _ in range(6)]


def _collect(
    bodies: CompositeBodies, total: list[list[Scalar]], at: tuple[int, int], linear: Vector3, angular: Vector3
) -> None:
    """Add the column of a link's rate, (link, column), at its coordinate."""
    coordinate = bodies.constants.coordinates[at[0]]
    for row, value in zip(total, (*linear, *angular), strict=True):
        row[coordinate.index + at[1]] = row[coordinate.index + at[1]] + coordinate.multiplier * value
