"""Angular velocity, acceleration field and origin acceleration of every link: the outward pass of Newton-Euler.

With w the angular velocity, wd its derivative and a the acceleration of the origin, all in the link's own axes:

(1)  acceleration of a point r of the link:  a + U r,   U = [wd x] + [w x][w x]
(2)  w  = R' w_p + qd z,     a = R' (a_p + U_p p)  (+ 2 w x (qd z) + qdd z for a prismatic joint)
(3)  points on a revolute joint's axis belong to both links:  U z = R' (U_p R z).  So the third column of U is
     turned, not computed, and
(4)  wd_y = U_13 - w_x w_z,   wd_x = w_y w_z - U_23,   U_31 = w_x w_z - wd_y,   U_32 = w_y w_z + wd_x,
(5)  wd_z = z . R' wd_p + qdd,   U_12 = w_x w_y - wd_z,   U_21 = w_x w_y + wd_z,
(6)  w_x^2 + w_y^2 = -U_33:   U_11 = U_33 + w_x^2 - w_z^2,   U_22 = -w_x^2 - w_z^2.

(7)  a joint with several coordinates, relative twist (v, s) in the link's axes, s angular, c = R' w_p:
       w = c + s,     wd = R' wd_p + c x s + sd,     a = R' (a_p + U_p p) + (c + w) x v + vd

(3)-(6) need three products and two sums fewer per link than turning wd (Khalil & Kleinfinger 1987 compute U from w
and wd).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.dynamics.mechanism import Coordinate, PlacedLink, check_lengths
from torquec.robot.robot import BASE
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, matvec, scale, transpose

ZERO: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class LinkMotion:
    """w, wd, U and a of (1), in the link's axes, and the products w_x w_y, w_x w_z, w_y w_z."""

    w: Vector3
    wd: Vector3
    u: Matrix3
    a: Vector3
    products: Vector3 = ZERO


def base_motion(gravity: Vector3) -> LinkMotion:
    """A base at rest that accelerates against gravity instead of being pulled by it."""
    return LinkMotion(ZERO, ZERO, (ZERO, ZERO, ZERO), scale(gravity, -1.0))


def motions(
    placed: Sequence[PlacedLink],
    coordinates: Sequence[Coordinate],
    gravity: Vector3,
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
) -> list[LinkMotion]:
    """The motion of every link, parents first. Raises `ArgumentError` unless qd and qdd have nv numbers."""
    check_lengths((link.kind for link in placed), coordinates, None, qd, qdd)
    found: list[LinkMotion] = []
    base = base_motion(gravity)
    for link, coordinate in zip(placed, coordinates, strict=True):
        parent = base if link.parent == BASE else found[link.parent]
        if link.kind.nv > 1:
            k = coordinate.index
            rates = (*ZERO, *qd[k + 3 : k + 6]) if coordinate.held else qd[k : k + link.kind.nv]
            found.append(_several(parent, link, rates, qdd[k : k + link.kind.nv]))
            continue
        step = _turning if link.column.turns else _sliding
        found.append(step(parent, link, coordinate.rate(qd), coordinate.rate(qdd)))
    return found


def angular_velocities(
    placed: Sequence[PlacedLink], coordinates: Sequence[Coordinate], qd: Sequence[Scalar]
) -> list[Vector3]:
    """w of every link (2), parents first."""
    found: list[Vector3] = []
    for link, coordinate in zip(placed, coordinates, strict=True):
        wx, wy, wz = link.turn.back(ZERO if link.parent == BASE else found[link.parent])
        if link.kind.nv > 1:
            found.append(add((wx, wy, wz), joint_twist(link, coordinate, qd)[1]))
            continue
        found.append((wx, wy, wz + coordinate.rate(qd)) if link.column.turns else (wx, wy, wz))
    return found


def joint_twist(link: PlacedLink, coordinate: Coordinate, rates: Sequence[Scalar]) -> tuple[Vector3, Vector3]:
    """Linear and angular velocity across a joint with several coordinates at rates (n,), in the link's axes."""
    return _combined(link, rates[coordinate.index : coordinate.index + link.kind.nv])


def _combined(link: PlacedLink, rates: Sequence[Scalar]) -> tuple[Vector3, Vector3]:
    parts: list[list[Scalar]] = [[0.0] * 3, [0.0] * 3]
    for column, rate in zip(link.columns, rates, strict=True):
        parts[column.turns][column.axis] = rate
    (a, b, c), (d, e, f) = parts
    return (a, b, c), (d, e, f)


def _several(
    parent: LinkMotion, link: PlacedLink, rates: Sequence[Scalar], accelerations: Sequence[Scalar]
) -> LinkMotion:
    """Motion of a link on a joint with several coordinates (7)."""
    turn = link.turn
    (v, s), (vd, sd) = _combined(link, rates), _combined(link, accelerations)
    carried = turn.back(parent.w)
    w = add(carried, s)
    wdx, wdy, wdz = add(add(turn.back(parent.wd), cross(carried, s)), sd)
    a = turn.back(add(parent.a, matvec(parent.u, link.origin)))
    a = add(add(a, cross(add(carried, w), v)), vd)
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    u: Matrix3 = ((-(yy + zz), xy - wdz, xz + wdy), (xy + wdz, -(xx + zz), yz - wdx), (xz - wdy, yz + wdx, -(xx + yy)))
    return LinkMotion(w, (wdx, wdy, wdz), u, a, (xy, xz, yz))


def _turning(parent: LinkMotion, link: PlacedLink, rate: Scalar, acceleration: Scalar) -> LinkMotion:
    """Motion of a link on a revolute joint (2)-(6)."""
    turn = link.turn
    axis = turn.axis
    wx, wy, wz = turn.back(parent.w)
    wz = wz + rate
    u13, u23, u33 = turn.back(matvec(parent.u, axis))
    xz, yz, xy = wx * wz, wy * wz, wx * wy
    wdy = u13 - xz
    wdx = yz - u23
    wdz = (axis[0] * parent.wd[0] + axis[1] * parent.wd[1] + axis[2] * parent.wd[2]) + acceleration
    xx, zz = wx * wx, wz * wz
    u: Matrix3 = ((u33 + (xx - zz), xy - wdz, u13), (xy + wdz, -(xx + zz), u23), (xz - wdy, yz + wdx, u33))
    a = turn.back(add(parent.a, matvec(parent.u, link.origin)))
    return LinkMotion((wx, wy, wz), (wdx, wdy, wdz), u, a, (xy, xz, yz))


def _sliding(parent: LinkMotion, link: PlacedLink, rate: Scalar, acceleration: Scalar) -> LinkMotion:
    """The link keeps the parent's w, wd and U; its origin slides along z."""
    turn = link.turn
    w, wd = turn.back(parent.w), turn.back(parent.wd)
    # R' U R: turn the columns, then the rows.
    columns = tuple(turn.back(column) for column in transpose(parent.u))
    u: Matrix3 = tuple(turn.back(row) for row in transpose(columns))  # type: ignore[arg-type, assignment]
    ax, ay, az = turn.back(add(parent.a, matvec(parent.u, link.origin)))
    slide = rate + rate
    return LinkMotion(
        w, wd, u, (ax + w[1] * slide, ay - w[0] * slide, az + acceleration), (w[0] * w[1], w[0] * w[2], w[1] * w[2])
    )
