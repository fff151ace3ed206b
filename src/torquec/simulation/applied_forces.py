"""Forces applied to a plant: wall contact, a holding hand, an unknown payload, a wrench on a frame.

(1)  wall:    d = n . (p - x), how far the frame's origin x is behind the plane through p;  v = n . xd
              F = max(0, k d - c v) n  where d > 0, else nothing: it pushes and never pulls
(2)  sliding along the wall, u = xd - v n:  F = -m |F_n| u / sqrt(u'u + w^2), Coulomb friction with a small slip speed w
(3)  hand:    F = k (p - x) - c xd, at every position of the frame

Unknown payload (`HeldPayload`):

(4)  torques:  -(c_load(q, qd) + g_load(q)),   inertia  M_load(q):  those of a massless arm with the load

`FrameWrench` is a constant force and moment on a frame, between two instants.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from torquec.dynamics import Axes, frame_pose, jacobian
from torquec.dynamics.carried_links import placed_links
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import Mechanism, mechanism
from torquec.dynamics.motion import motions
from torquec.errors import ArgumentError
from torquec.expr.math import maximum, select, sqrt
from torquec.foundation.choice import chosen
from torquec.robot.payload import attach_payload
from torquec.robot.robot import Drives, Robot
from torquec.simulation.plant_force import (
    CarriedLoad,
    PlantForce,
    PlantInstant,
    StiffForce,
    frame_velocity,
    wrench_torque,
)
from torquec.spatial import Inertia, Scalar, Vector3, add, dot, matvec, scale, subtract


@dataclass(frozen=True)
class FrameWrench(PlantForce):
    """`force` [N] and `moment` [N m] on the origin of `frame`, in base or frame axes, from `start` to `end` [s].

    Raises `ArgumentError` for numbers that are not finite and for an end before the start.
    """

    frame: str
    force: tuple[float, float, float]
    moment: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes: Axes = Axes.BASE
    start: float = -math.inf
    end: float = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", chosen(Axes, self.axes, "axes"))
        values = (*self.force, *self.moment)
        if len(values) != 6 or not all(math.isfinite(value) for value in values):
            raise ArgumentError(
                f"a force {self.force} and a moment {self.moment}", remedy="give three finite numbers each"
            )
        if not self.start < self.end:
            raise ArgumentError(f"a push from {self.start:g} s to {self.end:g} s", remedy="let it end after it starts")

    @property
    def depends_on_time(self) -> bool:
        """Whether the wrench starts or ends during a run."""
        return math.isfinite(self.start) or math.isfinite(self.end)

    def check(self, robot: Robot) -> None:
        """Raise unless the robot has the frame."""
        robot.frame(self.frame)

    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """J' (F, N) while it lasts."""
        force: Vector3 = self.force
        moment: Vector3 = self.moment
        if self.axes is Axes.FRAME:
            turn = frame_pose(robot, self.frame, now.q).rotation
            force, moment = matvec(turn, force), matvec(turn, moment)
        tau = wrench_torque(robot, self.frame, now.q, force, moment)
        if math.isfinite(self.start):
            tau = [select(now.time - self.start, t, 0.0) for t in tau]
        if math.isfinite(self.end):
            tau = [select(self.end - now.time, t, 0.0) for t in tau]
        return tau


_POINT_MASS = ((0.0,) * 3,) * 3  # the inertia of a payload that states none


@dataclass(frozen=True)
class HeldPayload(CarriedLoad):
    """`mass` [kg] at `center` [m] of a frame, `inertia` (3, 3) [kg m^2] about that point, as in `attach_payload`."""

    frame: str
    mass: float
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia_tensor: tuple[tuple[float, ...], ...] = _POINT_MASS

    def check(self, robot: Robot) -> None:
        """Raise unless the robot has the frame and the load is physically consistent."""
        _load_alone(robot, self)

    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """(4)."""
        m, still = _load_alone(robot, self), [0.0] * robot.n
        placed = placed_links(m, now.q, carried=False)
        needed = joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, now.qd, still), still)
        return [-value for value in needed]

    def inertia(self, robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """M of the load (4)."""
        m = _load_alone(robot, self)
        return joint_inertias(m, placed_links(m, q, carried=False))


@lru_cache(maxsize=8)
def _load_alone(robot: Robot, load: HeldPayload) -> Mechanism:
    """The massless arm with the load.

    Joints that do not carry the load (other fingers, links beyond its frame) have no inertia here, which is intended.
    """
    bodies = tuple(dataclasses.replace(body, inertia=Inertia(), lacking_inertia=()) for body in robot.bodies)
    bare = dataclasses.replace(robot, bodies=bodies, drives=Drives(), base_inertia=Inertia())
    taken = {frame.name for frame in robot.frames}
    name = next(name for k in range(len(taken) + 1) if (name := f"payload{k}") not in taken)
    alone = attach_payload(bare, load.frame, mass=load.mass, center=load.center, inertia=load.inertia_tensor, name=name)
    return mechanism(alone, inertias=[body.inertia for body in alone.bodies])


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
        """Raise unless the robot has the frame."""
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
