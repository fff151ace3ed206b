"""Options of an admittance-controlled haptic arm: limits of force, speed, power, torque; tool load; status.

Limits that always hold:

(1)  force:   |F| <= force, |G| <= moment: a larger measured wrench is scaled down to this size
(2)  speed:   |v| <= speed, |w| <= turning of the held point, and every joint's speed within its limit
(3)  power:   -(F . v + G . w) <= power, from the arm to the hand
(4)  torque:  |tau_i| <= effort share x the joint's limit: the fuse

(2) and (3) scale the object's velocities down, which only dissipates its kinetic energy.

Tool compensation: a sensor between flange and handle measures the hand and the handle. With m, c and I the tool's mass,
mass centre and inertia about it in the sensor's axes; g, a, w, al gravity, acceleration of the sensor's origin, angular
velocity and acceleration in the same axes:

(5)  b = a + al x c + w x (w x c) - g                          acceleration of the mass centre against free fall
(6)  measured force   = hand's force  - m b
(7)  measured moment  = hand's moment - (I al + w x I w) - c x m b       about the sensor's origin

As in Clover, both weight and inertia of the fixture are compensated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntFlag
from typing import NamedTuple

from torquec.control.poles import PoleArgument
from torquec.errors import ArgumentError
from torquec.expr.math import maximum, minimum, select, sqrt
from torquec.haptics.tuning import TUNING
from torquec.haptics.virtual_object import ObjectWrench
from torquec.robot.payload import attach_payload
from torquec.robot.robot import Robot
from torquec.spatial import Matrix3, Scalar, Vector3, add, cross, dot, matvec, scale, subtract

_DIVISOR_FLOOR = 1e-30  # added to divisors: far below the square of any relevant force or speed


class HapticStatus(IntFlag):
    """Status flags of a cycle; several may be set."""

    FINE = 0
    FORCE_INVALID = 1
    """A measured force is not finite: the arm comes to rest and holds."""
    FORCE_SATURATED = 2
    """A measured force is at the end of the sensor's range: the arm comes to rest and holds."""
    JOINTS_INVALID = 4
    """A measured joint is not finite: the arm continues without feedback, and comes to rest."""
    AT_LIMIT = 8
    """A joint limit or speed stopped the arm, and the object with it."""
    OUT_OF_REACH = 16
    """The object is out of the arm's reach: it was stopped with the arm."""
    SINGULAR = 32
    """The arm is near a singular configuration."""
    FORCE_CAPPED = 64
    SPEED_CAPPED = 128
    POWER_CAPPED = 256
    TORQUE_LIMITED = 512


NOT_FREE = (
    HapticStatus.FORCE_INVALID
    | HapticStatus.FORCE_SATURATED
    | HapticStatus.JOINTS_INVALID
    | HapticStatus.AT_LIMIT
    | HapticStatus.OUT_OF_REACH
    | HapticStatus.FORCE_CAPPED
    | HapticStatus.SPEED_CAPPED
    | HapticStatus.POWER_CAPPED
)
"""Flags with which the object does not move freely under the hand's force: something stops or limits it."""


def haptic_status_words(status: int) -> list[str]:
    """A status in words.

    >>> haptic_status_words(9)
    ['force invalid', 'at limit']
    """
    found = [one for one in HapticStatus if int(status) & one]
    return [str(one.name).lower().replace("_", " ") for one in found]


@dataclass(frozen=True)
class HapticCaps:
    """The caps (1)-(4): [N], [N m], [m/s], [rad/s], [W], and the share of the effort limits. All are always on."""

    force: float = 300.0
    moment: float = 30.0
    speed: float = 1.0
    turning: float = 4.0
    power: float = 100.0
    effort: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0.0 < value < math.inf:
                raise ArgumentError(f"a cap of {value} for {name}", remedy="give a positive, finite number")
        if self.effort > 1.0:
            raise ArgumentError(f"a share of {self.effort} of the effort limits", remedy="give at most 1")


class Capped(NamedTuple):
    """A scale factor of at most 1, and the flag where it is less."""

    share: Scalar
    flag: Scalar


def capped_wrench(caps: HapticCaps, wrench: ObjectWrench) -> tuple[ObjectWrench, Scalar]:
    """The wrench limited by (1), and the flag."""
    force, moment = _share(wrench.force, caps.force), _share(wrench.moment, caps.moment)
    flag = flagged(1.0 - minimum(force, moment), HapticStatus.FORCE_CAPPED)
    return ObjectWrench(scale(wrench.force, force), scale(wrench.moment, moment)), flag


def capped_speed(caps: HapticCaps, velocity: Vector3, turning: Vector3, hand: ObjectWrench) -> Capped:
    """Scale factor of the velocities of the held point, (2) and (3); all in the same axes."""
    slow = minimum(_share(velocity, caps.speed), _share(turning, caps.turning))
    given = -(dot(hand.force, velocity) + dot(hand.moment, turning)) * slow
    power = caps.power / maximum(given, caps.power)
    flag = flagged(1.0 - slow, HapticStatus.SPEED_CAPPED) + flagged(1.0 - power, HapticStatus.POWER_CAPPED)
    return Capped(slow * power, flag)


