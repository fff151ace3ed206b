"""Regrouping of mass moments onto the joints that feel them (Khalil & Gautier), before anything is traced.

Mass points on the axis of a revolute joint move alike whether they belong to the body or to its parent, so they may
be given to the parent:

(1)  rotation:   m, hz and Ezz of the body go to the parent (three parameters of every body vanish). An axially
     symmetric body (Exx = Eyy, no products) keeps so much of Ezz that Exx + Ezz = 0: it then feels no angular
     acceleration across its axis.
(2)  translation:  the body does not turn on its parent, so all of E goes there (six parameters vanish)
(3)  balancing:  a mass mu given back to a child's origin p changes the parent by -mu (1, p, p p'). With mu chosen so
     that one component of the parent's h vanishes, three products replace the five of that component. This is done
     only where the acceleration of the child's origin is needed anyway, and where p is not short: mu is h/p, and a
     mass 10^k times that of the robot costs the torques k digits.

Torques are the same for every motion; the mass moments are no longer those of physical bodies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from torquec.dynamics.mass_moments import MassMoments
from torquec.robot.canonical import CanonicalLink
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import BASE
from torquec.spatial import Scalar, Vector3, add, matmul, matvec, norm, rotation_z

_SHORT_ARM = 5e-4
"""Fraction of the longest offset below which a component of p is not used in (3): three digits are lost at most. The
given mass is limited likewise, relative to the robot's mass: the longest offset may itself be a rounded zero.
"""

_ROUNDING = 1e-14  # relative difference below which two moments are equal but for rounding


def regroup(
    links: Sequence[CanonicalLink], moments: Sequence[MassMoments], *, balance: bool = False
) -> tuple[MassMoments, ...]:
    """Mass moments after (1) and (2), with `balance` also (3), from the tips to the base; all in canonical frames."""
    return regroup_with_base(links, moments, balance=balance)[0]


def regroup_with_base(
    links: Sequence[CanonicalLink], moments: Sequence[MassMoments], *, balance: bool = False
) -> tuple[tuple[MassMoments, ...], MassMoments]:
    """`regroup`, and the moments given to the base, in its frame: they affect the center of mass, but no torque."""
    grounded = MassMoments()
    result = list(moments)
    children: list[list[int]] = [[] for _ in links]
    least = _SHORT_ARM * max((norm(_origin(link)) for link in links if link.parent != BASE), default=0.0)
    masses = [abs(each.m) for each in moments if isinstance(each.m, (int, float))]
    heaviest = sum(masses) / _SHORT_ARM if len(masses) == len(moments) else math.inf
    weighs = [False] * len(links)  # whether the acceleration of a link's origin matters to it or to what it carries
    for i in reversed(range(len(links))):
        link = links[i]
        if balance:
            for child in children[i]:
                if weighs[child]:
                    result[i], result[child] = _balance(result[i], links[child], result[child], least, heaviest)
        result[i], given = _give(link, result[i])
        weighs[i] = any(weighs[child] for child in children[i]) or not all(map(_is_zero, result[i].values[6:]))
        if link.parent != BASE:
            children[link.parent].append(i)
            result[link.parent] = result[link.parent] + given
        else:
            grounded = grounded + given
    return tuple(map(_without_residue, result)), grounded


def _give(link: CanonicalLink, own: MassMoments) -> tuple[MassMoments, MassMoments]:
    """Moments that a body keeps, and those for its parent, in the parent's frame (1), (2); other joints keep all."""
    if link.kind.nv > 1:
        return own, MassMoments()
    if not link.column.turns:
        turn = matmul(link.pre.rotation, rotation_z(*exact_cos_sin(link.theta)))
        second = MassMoments(own.xx, own.xy, own.xz, own.yy, own.yz, own.zz)
        return MassMoments(x=own.x, y=own.y, z=own.z, m=own.m), second.turned(turn)
    kept = -own.xx if _is_symmetric(own) else 0.0
    on_axis = MassMoments(zz=own.zz - kept, z=own.z, m=own.m)
    given = on_axis.turned(link.pre.rotation).shifted(_origin(link))
    return replace(own, zz=kept, z=0.0, m=0.0), given


def _origin(link: CanonicalLink) -> Vector3:
    """Origin of a turning body in its parent's frame."""
    return add(link.pre.origin, matvec(link.pre.rotation, (0.0, 0.0, link.d)))


def _is_symmetric(e: MassMoments) -> bool:
    """True for a body whose second moments are the same in every direction across z."""
    if not all(isinstance(value, (int, float)) for value in e.values):
        return False
    return bool(e.xy == e.xz == e.yz == 0.0 and abs(e.xx - e.yy) <= _ROUNDING * abs(e.xx))


def _without_residue(e: MassMoments) -> MassMoments:
    """Second moments that are opposite up to rounding, made exactly opposite: their sum then needs no constant."""
    if not all(isinstance(value, (int, float)) for value in (e.xx, e.yy)) or e.xx + e.yy == 0.0:
        return e
    return replace(e, yy=-e.xx) if abs(e.xx + e.yy) <= 1e-12 * abs(e.xx) else e


def _is_zero(value: Scalar) -> bool:
    return isinstance(value, (int, float)) and value == 0.0


def _products(e: MassMoments) -> int:
    """Number of products in a body's wrench, by its nonzero moments."""
    weights = (2, 3, 3, 2, 3, 0, 5, 5, 0, 3)
    return sum(weight for weight, value in zip(weights, e.values, strict=True) if not _is_zero(value))


def _balance(
    own: MassMoments, child: CanonicalLink, carried: MassMoments, least: float, heaviest: float
) -> tuple[MassMoments, MassMoments]:
    """Give mass to the child's origin so that a component of the own first moment vanishes (3), where that saves.

    Components of the child's origin below `least` [m] are not used, and no mass above `heaviest` [kg] is given.
    """
    if child.kind.nv > 1 or not child.column.turns or not _is_zero(carried.m):
        return own, carried
    p = _origin(child)
    best = (_products(own), own, carried)
    for k, name in enumerate("xy"):
        if p[k] == 0.0 or abs(p[k]) < least:
            continue
        mu = own.first[k] / p[k]
        if isinstance(mu, (int, float)) and abs(mu) > heaviest:
            continue
        left = replace(own + MassMoments(m=-mu).shifted(p), **{name: 0.0})
        cost = _products(replace(left, m=0.0)) + 3
        if cost < best[0]:
            best = (cost, left, replace(carried, m=mu))
    return best[1], best[2]
