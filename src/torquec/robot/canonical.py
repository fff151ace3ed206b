"""Canonical frames: modified Denavit-Hartenberg frames for any tree of bodies (branches: Khalil & Kleinfinger).

(1)  Each body's frame has z on its joint axis and x on the common normal to the axis of its main child.
(2)  Body in parent:  A(q) = pre * Rz(theta + q) Tz(d)   rotation,    pre * Rz(theta) Tz(d + q)   translation
(3)  pre = Rx(alpha) Tx(a) on the main branch, Rz(gamma) Tz(b) Rx(alpha) Tx(a) on a side branch.
(4)  Parallel axes have many common normals: the one with d = 0 at the child is taken. All offsets along a group of
     parallel axes then sit before the first of them, where they cost least.
(5)  A joint with several coordinates (free, ball, planar) has a frame along the axes of its motion subspace, with the
     origin of the file's frame:  A(q) = pre * motion(q),  pre a general pose.

Most rotations become "turn about z" followed by a quarter turn about x, which keeps the generated code small. The axis
of the first joint is the z of the base frame. URDF files print 1.5708 for pi/2, which skews parallel axes by 4e-6 rad.
With `snap`, angles within `SNAP` of a multiple of pi/2 become that multiple, and each one is reported. The common
normal of nearly parallel axes lies far away, and inertias about such a far point lose digits: there `pre` is a general
pose instead of (3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.robot.common_normal import CommonNormal, foot, near_normal
from torquec.robot.joints import JointKind, UnitTwist
from torquec.robot.right_angle import exact_cos_sin
from torquec.robot.robot import BASE, Body, Robot
from torquec.spatial import (
    IDENTITY_ROTATION,
    Inertia,
    Matrix3,
    Pose,
    Vector3,
    cross,
    dot,
    matmul,
    matvec,
    norm,
    rotation_x,
    rotation_y,
    rotation_z,
    rpy_from_rotation,
    scale,
    subtract,
    transpose,
)

SNAP = 5e-5
"""Angles this close [rad] to a multiple of pi/2 are snapped."""

_ANGLE_ROUNDING = 1e-14
"""Rounding error of an exact right angle or zero length; a real value this small changes no significant digit."""

_COSINE_ROUNDING = 1e-15
"""Rounding error of a cosine that is exactly 1. An angle of 1e-7 changes a cosine by 5e-15 only, and must survive."""

_REBUILT_ROTATION_ERROR = 1e-13  # rounding error of a rotation rebuilt from its roll, pitch and yaw
_AXES: Matrix3 = IDENTITY_ROTATION  # the coordinate axes


@dataclass(frozen=True)
class Snap:
    """An angle of the file that was taken as a multiple of pi/2."""

    joint: str
    angle: str
    found: float
    used: float


@dataclass(frozen=True)
class CanonicalLink:
    """A body in its canonical frame, equation (2); `frame` is the file's body frame seen from the canonical one."""

    name: str
    parent: int
    kind: JointKind
    pre: Pose
    theta: float
    d: float
    inertia: Inertia
    frame: Pose

    @property
    def column(self) -> UnitTwist:
        """The motion subspace of a one-coordinate joint, in the link's axes."""
        return self.kind.coordinate.column


@dataclass(frozen=True)
class CanonicalTree:
    """The robot's bodies in canonical frames; `base` is the file's base frame seen from the canonical base."""

    links: tuple[CanonicalLink, ...]
    base: Pose
    gravity: Vector3
    snaps: tuple[Snap, ...]


@dataclass
class _Frame:
    """A canonical frame under construction, in the coordinates of its file frame; the axis passes through `point`."""

    z: Vector3
    x: Vector3 | None = None
    origin: Vector3 | None = None
    point: Vector3 = (0.0, 0.0, 0.0)


