"""The tool beyond a force sensor: what it does to the measurement, and how that is taken away again.

A sensor between flange and handle measures the hand and the handle. With m, c and I the tool's mass, mass centre and
inertia about it in the sensor's axes; g, a, w, al gravity, acceleration of the sensor's origin, angular velocity and
acceleration in the same axes:

(1)  b = a + al x c + w x (w x c) - g                          acceleration of the mass centre against free fall
(2)  measured force   = hand's force  - m b
(3)  measured moment  = hand's moment - (I al + w x I w) - c x m b       about the sensor's origin

Clover compensates the weight of the fixture and its inertia; this is both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torquec.errors import ArgumentError
from torquec.haptics.objects.virtual_object import ObjectWrench
from torquec.robot.payload import attach_payload
from torquec.robot.robot import Robot
from torquec.spatial import Matrix3, Vector3, add, cross, matvec, scale, subtract

_POINT = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))  # the inertia of a tool that states none


@dataclass(frozen=True)
class FrameMotion:
    """How the sensor moves, in its own axes: its origin's acceleration, angular velocity and acceleration; gravity."""

    acceleration: Vector3
    angular_velocity: Vector3
    angular_acceleration: Vector3
    gravity: Vector3


@dataclass(frozen=True)
class ToolLoad:
    """A handle beyond the sensor: `mass` [kg], `centre` [m], `inertia` (3, 3) [kg m^2] about it; in the frame's axes.

    Raises `ArgumentError` for numbers that are not finite and for a negative mass.
    """

    mass: float
    centre: Vector3 = (0.0, 0.0, 0.0)
    inertia: Matrix3 = _POINT

    def __post_init__(self) -> None:
        numbers = (self.mass, *self.centre, *(x for row in self.inertia for x in row))
        if not all(map(math.isfinite, numbers)) or self.mass < 0.0:
            raise ArgumentError(f"a tool of {self.mass} kg", remedy="give finite numbers, a mass of zero or more")

    def wrench(self, motion: FrameMotion) -> ObjectWrench:
        """What the tool adds to the measurement, (2) and (3), over any scalar."""
        w, al = motion.angular_velocity, motion.angular_acceleration
        turning = add(cross(al, self.centre), cross(w, cross(w, self.centre)))
        pull = scale(subtract(add(motion.acceleration, turning), motion.gravity), -self.mass)
        spin = add(matvec(self.inertia, al), cross(w, matvec(self.inertia, w)))
        return ObjectWrench(pull, subtract(cross(self.centre, pull), spin))

    def carried_by(self, robot: Robot, frame: str) -> Robot:
        """The robot with the tool in its hand: what a controller's model has to know."""
        if self.mass == 0.0:
            return robot
        taken = {one.name for one in robot.frames}
        name = next(name for k in range(len(taken) + 1) if (name := f"haptic_tool{k or ''}") not in taken)
        return attach_payload(robot, frame, mass=self.mass, center=self.centre, inertia=self.inertia, name=name)


NO_TOOL = ToolLoad(0.0)
