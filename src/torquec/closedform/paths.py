"""Paths through a tree, from the base to each tip, and the functions that are tabulated along them.

Each body's mass is counted on the first path that has it, so that the sum over paths is the whole robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Coordinate, Mechanism, place
from torquec.dynamics.motion import motions
from torquec.expr import Function, trace
from torquec.robot.canonical import CanonicalLink
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Inertia, Scalar, Vector3, dot, matvec, scale


@dataclass(frozen=True)
class Path:
    """Bodies from the base to a tip, and those of them whose mass this path accounts for."""

    bodies: tuple[int, ...]
    own: frozenset[int]


def paths(links: Sequence[CanonicalLink]) -> list[Path]:
    """A path to every tip, in body order."""
    carried = {link.parent for link in links}
    counted: set[int] = set()
    found = []
    for tip in range(len(links)):
        if tip in carried:
            continue
        bodies = path_to(links, tip)
        found.append(Path(bodies, frozenset(bodies) - counted))
        counted.update(bodies)
    return found


def path_to(links: Sequence[CanonicalLink], body: int) -> tuple[int, ...]:
    """The bodies from the base to a body, itself included."""
    way = []
    while body != BASE:
        way.append(body)
        body = links[body].parent
    return tuple(reversed(way))


def chain_mechanism(robot: Robot, bodies: Sequence[int], moments: Sequence[MassMoments]) -> Mechanism:
    """The bodies of a path as a mechanism of its own, each joint a coordinate; rotors are not part of it."""
    links = tuple(replace(robot.canonical.links[b], parent=k - 1 if k else BASE) for k, b in enumerate(bodies))
    n = len(bodies)
    none = tuple((0.0,) * n for _ in range(n))
    return Mechanism(links, tuple(moments), tuple(Coordinate(k) for k in range(n)), robot.canonical.gravity, none, n)


def mass_function(robot: Robot, bodies: Sequence[int], own: frozenset[int]) -> Function:
    """M (n, n) of the path's joints, from the masses of `own`, as a function of its joint positions q (n,)."""
    moments = [MassMoments.of(robot.canonical.links[b].inertia) if b in own else MassMoments() for b in bodies]

    def algorithm(q: Sequence[Scalar]) -> dict[str, list[list[Scalar]]]:
        m = chain_mechanism(robot, bodies, moments)
        return {"M": joint_inertias(m, place(m, q))}

    return trace("mass", algorithm, {"q": (len(bodies),)})


def gravity_function(robot: Robot, bodies: Sequence[int], own: frozenset[int]) -> Function:
    """g (n,) of the path's joints, from the masses of `own`, as a function of its joint positions q (n,)."""
    moments = [MassMoments.of(robot.canonical.links[b].inertia) if b in own else MassMoments() for b in bodies]

    def algorithm(q: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        m = chain_mechanism(robot, bodies, moments)
        placed, rest = place(m, q), [0.0] * m.n
        return {"g": joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, rest, rest), rest)}

    return trace("gravity", algorithm, {"q": (len(bodies),)})


def unit_mass_function(robot: Robot, bodies: Sequence[int]) -> Function:
    """M (n, n) of the path's joints, from the last body alone, as a function of q (n,) and its ten parameters."""
    last = robot.canonical.links[bodies[-1]]

    def algorithm(q: Sequence[Scalar], parameters: Sequence[Scalar]) -> dict[str, list[list[Scalar]]]:
        body = MassMoments.of(Inertia(*parameters).transformed(last.frame))
        m = chain_mechanism(robot, bodies, [MassMoments()] * (len(bodies) - 1) + [body])
        return {"M": joint_inertias(m, place(m, q))}

    return trace("mass", algorithm, {"q": (len(bodies),), "parameters": (10,)})


def height_function(robot: Robot, bodies: Sequence[int]) -> Function:
    """-g . x as a function of the path's joint positions q (n,): per body for a unit of mx, my, mz and of mass, (n, 4).

    Potential energy is linear in these four parameters of each body, in the axes of the file's body frame.
    """
    unit: tuple[Vector3, Vector3, Vector3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def algorithm(q: Sequence[Scalar]) -> dict[str, list[list[Scalar]]]:
        m = chain_mechanism(robot, bodies, [MassMoments()] * len(bodies))
        lift = scale(m.gravity, -1.0)
        # The lifting direction in the axes of each link, and the height of its origin above the file's base.
        height: Scalar = dot(m.gravity, robot.canonical.base.origin)
        rows = []
        for link, b in zip(place(m, q), bodies, strict=True):
            height = height + dot(lift, link.origin)
            lift = link.turn.back(lift)
            frame = robot.canonical.links[b].frame
            raised = [dot(lift, matvec(frame.rotation, e)) for e in unit]
            rows.append([*raised, height + dot(lift, frame.origin)])
        return {"U": rows}

    return trace("height", algorithm, {"q": (len(bodies),)})
