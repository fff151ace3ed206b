"""Closed-loop verification of a simplified model against a control specification (Chang & Lee, III).

The control scheme of the paper, written at the joint: a PD law and the torques that the simplified model (superscript
c) computes for the reference, at the measured position q,

(1)  tau = kp e + kv ed + tau^c(q, qd_ref, qdd_ref)                                                          (8)
(2)  kp_i = J0_i w0_i^2 / 4,      w0 the structural resonance measured at the inertia J0                     (12)
(3)  kv_i = w0_i sqrt(J0_i J^c_ii(q)) - f_i,   critically damped if J^c is right, f viscous friction         (13)
     J^c is the inertia that is fitted and proven as a coefficient. The inertia of a torque program may lack terms that
     hardly affect the torque, even where the program is accurate within its torque errors
(4)  damping of joint i at q:  (kv_i + f_i) / (2 sqrt(kp_i J_ii)) = sqrt(J^c_ii / J_ii)                      (10), (14)

The full plant is driven by three signals from several configurations, all joints together, within the specified box:

(5)  step       e(0) = 0.05         the steady-state error                                                   (19)
(6)  ramp       q_ref = q0 +- v t   the largest error after the transient                                    (21)
(7)  parabolic  q_ref = q0 +- a t^2 / 2                                                                      (22)

v and a are the specification's largest speeds and accelerations, less where the box is too narrow. Errors are taken
after eight time constants 2/w0 of the slowest joint (after 32 of them for the step). Coulomb friction is omitted in
plant and law, as in the paper, which assumes it to be compensated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from torquec.control.controller import Controller, make_controller
from torquec.dynamics.friction_torque import friction_torque
from torquec.errors import ArgumentError, SpecificationError
from torquec.expr.math import sqrt
from torquec.foundation.arrays import Array
from torquec.linearization.linearized_torque import friction_damping
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.simplification.specification import ControlRequirement, MotorData, Specification
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import DryFriction, Plant, without_dry_friction
from torquec.simulation.tuning import TUNING
from torquec.trajectory.trajectory import Trajectory


class DriveSignal(StrEnum):
    """Test signals of the reference: step, ramp, parabola (5)-(7)."""

    STEP = "step"
    RAMP = "ramp"
    PARABOLIC = "parabolic"

    def allowed(self, control: ControlRequirement) -> float:
        """The allowed error."""
        return float(getattr(control, f"{self.value}_error"))


@dataclass(frozen=True)
class SignalError:
    """The worst error of a joint under a signal, and the allowed one [rad or m]."""

    joint: str
    signal: DriveSignal
    error: float
    allowed: float

    @property
    def met(self) -> bool:
        """Whether it is inside the specification."""
        return self.error <= self.allowed


@dataclass(frozen=True)
class DampingRange:
    """The damping ratio (4) of a joint over all configurations, and its allowed deviation from one."""

    joint: str
    lowest: float
    highest: float
    allowed_error: float

    @property
    def met(self) -> bool:
        """Whether it is inside the specification."""
        return max(1.0 - self.lowest, self.highest - 1.0) <= self.allowed_error


@dataclass(frozen=True)
class VerificationResult:
    """Errors and damping of a controller with the simplified model on the full plant."""

    errors: tuple[SignalError, ...]
    damping: tuple[DampingRange, ...]
    postures: int

    @property
    def met(self) -> bool:
        """Whether all errors and dampings meet the specification."""
        return all(row.met for row in self.errors) and all(row.met for row in self.damping)


@dataclass(frozen=True)
class _Loop:
    """The tested loop: the plant, its controller, the motor data behind kp and kv."""

    plant: Plant
    controller: Controller
    specification: Specification
    motors: tuple[MotorData, ...]
    period: float


def verify_specification(
    source: Robot | Model,
    model: Model,
    specification: Specification,
    *,
    postures: int = 8,
    period: float = 0.001,
    seed: int = 0,
) -> VerificationResult:
    """Verify a simplified `model` in closed loop on the full robot, or on a model of it, (1)-(7).

    `postures`: number of random initial configurations in the specification's box; `period` [s] of the controller.
    Raises `SpecificationError` where a joint has no control requirement, `ArgumentError` for no configurations.
    """
    if isinstance(postures, bool) or not isinstance(postures, int) or postures < 1:
        raise ArgumentError(f"{postures!r} postures", remedy="give a positive whole number")
    full = as_model(source)
    robot = full.robot
    controls, motors = _requirements(specification, robot)
    plant = Plant(replace(full, robot=without_dry_friction(robot)), friction=DryFriction.SIGN, saturates=False)
    controller = pd_with_feedforward(plant.robot, model, motors, period=period)
    loop = _Loop(plant, controller, specification, motors, period)
    generator = np.random.default_rng(seed)
    worst = {signal: np.zeros(robot.n) for signal in DriveSignal}
    ratios = np.empty((postures, robot.n))
    for k in range(postures):
        for signal in DriveSignal:
            worst[signal] = np.maximum(worst[signal], _remaining(loop, signal, generator))
        ratios[k] = _damping(full, model, _inside(loop, np.zeros(robot.n), generator))
    errors = tuple(
        SignalError(name, signal, float(worst[signal][k]), signal.allowed(controls[k]))
        for signal in DriveSignal
        for k, name in enumerate(robot.joint_names)
    )
    damping = tuple(
        DampingRange(name, float(ratios[:, k].min()), float(ratios[:, k].max()), controls[k].damping_error)
        for k, name in enumerate(robot.joint_names)
    )
    return VerificationResult(errors, damping, postures)


def pd_with_feedforward(
    robot: Robot, model: Model, motors: tuple[MotorData, ...], *, period: float | None = None
) -> Controller:
    """The law (1)-(3) with the simplified model's own functions, and the friction of `robot`."""

    def law(**signals: Any) -> dict[str, Any]:
        forward = model.at("inverse_dynamics", signals["q"], signals["qd_ref"], signals["qdd_ref"])
        M = _inertia(model).at("mass_matrix", signals["q"])
        loss = friction_torque(robot, signals["qd_ref"])
        viscous = friction_damping(robot, signals["qd_ref"])
        tau = []
        for i, motor in enumerate(motors):
            e = signals["q_ref"][i] - signals["q"][i]
            ed = signals["qd_ref"][i] - signals["qd"][i]
            kv = motor.resonance * sqrt(motor.inertia * M[i][i]) - viscous[i][i]
            tau.append(forward[i] + loss[i] + (position_gain(motor) * e + kv * ed))
        return {"tau": tau}

    return make_controller("pd_with_feedforward", robot.joint_names, law, period=period)


