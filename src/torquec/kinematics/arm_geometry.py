"""Arm geometry: joint axes between base and frame as lines in space at q = 0, all in base axes.

(1)  pose(q) = G_1(q_1) G_2(q_2) .. G_m(q_m) pose(0),   G_i turns about, or slides along, the line (o_i, h_i) at q = 0

At q = 0 all link frames may be taken parallel to the base. Then no constant rotation stands between the G_i, and h_i
and o_i alone describe the geometry.

A `ClosedArm` maps a `PoseTarget` to its branches. Seen from the hand, the same joints in reverse order carry the base:

(2)  T = G_1 .. G_m,   T x = R x + t,   t = p - R p_0
(3)  T^-1 = G_m^-1 .. G_1^-1,   G_i(q)^-1 turns about -h_i by q;   T^-1 x = R' x - R' t

A closed form for (3) is one for the arm. If it meets the rotation of (3) and misses the position by a vector d, the arm
misses its position by R d, the same distance.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from torquec.dynamics.frame_pose import frame_pose, link_poses
from torquec.dynamics.mechanism import coordinates, place_links
from torquec.errors import RobotError
from torquec.robot.joints import JointKind
from torquec.robot.robot import BASE, Limits, Robot
from torquec.spatial import (
    IDENTITY,
    Matrix3,
    Pose,
    Scalar,
    Vector3,
    add,
    cross,
    dot,
    matvec,
    norm,
    scale,
    subtract,
    transpose,
)

PARALLEL = 1e-11
"""Axes whose sine is below this are parallel; taking them as parallel then moves the tip by no more than rounding."""

MEETING = 1e-11
"""Lines nearer than this [m] meet."""


@dataclass(frozen=True)
class ArmJoint:
    """A joint of the arm: `axis` (unit) and a `point` of it at q = 0, `index` its place in the robot's state."""

    name: str
    index: int
    kind: JointKind
    axis: Vector3
    point: Vector3
    limits: Limits

    @property
    def slides(self) -> bool:
        """Whether it translates along its axis; else it turns about it."""
        return not self.kind.coordinate.turns


@dataclass(frozen=True)
class ArmGeometry:
    """The joints from the base to a frame (1), the frame's pose at q = 0, and the size of the arm [m]."""

    joints: tuple[ArmJoint, ...]
    tool: Pose
    reach: float

    @property
    def letters(self) -> str:
        """R for a turning joint, P for a sliding one, from the base."""
        return "".join(joint.kind.letter for joint in self.joints)


def arm_geometry(robot: Robot, frame: str) -> ArmGeometry:
    """The joints that move `frame`.

    Raises `ArgumentError` for an unknown frame, `RobotError` where no joint moves it or one is coupled to another.
    """
    named = robot.frame(frame)
    zero = [0.0] * robot.n
    way: list[int] = []
    i = named.body
    while i != BASE:
        way.insert(0, i)
        i = robot.bodies[i].parent
    if not way:
        raise RobotError(
            f"no joint of robot '{robot.name}' moves the frame '{frame}'", remedy="name a frame that the arm carries"
        )
    for i in way:
        if robot.bodies[i].joint.mimic is not None:
            raise RobotError(
                f"joint '{robot.bodies[i].joint.name}' on the way to '{frame}' follows another joint",
                remedy="inverse kinematics supports arms with independent joints only",
            )
    state = coordinates(robot)
    poses = link_poses(robot, place_links(robot.canonical.links, state, zero), way)
    joints = tuple(
        ArmJoint(
            robot.bodies[i].joint.name,
            state[i].index,
            robot.bodies[i].joint.kind,
            _clean(transpose(poses[i].rotation)[2]),
            _clean(poses[i].origin),
            robot.bodies[i].joint.limits,
        )
        for i in way
    )
    tool = frame_pose(robot, frame, zero)
    places = [*(joint.point for joint in joints), tool.origin]
    reach = sum(norm(subtract(b, a)) for a, b in pairwise(places))
    return ArmGeometry(joints, tool, max(reach, MEETING))


def are_parallel(a: Vector3, b: Vector3) -> bool:
    """Whether two unit vectors are parallel, in either sense."""
    return bool(norm(cross(a, b)) < PARALLEL)


def are_square(a: Vector3, b: Vector3) -> bool:
    """Whether two unit vectors are perpendicular."""
    return bool(abs(dot(a, b)) < PARALLEL)


