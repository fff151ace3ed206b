"""What is asked of an arm, and one way to reach it."""

from __future__ import annotations

from dataclasses import dataclass

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
