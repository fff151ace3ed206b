"""Renaud's formulation: inertia matrix and gravity torques from composite bodies, entry by entry (Lin 1994).

With m^, c^ and J^ mass, first moment and inertia of composite body i about the origin of frame i, in its axes, u_m the
axis of joint m and s the vector from the origin of frame m to that of frame i, all in axes of frame i:

(1)  a = u_m x s                                                                                               Lin (17)
(2)  h_mi                                                                                                      Lin (16)
       m and i turn           u_m . (J^_13, J^_23, J^_33) + a_y c^_x - a_x c^_y
       m slides, i turns      u_y c^_x - u_x c^_y
       m turns, i slides      m^ a_z - (u_y c^_x - u_x c^_y)
       m and i slide          m^ u_z
(3)  g_i, with g gravity seen from frame i                                                                     Lin (18)
       i turns                g_x c^_y - g_y c^_x
       i slides               -m^ g_z

The formulation shows which combinations of the bodies' parameters matter
(:mod:`torquec.parameters.minimal_combinations`). It gives the same matrix as :mod:`torquec.dynamics.mass_matrix`, by
another computation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.composite import composite_moments
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Mechanism, PlacedLink, mechanism, place
from torquec.robot.joints import UnitTwist
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Scalar, Vector3, add, cross


@dataclass(frozen=True)
class _Ancestor:
    """A joint on the path to a link, seen from the link: its axis u, and s from its origin to the link's."""

    link: int
    axis: Vector3
    reach: Vector3


def renaud_mass_matrix(robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """H(q), (n, n), by (2); reflected motor inertia included."""
    m = mechanism(robot)
    placed = place(m, q)
    composite = composite_moments(placed)
    total: list[list[Scalar]] = [list(row) for row in m.reflected_inertia]
    for i, ancestors in enumerate(_ancestors(placed)):
        for ancestor in ancestors:
            value = _entry(composite[i], ancestor, placed[ancestor.link].column, placed[i].column)
            _add(m, total, ancestor.link, i, value)
    return total


def renaud_gravity_torque(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """g(q), (n,), by (3)."""
    m = mechanism(robot)
    placed = place(m, q)
    total: list[Scalar] = [0.0] * m.n
    gravity: list[Vector3] = []
    for i, (link, body) in enumerate(zip(placed, composite_moments(placed), strict=True)):
        g = link.turn.back(m.gravity if link.parent == BASE else gravity[link.parent])
        gravity.append(g)
        own = g[0] * body.y - g[1] * body.x if link.column.turns else -(body.m * g[2])
        coordinate = m.coordinates[i]
        total[coordinate.index] = total[coordinate.index] + coordinate.multiplier * own
    return total


def _ancestors(placed: Sequence[PlacedLink]) -> list[list[_Ancestor]]:
    """For every link, the joints that carry it, seen from the link; its own joint is the last."""
    found: list[list[_Ancestor]] = []
    for i, link in enumerate(placed):
        before = [] if link.parent == BASE else found[link.parent]
        carried = [_Ancestor(a.link, link.turn.back(a.axis), link.turn.back(add(a.reach, link.origin))) for a in before]
        found.append([*carried, _Ancestor(i, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))])
    return found


def _entry(body: MassMoments, ancestor: _Ancestor, column: UnitTwist, own: UnitTwist) -> Scalar:
    """(2); the third column of J is (-Exz, -Eyz, Exx + Eyy)."""
    u = ancestor.axis
    if not column.turns:
        return u[1] * body.x - u[0] * body.y if own.turns else body.m * u[2]
    a = cross(u, ancestor.reach)  # (1)
    if not own.turns:
        return body.m * a[2] - (u[1] * body.x - u[0] * body.y)
    turned = u[2] * (body.xx + body.yy) - u[0] * body.xz - u[1] * body.yz
    return turned + (a[1] * body.x - a[0] * body.y)


def _add(m: Mechanism, total: list[list[Scalar]], ancestor: int, link: int, value: Scalar) -> None:
    """Add an entry between two links, on both sides of the diagonal, times the coordinates' multipliers."""
    a, b = m.coordinates[ancestor], m.coordinates[link]
    value = (a.multiplier * b.multiplier) * value
    total[a.index][b.index] = total[a.index][b.index] + value
    if ancestor != link:
        total[b.index][a.index] = total[b.index][a.index] + value
