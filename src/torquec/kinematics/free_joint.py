"""Redundant arms: closed forms with one joint given, and the intervals of that joint for which a pose is reached.

With T = G_1 .. G_m of the arm and a free joint f whose value is given:

(1)  f last:    T G_f^-1 = G_1 .. G_m-1         a shorter arm; the first joint likewise, seen from the hand (Panda: 7)
(2)  f third, axes 1, 2, 3 meeting in S:        G_f^-1 T = G_1' G_2' G_4 .. G_7, where G_i' = G_f^-1 G_i G_f
     turns about R_f^-1 h_i through S. With a spherical wrist (5, 6, 7) this is a wrist on a carrier whose first two
     axes meet (iiwa: 3); joint 5 likewise, seen from the hand

The value of the free joint is that of the reference.

Intervals of the free joint in which a branch reaches the pose within all joint limits:

(3)  s(x) = the smallest distance of a joint to its limits where the pose is met, else minus the pose error;
     x is allowed where s(x) >= 0
(4)  s is sampled; where two samples differ in sign, bisection finds the end to `END` rad
(5)  between samples that agree, a lowest (or highest) sample is followed to the extremum by golden section, so that a
     gap (or an island) that the samples stepped over is found where s turns there once
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import JointAngle
from torquec.kinematics.arm_family import closed_arm, spherical_wrist, wrist_branches, wrist_names
from torquec.kinematics.arm_geometry import (
    ArmBranch,
    ArmFamily,
    ArmGeometry,
    ArmJoint,
    ClosedArm,
    PoseTarget,
    is_on_axis,
    meeting_point,
    reversed_geometry,
    seen_from_the_hand,
)
from torquec.kinematics.arm_poses import branch_cost
from torquec.kinematics.position_arm import SHOULDERS, about_a_point
from torquec.kinematics.tuning import TUNING
from torquec.spatial import Pose, add, dot, matmul, matvec, scale, subtract


def free_joint_arm(arm: ArmGeometry, free: str | None) -> ClosedArm | str:
    """The closed form with the joint `free` given, or with the first joint that admits one; or why there is none.

    Raises `ArgumentError` where no joint of the arm has that name.
    """
    names = [joint.name for joint in arm.joints]
    if free is not None and free not in names:
        raise ArgumentError(f"no joint '{free}' moves the frame", remedy=f"choose one of: {', '.join(names)}")
    if len(arm.joints) != 7:
        return "it does not have seven joints, one of which could be free"
    third, last = 2, 6
    # Joint 3 turns the elbow about the line from shoulder to wrist; other joints are tried if it gives no closed form.
    for place in (third, last, 0, last - third) if free is None else (names.index(free),):
        found = _with_free(arm, place)
        if found is not None:
            return dataclasses.replace(found, free=place)
    which = "any one joint" if free is None else f"the joint '{free}'"
    return f"with {which} given the six others have no closed form"


def _with_free(arm: ArmGeometry, place: int) -> ClosedArm | None:
    back = reversed_geometry(arm)
    if place == len(arm.joints) - 1:
        return _free_last(arm)
    if place == 0:
        found = _free_last(back)
    elif place == 2:
        return _free_third(arm)
    elif place == len(arm.joints) - 3:
        found = _free_third(back)
    else:
        return None
    return None if found is None else seen_from_the_hand(arm, found)


def _free_last(arm: ArmGeometry) -> ClosedArm | None:
    """The closed form with the last joint given (1)."""
    last = arm.joints[-1]
    rest = ArmGeometry(arm.joints[:-1], Pose(arm.tool.rotation, last.point), arm.reach)
    found = closed_arm(rest)
    if not isinstance(found, ClosedArm):
        return None
    grip = subtract(arm.tool.origin, last.point)

    def solve(target: PoseTarget) -> list[ArmBranch]:
        turn, at, value = target.turn, subtract(target.position, matvec(target.turn, grip)), target.near[-1]
        if last.slides:
            at = subtract(at, scale(matvec(turn, last.axis), value))
        else:
            turn = matmul(turn, (-JointAngle.of(value)).rotation(last.axis))
        return [
            dataclasses.replace(branch, values=(*branch.values, value))
            for branch in found.solve(PoseTarget(turn, at, target.near[:-1]))
        ]

    return dataclasses.replace(found, solve=solve)


def _free_third(arm: ArmGeometry) -> ClosedArm | None:
    """The closed form with the third joint given (2)."""
    first, second, third, fourth, *_ = arm.joints
    if first.slides or second.slides or third.slides:
        return None
    center, wrist = meeting_point(first, second), spherical_wrist(arm)
    if center is None or not is_on_axis(center, third) or isinstance(wrist, str):
        return None
    if not fourth.slides and is_on_axis(wrist.center, fourth):
        return None
    grip = subtract(arm.tool.origin, wrist.center)
    slant = dot(first.axis, second.axis)

    def solve(target: PoseTarget) -> list[ArmBranch]:
        value = target.near[2]
        back = -JointAngle.of(value)
        turn = matmul(back.rotation(third.axis), target.turn)
        w = subtract(target.position, matvec(target.turn, grip))
        seen = add(center, back.turn(third.axis, subtract(w, center)))
        pair = [dataclasses.replace(joint, axis=back.turn(third.axis, joint.axis)) for joint in (first, second)]
        carrier = about_a_point((*pair, fourth), center, wrist.center, arm.reach, slant=slant)
        places = carrier.solve(seen, (target.near[0], target.near[1], target.near[3]))
        return [
            dataclasses.replace(branch, values=(*branch.values[:2], value, *branch.values[2:]))
            for branch in wrist_branches(places, turn, wrist, target.near[4])
        ]

    elbows = ("slide out", "slide in") if fourth.slides else ("elbow up", "elbow down")
    names = wrist_names(tuple((elbow, shoulder) for elbow in elbows for shoulder in SHOULDERS))
    rule = "axes 1, 2 and 3 intersect, and axes 5, 6 and 7"
    return ClosedArm(ArmFamily.SPHERICAL_WRIST, rule, names, solve)


SAMPLES = 2048
"""Number of samples over the range of the free joint: a step is about 3 mrad for a joint that turns all around."""

END = 1e-12
"""Accuracy of the interval ends [rad or m], except at joint limits."""

FREE_VALUES = 64
"""Number of values of a free joint that are tried where no reference gives one: every 0.1 rad of a whole turn."""

_POSES_AT_ONCE = 256
"""Number of poses whose solutions for all these values are in memory at once: 5 MB."""

Score: TypeAlias = Callable[[Array, Indices], Array]
"""s(x) of (3) for values (M,), each for the branch (M,) at the same index."""

_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True)
class FreeIntervals:
    """For every branch the intervals (lower, upper) of the joint `joint`, in order."""

    joint: str
    names: tuple[str, ...]
    intervals: tuple[tuple[tuple[float, float], ...], ...]


def free_intervals(score: Score, branches: int, lower: float, upper: float) -> list[list[tuple[float, float]]]:
    """The intervals of lower..upper in which s >= 0, for every branch (3)-(5)."""
    x = np.linspace(lower, upper, SAMPLES)
    rows = np.repeat(np.arange(branches), SAMPLES)
    s = score(np.tile(x, branches), rows).reshape(branches, SAMPLES)
    ends, tops = _extrema(score, x, s)
    found = []
    for k in range(branches):
        extra = [(at, value) for branch, at, value in zip(*ends, tops, strict=True) if branch == k]
        points = np.array(sorted([*zip(x, s[k], strict=True), *extra]))
        found.append(_runs(score, k, points))
    return found


def free_range(joint: ArmJoint, reach: float) -> tuple[float, float]:
    """Search range of the free joint: its limits, or where they are infinite one turn, or the arm's size."""
    half = reach if joint.slides else math.pi
    limits = joint.limits
    if math.isfinite(limits.lower) and math.isfinite(limits.upper):
        return limits.lower, limits.upper
    return max(limits.lower, -half), min(limits.upper, half)


