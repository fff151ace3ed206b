"""Analytic derivatives of inverse dynamics: dtau/dq and dtau/dqd (dtau/dqdd is the mass matrix).

(1)  dtau/dqd = 2 C, the Christoffel Coriolis matrix.
(2)  For a particle x(q(t)), d(xdd)/dq_j = d^2/dt^2 of dx/dq_j. For a turning joint j, with zdd = U z (third column
     of U),
       d(xdd)/dq_j = zdd x (x - o) + 2 zd x (v - vo) + z x (xdd - odd)
(3)  so column j asks of its composite body, for ancestors i (f_j, n_j: the wrench of inverse dynamics at j; a:
     acceleration of the origin, gravity included)
       rotation    f = zdd x h + 2 zd x P + z x (f_j - m a),    n = z x n_j + h x (a x z) + J zdd + 2 (zd tr D - D' zd)
       translation f = m zdd,                                   n = z x f_j + h x zdd
(4)  and for descendants i, with the carried row (eta, rho, g) of joint i (see `coriolis_matrix`), at link j
       rotation    dtau_i/dq_j = rho . zdd + 2 g . zd - eta . (z x a),      translation  eta . zdd

Everything is in link axes, O(n^2), and shares the composites with the mass matrix.

Joints with several coordinates have rates that are no derivatives of positions. Their derivatives are those in the
tangent space, d/dv tau(integrate(q, v)) at v = 0, by differentiating the program (:mod:`torquec.expr.differentiate`):

(5)  dtau/dq = (dtau/dpositions) N(q),   N the rate map of the joints
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.composite import composite_moments
from torquec.dynamics.coriolis_matrix import (
    Entry,
    JointRow,
    VelocityMoments,
    axis_rate,
    coriolis_entry,
    coriolis_wrench,
    inward_row,
    inward_wrench,
    joint_row,
    origin_velocities,
    tensor_times,
    velocity_moments,
    zero_matrix,
)
from torquec.dynamics.inverse_dynamics import body_wrench, inverse_dynamics
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, PlacedLink, mechanism
from torquec.dynamics.motion import LinkMotion, motions
from torquec.expr.differentiate import jacobian_nodes
from torquec.expr.replay import replay
from torquec.expr.trace import trace
from torquec.robot.configuration import rate_map
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, scale


@dataclass(frozen=True)
class TorqueDerivatives:
    """dtau/dq and dtau/dqd, (n, n) each, row = torque."""

    dtau_dq: list[list[Scalar]]
    dtau_dqd: list[list[Scalar]]


def inverse_dynamics_derivatives(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], *, carried: bool = False
) -> TorqueDerivatives:
    """The derivatives of `inverse_dynamics` at (q, qd, qdd), each (n,); q is (nq,)."""
    if any(joint.kind.nv > 1 for joint in robot.joints):
        by_q, by_qd = tangent_derivatives(robot, lambda *given: inverse_dynamics(robot, *given), (q, qd, qdd))
        return TorqueDerivatives(by_q, by_qd)
    m = mechanism(robot)
    return torque_derivatives(m, placed_links(m, q, carried=carried), qd, qdd)


def tangent_derivatives(
    robot: Robot, algorithm: Callable[..., list[Scalar]], inputs: Sequence[Sequence[Scalar]]
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """(5) and the derivative by qd of an algorithm of q (nq,), qd (n,) and a third input (n,), over any scalar."""
    names, sizes = ("q", "qd", "third"), (robot.nq, robot.n, robot.n)

    def program(**nodes: Any) -> dict[str, Any]:
        outputs = algorithm(*(nodes[name] for name in names))
        rows = jacobian_nodes([0.0 * nodes["q"][0] + each for each in outputs], [*nodes["q"], *nodes["qd"]])
        maps = rate_map(robot, nodes["q"])
        by_q = [[_row_sum(row[: robot.nq], column) for column in maps] for row in rows]
        return {"by_q": by_q, "by_qd": [row[robot.nq :] for row in rows]}

    function = trace("derivatives", program, {name: (size,) for name, size in zip(names, sizes, strict=True)})
    found = replay(function, dict(zip(names, inputs, strict=True)))
    return found["by_q"], found["by_qd"]


def _row_sum(row: Sequence[Scalar], column: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0.0
    for k, value in column.items():
        total = total + row[k] * value
    return total


def torque_derivatives(
    m: Mechanism, placed: Sequence[PlacedLink], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> TorqueDerivatives:
    """(1)-(4) at a placement."""
    motion = motions(placed, m.coordinates, m.gravity, qd, qdd)
    w = [moving.w for moving in motion]
    u = origin_velocities(placed, m.coordinates, w, qd)
    composite = composite_moments(placed)
    velocity = velocity_moments(placed, composite, w, u)
    wrenches = carried_wrenches(placed, motion)
    by_q, half_by_qd = zero_matrix(m.n), zero_matrix(m.n)
    position, speed = position_entry(motion), coriolis_entry(w)
    for i, link in enumerate(placed):
        at = (i, 0)
        asked = position_wrench(link, composite[i], velocity[i], motion[i], wrenches[i])
        inward_wrench(m, placed, by_q, at, asked)
        inward_wrench(m, placed, half_by_qd, at, coriolis_wrench(link.column, composite[i], velocity[i], w[i]))
        row = joint_row(link.column, composite[i], velocity[i])
        inward_row(m, placed, at, row, u, (by_q, position), (half_by_qd, speed))
    return TorqueDerivatives(by_q, [[2.0 * entry for entry in line] for line in half_by_qd])


def carried_wrenches(placed: Sequence[PlacedLink], motion: Sequence[LinkMotion]) -> list[tuple[Vector3, Vector3]]:
    """The wrench that each link needs for itself and all it carries, at its origin."""
    found = [body_wrench(link.moments, moving) for link, moving in zip(placed, motion, strict=True)]
    for i in reversed(range(len(placed))):
        link = placed[i]
        if link.parent != BASE:
            f, n = (link.turn.out(part) for part in found[i])
            below_f, below_n = found[link.parent]
            found[link.parent] = (add(below_f, f), add(below_n, add(n, cross(link.origin, f))))
    return found


def position_wrench(
    link: PlacedLink,
    e: MassMoments,
    velocity: VelocityMoments,
    moving: LinkMotion,
    wrench: tuple[Vector3, Vector3],
) -> tuple[Vector3, Vector3]:
    """f and n of (3)."""
    f, n = wrench
    zdd = axis_acceleration(moving.u)
    if not link.column.turns:
        return scale(zdd, e.m), add((-f[1], f[0], 0.0), cross(e.first, zdd))
    zd, a, h = axis_rate(moving.w), moving.a, e.first
    twice = add(zd, zd)
    d, p = velocity.moment, velocity.linear
    force = add(add(cross(zdd, h), cross(twice, p)), (-(f[1] - e.m * a[1]), f[0] - e.m * a[0], 0.0))
    spin = (
        twice[0] * (d[1][1] + d[2][2]) - twice[1] * d[1][0],
        twice[1] * (d[0][0] + d[2][2]) - twice[0] * d[0][1],
        -(twice[0] * d[0][2] + twice[1] * d[1][2]),
    )
    lever = cross(h, (a[1], -a[0], 0.0))
    return force, add(add((-n[1], n[0], 0.0), lever), add(tensor_times(e, zdd), spin))


def axis_acceleration(u: Matrix3) -> Vector3:
    """zdd = U z of (2)."""
    return (u[0][2], u[1][2], u[2][2])


def position_entry(motion: Sequence[LinkMotion]) -> Entry:
    """(4) from the row of joint i carried to link j."""

    def entry(row: JointRow, j: int, column: UnitTwist) -> Scalar:
        zdd = axis_acceleration(motion[j].u)
        if not column.turns:
            return row.eta[0] * zdd[0] + row.eta[1] * zdd[1] + row.eta[2] * zdd[2]
        zd, a = axis_rate(motion[j].w), motion[j].a
        turning = row.rho[0] * zdd[0] + row.rho[1] * zdd[1] + row.rho[2] * zdd[2]
        speeds = row.g[0] * zd[0] + row.g[1] * zd[1]
        return (turning + (speeds + speeds)) + (row.eta[0] * a[1] - row.eta[1] * a[0])

    return entry
