"""Springs on a frame: a wall that it touches, a hand that holds it.

(1)  wall:    d = n . (p - x), how far the frame's origin x is behind the plane through p;  v = n . xd
              F = max(0, k d - c v) n  where d > 0, else nothing: it pushes and never pulls
(2)  sliding along the wall, u = xd - v n:  F = -m |F_n| u / sqrt(u'u + w^2), Coulomb friction with a small slip speed w
(3)  hand:    F = k (p - x) - c xd, wherever the frame is
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.dynamics import frame_pose, jacobian
from torquec.errors import ArgumentError
from torquec.expr.math import maximum, select, sqrt
from torquec.robot.robot import Robot
from torquec.simulation.plant_force import PlantInstant, StiffForce, frame_velocity, wrench_torque
from torquec.spatial import Scalar, Vector3, add, dot, scale, subtract


@dataclass(frozen=True)
class _SpringOnFrame(StiffForce):
    """A spring k [N/m] and a damper c [N s/m] between the origin of a frame and a point, in base axes [m]."""

    frame: str
    point: tuple[float, float, float]
    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        if len(self.point) != 3 or not all(math.isfinite(value) for value in self.point):
            raise ArgumentError(f"a point {self.point}", remedy="give three finite numbers")
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"a {name} of {value!r}", remedy="give zero or a positive number")

    def check(self, robot: Robot) -> None:
        """The robot needs the frame."""
        robot.frame(self.frame)

    def fastest_rate(self, robot: Robot, q: Sequence[float], mobility: Sequence[Sequence[float]]) -> float:
        """sqrt(k m) or c m, m the largest eigenvalue of J M^-1 J' [1/kg]."""
        J = np.array(jacobian(robot, self.frame, list(q))[:3], dtype=np.float64)
        ease = float(np.linalg.eigvals(J @ np.array(mobility) @ J.T).real.max())
        return max(math.sqrt(self.stiffness * ease), self.damping * ease)


@dataclass(frozen=True)
class HandHold(_SpringOnFrame):
    """A hand that holds the frame at a point (3)."""

    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """J' F."""
        away = subtract(self.point, frame_pose(robot, self.frame, now.q).origin)
        force = subtract(scale(away, self.stiffness), scale(frame_velocity(robot, self.frame, now), self.damping))
        return wrench_torque(robot, self.frame, now.q, force)


@dataclass(frozen=True)
class WallContact(_SpringOnFrame):
    """A wall through `point` whose outer side is where `normal` points (1), with Coulomb `friction` m along it (2)."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    friction: float = 0.0
    slip_speed: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.normal) != 3 or not math.isclose(math.hypot(*self.normal), 1.0, rel_tol=1e-9):
            raise ArgumentError(f"a normal {self.normal}", remedy="give a vector of length one")
        if not (math.isfinite(self.friction) and self.friction >= 0.0 and self.slip_speed > 0.0):
            raise ArgumentError(
                f"a friction coefficient of {self.friction!r}, a slip speed of {self.slip_speed!r}",
                remedy="give zero or more, and a small positive speed",
            )

    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """J' F while the frame is behind the wall."""
        n: Vector3 = self.normal
        depth = dot(n, subtract(self.point, frame_pose(robot, self.frame, now.q).origin))
        velocity = frame_velocity(robot, self.frame, now)
        rise = dot(n, velocity)
        push = select(depth, maximum(0.0, self.stiffness * depth - self.damping * rise), 0.0)
        force = scale(n, push)
        if self.friction > 0.0:
            along = subtract(velocity, scale(n, rise))
            slip = sqrt(dot(along, along) + self.slip_speed**2)
            force = add(force, scale(along, -self.friction * push / slip))
        return wrench_torque(robot, self.frame, now.q, force)
