"""The joints of a gripper: light branches that part from one body, as the fingers of a hand part from the palm.

(1)  a body with two children or more that move, which weigh at most a twentieth of all that moves together
(2)  every independent joint of these children and of what they carry

Arms of a robot with two of them are far heavier, and so are the legs of one that walks.
"""

from __future__ import annotations

from torquec.robot.robot import BASE, Robot

_LIGHT = 0.05
"""The part of the moving mass that fingers weigh at most: those of published arms have a hundredth to a fiftieth."""


def gripper_joints(robot: Robot) -> tuple[str, ...]:
    """The names of the joints (2); none of a robot without a hand.

    >>> from torquec.robot import classics
    >>> gripper_joints(classics.puma560())
    ()
    """
    carried = [body.inertia.m for body in robot.bodies]
    children: dict[int, list[int]] = {}
    for index in range(len(robot.bodies) - 1, -1, -1):
        parent = robot.bodies[index].parent
        children.setdefault(parent, []).append(index)
        if parent != BASE:
            carried[parent] += carried[index]
    fingers: set[int] = set()
    for index, body in enumerate(robot.bodies):
        beside = children[body.parent]
        light = sum(carried[child] for child in beside) <= _LIGHT * robot.moving_mass
        if body.parent in fingers or (body.parent != BASE and len(beside) > 1 and light):
            fingers.add(index)
    return tuple(
        body.joint.name
        for index, body in enumerate(robot.bodies)
        if index in fingers and body.joint.mimic is None and body.joint.name in robot.joint_names
    )
