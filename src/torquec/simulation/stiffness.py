"""Stiffness of a plant: its fastest rate, and the fixed step that stability and accuracy of RK4 need.

(1)  friction slows joints down at the rates of M^-1 D, D the slope of friction with speed: viscous, and for smooth
     Coulomb friction c / w at rest
(2)  behind motors, currents change at the rate of their loop, or R/L at the supply's limit
(3)  external forces have rates of their own, a stiff wall sqrt(k J M^-1 J')
(4)  RK4 is stable for rates below 2.78 / h; a heavily damped light finger can need a step of microseconds
(5)  RK4 is accurate for rates below about 0.5 / h: errors of some 1e-4 of a decaying mode in one step
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.linearization.linearized_torque import friction_damping
from torquec.simulation.bristles import sliders
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import DryFriction, Plant, dry_level
from torquec.simulation.plant_force import StiffForce
from torquec.simulation.tuning import TUNING


@dataclass(frozen=True)
class FastestRate:
    """The fastest rate [1/s] of a plant at a configuration, and the joint with the largest part in it."""

    rate: float
    joint: str


def fastest_rate(plant: Plant, q: npt.ArrayLike) -> FastestRate:
    """The largest of (1) to (3) at positions q (n,)."""
    names = plant.robot.coordinate_names
    motors = [max(motor.bandwidth, motor.resistance / motor.inductance) for motor in plant.motors]
    found = FastestRate(max(motors), names[int(np.argmax(motors))]) if motors else FastestRate(0.0, names[0])
    place = [float(value) for value in np.asarray(q)]
    if stiff := [force for force in plant.forces if isinstance(force, StiffForce)]:
        mobility = np.linalg.inv(np.array(plant.model.at("mass_matrix", place), dtype=np.float64)).tolist()
        contact = max(force.fastest_rate(plant.robot, place, mobility) for force in stiff)
        found = max(found, FastestRate(contact, names[-1]), key=lambda one: one.rate)
    if plant.friction is DryFriction.NONE:
        return found
    slopes = np.maximum(*(np.array(friction_damping(plant.robot, [s] * plant.n), dtype=float) for s in (1.0, -1.0)))
    if plant.friction is DryFriction.SMOOTH:
        for slider in sliders(plant.robot):
            level = max(float(dry_level(slider, forwards=way)) for way in (True, False))
            slopes += level / plant.slip_speed * np.outer(slider.row, slider.row)
    M = np.array(plant.model.at("mass_matrix", place), dtype=np.float64)
    rates, modes = np.linalg.eig(np.linalg.solve(M, slopes))
    k = int(np.argmax(rates.real))
    friction = FastestRate(float(rates.real[k]), names[int(np.argmax(np.abs(modes[:, k])))])
    return max(found, friction, key=lambda one: one.rate)


def enough_substeps(plant: Plant, q: npt.ArrayLike, *, period: float, least: int = 2) -> int:
    """Number of RK4 steps that a sampling interval needs (5) at positions q (n,), at most `TUNING.most_substeps`."""
    needed = np.ceil(fastest_rate(plant, q).rate * period / TUNING.accurate_rate)
    return int(min(max(needed, least), TUNING.most_substeps))


def check_step(plant: Plant, q: npt.ArrayLike, integrator: RungeKutta4, *, period: float) -> None:
    """Raise `ArgumentError`, with the joint and a sufficient number of substeps, where a step is too long (4)."""
    fastest = fastest_rate(plant, q)
    step = period / integrator.substeps
    if fastest.rate * step <= TUNING.stable_rate:
        return
    needed = int(np.ceil(fastest.rate * period / TUNING.stable_rate))
    raise ArgumentError(
        f"joint '{fastest.joint}' changes its speed or current within {1.0 / fastest.rate:.2g} s (friction, motor, "
        f"contact): steps of {step:.2g} s cannot follow",
        remedy=f"take {needed} substeps (--substeps {needed}, RungeKutta4({needed})); where friction is smooth, let it "
        "stick, or give a larger slip speed",
    )
