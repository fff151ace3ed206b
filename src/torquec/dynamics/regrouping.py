"""Regrouping of mass moments onto the joints that feel them (Khalil & Gautier), before anything is traced.

Mass points on the axis of a revolute joint move alike whether they belong to the body or to its parent, so they may be given to the parent:

(1)  revolute:   m, hz and Ezz of the body go to the parent (three parameters of every body vanish)
(2)  prismatic:  the body does not turn on its parent, so all of E goes there (six parameters vanish)
     or, for an axially symmetric body (Exx = Eyy, no products), so much of Ezz stays that Exx + Ezz = 0: such a body
     feels no angular acceleration across its axis
(3)  balancing:  a mass mu given back to a child's origin p changes the parent by -mu (1, p, p p'); with mu chosen so that one
     component of the parent's h vanishes, the five products of that component are bought for three; only where the acceleration
     of the child's origin is needed anyway

Torques are the same for every motion; the mass moments are no longer those of physical bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torquec.dynamics.mass_moments import MassMoments
from torquec.robot.canonical import CanonicalLink, exact_cos_sin
from torquec.robot.robot import BASE
from torquec.spatial import Scalar, Vector3, add, matmul, matvec, rotation_z


def regroup(
    links: Sequence[CanonicalLink], moments: Sequence[MassMoments], *, balance: bool = False
) -> tuple[MassMoments, ...]:
    """Mass moments after (1) and (2), with `balance` also (3), from the tips to the base; all in canonical frames."""
    result = list(moments)
    for i in reversed(range(len(links))):
        link, own = links[i], result[i]
        for child in _children(links, i) if balance else ():
            own, result[child] = _balance(own, links[child], result, links, child)
        if link.prismatic:
            given = MassMoments(own.xx, own.xy, own.xz, own.yy, own.yz, own.zz)
            turn = matmul(link.pre.rotation, rotation_z(*exact_cos_sin(link.theta)))
            at_parent = given.turned(turn)
            result[i] = MassMoments(x=own.x, y=own.y, z=own.z, m=own.m)
        else:
            kept = -own.xx if _is_symmetric(own) else 0.0
            given = MassMoments(zz=own.zz - kept, z=own.z, m=own.m)
            at_parent = given.turned(link.pre.rotation).shifted(_origin(link))
            result[i] = replace(own, zz=kept, z=0.0, m=0.0)
        if link.parent != BASE:
            result[link.parent] = result[link.parent] + at_parent
    return tuple(result)


def _children(links: Sequence[CanonicalLink], i: int) -> list[int]:
    return [k for k, link in enumerate(links) if link.parent == i]


def _origin(link: CanonicalLink) -> Vector3:
    """Origin of a revolute body in its parent's frame."""
    return add(link.pre.origin, matvec(link.pre.rotation, (0.0, 0.0, link.d)))


def _is_symmetric(e: MassMoments) -> bool:
    """True for a body whose second moments are the same in every direction across z."""
    if not all(isinstance(value, float) for value in e.values):
        return False
    return e.xy == e.xz == e.yz == 0.0 and abs(e.xx - e.yy) <= 1e-12 * abs(e.xx)


def _is_zero(value: Scalar) -> bool:
    return isinstance(value, float) and value == 0.0


def _products(e: MassMoments) -> int:
    """Products that a body's wrench costs, by which moments are there."""
    weights = (2, 3, 3, 2, 3, 0, 5, 5, 0, 3)
    return sum(weight for weight, value in zip(weights, e.values, strict=True) if not _is_zero(value))


def _carries_weight(links: Sequence[CanonicalLink], moments: Sequence[MassMoments], i: int) -> bool:
    """Whether the acceleration of link i's origin matters to it or to a link that it carries."""
    own = moments[i]
    if not all(_is_zero(value) for value in (own.x, own.y, own.z, own.m)):
        return True
    return any(_carries_weight(links, moments, child) for child in _children(links, i))


def _balance(
    own: MassMoments,
    child: CanonicalLink,
    moments: Sequence[MassMoments],
    links: Sequence[CanonicalLink],
    index: int,
) -> tuple[MassMoments, MassMoments]:
    """Give mass to the child's origin so that a component of the own first moment vanishes (3), where that saves."""
    carried = moments[index]
    if child.prismatic or not _is_zero(carried.m) or not _carries_weight(links, moments, index):
        return own, carried
    p = _origin(child)
    best = (_products(own), own, carried)
    for k, name in enumerate("xy"):
        if abs(p[k]) < 1e-3 * max(map(abs, p)) or p[k] == 0.0:
            continue
        mu = own.first[k] / p[k]
        left = replace(own + MassMoments(m=-mu).shifted(p), **{name: 0.0})
        cost = _products(replace(left, m=0.0)) + 3
        if cost < best[0]:
            best = (cost, left, replace(carried, m=mu))
    return best[1], best[2]
