"""Analytic derivatives of inverse dynamics: dtau/dq and dtau/dqd (dtau/dqdd is the mass matrix).

(1)  dtau/dqd = 2 C, the Christoffel Coriolis matrix.
(2)  For a particle x(q(t)), d(xdd)/dq_j = d^2/dt^2 of dx/dq_j. For a revolute joint j, with zdd = U z (third column
     of U),
       d(xdd)/dq_j = zdd x (x - o) + 2 zd x (v - vo) + z x (xdd - odd)
(3)  so the wrench of column j at its composite body is, for ancestors i (f_j, n_j: the wrench of inverse dynamics at j;
     a: acceleration of the origin, gravity included)
       rotation    f = zdd x h + 2 zd x P + z x (f_j - m a),    n = z x n_j + h x (a x z) + J zdd + 2 (zd tr D - D' zd)
       translation f = m zdd,                                   n = z x f_j + h x zdd
(4)  and for descendants i, with the carried row (eta, rho, g) of joint i (see `coriolis_matrix`), at link j
       rotation    dtau_i/dq_j = rho . zdd + 2 g . zd - eta . (z x a),      translation  eta . zdd

Everything is in link axes, O(n^2), and shares the composites with the mass matrix.

Rates of joints with several coordinates are not derivatives of positions; derivatives by q are those in the tangent
space, d/dv tau(integrate(q, v)) at v = 0. A column of such a joint displaces all distal bodies by a motion that is
constant in the axes of the *parent*, while the column itself is expressed in those of the link. With c, A, b the
angular velocity, U and origin acceleration of the parent's material at the link's origin, in link axes, and s the
linear part of the joint's twist:

(5)  dtau/dq:    (3), (4) with w = c, U = A, a = b, and velocities relative to the parent:  P + m s,  D + h s',
                 g + s x eta.  Torques of the joint itself are in the moved axes:  f - z x f_j and n - z x n_j
                 (translation: f, n - z x f_j)
(6)  dtau/dqd:   twice (3), (4) of `coriolis_matrix` with w = (c + w)/2 and half of s, the mean of both axes

A floating base has c = A = 0: its columns are the effect of rotating gravity.

Closed loops: the projected torques are a function F(q, qd, qdd) of the position q of the tree and of independent rates.
q moves along T with the independent joints, so that no Newton step is differentiated. From the program of F:

(7)  dtau/dq_i = (dF/dq) N(q) T,     dtau/dqd = dF/dqd,      N the rate map of the joints of the tree
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.closed_loops import closed_state_of, times_rates
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
    placed_about,
    tensor_times,
    velocity_moments,
    zero_matrix,
)
from torquec.dynamics.inverse_dynamics import body_wrench, inverse_dynamics
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, PlacedLink, mechanism
from torquec.dynamics.motion import LinkMotion, base_motion, joint_twist, motions
from torquec.expr.differentiate import jacobian_nodes
from torquec.expr.replay import replay
from torquec.expr.trace import trace
from torquec.robot.configuration import rate_map
from torquec.robot.joints import UnitTwist
from torquec.robot.loops.closure import ClosedState
from torquec.robot.robot import BASE, Robot
from torquec.spatial import IDENTITY_ROTATION, Matrix3, Scalar, Vector3, add, cross, matvec, scale, subtract, transpose


@dataclass(frozen=True)
class TorqueDerivatives:
    """dtau/dq and dtau/dqd, (n, n) each, row = torque."""

    dtau_dq: list[list[Scalar]]
    dtau_dqd: list[list[Scalar]]


def inverse_dynamics_derivatives(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], *, carried: bool = False
) -> TorqueDerivatives:
    """The derivatives of `inverse_dynamics` at (q, qd, qdd), each (n,); q is (nq,)."""
    if robot.dependent:
        return TorqueDerivatives(*loop_torque_derivatives(robot, q, qd, qdd))
    m = mechanism(robot)
    return torque_derivatives(m, placed_links(m, q, carried=carried), qd, qdd)


def torque_derivatives(
    m: Mechanism, placed: Sequence[PlacedLink], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> TorqueDerivatives:
    """The derivatives (1)-(6) at a placement."""
    motion = motions(placed, m.coordinates, m.gravity, qd, qdd)
    w = [moving.w for moving in motion]
    u = origin_velocities(placed, m.coordinates, w, qd)
    composite = composite_moments(placed)
    velocity = velocity_moments(placed, composite, w, u)
    wrenches = carried_wrenches(placed, motion)
    fields = [_field(m, placed, motion, i, qd) for i in range(len(placed))]
    by_q, half_by_qd = zero_matrix(m.n), zero_matrix(m.n)
    position, speed = position_entry(fields), _speed_entry(fields)
    for i, link in enumerate(placed):
        field, e = fields[i], composite[i]
        for k, column in enumerate(link.columns):
            at = (i, k)
            asked = position_wrench(column, e, _seen(velocity[i], e, field.slip), field.moving, wrenches[i])
            inward_wrench(m, placed, by_q, at, asked, own=_in_moved_axes(link, column, asked, wrenches[i]))
            turned = coriolis_wrench(column, e, _seen(velocity[i], e, field.half_slip), field.mean_w)
            inward_wrench(m, placed, half_by_qd, at, turned)
            inward_row(m, placed, at, joint_row(column, e, velocity[i]), u, (by_q, position), (half_by_qd, speed))
    return TorqueDerivatives(by_q, [[2.0 * entry for entry in line] for line in half_by_qd])


@dataclass(frozen=True)
class _Field:
    """Motion (5), (6) whose axes hold a joint's displacement columns constant; one coordinate: the link's own."""

    moving: LinkMotion
    mean_w: Vector3
    slip: Vector3 | None = None
    half_slip: Vector3 | None = None


def _field(
    m: Mechanism, placed: Sequence[PlacedLink], motion: Sequence[LinkMotion], i: int, qd: Sequence[Scalar]
) -> _Field:
    link, own = placed[i], motion[i]
    if link.kind.nv == 1:
        return _Field(own, own.w)
    parent = base_motion(m.gravity) if link.parent == BASE else motion[link.parent]
    turn, slip = link.turn, joint_twist(link, m.coordinates[i], qd)[0]
    columns = tuple(turn.back(column) for column in transpose(parent.u))
    u: Matrix3 = tuple(turn.back(row) for row in transpose(columns))  # type: ignore[arg-type, assignment]
    a = turn.back(add(parent.a, matvec(parent.u, link.origin)))
    carried = turn.back(parent.w)
    mean = scale(add(carried, own.w), 0.5)
    return _Field(LinkMotion(carried, turn.back(parent.wd), u, a), mean, slip, scale(slip, 0.5))


def _seen(velocity: VelocityMoments, e: MassMoments, slip: Vector3 | None) -> VelocityMoments:
    """Moments of velocities to which `slip` is added: P + m s, D + h s'."""
    if slip is None:
        return velocity
    d = tuple(
        tuple(value + own * by for value, by in zip(row, slip, strict=True))
        for row, own in zip(velocity.moment, e.first, strict=True)
    )
    return VelocityMoments(add(velocity.linear, scale(slip, e.m)), d)  # type: ignore[arg-type]


