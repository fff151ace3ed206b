"""Which variables an entry is written in: sums of the angles of consecutive parallel joints.

Bodies carried by parallel joints turn by the sum of their angles, so cumulative angles keep the number of terms small:

(1)  a group is a run of joints, each carried by the one before, with parallel (or opposite) axes; sliding ones
     turn by nothing
(2)  written from its first joint f on, the variables of a group are  s_f q_f,  s_f q_f + s_{f+1} q_{f+1},  ..  with
     s = +-1 the sense of each axis relative to the first
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.closedform.polynomial import Variable
from torquec.robot.canonical import CanonicalLink
from torquec.robot.joints import PositionBasis
from torquec.robot.robot import BASE, Robot


@dataclass(frozen=True)
class ParallelGroup:
    """Joints with parallel axes, base first: (joint index, sense relative to the first one)."""

    joints: tuple[tuple[int, int], ...]


def parallel_groups(links: Sequence[CanonicalLink]) -> list[ParallelGroup]:
    """Groups (1) of a tree; every turning joint is in exactly one."""
    groups: list[list[tuple[int, int]]] = []
    member: dict[int, tuple[int, int]] = {}  # link -> (group, sense)
    extended: set[int] = set()
    for i, link in enumerate(links):
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
