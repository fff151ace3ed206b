"""Paths through a tree: their variables (cumulative angles of parallel joints) and the functions tabulated along them.

Bodies carried by parallel joints turn by the sum of their angles, so cumulative angles keep the number of terms small:

(1)  a group is a run of joints, each carried by the one before, with parallel (or opposite) axes; prismatic ones add no
     angle
(2)  written from its first joint f on, the variables of a group are  s_f q_f,  s_f q_f + s_{f+1} q_{f+1},  ..  with
     s = +-1 the sense of each axis relative to the first

Paths run from the base to each tip. Each body's mass is counted on the first path that has it, so that the sum over
paths is the whole robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from torquec.closedform.polynomial import Variable
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mass_moments import MassMoments
from torquec.dynamics.mechanism import Coordinate, Mechanism, place
from torquec.dynamics.motion import motions
from torquec.expr import Function, trace
from torquec.robot.canonical import CanonicalLink
from torquec.robot.joints import JointKind, PositionBasis
from torquec.robot.joints.free import FREE
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Inertia, Scalar, Vector3, dot, matvec, scale


@dataclass(frozen=True)
class ParallelGroup:
    """Joints with parallel axes, base first: (joint index, sense relative to the first one)."""

    joints: tuple[tuple[int, int], ...]


def parallel_groups(links: Sequence[CanonicalLink]) -> list[ParallelGroup]:
    """Groups (1) of a tree; every revolute joint is in exactly one."""
    groups: list[list[tuple[int, int]]] = []
    member: dict[int, tuple[int, int]] = {}  # link -> (group, sense)
    extended: set[int] = set()
    for i, link in enumerate(links):
        if link.kind.nv > 1:  # its children begin groups of their own
            member[i] = (len(groups), 1)
            groups.append([])
            extended.add(i)
            continue
        r = link.pre.rotation
        along = r[2][2]
        parallel = abs(abs(along) - 1.0) < 1e-12
        if parallel and link.parent != BASE and link.parent not in extended:
            group, sense = member[link.parent]
            extended.add(link.parent)
        else:
            group, sense = len(groups), 1
            groups.append([])
            along = 1.0
        sense = sense if along > 0 else -sense
        member[i] = (group, sense)
        if link.column.turns:
            groups[group].append((i, sense))
    return [ParallelGroup(tuple(group)) for group in groups if group]


def cumulative_variables(group: ParallelGroup, first: int) -> list[Variable]:
    """The variables (2) of a group for an entry that depends on its joints from position `first` on."""
    joints = group.joints[first:]
    sense = joints[0][1]
    return [Variable(tuple((index, s * sense) for index, s in joints[: k + 1])) for k in range(len(joints))]


def path_variables(
    robot: Robot, bodies: Sequence[int], groups: Sequence[ParallelGroup]
) -> tuple[list[Variable], list[list[int]]]:
    """Variables of the joints of these bodies, in their order, and which of them form a parallel group."""
    links = robot.canonical.links
    inside = set(bodies)
    variables = {b: Variable(((b, 1),), PositionBasis.POLYNOMIAL) for b in bodies if not links[b].column.turns}
    axes: list[list[int]] = []
    position = {b: k for k, b in enumerate(bodies)}
    for group in groups:
        members = ParallelGroup(tuple(joint for joint in group.joints if joint[0] in inside))
        if members.joints:
            for (b, _), variable in zip(members.joints, cumulative_variables(members, 0), strict=True):
                variables[b] = variable
            axes.append([position[b] for b, _ in members.joints])
    return [variables[b] for b in bodies], axes


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
    links = tuple(replace(path_link(robot, b), parent=k - 1 if k else BASE) for k, b in enumerate(bodies))
    coordinates, rates, positions = [], 0, 0
    for link in links:
        coordinates.append(Coordinate(rates, shift=positions - rates))
        rates, positions = rates + link.kind.nv, positions + link.kind.nq
    none = tuple((0.0,) * rates for _ in range(rates))
    return Mechanism(links, tuple(moments), tuple(coordinates), robot.canonical.gravity, none, rates)


def path_link(robot: Robot, body: int) -> CanonicalLink:
    """The canonical link of a body; a body on a ball joint at the base becomes a free one with a fixed origin.

    The rates of that origin give the torque of gravity (:mod:`torquec.closedform.quasi_velocities`).
    """
    link = robot.canonical.links[body]
    return replace(link, kind=FREE) if link.parent == BASE and turns_freely(link.kind) else link


def turns_freely(kind: JointKind) -> bool:
    """Whether the position of a joint contains a unit quaternion: free and ball joints."""
    return kind.nq > kind.nv


def mass_function(robot: Robot, bodies: Sequence[int], own: frozenset[int]) -> Function:
    """M (n, n) of the path's rates, from the masses of `own`, as a function of its joint positions q (nq,)."""
    moments = [MassMoments.of(robot.canonical.links[b].inertia) if b in own else MassMoments() for b in bodies]

    def algorithm(q: Sequence[Scalar]) -> dict[str, list[list[Scalar]]]:
        m = chain_mechanism(robot, bodies, moments)
        return {"M": joint_inertias(m, place(m, q))}

    return trace("mass", algorithm, {"q": (_positions(robot, bodies),)})


def gravity_function(robot: Robot, bodies: Sequence[int], own: frozenset[int]) -> Function:
    """g (n,) of the path's rates, from the masses of `own`, as a function of its joint positions q (nq,)."""
    moments = [MassMoments.of(robot.canonical.links[b].inertia) if b in own else MassMoments() for b in bodies]

    def algorithm(q: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        m = chain_mechanism(robot, bodies, moments)
        placed, rest = place(m, q), [0.0] * m.n
        return {"g": joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, rest, rest), rest)}

    return trace("gravity", algorithm, {"q": (_positions(robot, bodies),)})


def _positions(robot: Robot, bodies: Sequence[int]) -> int:
    return sum(path_link(robot, body).kind.nq for body in bodies)


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

    return trace("height", algorithm, {"q": (_positions(robot, bodies),)})
