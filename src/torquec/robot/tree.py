"""Builder of the body tree, for readers, payloads and locked joints: adds moving bodies, welds fixed ones.

(1)  a joint adds a body behind its parent
(2)  a welded inertia is moved to the frame of its body, or of the base, and added to the inertia there
(3)  a mimic joint that follows a mimic joint, q = a q' + b with q' = a' q" + b', follows  q = a a' q" + (a b' + b)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from torquec.errors import RobotFileError
from torquec.robot.robot import BASE, Body, Mimic, Robot
from torquec.robot.tuning import TUNING
from torquec.spatial import Inertia, Pose


class BodyTree:
    """Bodies, parents first, and the inertia of the base.

    >>> from torquec.robot.robot import Joint, JointType
    >>> tree = BodyTree()
    >>> hinge = tree.add(Body("arm", BASE, Joint("hinge", JointType.CONTINUOUS)))
    >>> tree.weld(Inertia(m=2.0), hinge, Pose(origin=(0.5, 0.0, 0.0)))
    >>> tree.bodies[hinge].inertia.zz
    0.5
    """

    def __init__(self, base_inertia: Inertia = Inertia(), bodies: Iterable[Body] = ()) -> None:
        self.base_inertia = base_inertia
        self.bodies = list(bodies)

    def add(self, body: Body) -> int:
        """Add a moving body (1); returns its index."""
        self.bodies.append(body)
        return len(self.bodies) - 1

    def weld(self, inertia: Inertia, body: int, pose: Pose, *, lacking: tuple[str, ...] = ()) -> None:
        """Add an inertia whose frame has `pose` in the body's (2); `lacking` names links that should have had one."""
        moved = inertia.transformed(pose) if any(inertia.parameters) else inertia
        if body == BASE:
            self.base_inertia = self.base_inertia + moved
            return
        old = self.bodies[body]
        self.bodies[body] = replace(old, inertia=old.inertia + moved, lacking_inertia=(*old.lacking_inertia, *lacking))

    def applied_to(self, robot: Robot) -> Robot:
        """The robot with these bodies and this base."""
        return replace(robot, bodies=tuple(self.bodies), base_inertia=self.base_inertia)


def resolve_mimics(mimics: Mapping[str, Mimic], places: Mapping[str, str] | None = None) -> dict[str, Mimic]:
    """The independent joint that every mimic joint follows, by (3); each chain is walked once.

    Raises `RobotFileError`, at the place of the joint ("file:line"), where a chain comes back to itself.

    >>> resolve_mimics({"a": Mimic("b", 2.0, 1.0), "b": Mimic("c", 3.0, 0.5)})["a"]
    Mimic(joint='c', multiplier=6.0, offset=2.0)
    """
    resolved: dict[str, Mimic] = {}
    for joint in mimics:
        chain: dict[str, None] = {}
        current = joint
        while current in mimics and current not in resolved:
            if current in chain:
                shown = [
                    *list(chain)[: TUNING.named_joints],
                    *(["..."] if len(chain) > TUNING.named_joints else []),
                    current,
                ]
                raise RobotFileError(
                    f"the mimic joints {' -> '.join(shown)} follow each other in a circle",
                    where=(places or {}).get(joint, ""),
                    remedy="let one of them move on its own",
                )
            chain[current] = None
            current = mimics[current].joint
        for name in reversed(chain):
            own = mimics[name]
            inner = resolved.get(own.joint, Mimic(own.joint))
            resolved[name] = Mimic(
                inner.joint, own.multiplier * inner.multiplier, own.multiplier * inner.offset + own.offset
            )
    return resolved
