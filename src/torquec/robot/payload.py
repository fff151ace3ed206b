"""A payload in the hand: a rigid thing fixed to a named frame, lumped into the body that carries the frame."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from torquec.errors import ArgumentError, RobotFileError
from torquec.robot.robot import AttachedPayload, Frame, Robot
from torquec.robot.tree import BodyTree
from torquec.robot.validate import check_inertia
from torquec.spatial import Inertia, Matrix3, Pose


def attach_payload(
    robot: Robot,
    frame: str,
    *,
    mass: float,
    center: Sequence[float] = (0.0, 0.0, 0.0),
    inertia: Sequence[Sequence[float]] = ((0.0,) * 3,) * 3,
    name: str = "payload",
) -> Robot:
    """The robot with a payload fixed to the frame `frame`.

    `mass` [kg]; `center` (3,) [m] is the payload's centre of mass in the frame; `inertia` (3, 3) [kg m^2] is its tensor
    about that centre, in the frame's axes (a point mass unless given). The robot gains a frame `name` at the payload's
    centre, with the axes of `frame`. Raises `ArgumentError` for a frame that does not exist, a name that is taken, and
    an inertia that no solid has.

    >>> from torquec.robot.robot import BASE, Body, Joint, JointType
    >>> arm = Robot("arm", (Body("link", BASE, Joint("hinge", JointType.CONTINUOUS)),), (Frame("tool", 0),))
    >>> attach_payload(arm, "tool", mass=2.0, center=(0.5, 0.0, 0.0)).bodies[0].inertia.zz
    0.5
    """
    carrier = robot.frame(frame)
    if not name or any(existing.name == name for existing in robot.frames):
        raise ArgumentError(f"the name '{name}' is empty or taken", remedy="give the payload its own: name=...")
    weight, at, tensor = _checked(mass, center, inertia)
    here = Inertia.from_center_of_mass(weight, at, tensor)
    try:
        odd = check_inertia(name, here, where="attach_payload")
    except RobotFileError as error:
        raise ArgumentError(error.found, where=error.where, remedy=error.remedy) from None
    grown = dataclasses.replace(
        robot,
        frames=(*robot.frames, Frame(name, carrier.body, carrier.pose @ Pose(origin=at))),
        attached=(*robot.attached, AttachedPayload(name, frame, weight, at, tensor)),
        warnings=(*robot.warnings, *odd),
    )
    tree = BodyTree(robot.base_inertia, robot.bodies)
    tree.weld(here, carrier.body, carrier.pose)
    return tree.applied_to(grown)


def _checked(
    mass: float, center: Sequence[float], inertia: Sequence[Sequence[float]]
) -> tuple[float, tuple[float, float, float], Matrix3]:
    """The arguments as floats, once their shapes and values are known to be right."""
    try:
        weight = float(mass)
        (x, y, z) = (float(value) for value in center)
        rows = [[float(value) for value in row] for row in inertia]
    except (TypeError, ValueError):
        rows = []
    if len(rows) != 3 or any(len(row) != 3 for row in rows):
        raise ArgumentError(
            "the payload is not given as numbers of the right shape",
            remedy="mass is a number, center has 3 values, inertia is a 3 x 3 matrix",
        )
    if not all(math.isfinite(value) for value in (weight, x, y, z, *rows[0], *rows[1], *rows[2])):
        raise ArgumentError("the payload has values that are not finite", remedy="give finite numbers")
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows
    if (xy, xz, yz) != (yx, zx, zy):
        raise ArgumentError("the payload's inertia is not symmetric", remedy="give the same value at [i][j] and [j][i]")
    return weight, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def hand_frame(robot: Robot) -> str:
    """Where a tool would be: the frame named after the outermost body that has frames, or else the last one on it.

    Fingers are no place for a tool: of a body that carries several others, each with fewer joints than lie between the
    base and itself, it is the last frame on that body. Raises `ArgumentError` for a robot without frames.
    """
    if not robot.frames:
        raise ArgumentError(f"robot '{robot.name}' has no frames", remedy="name one in its file")
    outermost = max(frame.body for frame in robot.frames)
    palm = _palm(robot, outermost)
    if palm is not None and any(frame.body == palm for frame in robot.frames):
        return [frame.name for frame in robot.frames if frame.body == palm][-1]
    on_it = [frame.name for frame in robot.frames if frame.body == outermost]
    own = robot.bodies[outermost].name if outermost >= 0 else ""
    return own if own in on_it else on_it[-1]


def _palm(robot: Robot, body: int) -> int | None:
    """The body nearest to the base, on the way to `body`, that carries fingers; None where there is none."""
    parents = [one.parent for one in robot.bodies]
    carried = [1] * len(parents)
    for i in reversed(range(len(parents))):
        if parents[i] >= 0:
            carried[parents[i]] += carried[i]
    way = []
    while body >= 0:
        way.append(body)
        body = parents[body]
    way.reverse()  # from the base outwards: way[k] has k + 1 joints before it, its own among them
    for k, at in enumerate(way):
        fingers = [carried[i] for i in range(len(parents)) if parents[i] == at]
        if len(fingers) > 1 and max(fingers) < k + 1:
            return at
    return None
