"""Model terms of controllers: the state of evaluation, friction compensation, rigid-body torques."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from torquec.dynamics.friction import Direction, Rounded
from torquec.dynamics.friction_torque import Shaft, friction_torque, has_load_friction
from torquec.errors import ArgumentError
from torquec.expr.math import sqrt
from torquec.foundation.choice import chosen
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


class Evaluation(StrEnum):
    """At which state a controller evaluates the model."""

    REFERENCE = "reference"
    """The reference state: no measurement enters the model (Clover)."""
    MEASURED = "measured"
    """The measured state: feedback linearization."""


class FrictionAt(StrEnum):
    """The speed at which friction is compensated."""

    NOTHING = "nothing"
    REFERENCE = "reference"
    MEASURED = "measured"


@dataclass(frozen=True)
class FrictionCompensation:
    """Friction compensation; with `smoothing` v0 [rad/s or m/s] the jump of dry friction at rest becomes a slope.

    (1)  dry friction  max(w, 0) f+ + min(w, 0) f-,   w = v/sqrt(v^2 + v0^2)   instead of f+ for v > 0 and -f- for v < 0
    """

    at: FrictionAt = FrictionAt.REFERENCE
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", chosen(FrictionAt, self.at, "speed to compensate friction at"))
        if not (math.isfinite(self.smoothing) and self.smoothing >= 0.0):
            raise ArgumentError(f"a smoothing speed of {self.smoothing}", remedy="give zero or a positive speed")

    def torque(self, source: Robot | Model, signals: dict[str, Any]) -> list[Scalar]:
        """The compensating torque (n,) for the signals of a controller.

        The load of load-dependent friction is the torque of the rigid bodies at the reference acceleration.
        """
        model = as_model(source)
        if self.at is FrictionAt.NOTHING:
            return [0.0] * model.robot.n
        speeds = signals["qd_ref" if self.at is FrictionAt.REFERENCE else "qd"]
        if self.smoothing == 0.0:
            return friction_torque(model.robot, speeds, load=self._load(model, signals, speeds))
        return _smooth_friction(model.robot, speeds, self._load(model, signals, speeds), self.smoothing)

    def _load(self, model: Model, signals: dict[str, Any], speeds: Sequence[Scalar]) -> list[Scalar] | None:
        if not has_load_friction(model.robot):
            return None
        q = signals["q_ref" if self.at is FrictionAt.REFERENCE else "q"]
        return list(model.at("inverse_dynamics", q, speeds, signals["qdd_ref"]))


def friction_compensation(given: FrictionCompensation | FrictionAt | str) -> FrictionCompensation:
    """A friction compensation, given as such or by the name of its speed.

    Raises `ArgumentError`, with the choices, for an unknown name.
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
    """The sum of two torques (n,)."""
    return [a + b for a, b in zip(first, second, strict=True)]


def _smooth_friction(robot: Robot, speeds: Sequence[Scalar], load: Sequence[Scalar] | None, v0: float) -> list[Scalar]:
    """(1) of `FrictionCompensation`: joints and motors, each at its own scale of speeds."""

    def direction(shaft: Shaft, v: Scalar) -> Direction:
        width = v0 * max(map(abs, shaft.row))
        return Rounded(v / sqrt(v * v + width * width))

    return friction_torque(robot, speeds, load=load, direction=direction)
