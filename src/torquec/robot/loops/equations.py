"""Loop equations: gaps, Jacobian rows and accelerations at zero joint accelerations, over any scalar.

Both frames of a loop are seen from the nearest body that carries both, so that joints before that body do not enter.
With positions p, rotations R, velocities v, w and accelerations a, wd of frames A and B, in axes of frame A:

(1)  point:      gap R_A' (p_B - p_A),          rate R_A' (v_B - v_A),      acceleration R_A' (a_B - a_A)
(2)  rotation:   gap: axis times sine of the angle between the frames, the skew part of R_A' R_B,
                 rate R_A' (w_B - w_A),         acceleration R_A' (wd_B - wd_A)
(3)  axis:       gap z_A x z_B along x_A, y_A;  rates as (2); the frames may turn about z: the acceleration is
                 (wd_B - wd_A) - w_A x (w_B - w_A)
(4)  coupling:   gap q_j - p(q_i) - sum a_k q_k,              rate row 1, -p'(q_i),       acceleration -p''(q_i) v_i u_i
(5)  Accelerations are the derivative, along rates v, of the velocities that constant rates u give: bilinear in v, u.
     Outward recursion with w before and w' after a joint, arm the vector between the origins, spin and slide the
     angular and linear velocity of the joint:
       wd <- wd + w'_v x spin_u,     a <- a + wd x arm + w_u x (w_v x arm + slide_v) + w'_v x slide_u

Rows are exact at closed positions. Elsewhere they differ from the gradient of the gap by terms of the size of the gap,
and Newton's method converges as fast as with the exact gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torquec.robot.canonical import CanonicalLink
from torquec.robot.loops.closed_loops import Coupling, LoopConstraint, LoopFile, LoopKind
from torquec.robot.robot import BASE, Mimic, Robot
from torquec.spatial import (
    IDENTITY,
    Matrix3,
    Pose,
    Scalar,
    Vector3,
    add,
    cross,
    matmul,
    matvec,
    rotation_z,
    scale,
    subtract,
    transpose,
)

_ZERO: Vector3 = (0.0, 0.0, 0.0)

Row = dict[int, Scalar]
"""A row of the Jacobian: its entries by rate of the tree."""


@dataclass(frozen=True)
class LoopEquation:
    """One equation: its gap, its row, and its acceleration (5), 0.0 without rates."""

    gap: Scalar
    row: Row
    bias: Scalar


@dataclass(frozen=True)
class JointPlace:
    """Indices of a joint's coordinates in a tree's rates and positions; mimic joints have those of their leaders."""

    rate: int
    position: int
    multiplier: float = 1.0
    offset: float = 0.0


def joint_places(tree: Robot) -> tuple[JointPlace, ...]:
    """The place of every body's joint."""
    first: dict[str, tuple[int, int]] = {}
    rates = positions = 0
    for joint in tree.joints:
        first[joint.name] = (rates, positions)
        rates, positions = rates + joint.kind.nv, positions + joint.kind.nq
    places = []
    for body in tree.bodies:
        mimic = body.joint.mimic or Mimic(body.joint.name)
        places.append(JointPlace(*first[mimic.joint], mimic.multiplier, mimic.offset))
    return tuple(places)


Rates = tuple[Sequence[Scalar], Sequence[Scalar]]
"""Rates v and u of (5), of the tree."""


def loop_equations(tree: Robot, file: LoopFile, q: Sequence[Scalar], rates: Rates | None = None) -> list[LoopEquation]:
    """All equations of the loops at q (nq of the tree), in the order of `LoopFile.equation_names`."""
    places = joint_places(tree)
    found = [equation for loop in file.loops for equation in _loop(tree, places, loop, q, rates)]
    return found + [_coupled(tree, places, coupling, q, rates) for coupling in file.couplings]


@dataclass(frozen=True)
class _Axis:
    """A coordinate on the path to a frame: its rate, the ratio of its joint, direction and a point of its axis."""

    rate: int
    ratio: float
    direction: Vector3
    origin: Vector3
    turns: bool


@dataclass(frozen=True)
class _Way:
    """A frame seen from an ancestor: its pose, the axes on the way, its angular velocities and accelerations (5)."""

    pose: Pose
    axes: tuple[_Axis, ...]
    w_v: Vector3
    w_u: Vector3
    a: Vector3
    wd: Vector3


def _ends(
    tree: Robot, places: Sequence[JointPlace], loop: LoopConstraint, q: Sequence[Scalar], rates: Rates | None
) -> tuple[_Way, _Way]:
    """Both frames of a loop, seen from the nearest body that carries both."""
    ends = [tree.frame(loop.frame_a), tree.frame(loop.frame_b)]
    ways = [_to_root(tree, end.body) for end in ends]
    shared = 0
    while shared < min(map(len, ways)) and ways[0][shared] == ways[1][shared]:
        shared += 1
    canonical = tree.canonical
    a, b = (
        _followed(
            [(canonical.links[i], places[i]) for i in way[shared:]],
            (canonical.base if end.body == BASE else canonical.links[end.body].frame) @ end.pose,
            q,
            rates,
        )
        for way, end in zip(ways, ends, strict=True)
    )
    return a, b


def _loop(
    tree: Robot, places: Sequence[JointPlace], loop: LoopConstraint, q: Sequence[Scalar], rates: Rates | None
) -> list[LoopEquation]:
    a, b = _ends(tree, places, loop, q, rates)
    back = transpose(a.pose.rotation)
    turned = matmul(back, b.pose.rotation)
    gaps = list(matvec(back, subtract(b.pose.origin, a.pose.origin)))
    gaps += loop.kind.rotation_gaps(lambda i, j: turned[i][j])
    rows = _rows(back, a, b, loop.kind)
    slip = subtract(b.wd, a.wd)
    if loop.kind is LoopKind.AXIS:
        slip = subtract(slip, cross(a.w_v, subtract(b.w_u, a.w_u)))  # (3)
    bias = (*matvec(back, subtract(b.a, a.a)), *matvec(back, slip))
    return [LoopEquation(gap, row, each) for gap, row, each in zip(gaps, rows, bias, strict=False)]


