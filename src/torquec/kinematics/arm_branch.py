"""What is asked of an arm, one way to reach it, and a closed form that gives every way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from torquec.spatial import Matrix3, Scalar, Vector3


@dataclass(frozen=True)
class PoseTarget:
    """What is asked for, as the solvers see it: the rotation of all joints together and the tool's position."""

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
    """Which of the arm's joints is given by the reference, where there is one more than a pose needs."""
