"""What controllers know of the robot: where they evaluate it, how they treat friction, which parts of it they use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from torquec.errors import ArgumentError
from torquec.expr.math import sqrt
from torquec.foundation.choice import chosen
from torquec.model.model import Model, as_model
from torquec.robot.robot import Friction, Robot
from torquec.spatial import Scalar


class Evaluation(StrEnum):
    """At which state a controller evaluates the model."""

    REFERENCE = "reference"
    """Where the robot shall be: nothing measured enters the model (Clover)."""
    MEASURED = "measured"
    """Where the robot is: feedback linearization."""


class FrictionAt(StrEnum):
    """Whose speed friction is compensated for."""

    NOTHING = "nothing"
    REFERENCE = "reference"
    MEASURED = "measured"


@dataclass(frozen=True)
class FrictionCompensation:
    """Friction compensation; with `smoothing` v0 [rad/s or m/s] the jump at rest becomes a slope.

    (1)  f = (f+(v) (1 + w) + f-(v) (1 - w))/2,   w = v/sqrt(v^2 + v0^2)   instead of f+ for v >= 0 and f- for v < 0
    """

    at: FrictionAt = FrictionAt.REFERENCE
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", chosen(FrictionAt, self.at, "speed to compensate friction at"))
        if not (math.isfinite(self.smoothing) and self.smoothing >= 0.0):
            raise ArgumentError(f"a smoothing speed of {self.smoothing}", remedy="give zero or a positive speed")

    def torque(self, source: Robot | Model, signals: dict[str, Any]) -> list[Scalar]:
        """The compensating torque (n,) for the signals of a controller."""
        model = as_model(source)
        if self.at is FrictionAt.NOTHING:
            return [0.0] * model.robot.n
        speeds = signals["qd_ref" if self.at is FrictionAt.REFERENCE else "qd"]
        if self.smoothing == 0.0:
            return list(model.at("friction_torque", speeds))
        return _smooth_friction(model.robot, speeds, self.smoothing)


def friction_compensation(given: FrictionCompensation | FrictionAt | str) -> FrictionCompensation:
    """The compensation itself, or the one at the speed that is named.

    Raises `ArgumentError`, with the choices, for a name that is none.
    """
    if isinstance(given, FrictionCompensation):
        return given
    return FrictionCompensation(chosen(FrictionAt, given, "speed to compensate friction at"))


def state_of(signals: dict[str, Any], evaluation: Evaluation) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
    """(q, qd) at which the model is evaluated."""
    if evaluation is Evaluation.REFERENCE:
        return signals["q_ref"], signals["qd_ref"]
    return signals["q"], signals["qd"]


def errors_of(signals: dict[str, Any]) -> tuple[list[Scalar], list[Scalar]]:
    """e = q_ref - q and ed = qd_ref - qd."""
    e = [wanted - found for wanted, found in zip(signals["q_ref"], signals["q"], strict=True)]
    ed = [wanted - found for wanted, found in zip(signals["qd_ref"], signals["qd"], strict=True)]
    return e, ed


def rigid_torque(
    source: Robot | Model, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Inverse dynamics and springs, without friction."""
    model = as_model(source)
    parts = zip(model.at("inverse_dynamics", q, qd, qdd), model.at("spring_torque", q), strict=True)
    return [bodies + spring for bodies, spring in parts]


def added(first: Sequence[Scalar], second: Sequence[Scalar]) -> list[Scalar]:
    """Two torques together."""
    return [a + b for a, b in zip(first, second, strict=True)]


def _smooth_friction(robot: Robot, speeds: Sequence[Scalar], v0: float) -> list[Scalar]:
    """(1) of `FrictionCompensation`: joints and motors."""
    torque: list[Scalar] = [0.0] * robot.n
    for body in robot.bodies:
        joint = body.joint
        index = robot.joint_index(joint.name if joint.mimic is None else joint.mimic.joint)
        ratio = 1.0 if joint.mimic is None else joint.mimic.multiplier
        torque[index] = torque[index] + ratio * _blended(joint.friction, ratio * speeds[index], v0)
    for motor, row in zip(robot.drives.motors, robot.drives.transmission, strict=True):
        if motor.friction != Friction():
            speed = sum((ratio * v for ratio, v in zip(row, speeds, strict=True) if ratio != 0.0), 0.0)
            at_shaft = _blended(motor.friction, speed, v0 * max(map(abs, row)))
            torque = [t + ratio * at_shaft if ratio != 0.0 else t for t, ratio in zip(torque, row, strict=True)]
    return torque


def _blended(f: Friction, v: Scalar, v0: float) -> Scalar:
    if f == Friction():
        return 0.0
    weight = v / sqrt(v * v + v0 * v0)
    forth = f.viscous_positive * v + f.coulomb_positive
    back = f.viscous_negative * v - f.coulomb_negative
    return 0.5 * ((forth + back) + weight * (forth - back)) + f.offset