def loop_frames(tree: Robot, loop: LoopConstraint, q: Sequence[Scalar]) -> tuple[Pose, Pose]:
    """The two frames of a loop, seen from a body that carries both."""
    a, b = _ends(tree, joint_places(tree), loop, q, None)
    return a.pose, b.pose


def _to_root(tree: Robot, body: int) -> tuple[int, ...]:
    """The bodies from the root to a body."""
    way: list[int] = []
    while body != BASE:
        way.append(body)
        body = tree.bodies[body].parent
    return tuple(reversed(way))


def _followed(
    steps: Sequence[tuple[CanonicalLink, JointPlace]], tip: Pose, q: Sequence[Scalar], rates: Rates | None
) -> _Way:
    """The frame at the end of a chain of joints, with (5) if rates are given."""
    pose, axes = IDENTITY, []
    w_v = w_u = a = wd = _ZERO
    for link, place in steps:
        if link.kind.nv > 1:
            inside = link.kind.motion(q[place.position : place.position + link.kind.nq])
            local = Pose(matmul(link.pre.rotation, inside.rotation), link.pre.apply(inside.origin))
        else:
            c, s, height = link.kind.z_screw(link.theta, link.d, (joint_position(place, q),))
            axis = transpose(link.pre.rotation)[2]
            turned = matmul(link.pre.rotation, rotation_z(c, s))
            local = Pose(turned, add(link.pre.origin, scale(axis, height)))
        moved = pose @ local
        own = [
            _Axis(place.rate + k, place.multiplier, column.direction(moved.rotation), moved.origin, column.turns)
            for k, column in enumerate(link.kind.motion_subspace)
        ]
        if rates is not None:
            (spin_v, slide_v), (spin_u, slide_u) = (_joint_twist(own, each) for each in rates)
            arm = subtract(moved.origin, pose.origin)
            a = add(a, add(cross(wd, arm), cross(w_u, add(cross(w_v, arm), slide_v))))
            w_v, w_u = add(w_v, spin_v), add(w_u, spin_u)
            a = add(a, cross(w_v, slide_u))
            wd = add(wd, cross(w_v, spin_u))
        axes += own
        pose = moved
    end = pose @ tip
    if rates is not None:
        arm = subtract(end.origin, pose.origin)
        a = add(a, add(cross(wd, arm), cross(w_u, cross(w_v, arm))))
    return _Way(end, tuple(axes), w_v, w_u, a, wd)


def _joint_twist(axes: Sequence[_Axis], rates: Sequence[Scalar]) -> tuple[Vector3, Vector3]:
    """Angular and linear velocity of a joint's child relative to its parent."""
    spin, slide = _ZERO, _ZERO
    for axis in axes:
        rate = rates[axis.rate] if axis.ratio == 1.0 else axis.ratio * rates[axis.rate]
        part = scale(axis.direction, rate)
        spin, slide = (add(spin, part), slide) if axis.turns else (spin, add(slide, part))
    return spin, slide


def joint_position(place: JointPlace, q: Sequence[Scalar]) -> Scalar:
    """The position of a one-coordinate joint."""
    value = q[place.position] if place.multiplier == 1.0 else place.multiplier * q[place.position]
    return value if place.offset == 0.0 else value + place.offset


def _rows(back: Matrix3, a: _Way, b: _Way, kind: LoopKind) -> list[Row]:
    rows: list[Row] = [{} for _ in kind.equations]
    for sign, way in ((-1.0, a), (1.0, b)):
        for axis in way.axes:
            arm = subtract(way.pose.origin, axis.origin)
            ratio = sign * axis.ratio
            linear = matvec(back, cross(axis.direction, arm) if axis.turns else axis.direction)
            angular = matvec(back, axis.direction) if axis.turns and len(rows) > 3 else _ZERO
            for row, value in zip(rows, (*linear, *angular), strict=False):
                if not (isinstance(value, float) and value == 0.0):
                    part = ratio * value
                    row[axis.rate] = row[axis.rate] + part if axis.rate in row else part
    return rows


def _coupled(
    tree: Robot, places: Sequence[JointPlace], coupling: Coupling, q: Sequence[Scalar], rates: Rates | None
) -> LoopEquation:
    """The equation of a coupling (4)."""
    at = {body.joint.name: place for body, place in zip(tree.bodies, places, strict=True)}
    follower, leader = at[coupling.joint], at[coupling.of]
    x = joint_position(leader, q)
    value: Scalar = 0.0
    slope: Scalar = 0.0
    curvature: Scalar = 0.0
    for coefficient in reversed(coupling.polynomial):
        curvature = curvature * x + (slope + slope)
        slope = slope * x + value
        value = value * x + coefficient
    row: Row = {follower.rate: follower.multiplier}
    own = -(leader.multiplier * slope)
    row[leader.rate] = row[leader.rate] + own if leader.rate in row else own
    bias: Scalar = 0.0
    if rates is not None:
        v, u = (leader.multiplier * each[leader.rate] for each in rates)
        bias = -(curvature * (v * u))
    for name, factor in coupling.more:
        place = at[name]
        value = value + factor * joint_position(place, q)
        own = -(factor * place.multiplier)
        row[place.rate] = row[place.rate] + own if place.rate in row else own
    return LoopEquation(joint_position(follower, q) - value, row, bias)
