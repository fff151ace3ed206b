"""Dahl friction state of a plant: the normalised bristle deflection z of every slider.

(1)  dz/dt = (v - |v| z)/max(w, T |v|),   w the shaft's `turnover_distance`, T a time that fixed steps can resolve
(2)  near z = 0 dry friction F z is a spring F/w: rates up to sqrt(m F/w), m the shaft's mobility, and 1/T

Dry friction of the plant is proportional to z in place of the sign of the speed: a joint that stops keeps its torque.
With a constant level F the power F z v is at least the rate of the stored energy w F z^2/2: it is passive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.dynamics.friction import OneWay, ShaftState, terms_of
from torquec.dynamics.friction_memory import DISTANCE
from torquec.dynamics.friction_torque import FrictionPart, Shaft, rubbing_shafts, shaft_friction
from torquec.expr.math import absolute, maximum
from torquec.robot.robot import Robot
from torquec.simulation.plant_force import ForceWithState, PlantInstant, StiffForce
from torquec.spatial import Scalar

USUAL_DISTANCE = 1e-3
"""Default `turnover_distance` of shafts [rad or m]."""

_SHORTEST = 5e-4  # T of (1) [s]: the shortest turnover time, at high speed


def sliders(robot: Robot) -> tuple[Shaft, ...]:
    """Every joint and motor shaft that has dry friction: those that can stick."""
    dry = [shaft for shaft in rubbing_shafts(robot) if any(term.is_dry for term in terms_of(shaft.friction))]
    return tuple(dry)


@dataclass(frozen=True)
class Bristles(ForceWithState, StiffForce):
    """The states z (sliders,); they have no torque of their own: the plant's dry friction uses them."""

    def check(self, robot: Robot) -> None:
        """Valid for every robot."""

    def torque(self, robot: Robot, now: PlantInstant) -> list[Scalar]:  # noqa: ARG002 - see PlantForce
        """No torque: zeros (n,)."""
        return [0.0] * robot.n

    def first_state(self, robot: Robot, q: Sequence[float], qd: Sequence[float]) -> list[float]:  # noqa: ARG002 - see PlantForce
        """The sign of the speed; zero at rest."""
        return [float(np.sign(slider.speed(qd))) for slider in sliders(robot)]

    def state_rate(self, robot: Robot, now: PlantInstant) -> list[Scalar]:
        """(1)."""
        rates: list[Scalar] = []
        for slider, z in zip(sliders(robot), now.state, strict=True):
            v = slider.speed(now.qd)
            rates.append((v - absolute(v) * z) / maximum(_distance(slider), _SHORTEST * absolute(v)))
        return rates

    def fastest_rate(
        self,
        robot: Robot,
        q: Sequence[float],  # noqa: ARG002 - see StiffForce
        mobility: Sequence[Sequence[float]],
    ) -> float:
        """(2)."""
        found = 1.0 / _SHORTEST
        for slider in sliders(robot):
            row, state = np.array(slider.row), ShaftState(0.0, OneWay(forwards=True), 0.0)
            level = abs(float(shaft_friction(slider.friction, state, FrictionPart.DRY)))
            ease = float(row @ np.array(mobility) @ row)
            found = max(found, math.sqrt(ease * level / _distance(slider)))
        return found


def _distance(slider: Shaft) -> float:
    return slider.friction.value(DISTANCE) or USUAL_DISTANCE
