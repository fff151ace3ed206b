"""A push: a constant force and moment on a frame, between two instants."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.dynamics import Axes, frame_pose
from torquec.errors import ArgumentError
from torquec.expr.math import select
from torquec.foundation.choice import chosen
from torquec.robot.robot import Robot
from torquec.simulation.plant_force import PlantForce, PlantInstant, wrench_torque
from torquec.spatial import Scalar, Vector3, matvec


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
        """Whether it starts or ends."""
        return math.isfinite(self.start) or math.isfinite(self.end)

    def check(self, robot: Robot) -> None:
        """The robot needs the frame."""
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
