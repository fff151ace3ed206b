"""Joint-space mass matrix M(q) by the composite-rigid-body algorithm.

With (m, h, E) the mass, first and second moments of link i and everything it carries, about the origin of link i
(:mod:`torquec.dynamics.composite`), and J = tr(E) 1 - E:

(1)  a unit acceleration of joint i alone needs, at link i,
       rotation    f = z x h,      n = J z = (-Exz, -Eyz, Exx + Eyy)
       translation f = m z,        n = h x z
(2)  carried to an ancestor:  f -> R f,   n -> R n + p x R f
(3)  M_ij = z_j . n (rotation) or z_j . f (translation) at ancestor j; zero between different branches

Walker & Orin (1982).
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.closed_loops import loop_inertias
from torquec.dynamics.composite import composite_moments
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, PlacedLink, mechanism
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, Vector3, add, cross


@loop_inertias
def mass_matrix(robot: Robot, q: Sequence[Scalar], *, carried: bool = False) -> list[list[Scalar]]:
    """Mass matrix M(q), (n, n), both triangles; with reflected motor inertia.

    `carried` gives the same matrix by other operations: links in the axes of :mod:`torquec.dynamics.carried_links`.
    """
    m = mechanism(robot)
    return joint_inertias(m, placed_links(m, q, carried=carried))


def joint_inertias(m: Mechanism, placed: Sequence[PlacedLink]) -> list[list[Scalar]]:
    """(1)-(3) for placed links; mimic joints are added to their coordinates, times their multipliers."""
    composite = composite_moments(placed)
    total: list[list[Scalar]] = [list(row) for row in m.reflected_inertia]
    for i, link in enumerate(placed):
        for k, own in enumerate(link.columns):
            f, n = unit_acceleration_wrench(composite[i], own)
            at, j, first = link, i, k
            while True:
                for other in range(first, len(at.columns)):
                    _collect(m, total, (i, k), (j, other), at.columns[other].effort(f, n))
                if at.parent == BASE:
                    break
                f, n = at.turn.out(f), at.turn.out(n)
                n = add(n, cross(at.origin, f))
                at, j, first = placed[at.parent], at.parent, 0
    return [[total[min(r, c)][max(r, c)] for c in range(m.n)] for r in range(m.n)]


def unit_acceleration_wrench(e: MassMoments, column: UnitTwist) -> tuple[Vector3, Vector3]:
    """(1), z being the axis of the column."""
    i, j, k = (column.axis + 1) % 3, (column.axis + 2) % 3, column.axis
    f: list[Scalar] = [0.0, 0.0, 0.0]
    n: list[Scalar] = [0.0, 0.0, 0.0]
    h = e.first
    if column.turns:
        moments = e.second
        f[i], f[j] = -h[j], h[i]
        n[i], n[j], n[k] = -moments[i][k], -moments[j][k], moments[i][i] + moments[j][j]
    else:
        f[k], n[i], n[j] = e.m, h[j], -h[i]
    return (f[0], f[1], f[2]), (n[0], n[1], n[2])


def _collect(
    m: Mechanism, total: list[list[Scalar]], one: tuple[int, int], other: tuple[int, int], value: Scalar
) -> None:
    """Add an entry of M between two columns, each (link, column), to the upper triangle of the joint-space matrix."""
    a, b = m.coordinates[one[0]], m.coordinates[other[0]]
    value = (a.multiplier * b.multiplier) * value
    row, column = sorted((a.index + one[1], b.index + other[1]))
    if row == column and one != other:
        value = value + value  # both (i, j) and (j, i) fall on the diagonal
    total[row][column] = total[row][column] + value
