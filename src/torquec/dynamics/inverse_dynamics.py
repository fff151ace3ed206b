"""Inverse dynamics: joint torques from positions, speeds and accelerations (recursive Newton-Euler).

Outward, the motion of every link (:mod:`torquec.dynamics.motion`); inward, with the mass moments m, h, E of a link:

(1)  F = m a + U h
(2)  N = h x a + v(U E),   v(A)_x = A_zy - A_yz and cyclic:  the moment of inertial forces about the origin
(3)  f = F + sum over children of R f_c,      n = N + sum over children of (R n_c + p x R f_c)
(4)  tau = z . n (rotation),  z . f (translation),  collected through the coordinate's multiplier, plus reflected motor
     inertia
(5)  gravity torque   g(q) = tau(q, 0, 0) = dU/dq,  U the potential energy
(6)  velocity torque  c(q, qd) = tau(q, qd, 0) - g(q) = Mdot qd - 1/2 d(qd' M qd)/dq

Luh, Walker & Paul (1980), with the regrouped parameters and frames of Khalil & Kleinfinger.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.closed_loops import closed_state_of, loop_torques
from torquec.dynamics.external_wrench import ExternalWrench, Wrench, link_wrenches
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Grouping, Mechanism, PlacedLink, mechanism
from torquec.dynamics.motion import LinkMotion, motions
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, add, cross, matvec, scale, subtract


@loop_torques
def inverse_dynamics(
    robot: Robot,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    *,
    wrenches: Sequence[ExternalWrench] = (),
    grouping: Grouping = Grouping.BALANCED,
    carried: bool = False,
) -> list[Scalar]:
    """Torques (n,) that give accelerations qdd at (q, qd), friction not included; q, qd, qdd are (n,).

    `wrenches` are external wrenches on the robot; the torques returned act in addition to them.
    `grouping` and `carried` change the operations, not the result; with `wrenches`, links are always in their own axes.
    """
    m = mechanism(robot, grouping)
    placed = placed_links(m, q, carried=carried and not wrenches)
    outside = link_wrenches(robot, m, placed, wrenches)
    return joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, qdd), qdd, outside)


def joint_torques(
    m: Mechanism,
    placed: Sequence[PlacedLink],
    motion: Sequence[LinkMotion],
    qdd: Sequence[Scalar],
    outside: Mapping[int, Wrench] | None = None,
) -> list[Scalar]:
    """(1)-(4) for given motions; `outside` is the external wrench on a link, at its origin and in its axes."""
    forces = [list(body_wrench(link.moments, moving)) for link, moving in zip(placed, motion, strict=True)]
    for i, (force, moment) in (outside or {}).items():
        forces[i] = [subtract(forces[i][0], force), subtract(forces[i][1], moment)]
    tau: list[Scalar] = [0.0] * m.n
    for i in reversed(range(len(placed))):
        link, coordinate = placed[i], m.coordinates[i]
        f, n = forces[i]
        for k, column in enumerate(link.columns, start=coordinate.index):
            tau[k] = tau[k] + coordinate.multiplier * column.effort(f, n)
        if link.parent != BASE:
            f, n = link.turn.out(f), link.turn.out(n)
            forces[link.parent][0] = add(forces[link.parent][0], f)
            forces[link.parent][1] = add(forces[link.parent][1], add(n, cross(link.origin, f)))
    for i, row in enumerate(m.reflected_inertia):
        for j, value in enumerate(row):
            if value != 0.0:
                tau[i] = tau[i] + value * qdd[j]
    return tau


def body_wrench(e: MassMoments, moving: LinkMotion) -> Wrench:
    """Inertial force and moment of one body, (1) and (2)."""
    u, a = moving.u, moving.a
    force = add(scale(a, e.m), matvec(u, e.first))
    moment = cross(e.first, a)
    xy, xz, yz = moving.products
    wdx, wdy, wdz = moving.wd
    spin = (
        _pair(e.yy, e.zz, u[2][1], u[1][2], yz, wdx) + e.xy * u[2][0] + e.yz * (u[2][2] - u[1][1]) - e.xz * u[1][0],
        _pair(e.zz, e.xx, u[0][2], u[2][0], xz, wdy) + e.yz * u[0][1] + e.xz * (u[0][0] - u[2][2]) - e.xy * u[2][1],
        _pair(e.xx, e.yy, u[1][0], u[0][1], xy, wdz) + e.xz * u[1][2] + e.xy * (u[1][1] - u[0][0]) - e.yz * u[0][2],
    )
    return force, add(moment, spin)


def _pair(p: Scalar, r: Scalar, plus: Scalar, minus: Scalar, product: Scalar, rate: Scalar) -> Scalar:
    """p * plus - r * minus, where plus = product + rate and minus = product - rate."""
    if isinstance(p, float) and isinstance(r, float):
        rounding = 1e-14 * (abs(p) + abs(r))  # two moments that differ by less are equal but for rounding
        if abs(p - r) <= rounding:
            return (p + r) * rate
        if abs(p + r) <= rounding:
            return (p - r) * product
    return p * plus - r * minus


@loop_torques
def gravity_torque(
    robot: Robot, q: Sequence[Scalar], *, grouping: Grouping = Grouping.REGROUPED, carried: bool = False
) -> list[Scalar]:
    """Gravity torque g(q), (n,)."""
    m = mechanism(robot, grouping)
    placed = placed_links(m, q, carried=carried)
    rest = [0.0] * m.n
    return joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, rest, rest), rest)


def velocity_torque(
    robot: Robot,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    *,
    grouping: Grouping = Grouping.BALANCED,
    carried: bool = False,
) -> list[Scalar]:
    """Velocity torque c(q, qd), (n,): Coriolis and centrifugal terms."""
    if robot.dependent:
        weightless, state = dataclasses.replace(robot, gravity=(0.0, 0.0, 0.0)), cast(Any, closed_state_of(robot, q))
        return inverse_dynamics(weightless, state, qd, [0.0] * robot.n, grouping=grouping, carried=carried)
    m = mechanism(robot, grouping)
    placed = placed_links(m, q, carried=carried)
    still = [0.0] * m.n
    return joint_torques(m, placed, motions(placed, m.coordinates, (0.0, 0.0, 0.0), qd, still), still)