def canonical_tree(robot: Robot) -> CanonicalTree:
    """The robot in canonical frames; snaps angles when `robot.snap` is set."""
    snaps: list[Snap] = []
    placements = [_placement(body, snaps if robot.snap else None) for body in robot.bodies]
    single = [body.joint.kind.nv == 1 for body in robot.bodies]
    main = _main_children(robot)

    # Tip to base: origins and x axes that common normals determine (1), (4).
    frames = [_first_frame(body, snaps if robot.snap else None) for body in robot.bodies]
    normals: list[CommonNormal | None] = [None] * len(frames)  # between the axis of a body and that of its parent
    for i in reversed(range(len(frames))):
        if main[i] != BASE and single[i]:
            child = main[i]
            normals[child] = _normal(frames[i], placements[child], frames[child])
            _settle(frames[i], placements[child], frames[child], normals[child])

    # Base to tip: origins and x axes that are still free, then the parameters of (2) and (3).
    base = _base_frame(robot, placements, frames)
    seen_from_base = _pose(base).inverse()
    links: list[CanonicalLink] = []
    for i, body in enumerate(robot.bodies):
        at_base = body.parent == BASE
        parent = base if at_base else frames[body.parent]
        to_parent = (seen_from_base if at_base else links[body.parent].frame) @ placements[i]
        follows = not at_base and main[body.parent] == i and single[body.parent]
        if single[i]:
            normal = normals[i] if follows else _normal(parent, placements[i], frames[i])
            normal_is = (i == 0 or follows, normal is not None)
            pre, theta, d = _relate(body.joint.name, to_parent, frames[i], normal_is, snaps if robot.snap else None)
        else:
            pre, theta, d = to_parent @ _pose(frames[i]), 0.0, 0.0  # (5)
        back = _pose(frames[i]).inverse()
        links.append(
            CanonicalLink(
                body.name,
                body.parent,
                body.joint.kind,
                pre,
                theta,
                d,
                body.inertia.transformed(back) if any(body.inertia.parameters) else body.inertia,
                back,
            )
        )
    gravity = _clean_vector(
        matvec(seen_from_base.rotation, robot.gravity), _ANGLE_ROUNDING * (1.0 + norm(robot.gravity))
    )
    return CanonicalTree(tuple(links), seen_from_base, gravity, tuple(snaps))


# --- angles ---------------------------------------------------------------------------------------------------------


def _snapped(angle: float, label: str, joint: str, snaps: list[Snap] | None) -> float:
    nearest = round(angle / (math.pi / 2)) * (math.pi / 2)
    off = abs(angle - nearest)
    if off < _ANGLE_ROUNDING:
        return nearest
    if snaps is not None and off < SNAP:
        snaps.append(Snap(joint, label, angle, nearest))
        return nearest
    return angle


def _placement(body: Body, snaps: list[Snap] | None) -> Pose:
    """The joint's placement with its roll, pitch and yaw snapped."""
    pose = body.joint.placement
    if pose.rotation == IDENTITY_ROTATION:
        return pose
    if snaps is None:
        return Pose(_clean_rotation(pose.rotation), pose.origin)
    angles = rpy_from_rotation(pose.rotation)
    roll = _snapped(angles[0], "roll", body.joint.name, snaps)
    pitch = _snapped(angles[1], "pitch", body.joint.name, snaps)
    yaw = _snapped(angles[2], "yaw", body.joint.name, snaps)
    if (roll, pitch, yaw) == angles:
        return pose
    turned = matmul(
        rotation_z(*exact_cos_sin(yaw)), matmul(rotation_y(*exact_cos_sin(pitch)), rotation_x(*exact_cos_sin(roll)))
    )
    # Within 1e-9 of a right angle, `rpy_from_rotation` takes the pitch as exactly that angle: a snap, too.
    off = max(abs(a - b) for row, own in zip(turned, pose.rotation, strict=True) for a, b in zip(row, own, strict=True))
    if off > _REBUILT_ROTATION_ERROR and not any(snap.joint == body.joint.name for snap in snaps):
        snaps.append(Snap(body.joint.name, "pitch", pitch - math.copysign(off, pitch), pitch))
    return Pose(turned, pose.origin)


def _first_frame(body: Body, snaps: list[Snap] | None) -> _Frame:
    """A body's frame before its common normals are known: its axis, or all of it (5)."""
    if body.joint.kind.nv == 1:
        return _Frame(_axis(body, snaps))
    x, _, z = transpose(body.joint.kind.axes(body.joint.axis))
    return _Frame(z, x, (0.0, 0.0, 0.0))