def free_costs(
    nearest: Callable[..., Any], joint: ArmJoint, reach: float, reference: Array, poses: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Values of a free joint (K,), and the cost of the nearest solution with each, (N, K): `branch_cost`.

    `nearest` takes rotation, position and reference of many poses; `poses` are N rotations and positions.
    """
    values = np.linspace(*free_range(joint, reach), FREE_VALUES + 2)[1:-1]
    trial = np.repeat(reference[None], FREE_VALUES, axis=0)
    trial[:, joint.index] = values
    costs = []
    for start in range(0, len(poses[0]), _POSES_AT_ONCE):
        turn, place = (np.repeat(a[start : start + _POSES_AT_ONCE], FREE_VALUES, axis=0) for a in poses)
        q, _, status, _ = nearest(turn, place, np.tile(trial, (len(turn) // FREE_VALUES, 1)))
        apart = ((q - reference) ** 2).sum(axis=1)
        costs.append(np.asarray(branch_cost(status, apart)).reshape(-1, FREE_VALUES))
    return values, np.concatenate(costs)


def _extrema(score: Score, x: Array, s: Array) -> tuple[tuple[Indices, Array], Array]:
    """((branches, places), values) of extrema on the other side of zero than the samples beside them (5)."""
    allowed = s >= 0.0
    side = np.where(allowed, 1.0, -1.0)
    # Looking for the lowest point of the allowed range, and the highest outside.
    tops = -side * s
    middle = tops[:, 1:-1]
    same = (allowed[:, 1:-1] == allowed[:, :-2]) & (allowed[:, 1:-1] == allowed[:, 2:])
    branch, at = np.nonzero(same & (middle >= tops[:, :-2]) & (middle >= tops[:, 2:]))
    sign = -side[branch, at + 1]
    low, high = x[at], x[at + 2]
    for _ in range(TUNING.golden_sections):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        better = sign * score(left, branch) > sign * score(right, branch)
        low, high = np.where(better, low, left), np.where(better, right, high)
    place = 0.5 * (low + high)
    value = score(place, branch)
    crossed = (value >= 0.0) != allowed[branch, at + 1]
    return (branch[crossed], place[crossed]), value[crossed]


def _runs(score: Score, branch: int, points: Array) -> list[tuple[float, float]]:
    """The intervals between the changes of sign in points (x, s) of one branch (4)."""
    if not len(points):
        return []
    x, allowed = points[:, 0], points[:, 1] >= 0.0
    change = np.flatnonzero(allowed[1:] != allowed[:-1])
    low, high = x[change], x[change + 1]
    first = allowed[change]
    which = np.full(len(change), branch)
    for _ in range(TUNING.interval_bisections):
        middle = 0.5 * (low + high)
        as_first = (score(middle, which) >= 0.0) == first
        low, high = np.where(as_first, middle, low), np.where(as_first, high, middle)
    # Of the last bracket, the allowed end: the interval's end itself is then allowed.
    ends = np.where(first, low, high)
    edges = [*([x[0]] if allowed[0] else []), *ends, *([x[-1]] if allowed[-1] else [])]
    return [(float(a), float(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
