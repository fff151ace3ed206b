"""Arguments and results of inverse kinematics: checked arrays, branches with status and error, tracked paths.

A path of poses is solved pose by pose, each next to the position before it:

(1)  q_k is the branch nearest to q_k-1 among those of the best status; a joint that is free stays where it was
(2)  where a joint moves by more than a given step between two poses, the branch is lost: a jump

Names of branches may change along a smooth path (a shoulder passes over the base's axis), and a branch may end (the arm
is stretched). The criterion is therefore continuity of the joints (2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Any, TypeVar

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr.math import absolute, maximum, select
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import PlacedTurn, flag, limits_margin, nearest_turn, smaller
from torquec.kinematics.arm_geometry import ArmJoint
from torquec.spatial import Scalar, cross, dot

MISSED = 1e-10
"""Pose error above which a pose is out of reach: position relative to the arm's size, rotation [rad]."""

SINGULAR = 1e-6
"""Sine of the angle to a singularity below which a branch is reported as singular: speeds grow a million times."""

SEVERE = 1e6
"""Penalty of a status relative to squared distances [rad^2, m^2] in the choice of the nearest branch."""


Made = TypeVar("Made")
_FINITE = 1e300  # more is taken for infinite


class BranchStatus(IntFlag):
    """Status flags of a branch; several may be set."""

    EXACT = 0
    """The pose is met, within limits, away from singularities."""
    SINGULAR = 1
    """Two branches coincide here, or a joint is free and keeps the reference's value."""
    OUT_OF_LIMITS = 2
    """The pose is met, but no turn of some joint is within its limits."""
    OUT_OF_REACH = 4
    """The pose is not met. q solves the arm's equations in turn, each with the least error; the pose `error` is minimal
    for arms without an offset at the shoulder, close to minimal for others."""


def status_words(status: int) -> list[str]:
    """A status in words.

    >>> status_words(5)
    ['singular', 'out of reach']
    """
    found = [one for one in BranchStatus if status & one]
    return [str(one.name).lower().replace("_", " ") for one in found] or ["exact"]


@dataclass(frozen=True, eq=False)
class ArmPoses:
    """All branches for one pose; for N poses the arrays have a leading axis."""

    names: tuple[str, ...]
    q: Array
    """(branches, n)"""
    status: Indices
    """(branches,), sums of `BranchStatus`"""
    error: Array
    """(branches, 2): errors of the position [m] and of the rotation [rad]"""
    complete: bool = True
    """For `InverseKinematics.all`: whether these are all solutions; false next to singular configurations."""
    degree: int = 0
    """For `InverseKinematics.all`: largest number of solutions of the arm, complex ones counted."""


@dataclass(frozen=True, eq=False)
class NearestPose:
    """The branch nearest to the reference among those of the best status; for N poses with a leading axis."""

    q: Array
    """(n,)"""
    branch: Indices
    """(), index of the name"""
    status: Indices
    error: Array
    """(2,): errors of the position [m] and of the rotation [rad]"""


@dataclass(frozen=True)
class PlacedJoints:
    """Values of all joints with whole turns chosen, and the flag for joints outside their limits."""

    q: list[Scalar]
    outside: Scalar


def place_joints(joints: Sequence[ArmJoint], values: Sequence[Scalar], near: Sequence[Scalar]) -> PlacedJoints:
    """The arm's joints at `values`, each in the turn nearest to the reference `near` (n,); the others as in `near`."""
    row = list(near)
    margin: Scalar = 1.0
    for joint, value in zip(joints, values, strict=True):
        if joint.slides:
            placed = PlacedTurn(value, limits_margin(value, joint.limits))
        else:
            placed = nearest_turn(value, joint.limits, near[joint.index])
        row[joint.index] = placed.value
        margin = smaller(margin, placed.margin)
    return PlacedJoints(row, flag(margin, float(BranchStatus.OUT_OF_LIMITS)))


def branch_status(outside: Scalar, error: Sequence[Scalar], margin: Scalar, reach: float) -> Scalar:
    """The sum of a branch's status flags, from its `error` [m, rad] and its `margin`, the sine to a singularity."""
    met = select(MISSED * reach - error[0], MISSED - error[1], -1.0)
    out = flag(met, float(BranchStatus.OUT_OF_REACH))
    return flag(margin - SINGULAR, float(BranchStatus.SINGULAR)) + outside + out


def branch_cost(status: Any, apart: Any) -> Any:
    """Cost that the nearest branch minimizes: status first, then squared distance; singular has no penalty."""
    return apart + SEVERE * select(status - float(BranchStatus.OUT_OF_LIMITS), status, 0.0)


@dataclass(frozen=True, eq=False)
class TrackedPath:
    """Positions of all joints along a path of N poses."""

    q: Array
    """(N, n)"""
    branch: Indices
    """(N,), indices of the names"""
    status: Indices
    """(N,), sums of `BranchStatus`"""
    error: Array
    """(N, 2): errors of the position [m] and of the rotation [rad]"""
    jumps: Indices
    """The poses before which some joint moved by more than the largest step."""


def rotation_defect(rotation: Any, others: Sequence[Scalar]) -> Scalar:
    """The largest part of R R' - 1; 2 or more for a reflection, or where another argument is not finite."""
    x, y, z = rotation
    parts = [dot(x, x) - 1.0, dot(y, y) - 1.0, dot(z, z) - 1.0, dot(x, y), dot(y, z), dot(z, x)]
    largest: Scalar = 0.0
    for part in parts:
        largest = maximum(largest, absolute(part))
    largest = largest + select(dot(cross(x, y), z), 0.0, 2.0)
    for value in others:
        largest = select(_FINITE - absolute(value), largest, 2.0)
    return largest


def call_array(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """An argument as an array of a shape, or of N such arrays; raises `ArgumentError` for another shape or values."""
    try:
        array = np.ascontiguousarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is not an array of numbers", remedy=f"give shape {shape}") from error
    if array.shape[-len(shape) :] != shape or array.ndim > len(shape) + 1:
        raise ArgumentError(
            f"{name} has the shape {array.shape}", remedy=f"give {shape}, or (N, {', '.join(map(str, shape))})"
        )
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} holds numbers that are not finite", remedy="give finite numbers")
    return array


def batch_together(*arrays: tuple[Array, int]) -> list[Array]:
    """Arrays, each given with its number of axes for one pose: where one is a batch, the single ones are repeated."""
    batches = {array.shape[0] for array, axes in arrays if array.ndim > axes}
    if len(batches) > 1:
        raise ArgumentError(
            f"batches of {' and '.join(map(str, sorted(batches)))} were given", remedy="give as many of each, or one"
        )
    if not batches:
        return [array for array, _ in arrays]
    (size,) = batches
    return [
        array if array.ndim > axes else np.ascontiguousarray(np.broadcast_to(array, (size, *array.shape)))
        for array, axes in arrays
    ]