def _axis(body: Body, snaps: list[Snap] | None) -> Vector3:
    """The joint's unit axis; one within the snap of a coordinate axis becomes exactly that axis."""
    axis = scale(body.joint.axis, 1.0 / norm(body.joint.axis))
    nearest = max(axis, key=abs)
    k = axis.index(nearest)
    unit = _AXES[k] if nearest > 0.0 else scale(_AXES[k], -1.0)
    off = norm(subtract(axis, unit))
    if off < _ANGLE_ROUNDING:
        return unit
    if snaps is not None and off < SNAP:
        snaps.append(Snap(body.joint.name, f"axis tilt from {'xyz'[k]}", off, 0.0))
        return unit
    return axis


def _clean(value: float) -> float:
    size = abs(value)
    if size < _ANGLE_ROUNDING:
        return 0.0
    return math.copysign(1.0, value) if abs(size - 1.0) < _COSINE_ROUNDING else value


def _clean_vector(v: Vector3, noise: float = _ANGLE_ROUNDING) -> Vector3:
    return tuple(0.0 if abs(e) < noise else e for e in v)  # type: ignore[return-value]


def _clean_rotation(r: Matrix3) -> Matrix3:
    return (_direction(r[0]), _direction(r[1]), _direction(r[2]))


# --- frames ---------------------------------------------------------------------------------------------------------


def _main_children(robot: Robot) -> list[int]:
    """For each body the one-coordinate child that carries the most bodies (the first of equals); BASE if none."""
    weight = [1] * len(robot.bodies)
    main = [BASE] * len(robot.bodies)
    for i in reversed(range(len(robot.bodies))):
        parent = robot.bodies[i].parent
        if parent != BASE:
            weight[parent] += weight[i]
    for i, body in enumerate(robot.bodies):
        if body.parent == BASE or body.joint.kind.nv > 1:
            continue
        if main[body.parent] == BASE or weight[i] > weight[main[body.parent]]:
            main[body.parent] = i
    return main


def _normal(frame: _Frame, placement: Pose, child: _Frame) -> CommonNormal | None:
    """The common normal of a frame's axis and its child's, where it lies near the joints."""
    return near_normal(frame.z, subtract(placement.origin, frame.point), matvec(placement.rotation, child.z))


def _settle(frame: _Frame, placement: Pose, child: _Frame, normal: CommonNormal | None) -> None:
    """Set a frame's origin and x axis from its main child (1), (4); `normal` is None where it lies far away."""
    if normal is not None:
        frame.x = _perpendicular(scale(normal.direction, 1.0 / norm(normal.direction)), frame.z)
        frame.origin = scale(frame.z, normal.foot)
        if child.origin is None:
            # A leaf: no distal body needs an offset along its axis.
            child.origin = scale(child.z, normal.foot_on_child)
        return
    if child.origin is None:
        child.origin = (0.0, 0.0, 0.0)
    there = placement.apply(child.origin)
    height = dot(there, frame.z)
    frame.origin = scale(frame.z, height)
    across = subtract(there, frame.origin)
    if norm(across) > 1e-9:
        frame.x = _direction(_perpendicular(across, frame.z))


def _direction(v: Vector3) -> Vector3:
    return (_clean(v[0]), _clean(v[1]), _clean(v[2]))


def _perpendicular(v: Vector3, z: Vector3) -> Vector3:
    """The unit vector perpendicular to z that is nearest to v."""
    across = subtract(v, scale(z, dot(v, z)))
    return _direction(scale(across, 1.0 / norm(across)))


def _any_perpendicular(z: Vector3) -> Vector3:
    """A unit vector perpendicular to z; it is a coordinate axis where one of these is perpendicular."""
    k = min(range(3), key=lambda j: abs(z[j]))
    unit: Vector3 = tuple(1.0 if j == k else 0.0 for j in range(3))  # type: ignore[assignment]
    return _perpendicular(unit, z)


def _pose(frame: _Frame) -> Pose:
    """The canonical frame seen from its file frame."""
    assert frame.x is not None
    assert frame.origin is not None
    y = cross(frame.z, frame.x)
    return Pose(_clean_rotation(transpose((frame.x, y, frame.z))), frame.origin)


