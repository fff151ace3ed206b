"""External wrenches on named frames, transformed to the links that carry them.

(1)  at the link's origin:  f = R f_frame,   n = R n_frame + p x f,   R the frame in the link, p the point of action
(2)  a wrench given in base axes is first turned into the link's axes along the chain
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from torquec.dynamics.mechanism import Mechanism, PlacedLink
from torquec.foundation.choice import chosen
from torquec.robot.robot import BASE, Robot
from torquec.spatial import Pose, Vector3, add, cross, matvec, scale

Wrench = tuple[Vector3, Vector3]
"""Force and moment about the origin of the frame in which they are given."""


class Axes(StrEnum):
    """Axes in which a wrench or a Jacobian is expressed; its reference point stays the same."""

    FRAME = "frame"
    BASE = "base"


@dataclass(frozen=True)
class ExternalWrench:
    """Force [N] and moment [N m] on a frame; the force acts at `point` [m], given in the frame's axes."""

    frame: str
    force: Vector3
    moment: Vector3
    axes: Axes = Axes.FRAME
    point: Vector3 = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", chosen(Axes, self.axes, "axes"))


def link_wrenches(
    robot: Robot, m: Mechanism, placed: Sequence[PlacedLink], wrenches: Sequence[ExternalWrench]
) -> dict[int, Wrench]:
    """The sum of the wrenches on each link, at its origin and in its axes, in the mechanism's unit of length."""
    total: dict[int, Wrench] = {}
    for wrench in wrenches:
        frame = robot.frame(wrench.frame)
        if frame.body == BASE:
            continue
        pose = robot.canonical.links[frame.body].frame @ frame.pose
        force, moment = _in_link_axes(robot, placed, frame.body, pose, wrench)
        moment = add(moment, cross(pose.apply(wrench.point), force))
        before = total.get(frame.body, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
        total[frame.body] = (add(before[0], scale(force, m.length)), add(before[1], moment))
    return total


def _in_link_axes(robot: Robot, placed: Sequence[PlacedLink], body: int, pose: Pose, wrench: ExternalWrench) -> Wrench:
    """Force and moment turned into the axes of the link (1), (2)."""
    if wrench.axes is Axes.FRAME:
        return matvec(pose.rotation, wrench.force), matvec(pose.rotation, wrench.moment)
    chain = [body]
    while placed[chain[-1]].parent != BASE:
        chain.append(placed[chain[-1]].parent)
    base = robot.canonical.base.rotation
    force, moment = matvec(base, wrench.force), matvec(base, wrench.moment)
    for i in reversed(chain):
        force, moment = placed[i].turn.back(force), placed[i].turn.back(moment)
    return force, moment