def position_gain(motor: MotorData) -> float:
    """kp (2) [Nm/rad or N/m]."""
    return motor.inertia * motor.resonance**2 / 4.0


def _requirements(
    specification: Specification, robot: Robot
) -> tuple[tuple[ControlRequirement, ...], tuple[MotorData, ...]]:
    """The control requirement and the motor of every joint."""
    controls, motors = [], []
    for joint in specification.joints:
        if joint.control is not None and joint.motor is not None:
            controls.append(joint.control)
            motors.append(joint.motor)
    if len(controls) != robot.n:
        without = [joint.name for joint in specification.joints if joint.control is None] or ["every joint"]
        raise SpecificationError(
            f"there is no control requirement for {', '.join(without)}",
            where=specification.source,
            remedy="state [joint.control] and [joint.motor]; a torque error alone says nothing about a loop",
        )
    return tuple(controls), tuple(motors)


def _remaining(loop: _Loop, signal: DriveSignal, generator: np.random.Generator) -> Array:
    """The errors (n,) after the transient of a signal, from a random configuration (5)-(7)."""
    slowest = min(motor.resonance for motor in loop.motors)
    settle = (TUNING.step_transient if signal is DriveSignal.STEP else TUNING.sine_transient) * 2.0 / slowest
    t = loop.period * np.arange(math.ceil(TUNING.run_over_transient * settle / loop.period) + 1, dtype=np.float64)
    shape = {DriveSignal.STEP: 0.0 * t, DriveSignal.RAMP: t, DriveSignal.PARABOLIC: 0.5 * t * t}[signal]
    key = "velocity" if signal is DriveSignal.RAMP else "acceleration"
    asked = np.array([getattr(joint, key) for joint in loop.specification.joints])
    low, high = _sides(loop)
    way = np.minimum(asked * shape[-1], high - low)
    rate = way / shape[-1] if shape[-1] else way
    sign = generator.choice([-1.0, 1.0], loop.plant.n)
    rate = rate * sign
    start = _inside(loop, way, generator)
    start = np.where(sign > 0.0, start, start + way)
    zeros = np.zeros((len(t), loop.plant.n))
    q = start + shape[:, None] * rate
    qd = {DriveSignal.STEP: zeros, DriveSignal.RAMP: zeros + rate, DriveSignal.PARABOLIC: t[:, None] * rate}[signal]
    qdd = zeros + rate if signal is DriveSignal.PARABOLIC else zeros
    trajectory = Trajectory(loop.plant.robot.joint_names, t, q, qd, qdd)
    first = start - TUNING.step_size if signal is DriveSignal.STEP else start
    options = LoopOptions(integrator=RungeKutta4(2))
    result = simulate(loop.plant, loop.controller, trajectory, options=options, initial_q=first)
    return np.asarray(np.abs(result.error[t >= settle]).max(axis=0), dtype=np.float64)


def _inside(loop: _Loop, way: Array, generator: np.random.Generator) -> Array:
    """A random configuration (n,) from which every joint can move up by `way` within the box."""
    low, high = _sides(loop)
    return np.asarray(low + generator.uniform(size=loop.plant.n) * (high - low - way), dtype=np.float64)


def _sides(loop: _Loop) -> tuple[Array, Array]:
    """The box of the independent joints."""
    box = loop.specification.box
    return np.array(box.lower), np.array(box.upper)


def _damping(full: Model, model: Model, place: Array) -> Array:
    """Damping ratios (4) at a configuration, (n,)."""
    actual = np.diagonal(full.mass_matrix(place))
    computed = np.diagonal(_inertia(model).mass_matrix(place))
    return np.asarray(np.sqrt(computed / actual), dtype=np.float64)


def _inertia(model: Model) -> Model:
    """The model whose mass matrix is J^c (3)."""
    return model if model.coefficients is None else model.coefficients