def flagged(excess: Scalar, flag: HapticStatus) -> Scalar:
    """The flag where the excess is positive, else zero; NaN counts as positive."""
    return select(-excess, 0.0, float(flag))


def _share(v: Vector3, most: float) -> Scalar:
    """Scale factor that limits the length of a vector to `most`; exactly 1 where it is not longer."""
    return most / maximum(sqrt(dot(v, v) + _DIVISOR_FLOOR), most)


_NO_INERTIA = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))  # the inertia of a tool that states none


@dataclass(frozen=True)
class FrameMotion:
    """Motion of the sensor, in its own axes: its origin's acceleration, angular velocity and acceleration; gravity."""

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
    inertia: Matrix3 = _NO_INERTIA

    def __post_init__(self) -> None:
        numbers = (self.mass, *self.centre, *(x for row in self.inertia for x in row))
        if not all(map(math.isfinite, numbers)) or self.mass < 0.0:
            raise ArgumentError(f"a tool of {self.mass} kg", remedy="give finite numbers, a mass of zero or more")

    def wrench(self, motion: FrameMotion) -> ObjectWrench:
        """The tool's part of the measurement, (6) and (7), over any scalar."""
        w, al = motion.angular_velocity, motion.angular_acceleration
        turning = add(cross(al, self.centre), cross(w, cross(w, self.centre)))
        pull = scale(subtract(add(motion.acceleration, turning), motion.gravity), -self.mass)
        spin = add(matvec(self.inertia, al), cross(w, matvec(self.inertia, w)))
        return ObjectWrench(pull, subtract(cross(self.centre, pull), spin))

    def carried_by(self, robot: Robot, frame: str) -> Robot:
        """The robot with the tool attached, for the controller's model."""
        if self.mass == 0.0:
            return robot
        taken = {one.name for one in robot.frames}
        name = next(name for k in range(len(taken) + 1) if (name := f"haptic_tool{k or ''}") not in taken)
        return attach_payload(robot, frame, mass=self.mass, center=self.centre, inertia=self.inertia, name=name)


NO_TOOL = ToolLoad(0.0)


SENSOR_RANGE = (133.0, 133.0, 266.0, 11.3, 11.3, 11.3)
"""Sensor range of the ATI Gamma in the paper [N, N m]."""

_USUAL_CAPS = HapticCaps()


@dataclass(frozen=True)
class AdmittanceOptions:
    """Options of an arm that renders an object by admittance control.

    `period` [s] of a cycle; `poles` of the default law (pole placement, friction compensated at the reference's speed,
    smoothed over `smoothing` [rad/s]); `tool`: the handle beyond the sensor; `contact_point`: the held frame seen from
    the object's mass centre, in the frame's axes [m]; `sensor_range` (6,) [N, N m], at which a measurement counts as
    saturated; `caps`; `settling` [s]: the time constant of a change of settings; `rest` [s]: that of coming to rest
    after an invalid measurement; `speed_share`: filter coefficient of the measured speed (1: no filter); `free`: the
    redundant joint, which stands still; `substeps` of the object's integration in a cycle.
    """

    period: float = 0.002
    poles: PoleArgument = -45 + 45j
    smoothing: float = 0.02
    tool: ToolLoad = NO_TOOL
    contact_point: Vector3 = (0.0, 0.0, 0.0)
    sensor_range: tuple[float, ...] = SENSOR_RANGE
    caps: HapticCaps = _USUAL_CAPS
    settling: float = 0.2
    rest: float = 0.02
    speed_share: float = 1.0
    free: str | None = None
    substeps: int = TUNING.substeps

    def __post_init__(self) -> None:
        for name in ("period", "settling", "rest"):
            value = getattr(self, name)
            if not 0.0 < value < math.inf:
                raise ArgumentError(f"{name} is {value}", remedy="give a positive number of seconds")
        if len(self.sensor_range) != 6 or not all(value > 0.0 for value in self.sensor_range):
            raise ArgumentError(f"a sensor range of {self.sensor_range}", remedy="give six positive numbers")
        if len(self.contact_point) != 3 or not all(map(math.isfinite, self.contact_point)):
            raise ArgumentError(f"a contact point {self.contact_point}", remedy="give three finite numbers")
        if not 0.0 < self.speed_share <= 1.0 or not self.smoothing >= 0.0 or self.substeps < 1:
            raise ArgumentError(
                f"speed_share {self.speed_share}, smoothing {self.smoothing}, substeps {self.substeps}",
                remedy="give a share above 0 up to 1, a smoothing of 0 or more, at least one substep",
            )