def _base_frame(robot: Robot, placements: list[Pose], frames: list[_Frame]) -> _Frame:
    """The canonical base frame: that of the first joint at q = 0."""
    if not robot.bodies:
        return _Frame((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    roots = [i for i, body in enumerate(robot.bodies) if body.parent == BASE]
    first = frames[roots[0]]
    if first.origin is None:
        first.origin = (0.0, 0.0, 0.0)
    if first.x is None:
        first.x = _any_perpendicular(first.z)
    here = placements[roots[0]]
    return _Frame(
        _direction(matvec(here.rotation, first.z)),
        _direction(matvec(here.rotation, first.x)),
        here.apply(first.origin),
        here.origin,
    )


# --- parameters -----------------------------------------------------------------------------------------------------


def _relate(
    name: str, to_parent: Pose, frame: _Frame, normal_is: tuple[bool, bool], snaps: list[Snap] | None
) -> tuple[Pose, float, float]:
    """pre, theta and d of (2) from the parent's canonical frame to this one; sets what `frame` still lacks.

    `to_parent` is the file frame seen from the parent's canonical one; `normal_is` tells whether the joint is on the
    main branch, and whether its common normal with the parent's axis lies near.
    """
    on_main, is_near = normal_is
    z = _direction(matvec(to_parent.rotation, frame.z))
    sine = math.hypot(z[0], z[1])
    free_along_axis = frame.origin is None
    origin = to_parent.apply(frame.origin or (0.0, 0.0, 0.0))
    nearly_parallel = not is_near
    parallel = sine < (SNAP if snaps is not None else _ANGLE_ROUNDING)
    if nearly_parallel and frame.origin is None:
        frame.origin = (0.0, 0.0, 0.0)
    if nearly_parallel and not parallel:
        pre = Pose(_skewed(z), origin)
        theta = 0.0 if frame.x is None else _angle_about_z(pre.rotation, to_parent, frame.x)
        if frame.x is None:
            frame.x = matvec(transpose(to_parent.rotation), transpose(pre.rotation)[0])
        return pre, theta, 0.0
    if parallel:
        alpha = _snapped(math.atan2(sine, z[2]), "alpha", name, snaps)
        start = (origin[0], origin[1], 0.0)
        gamma = 0.0 if on_main or norm(start) < 1e-9 else math.atan2(origin[1], origin[0])
        d = origin[2] * (1.0 if z[2] > 0 else -1.0)
    else:
        # Common normal of the two axes, in the parent's canonical frame, where the parent's axis is z.
        normal = (-z[1] / sine, z[0] / sine, 0.0)
        gamma = math.atan2(normal[1], normal[0])
        if on_main and abs(abs(gamma) - math.pi) < 1e-6:
            gamma, normal = 0.0, scale(normal, -1.0)  # x points the other way along the same line
        elif on_main:
            gamma = 0.0
        alpha = math.atan2(dot(cross((0.0, 0.0, 1.0), z), normal), z[2])
        # On the main branch the normal starts at the parent's origin, up to rounding. `start` is the point of the
        # child's axis nearest to that origin, so that the child keeps its exact place.
        b = 0.0 if on_main else foot((0.0, 0.0, 1.0), origin, z)
        d = dot(subtract(origin, (0.0, 0.0, b)), z)
        start = subtract(origin, scale(z, d))
        if free_along_axis:
            frame.origin, d = scale(frame.z, -d), 0.0
        alpha = _snapped(alpha, "alpha", name, snaps)
    gamma = _snapped(gamma, "gamma", name, snaps)
    turned = rotation_x(*exact_cos_sin(alpha))
    if gamma != 0.0:
        turned = matmul(rotation_z(*exact_cos_sin(gamma)), turned)
    pre = Pose(_clean_rotation(turned), _clean_vector(start))
    if frame.x is None:
        frame.x = _perpendicular(matvec(transpose(to_parent.rotation), transpose(turned)[0]), frame.z)
    theta = _snapped(_angle_about_z(turned, to_parent, frame.x), "theta", name, snaps)
    return pre, theta, 0.0 if abs(d) < _ANGLE_ROUNDING else d


def _angle_about_z(turned: Matrix3, to_parent: Pose, x: Vector3) -> float:
    """The angle about the joint axis from the x of `turned` to the frame's x, both at q = 0."""
    here = matvec(transpose(turned), matvec(to_parent.rotation, x))
    return math.atan2(here[1], here[0])


def _skewed(z: Vector3) -> Matrix3:
    """A rotation whose z column is `z`, its x column as near to the x axis as possible."""
    x = _perpendicular((1.0, 0.0, 0.0), z)
    return transpose((x, cross(z, x), z))
