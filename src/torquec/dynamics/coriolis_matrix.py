"""Coriolis matrix in Christoffel form: C qd is the velocity torque and dM/dt - 2 C is skew.

With J_j(x) = dx/dq_j the velocity of a particle per unit speed of joint j,

(1)  C_ij = sum over particles of m J_i . dJ_j/dt                   (Christoffel symbols of the first kind, contracted)
(2)  rotation j:  dJ_j/dt = zd x (x - o) + z x (v - vo),   zd = w x z = (w_y, -w_x, 0)   in the axes of link j
(3)  so the wrench of joint j at its composite body is, for ancestors i, with P = int (v - vo) dm and
     D = int r (v - vo)' dm over that body, r from the origin o of link j,
       rotation    f = zd x h + z x P,       n = J zd + z tr D - D' z
       translation f = m zd,                 n = h x zd
     carried inward like any wrench; C_ij is its component along joint i
(4)  for descendants, the row of joint i:  eta (the force row) and rho (the moment row) of the mass matrix, and
       rotation    g = (-D_xz, -D_yz, D_xx + D_yy),     translation  g = P x z
     carried inward as rho -> R rho + p x R eta,  g -> R g + u x R eta (u of `origin_velocities`); then at link j
       rotation    C_ij = rho . zd + g . z,             translation  C_ij = eta . zd

z is the axis of a one-coordinate joint; for a joint with several coordinates, every column of its motion subspace has
its own z. Rates are then not derivatives of positions, but (1) still defines C: C v is the velocity torque, and
dM/dt - 2 C is skew. For one-coordinate joints also d(velocity torque)/dqd = 2 C, by symmetry in the last two indices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.closed_loops import closed_state_of, project_columns, times_rates
from torquec.dynamics.composite import composite_moments
from torquec.dynamics.mass_matrix import mass_matrix, unit_acceleration_wrench
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Coordinate, Mechanism, PlacedLink, mechanism
from torquec.dynamics.motion import angular_velocities, joint_twist
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, scale


def coriolis_matrix(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], *, carried: bool = False
) -> list[list[Scalar]]:
    """Coriolis matrix C(q, qd), (n, n): C qd is the velocity torque, and dM/dt - 2 C is skew."""
    if robot.dependent:
        state = closed_state_of(robot, q)
        v = state.rate(qd)
        own = times_rates(coriolis_matrix(robot.tree, state.q, v, carried=carried), state.rates)
        more = times_rates(mass_matrix(robot.tree, state.q), state.rates_derivative(v))
        return project_columns(
            state, [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(own, more, strict=True)]
        )
    m = mechanism(robot)
    placed = placed_links(m, q, carried=carried)
    w = angular_velocities(placed, m.coordinates, qd)
    u = origin_velocities(placed, m.coordinates, w, qd)
    composite = composite_moments(placed)
    velocity = velocity_moments(placed, composite, w, u)
    total = zero_matrix(m.n)
    for i, link in enumerate(placed):
        for k, column in enumerate(link.columns):
            wrench = coriolis_wrench(column, composite[i], velocity[i], w[i])
            inward_wrench(m, placed, total, (i, k), wrench)
            row = joint_row(column, composite[i], velocity[i])
            inward_row(m, placed, (i, k), row, u, (total, coriolis_entry(w)))
    return total


@dataclass(frozen=True)
class JointRow:
    """The row of a joint in (4): its torque as a linear function of acceleration fields over its composite body."""

    eta: Vector3
    rho: Vector3
    g: Vector3


Entry = Callable[[JointRow, int, UnitTwist], Scalar]
"""Matrix entry at a column of link j, from the row of a joint carried to that link."""

LinkColumn = tuple[int, int]
"""A column of a joint's motion subspace: which link, and which of its columns."""


def axis_rate(w: Vector3, axis: int = 2) -> Vector3:
    """zd of (2), z being a coordinate axis of the link."""
    return placed_about(axis, w[(axis + 2) % 3], -w[(axis + 1) % 3], 0.0)


def placed_about(axis: int, first: Scalar, second: Scalar, along: Scalar) -> Vector3:
    """A vector from its components along the two axes that follow `axis` and along `axis` itself."""
    parts: list[Scalar] = [along, along, along]
    parts[(axis + 1) % 3], parts[(axis + 2) % 3] = first, second
    return (parts[0], parts[1], parts[2])


def tensor_times(e: MassMoments, v: Vector3) -> Vector3:
    """J v for a vector across z or along it, with J = tr(E) 1 - E."""
    return (
        (e.yy + e.zz) * v[0] - e.xy * v[1] - e.xz * v[2],
        (e.xx + e.zz) * v[1] - e.xy * v[0] - e.yz * v[2],
        (e.xx + e.yy) * v[2] - e.xz * v[0] - e.yz * v[1],
    )


def coriolis_wrench(
    column: UnitTwist, e: MassMoments, velocity: VelocityMoments, w: Vector3
) -> tuple[Vector3, Vector3]:
    """f and n of (3), z being the axis of the column."""
    i, j, k = (column.axis + 1) % 3, (column.axis + 2) % 3, column.axis
    zd = axis_rate(w, k)
    if not column.turns:
        return scale(zd, e.m), cross(e.first, zd)
    p, d = velocity.linear, velocity.moment
    force = add(cross(zd, e.first), placed_about(k, -p[j], p[i], 0.0))
    spin = placed_about(k, -d[k][i], -d[k][j], d[i][i] + d[j][j])
    return force, add(tensor_times(e, zd), spin)