def meeting_point(first: ArmJoint, second: ArmJoint) -> Vector3 | None:
    """Where two axes that are not parallel meet, or None."""
    normal = cross(first.axis, second.axis)
    sine = dot(normal, normal)
    if are_parallel(first.axis, second.axis):
        return None
    between = subtract(second.point, first.point)
    if abs(dot(between, normal)) > MEETING * sine**0.5:
        return None
    along = dot(cross(between, second.axis), normal) / sine
    return _clean(add(first.point, scale(first.axis, along)))


def is_on_axis(point: Vector3, joint: ArmJoint) -> bool:
    """Whether a point lies on a joint's axis."""
    return bool(norm(cross(subtract(point, joint.point), joint.axis)) < MEETING)


def across(axis: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors e, f with e x f = axis; coordinate axes where that is possible."""
    k = min(range(3), key=lambda j: (abs(axis[j]), j))
    unit: Vector3 = tuple(1.0 if j == k else 0.0 for j in range(3))  # type: ignore[assignment]
    e = subtract(unit, scale(axis, dot(unit, axis)))
    e = _clean(scale(e, 1.0 / norm(e)))
    return e, _clean(cross(axis, e))


def _clean(v: Sequence[float]) -> Vector3:
    """The vector without the rounding of exact zeros and ones, which would cost operations for nothing."""
    noise = 1e-15  # a few roundings of numbers about 1
    return tuple(float(round(e)) if abs(e - round(e)) < noise else float(e) for e in v)  # type: ignore[return-value]


@dataclass(frozen=True)
class PoseTarget:
    """Target of the solvers: the rotation of all joints together and the tool's position."""

    turn: Matrix3
    position: Vector3
    near: tuple[Scalar, ...]
    """Values of the arm's joints that are kept where a joint is free."""


@dataclass(frozen=True)
class ArmBranch:
    """Values of the arm's joints; `position_miss` [m], `rotation_miss` [rad]; `margin` is 0 at a singularity."""

    values: tuple[Scalar, ...]
    position_miss: Scalar
    rotation_miss: Scalar
    margin: Scalar


class ArmFamily(StrEnum):
    """How an arm's inverse kinematics is found."""

    SPHERICAL_WRIST = "spherical wrist"
    SPHERICAL_SHOULDER = "spherical shoulder"
    PARALLEL_AXES = "three parallel axes"
    SCARA = "scara"
    NONE = "none"


@dataclass(frozen=True)
class ClosedArm:
    """A closed-form inverse: `solve(target)` gives one branch per name, in the same order."""

    family: ArmFamily
    rule: str
    names: tuple[str, ...]
    solve: Callable[[PoseTarget], list[ArmBranch]]
    free: int | None = None
    """Index of the redundant joint, whose value is that of the reference; None without one."""


_AROUND = {"shoulder left": "hand left", "shoulder right": "hand right"}
_AROUND |= {f"wrist {way}": f"shoulder {way}" for way in ("no flip", "flip")}
_AROUND |= {there: here for here, there in _AROUND.items()}
"""Branch names of the reversed arm: shoulder and hand, wrist and spherical shoulder exchange their names."""

_FAMILIES = {
    ArmFamily.SPHERICAL_WRIST: ArmFamily.SPHERICAL_SHOULDER,
    ArmFamily.SPHERICAL_SHOULDER: ArmFamily.SPHERICAL_WRIST,
}
_SIDE = "seen from the hand, "


def reversed_geometry(arm: ArmGeometry) -> ArmGeometry:
    """The joints from the hand to the base (3); the base's origin takes the place of the tool."""
    joints = tuple(dataclasses.replace(joint, axis=scale(joint.axis, -1.0)) for joint in reversed(arm.joints))
    return ArmGeometry(joints, IDENTITY, arm.reach)


def seen_from_the_hand(arm: ArmGeometry, back: ClosedArm) -> ClosedArm:
    """The closed form of an arm from that of its `reversed_geometry`."""

    def solve(target: PoseTarget) -> list[ArmBranch]:
        turn = transpose(target.turn)
        shift = subtract(target.position, matvec(target.turn, arm.tool.origin))  # t of (2)
        around = PoseTarget(turn, scale(matvec(turn, shift), -1.0), target.near[::-1])
        return [dataclasses.replace(branch, values=branch.values[::-1]) for branch in back.solve(around)]

    rule = back.rule.removeprefix(_SIDE) if back.rule.startswith(_SIDE) else f"{_SIDE}{back.rule}"
    names = tuple(", ".join(_AROUND.get(word, word) for word in name.split(", ")) for name in back.names)
    return ClosedArm(_FAMILIES.get(back.family, back.family), rule, names, solve)