def _in_moved_axes(
    link: PlacedLink, column: UnitTwist, asked: tuple[Vector3, Vector3], wrench: tuple[Vector3, Vector3]
) -> tuple[Vector3, Vector3]:
    """The wrench of (5) on the joint's own columns."""
    if link.kind.nv == 1:
        return asked
    (f, n), z = asked, IDENTITY_ROTATION[column.axis]
    if not column.turns:
        return f, subtract(n, cross(z, wrench[0]))
    return subtract(f, cross(z, wrench[0])), subtract(n, cross(z, wrench[1]))


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
    column: UnitTwist, e: MassMoments, velocity: VelocityMoments, moving: LinkMotion, wrench: tuple[Vector3, Vector3]
) -> tuple[Vector3, Vector3]:
    """f and n of (3), z being the axis of the column."""
    i, j, k = (column.axis + 1) % 3, (column.axis + 2) % 3, column.axis
    f, n = wrench
    zdd = axis_acceleration(moving.u, k)
    if not column.turns:
        return scale(zdd, e.m), add(placed_about(k, -f[j], f[i], 0.0), cross(e.first, zdd))
    zd, a, h = axis_rate(moving.w, k), moving.a, e.first
    twice = add(zd, zd)
    d, p = velocity.moment, velocity.linear
    moved = add(cross(zdd, h), cross(twice, p))
    force = add(moved, placed_about(k, -(f[j] - e.m * a[j]), f[i] - e.m * a[i], 0.0))
    spin = placed_about(
        k,
        twice[i] * (d[j][j] + d[k][k]) - twice[j] * d[j][i],
        twice[j] * (d[i][i] + d[k][k]) - twice[i] * d[i][j],
        -(twice[i] * d[i][k] + twice[j] * d[j][k]),
    )
    lever = cross(h, placed_about(k, a[j], -a[i], 0.0))
    return force, add(add(placed_about(k, -n[j], n[i], 0.0), lever), add(tensor_times(e, zdd), spin))