def joint_row(column: UnitTwist, e: MassMoments, velocity: VelocityMoments) -> JointRow:
    """The row of a column at its own link (4)."""
    i, j, k = (column.axis + 1) % 3, (column.axis + 2) % 3, column.axis
    eta, rho = unit_acceleration_wrench(e, column)
    p, d = velocity.linear, velocity.moment
    if column.turns:
        return JointRow(eta, rho, placed_about(k, -d[i][k], -d[j][k], d[i][i] + d[j][j]))
    return JointRow(eta, rho, placed_about(k, p[j], -p[i], 0.0))


def coriolis_entry(w: Sequence[Vector3]) -> Entry:
    """C_ij of (4) from the row of joint i carried to a column of link j."""

    def entry(row: JointRow, j: int, column: UnitTwist) -> Scalar:
        first, second = (column.axis + 1) % 3, (column.axis + 2) % 3
        zd = axis_rate(w[j], column.axis)
        if not column.turns:
            return row.eta[first] * zd[first] + row.eta[second] * zd[second]
        return (row.rho[first] * zd[first] + row.rho[second] * zd[second]) + row.g[column.axis]

    return entry


# --- carrying inward ------------------------------------------------------------------------------------------------


def zero_matrix(n: int) -> list[list[Scalar]]:
    """An n x n matrix of zeros to collect into."""
    return [[0.0] * n for _ in range(n)]


def collect(m: Mechanism, total: list[list[Scalar]], i: LinkColumn, j: LinkColumn, value: Scalar) -> None:
    """Add an entry between i (row) and j (column) to the joint-space matrix."""
    row, column = m.coordinates[i[0]], m.coordinates[j[0]]
    at, beside = row.index + i[1], column.index + j[1]
    total[at][beside] = total[at][beside] + (row.multiplier * column.multiplier) * value


def inward_wrench(
    m: Mechanism,
    placed: Sequence[PlacedLink],
    total: list[list[Scalar]],
    j: LinkColumn,
    wrench: tuple[Vector3, Vector3],
    *,
    own: tuple[Vector3, Vector3] | None = None,
) -> None:
    """Carry a wrench of column j to the base and collect its component along every joint on the way.

    The joint of column j itself uses the wrench `own` where that is given.
    """
    f, n = wrench
    i = j[0]
    while True:
        link = placed[i]
        for k, column in enumerate(link.columns):
            collect(m, total, (i, k), j, column.effort(*(own if own is not None and i == j[0] else (f, n))))
        if link.parent == BASE:
            return
        f, n = link.turn.out(f), link.turn.out(n)
        n = add(n, cross(link.origin, f))
        i = link.parent


def inward_row(
    m: Mechanism,
    placed: Sequence[PlacedLink],
    i: LinkColumn,
    row: JointRow,
    u: Sequence[Vector3],
    *entries: tuple[list[list[Scalar]], Entry],
) -> None:
    """Carry the row of column i to the base and collect entries at every ancestor, each into its own matrix."""
    j = i[0]
    while placed[j].parent != BASE:
        link = placed[j]
        eta = link.turn.out(row.eta)
        rho = add(link.turn.out(row.rho), cross(link.origin, eta))
        g = add(link.turn.out(row.g), cross(u[j], eta))
        row, j = JointRow(eta, rho, g), link.parent
        for total, entry in entries:
            for k, column in enumerate(placed[j].columns):
                collect(m, total, i, (j, k), entry(row, j, column))


@dataclass(frozen=True)
class VelocityMoments:
    """P and D of (3), in the axes of the link."""

    linear: Vector3
    moment: Matrix3


def origin_velocities(
    placed: Sequence[PlacedLink], coordinates: Sequence[Coordinate], w: Sequence[Vector3], qd: Sequence[Scalar]
) -> list[Vector3]:
    """u of (4) for every link, in the parent's axes: its origin's velocity relative to the parent's origin."""
    found: list[Vector3] = []
    for link, coordinate in zip(placed, coordinates, strict=True):
        u = (0.0, 0.0, 0.0) if link.parent == BASE else cross(w[link.parent], link.origin)
        if link.kind.nv > 1:
            u = add(u, link.turn.out(joint_twist(link, coordinate, qd)[0]))
        elif not link.column.turns:
            u = add(u, scale(link.turn.axis, coordinate.rate(qd)))
        found.append(u)
    return found


def velocity_moments(
    placed: Sequence[PlacedLink], composite: Sequence[MassMoments], w: Sequence[Vector3], u: Sequence[Vector3]
) -> list[VelocityMoments]:
    """P and D of (3) for every link, tips to base."""
    found = [_own(link.moments, spin) for link, spin in zip(placed, w, strict=True)]
    for i in reversed(range(len(placed))):
        link = placed[i]
        if link.parent == BASE:
            continue
        below, mass = found[i], composite[i]
        linear = add(link.turn.out(below.linear), scale(u[i], mass.m))
        h = link.turn.out(mass.first)
        moment = link.turn.matrix_out(below.moment)
        p, speed = link.origin, u[i]
        parent = found[link.parent]
        total = tuple(
            tuple(parent.moment[r][c] + (moment[r][c] + (p[r] * linear[c] + h[r] * speed[c])) for c in range(3))
            for r in range(3)
        )
        found[link.parent] = VelocityMoments(add(parent.linear, linear), total)  # type: ignore[arg-type]
    return found


def _own(e: MassMoments, w: Vector3) -> VelocityMoments:
    """P and D of a link's own mass, without its children."""
    moment = tuple(cross(w, row) for row in e.second)
    return VelocityMoments(cross(w, e.first), moment)  # type: ignore[arg-type]
