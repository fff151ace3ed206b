"""Minimal linear combinations of the inertial parameters by Lin's theorems (1994), without a numeric rank.

With mhat, k, U of `composite_constants`, r and s of `chain`, a set that determines the torques and has no redundant
element is

(1)  U_zz, delta k_x, delta k_y                                       rotational joints r <= j < s         (Theorem 5)
(2)  U_xx - U_yy, U_zz, U_xy, U_xz, U_yz, k_x, k_y                    rotational joints j >= s
(3)  mhat                                                             translational joints
(4)  k_x, k_y, k_z                                                    translational joints i > s
(5)  kappa_1 = u_x k_y - u_y k_x,                                     translational joints r < i < s that are not
     kappa_2 = (1 - u_z^2) k_z - u_z (u_x k_x + u_y k_y)              parallel to joint r; u is u_r in the link's axes
(6)  delta_j = 0 where g and every joint up to j are parallel to u_r and the rotational ones up to j turn about one line

and for the torques of gravity alone                                                                       (Theorem 4)

(7)  k_x, k_y                        rotational joints, but not those r <= j < s where u_r is parallel to g
(8)  mhat                            translational joints that are not always perpendicular to g

Gravity of zero, branches and mimic joints lie outside the theorems.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from torquec.parameters.chain import Chain, ChainLink, LinearForm, chain, composite_constants, perpendicular
from torquec.parameters.rational_geometry import RationalGeometry, canonical_poses, rational_geometry
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES, Inertia, Pose, Vector3, add


@dataclass(frozen=True)
class MinimalCombination:
    """One combination: its name, such as 'Uzz_link2', and its form over the columns of the standard parameters."""

    name: str
    form: LinearForm


def minimal_combinations(robot: Robot, geometry: RationalGeometry | None = None) -> tuple[MinimalCombination, ...]:
    """A minimal set that determines the torques, (1)-(6); raises `RobotError` outside the theorem.

    >>> from torquec.robot import classics
    >>> [combination.name for combination in minimal_combinations(classics.planar2r())]
    ['Uzz_link1', 'kx_link1', 'ky_link1', 'Uzz_link2', 'kx_link2', 'ky_link2']
    """
    given = geometry or rational_geometry(robot)
    facts = chain(robot, given)
    constants = composite_constants(numeric_links(given), file_frame_inertias(given))
    names = [body.name for body in robot.bodies]
    return tuple(
        MinimalCombination(f"{symbol}_{names[i]}", form)
        for i in range(facts.n)
        for symbol, form in torque_elements(facts, i, constants[i], _first_axis(facts, i))
    )


def gravity_combinations(robot: Robot, geometry: RationalGeometry | None = None) -> tuple[MinimalCombination, ...]:
    """A minimal set that determines the gravity torques, (7) and (8); raises `RobotError` outside the theorem."""
    given = geometry or rational_geometry(robot)
    facts = chain(robot, given)
    constants = composite_constants(numeric_links(given), file_frame_inertias(given))
    found = []
    for i, body in enumerate(robot.bodies):
        u = constants[i]
        if not facts.turns[i]:
            elements = [] if _never_along_gravity(facts, i) else [("mhat", u.m)]
        elif facts.r <= i < facts.s and facts.gravity_is_parallel_to_r():
            elements = []
        else:
            elements = [("kx", u.mx), ("ky", u.my)]
        found += [MinimalCombination(f"{symbol}_{body.name}", form) for symbol, form in elements]
    return tuple(found)


def torque_elements(facts: Chain, i: int, u: Inertia, first_axis: Vector3) -> Iterator[tuple[str, LinearForm]]:
    """(1)-(5) of one joint; `first_axis` is u_r in the link's axes, over the scalars of `u`."""
    if not facts.turns[i]:
        yield "mhat", u.m
        if i > facts.s:
            yield from (("kx", u.mx), ("ky", u.my), ("kz", u.mz))
        elif i > facts.r and not facts.is_parallel_to_r(i):
            x, y, z = first_axis
            yield "kappa1", x * u.my - y * u.mx
            yield "kappa2", (1 - z * z) * u.mz - z * (x * u.mx + y * u.my)
        return
    if i >= facts.s:
        yield from (("Uxx-Uyy", u.xx - u.yy), ("Uxy", u.xy), ("Uxz", u.xz), ("Uyz", u.yz))
    yield "Uzz", u.zz
    if i >= facts.s or _feels_first_moment(facts, i):
        yield from (("kx", u.mx), ("ky", u.my))


def numeric_links(geometry: RationalGeometry) -> list[ChainLink]:
    """The chain's canonical poses in fractions."""
    return [
        ChainLink(link.column.turns, pose) for link, pose in zip(geometry.links, canonical_poses(geometry), strict=True)
    ]


def file_frame_inertias(geometry: RationalGeometry) -> list[Inertia]:
    """Every body's parameters, given in its own frame, as forms in its canonical frame."""
    return [
        link_parameters(i).transformed(Pose(link.frame_rotation, add(link.frame_origin, (0, 0, link.slide))))
        for i, link in enumerate(geometry.links)
    ]


def link_parameters(i: int, one: object = Fraction(1)) -> Inertia:
    """The ten parameters of body i, each a form of its own; `one` is the geometry's 1."""
    width = len(PARAMETER_NAMES)
    return Inertia(*(LinearForm({width * i + k: one}) for k in range(width)))


def _first_axis(facts: Chain, i: int) -> Vector3:
    """u_r in the axes of link i."""
    return facts.in_link(i, facts.axis(facts.r)) if facts.r < facts.n else (0, 0, 0)


def _feels_first_moment(facts: Chain, j: int) -> bool:
    """Whether delta_j is 1 (6)."""
    return not (
        facts.gravity_is_parallel_to_r()
        and all(facts.is_parallel_to_r(k) for k in range(j + 1))
        and facts.turns_about_one_line(j)
    )


def _never_along_gravity(facts: Chain, i: int) -> bool:
    """u_i is perpendicular to g at every position (8)."""
    g, u = facts.gravity, facts.axis(i)
    if i < facts.r:
        return perpendicular(u, g)
    u_r = facts.axis(facts.r)
    if i < facts.s:
        across = facts.gravity_is_parallel_to_r() and perpendicular(u, u_r)
        return across or (facts.is_parallel_to_r(i) and perpendicular(u_r, g))
    u_s = facts.axis(facts.s)
    later = [k for k in range(facts.s, i) if facts.turns[k]]
    return (
        facts.gravity_is_parallel_to_r()
        and perpendicular(u_s, u_r)
        and all(facts.are_parallel(k, facts.s) for k in [*later, i])
    )
