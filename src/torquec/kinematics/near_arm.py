"""Nominal geometry of a calibrated arm: axes nearly parallel, orthogonal or intersecting become exactly so.

The lines of the joint axes are corrected in the order of the joints, each relative to those before it:

(1)  neighbours whose axes differ by less than `NEAR_SINE` become parallel to their mean
(2)  an axis that is perpendicular to the one before it, within `NEAR_SINE`, becomes exactly perpendicular
(3)  a line that passes the one before it at less than `near_distance` of the arm's size is moved to intersect it; if
     the two lines before it intersect nearby, it is moved to that intersection

A calibration may state a far-away point of a line. So each line is rotated and shifted about its point nearest to that
of the next line, from the tool inwards. Newton's method corrects the remaining differences.
"""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np

from torquec.foundation.arrays import Array
from torquec.kinematics.arm_geometry import ArmGeometry
from torquec.kinematics.tuning import TUNING
from torquec.spatial import Vector3

NEAR_SINE = 0.06
"""Sine of the largest deviation from parallel or perpendicular axes that counts as a manufacturing error: several times
larger than in calibrations."""


def near_arm(arm: ArmGeometry) -> ArmGeometry:
    """The nominal arm of a calibrated one (1)-(3), with the same tool at q = 0."""
    axes = [np.array(joint.axis) for joint in arm.joints]
    points = _nearby_points(axes, [np.array(joint.point) for joint in arm.joints], np.array(arm.tool.origin))
    places = [*points, np.array(arm.tool.origin)]
    reach = float(sum(np.linalg.norm(b - a) for a, b in pairwise(places)))
    axes = _squared(_paralleled(axes))
    points = _met(axes, points, TUNING.near_distance * reach)
    joints = tuple(
        dataclasses.replace(joint, axis=_vector(axis), point=_vector(point))
        for joint, axis, point in zip(arm.joints, axes, points, strict=True)
    )
    return ArmGeometry(joints, arm.tool, reach)


def pose_difference(arm: ArmGeometry, tidy: ArmGeometry) -> float:
    """The largest difference between the poses of two arms at equal joint positions, over various positions: of the
    origin, relative to half the size of the arm, or of the rotation [rad].
    """
    shares = np.random.default_rng(0).uniform(
        -1.0, 1.0, (TUNING.compared_positions, len(arm.joints))
    )  # the same in every run
    largest = 0.0
    for share in shares:
        (turn, place), (other, there) = (_pose(one, share) for one in (arm, tidy))
        angle = float(np.linalg.norm(turn - other)) / math.sqrt(2.0)
        largest = max(largest, angle, float(np.linalg.norm(place - there)) / (0.5 * arm.reach))
    return largest


def _pose(arm: ArmGeometry, share: Array) -> tuple[Array, Array]:
    """Rotation and position of the tool with joints at `share` times half a turn, or times the arm's size."""
    turn, place = np.eye(3), np.zeros(3)
    for joint, part in zip(arm.joints, share, strict=True):
        axis, point = np.array(joint.axis), np.array(joint.point)
        if joint.slides:
            place = place + turn @ (axis * part * arm.reach)
        else:
            own = turning(axis * part * math.pi)
            turn, place = turn @ own, place + turn @ (point - own @ point)
    return turn @ np.array(arm.tool.rotation), place + turn @ np.array(arm.tool.origin)


def turning(v: Array) -> Array:
    """The rotation by |v| about v."""
    angle = float(np.linalg.norm(v))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = v / angle
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * (k @ k))


def _nearby_points(axes: list[Array], points: list[Array], tool: Array) -> list[Array]:
    """One point of every line, from the tool inwards: the point nearest to that of the next line."""
    found, at = [], tool
    for axis, point in zip(reversed(axes), reversed(points), strict=True):
        at = point + axis * float(axis @ (at - point))
        found.append(at)
    return found[::-1]


def _paralleled(axes: list[Array]) -> list[Array]:
    """The axes, with nearly parallel neighbours made parallel (1)."""
    groups: list[list[Array]] = []
    for axis in axes:
        if groups and np.linalg.norm(np.cross(groups[-1][0], axis)) < NEAR_SINE:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    found = []
    for group in groups:
        total = np.sum([axis * np.sign(axis @ group[0]) for axis in group], axis=0)
        mean = total / np.linalg.norm(total)
        found += [mean * np.sign(axis @ group[0]) for axis in group]
    return found


def _squared(axes: list[Array]) -> list[Array]:
    """Equation (2); parallel neighbours stay parallel."""
    found: list[Array] = []
    for k, axis in enumerate(axes):
        new = axis
        if k and np.linalg.norm(np.cross(axes[k - 1], axis)) == 0.0:
            new = found[-1] * np.sign(axes[k - 1] @ axis)
        elif k and abs(found[-1] @ axis) < 2.0 * NEAR_SINE:  # the axis before it has itself been turned
            new = axis - found[-1] * (found[-1] @ axis)
        found.append(new / np.linalg.norm(new))
    return found


def _met(axes: list[Array], points: list[Array], near: float) -> list[Array]:
    """The lines' points, with lines that nearly intersect made to intersect (3)."""
    found = [points[0]]
    center: Array | None = None
    for k in range(1, len(axes)):
        point, before = points[k], center
        normal = np.cross(axes[k - 1], axes[k])
        center = None
        if np.linalg.norm(normal) > 0.5:  # slanted axes that meet are left alone
            between = point - found[-1]
            gap = float(between @ normal) / float(normal @ normal)
            meeting = found[-1] + axes[k - 1] * float(np.cross(between, axes[k]) @ normal) / float(normal @ normal)
            if abs(gap) * np.linalg.norm(normal) < near:
                point, center = point - normal * gap, meeting
                if before is not None and np.linalg.norm(meeting - before) < near:
                    point = center = before
        found.append(point)
    return found


def _vector(v: Array) -> Vector3:
    noise = 1e-14  # roundings of the steps above
    x, y, z = (float(round(e)) if abs(e - round(e)) < noise else float(e) for e in v)
    return (x, y, z)