def axis_acceleration(u: Matrix3, axis: int = 2) -> Vector3:
    """zdd = U z of (2), z being a coordinate axis of the link."""
    return (u[0][axis], u[1][axis], u[2][axis])


def position_entry(fields: Sequence[_Field]) -> Entry:
    """(4) from the row of joint i carried to link j."""

    def entry(row: JointRow, j: int, column: UnitTwist) -> Scalar:
        first, second, axis = (column.axis + 1) % 3, (column.axis + 2) % 3, column.axis
        moving, slip = fields[j].moving, fields[j].slip
        zdd = axis_acceleration(moving.u, axis)
        if not column.turns:
            return row.eta[0] * zdd[0] + row.eta[1] * zdd[1] + row.eta[2] * zdd[2]
        zd, a = axis_rate(moving.w, axis), moving.a
        g = row.g if slip is None else add(row.g, cross(slip, row.eta))
        turning = row.rho[0] * zdd[0] + row.rho[1] * zdd[1] + row.rho[2] * zdd[2]
        speeds = g[first] * zd[first] + g[second] * zd[second]
        return (turning + (speeds + speeds)) + (row.eta[first] * a[second] - row.eta[second] * a[first])

    return entry


def _speed_entry(fields: Sequence[_Field]) -> Entry:
    """Half of dtau_i/dqd_j (6) from the row of joint i carried to link j."""
    entry = coriolis_entry([field.mean_w for field in fields])

    def seen(row: JointRow, j: int, column: UnitTwist) -> Scalar:
        slip = fields[j].half_slip
        return entry(row if slip is None else replace(row, g=add(row.g, cross(slip, row.eta))), j, column)

    return seen


def loop_torque_derivatives(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """dtau/dq and dtau/dqd (7), (n, n) each, over any scalar."""
    nq = robot.tree.nq

    def program(**nodes: Any) -> dict[str, Any]:
        at = nodes["q"]
        state: Any = ClosedState(robot, list(at))
        torques = inverse_dynamics(robot, state, nodes["qd"], nodes["qdd"])
        rows = jacobian_nodes([0.0 * at[0] + torque for torque in torques], [*at, *nodes["qd"]])
        maps = rate_map(robot.tree, at)
        by_q = [[_row_sum(row[:nq], column) for column in maps] for row in rows]
        return {"by_q": times_rates(by_q, state.rates), "by_qd": [row[nq:] for row in rows]}

    function = trace("derivatives", program, {"q": (nq,), "qd": (robot.n,), "qdd": (robot.n,)})
    found = replay(function, {"q": closed_state_of(robot, q).q, "qd": qd, "qdd": qdd})
    return found["by_q"], found["by_qd"]


def _row_sum(row: Sequence[Scalar], column: Mapping[int, Scalar]) -> Scalar:
    total: Scalar = 0.0
    for k, value in column.items():
        total = total + row[k] * value
    return total
