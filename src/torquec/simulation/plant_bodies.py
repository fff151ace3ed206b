"""Rigid bodies of a plant (bias torques, forward dynamics) and its DC motors.

(1)  M(q) qdd = torque - bias,     bias = c(q, qd) + g(q)
(2)  where the robot's own algorithms run: M by composite bodies and bias by one pass of inverse dynamics, which share
     sines, cosines and rotated vectors; inertias may differ from run to run
(3)  where a program P stands for inverse dynamics: bias = P(q, qd, 0), M = dP/dqdd, which need not be symmetric; a
     model whose M may be singular, so that its forward dynamics is refused, cannot be a plant
(4)  a carried load adds its own inertia and bias: M + M_carried                         (`simulation/plant_force.py`)

Each joint has a DC motor behind a current amplifier:

(5)  wanted current     i_w = tau_w / (k N)                       k torque constant, N gear ratio
(6)  voltage            V = clip(R i + e N qd + L w (i_w - i), +-V_max)      w bandwidth of the current loop
(7)  current            di/dt = (V - R i - e N qd) / L
(8)  torque             tau = k N i

Well within the supply, (7) is di/dt = w (i_w - i); at high speed the back-EMF e N qd uses up the voltage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache

from torquec.dynamics.forward_dynamics import regular_mechanism
from torquec.dynamics.inverse_dynamics import joint_torques
from torquec.dynamics.joint_space_solve import factorize, general_factorize, general_solve, solve
from torquec.dynamics.mass_matrix import joint_inertias
from torquec.dynamics.mechanism import mechanism, place
from torquec.dynamics.motion import motions
from torquec.errors import ArgumentError, RefusedQuantityError
from torquec.expr.math import maximum, minimum
from torquec.linearization.linearized_torque import runs_recursion
from torquec.model.model import Model
from torquec.robot.robot import Robot
from torquec.spatial import PARAMETER_NAMES, Inertia, Scalar, product, total


@dataclass(frozen=True)
class DcMotor:
    """A motor, its gear and its amplifier, in SI units; raises `ArgumentError` for values that are not positive."""

    torque_constant: float
    """[Nm/A]; the back-EMF constant [V s/rad] is the same number."""
    gear_ratio: float
    """Motor turns per joint turn; negative where the joint turns the other way."""
    resistance: float
    inductance: float
    supply: float
    """[V]"""
    bandwidth: float = 2000.0
    """Bandwidth of the current loop [rad/s]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and (value > 0.0 or (field.name == "gear_ratio" and value != 0.0))):
                raise ArgumentError(
                    f"a motor has the {field.name.replace('_', ' ')} {value!r}", remedy="give a positive number"
                )

    @property
    def torque_per_ampere(self) -> float:
        """At the joint (8)."""
        return self.torque_constant * self.gear_ratio

    @property
    def back_emf_damping(self) -> float:
        """(k N)^2/R at the joint [Nm s/rad]: its damping where the voltage is held, not the current."""
        return self.torque_per_ampere**2 / self.resistance

    def current_rate(self, current: Scalar, qd: Scalar, wanted: Scalar) -> Scalar:
        """di/dt (5)-(7) at a joint speed qd, `wanted` the torque asked for."""
        loss = self.resistance * current + self.torque_per_ampere * qd
        error = wanted * (1.0 / self.torque_per_ampere) - current
        voltage = loss + (self.inductance * self.bandwidth) * error
        voltage = minimum(self.supply, maximum(-self.supply, voltage))
        return (voltage - loss) * (1.0 / self.inductance)


@dataclass(frozen=True)
class PlantBodies:
    """(1) at a state: `bias` (n,), and `solve`, which multiplies torques (n,) by M^-1, without the bias."""

    bias: list[Scalar]
    solve: Callable[[Sequence[Scalar]], list[Scalar]]


def plant_bodies(
    model: Model,
    q: Sequence[Scalar],
    qd: Sequence[Scalar],
    *,
    carried: Sequence[Sequence[Sequence[Scalar]]] = (),
    inertias: Sequence[Scalar] = (),
) -> PlantBodies:
    """The bodies at (q, qd), (n,) each; `carried` are inertias (n, n) of (4), `inertias` those of a run (2).

    Raises `RefusedQuantityError`, with the reason, for a model that has no forward dynamics (3).
    """
    still = [0.0] * model.robot.n
    if runs_recursion(model):
        m = regular_mechanism(model.robot)
        if inertias:
            own, rotors = _inertias_of(model.robot, inertias)
            m, carried = mechanism(model.robot, inertias=own), [*carried, *rotors]
        placed = place(m, q)
        bias = joint_torques(m, placed, motions(placed, m.coordinates, m.gravity, qd, still), still)
        return PlantBodies(bias, _answer(lambda: joint_inertias(m, placed), carried))
    check_movable(model)
    bias = list(model.at("inverse_dynamics", q, qd, still))
    return PlantBodies(
        bias, _answer(lambda: model.at("mass_matrix", q), carried, symmetric=model.symmetric_mass_matrix)
    )


def check_movable(model: Model) -> None:
    """Raise `RefusedQuantityError`, with the reason, for a model that cannot be a plant (3)."""
    if reason := model.refusal("forward_dynamics"):
        raise RefusedQuantityError(
            f"this model ({model.kind.value}) cannot be a plant: {reason}",
            where=f"robot '{model.robot.name}'",
            remedy="let the robot be the plant; if M is nonsingular, model.assuming_regular_mass_matrix()",
        )


def _answer(
    mass_matrix: Callable[[], list[list[Scalar]]],
    carried: Sequence[Sequence[Sequence[Scalar]]],
    *,
    symmetric: bool = True,
) -> Callable[[Sequence[Scalar]], list[Scalar]]:
    """M^-1 with carried loads (4), factorized at first use."""

    @cache
    def inertia() -> list[list[Scalar]]:
        whole = mass_matrix()
        for more in carried:
            whole = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(whole, more, strict=True)]
        return whole

    if symmetric:
        factors = cache(lambda: factorize(inertia()))
        return lambda torque: solve(factors(), torque)
    general = cache(lambda: general_factorize(inertia()))
    return lambda torque: general_solve(general(), torque)


def _inertias_of(robot: Robot, given: Sequence[Scalar]) -> tuple[list[Inertia], list[list[list[Scalar]]]]:
    """The bodies' inertias, from a factor each or from their standard parameters; then rotors add an inertia (n, n)."""
    count, width, n = len(robot.bodies), len(PARAMETER_NAMES), robot.n
    if len(given) == count:
        scaled = zip(robot.bodies, given, strict=True)
        return [Inertia(*(scale * value for value in body.inertia.parameters)) for body, scale in scaled], []
    bodies = [Inertia(*given[width * k : width * (k + 1)]) for k in range(count)]
    added: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    for rotor, row in zip(given[width * count :], robot.drives.transmission, strict=True):
        for i, left in enumerate(row):
            for j, right in enumerate(row):
                added[i][j] = total(added[i][j], product(left * right, rotor))
    return bodies, [added] if robot.drives.motors else []
