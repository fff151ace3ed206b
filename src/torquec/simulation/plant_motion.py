"""How a plant moved, and the accelerations that follow from it.

(1)  the acceleration at a sample is the one just after it, under the torques that are held from then on
(2)  where friction sticks it is set-valued: the change of speed over a microsecond, divided by it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.expr import Function, trace
from torquec.foundation.arrays import Array
from torquec.simulation.native_run import NamedSource, native_function
from torquec.simulation.plant import DryFriction, Dynamics, Plant
from torquec.simulation.stick import stick_slip_step

_INSTANT = 1e-6
"""[s]; long enough that rounding of speeds leaves ten digits, short compared with anything that moves."""


@dataclass(frozen=True, eq=False)
class PlantMotion:
    """States (S, m) as `Dynamics.motion_rate` has them, and what the drives were asked for from then on, (S, n)."""

    plant: Plant
    states: Array
    torques: Array

    def acceleration(self) -> Array:
        """Accelerations (S, n), (1) and (2)."""
        key = f"acceleration {self.plant.identity}"
        native = native_function(NamedSource(key, lambda: acceleration_function(self.plant)))
        found = native.call(np.ascontiguousarray(self.states), np.ascontiguousarray(self.torques))
        return np.asarray(found, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class KnownMotion:
    """Accelerations (S, n) that another simulator gave."""

    accelerations: Array

    def acceleration(self) -> Array:
        """As given."""
        return self.accelerations


def acceleration_function(plant: Plant) -> Function:
    """The program (state (m,), torque (n,)) -> qdd (n,) of a plant whose inertias do not vary."""
    n, dynamics = plant.n, Dynamics(plant)

    def program(state: Any, torque: Any) -> dict[str, Any]:
        if plant.friction is not DryFriction.STICK:
            return {"qdd": dynamics.acceleration(state, torque)}
        later = stick_slip_step(dynamics, state, torque, _INSTANT)[n : 2 * n]
        return {"qdd": [(b - a) * (1.0 / _INSTANT) for a, b in zip(state[n : 2 * n], later, strict=True)]}

    return trace("acceleration", program, {"state": (plant.motion_size,), "torque": (n,)})
