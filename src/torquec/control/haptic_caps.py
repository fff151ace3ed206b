"""What a haptic arm never exceeds, whatever is asked of it, and what it says of each cycle.

(1)  force:   |F| <= force, |G| <= moment: a larger measured wrench counts as one of this size in its direction
(2)  speed:   |v| <= speed, |w| <= turning of the held point, and every joint's speed within its limit
(3)  power:   -(F . v + G . w), what the arm does on the hand, <= power
(4)  torque:  |tau_i| <= effort share x the joint's limit: the fuse

(2) and (3) scale the object's velocities down, which takes kinetic energy out of it, never puts any in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntFlag
from typing import NamedTuple

from torquec.dynamics.virtual_object import ObjectWrench
from torquec.errors import ArgumentError
from torquec.expr.math import maximum, minimum, select, sqrt
from torquec.spatial import Scalar, Vector3, dot, scale

_LEAST = 1e-30  # added to what is divided by: far below every square of a force or a speed that matters


class HapticStatus(IntFlag):
    """What happened in a cycle; several may."""

    FINE = 0
    FORCE_INVALID = 1
    """A measured force is no finite number: the arm comes to rest and holds."""
    FORCE_SATURATED = 2
    """A measured force is at the end of the sensor's range, and says nothing more: the arm comes to rest and holds."""
    JOINTS_INVALID = 4
    """A measured joint is no finite number: the arm goes on without feedback, and comes to rest."""
    AT_LIMIT = 8
    """A joint limit or speed stopped the arm, and the object with it."""
    OUT_OF_REACH = 16
    """The object is where the arm cannot follow: it was stopped with the arm."""
    SINGULAR = 32
    """The arm is next to a singularity."""
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
"""The object does not move as the hand's force moves its mass: something stops or limits it."""


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
    """A share of 1 or less that something is scaled by, and the flag where it is less."""

    share: Scalar
    flag: Scalar


def capped_wrench(caps: HapticCaps, wrench: ObjectWrench) -> tuple[ObjectWrench, Scalar]:
    """(1), and its flag."""
    force, moment = _share(wrench.force, caps.force), _share(wrench.moment, caps.moment)
    flag = flagged(1.0 - minimum(force, moment), HapticStatus.FORCE_CAPPED)
    return ObjectWrench(scale(wrench.force, force), scale(wrench.moment, moment)), flag


def capped_speed(caps: HapticCaps, velocity: Vector3, turning: Vector3, hand: ObjectWrench) -> Capped:
    """By what the velocities of the held point are to be scaled, (2) and (3); all in the same axes."""
    slow = minimum(_share(velocity, caps.speed), _share(turning, caps.turning))
    given = -(dot(hand.force, velocity) + dot(hand.moment, turning)) * slow
    power = caps.power / maximum(given, caps.power)
    flag = flagged(1.0 - slow, HapticStatus.SPEED_CAPPED) + flagged(1.0 - power, HapticStatus.POWER_CAPPED)
    return Capped(slow * power, flag)


def flagged(excess: Scalar, flag: HapticStatus) -> Scalar:
    """The flag where the excess is positive, else zero; an excess that is no number counts."""
    return select(-excess, 0.0, float(flag))


def _share(v: Vector3, most: float) -> Scalar:
    """By what a vector is scaled so that it is at most so long; exactly 1 where it is not longer."""
    return most / maximum(sqrt(dot(v, v) + _LEAST), most)
