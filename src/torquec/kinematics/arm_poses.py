"""What inverse kinematics gives: branches, their status and what they miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Any

from torquec.expr.math import select
from torquec.foundation.arrays import Array, Indices
from torquec.kinematics.angle import smaller
from torquec.kinematics.arm_geometry import ArmJoint
from torquec.kinematics.turns import PlacedTurn, flag, limits_margin, nearest_turn
from torquec.spatial import Scalar

MISSED = 1e-10
"""More than this missed is out of reach: of the position relative to the arm's size, of the rotation [rad]."""

SINGULAR = 1e-6
"""A joint whose sine to a singularity is below this is reported as singular: speeds there grow a million times."""

SEVERE = 1e6
"""What a status costs against squared distances [rad^2, m^2] in the choice of the nearest branch."""


class BranchStatus(IntFlag):
    """What holds of a branch; several may."""

    EXACT = 0
    """The pose is met, within limits, away from singularities."""
    SINGULAR = 1
    """Two branches coincide here, or a joint is free and keeps the reference's value."""
    OUT_OF_LIMITS = 2
    """The pose is met, but no turn of some joint is within its limits."""
    OUT_OF_REACH = 4
    """The pose is not met. q solves the arm's equations in turn, each as nearly as can be, and `error` says what is
    missed: the least there is for arms without an offset at the shoulder, close to it for others."""


def status_words(status: int) -> list[str]:
    """A status in words.

    >>> status_words(5)
    ['singular', 'out of reach']
    """
    found = [one for one in BranchStatus if status & one]
    return [str(one.name).lower().replace("_", " ") for one in found] or ["exact"]


@dataclass(frozen=True, eq=False)
class ArmPoses:
    """Every branch for one pose, or for N with an axis in front."""

    names: tuple[str, ...]
    q: Array
    """(branches, n)"""
    status: Indices
    """(branches,), sums of `BranchStatus`"""
    error: Array
    """(branches, 2): what is missed of the position [m] and of the rotation [rad]"""


@dataclass(frozen=True, eq=False)
class NearestPose:
    """The branch nearest to the reference among the best ones, for one pose or for N with an axis in front."""

    q: Array
    """(n,)"""
    branch: Indices
    """(), which of the names"""
    status: Indices
    error: Array
    """(2,): what is missed of the position [m] and of the rotation [rad]"""


@dataclass(frozen=True)
class PlacedJoints:
    """Values of all joints, whole turns chosen, and the flag of those that are out of their limits."""

    q: list[Scalar]
    outside: Scalar


def place_joints(joints: Sequence[ArmJoint], values: Sequence[Scalar], near: Sequence[Scalar]) -> PlacedJoints:
    """The arm's joints at `values`, each in the turn nearest to the reference `near` (n,), the others as there."""
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
    """The flags of a branch together: `error` is what it misses [m, rad], `margin` the sine to a singularity."""
    met = select(MISSED * reach - error[0], MISSED - error[1], -1.0)
    out = flag(met, float(BranchStatus.OUT_OF_REACH))
    return flag(margin - SINGULAR, float(BranchStatus.SINGULAR)) + outside + out


def branch_cost(status: Any, apart: Any) -> Any:
    """What the nearest branch has least of: a bad status, then squared distance; to be singular is nothing bad."""
    return apart + SEVERE * select(status - float(BranchStatus.OUT_OF_LIMITS), status, 0.0)
