"""Closed-loop verification of a simplified model against a control specification (Chang & Lee, III).

The control scheme of the paper, at the joint: a PD law and the torques that the simplified model (superscript c)
computes for the reference, at the position q where the robot is,

(1)  tau = kp e + kv ed + tau^c(q, qd_ref, qdd_ref)                                                          (8)
(2)  kp_i = J0_i w0_i^2 / 4,      w0 the structural resonance measured at the inertia J0                     (12)
(3)  kv_i = w0_i sqrt(J0_i J^c_ii(q)) - f_i,   critically damped if J^c is right, f viscous friction         (13)
(4)  damping of joint i at q:  (kv_i + f_i) / (2 sqrt(kp_i J_ii)) = sqrt(J^c_ii / J_ii)                      (10), (14)

The full plant is driven by three signals from several postures, all joints together:

(5)  step       e(0) = 0.05         the error that remains                                                   (19)
(6)  ramp       q_ref = q0 + v t    the largest error after the transient                                    (21)
(7)  parabola   q_ref = q0 + a t^2 / 2                                                                       (22)

What counts is the error after eight time constants 2/w0 of the slowest joint (after 32 of them for the step). Coulomb
friction is left out on both sides, as in the paper, where it is taken to be compensated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.control.controller import Controller, make_controller
from torquec.errors import ArgumentError
from torquec.expr import inline
from torquec.expr.math import sqrt
from torquec.model.model import Model, compile
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import LoopOptions, simulate
from torquec.simulation.integrators import RungeKutta4
from torquec.simulation.plant import FrictionModel, Plant, without_coulomb
from torquec.trajectory.trajectory import Trajectory

Array = npt.NDArray[np.float64]

_TRANSIENT, _STEP_TRANSIENT = 8.0, 32.0
_SHARE_OF_RANGE = 0.25
_STEP = 0.05
SIGNALS = ("step", "ramp", "parabola")


@dataclass(frozen=True)
class JointSpecification:
    """What is asked of one joint.

    `resonance` w0 [rad/s] and `inertia` J0 of (2); `step_error`, `ramp_error`, `parabola_error` [rad or m] that may
    remain; `speed` and `acceleration` of the ramp and the parabola; `damping` within these bounds.
    """

    resonance: float
    inertia: float
    step_error: float
    ramp_error: float
    parabola_error: float
    speed: float
    acceleration: float
    damping: tuple[float, float] = (0.95, 1.05)

    def __post_init__(self) -> None:
        for field in fields(self):
            values = np.atleast_1d(getattr(self, field.name))
            if not np.all(np.isfinite(values)) or np.any(values <= 0.0):
                raise ArgumentError(f"the {field.name} of a joint is {values.tolist()}", remedy="give positive numbers")

    @property
    def stiffness(self) -> float:
        """kp (2)."""
        return self.inertia * self.resonance**2 / 4.0

    def allowed(self, signal: str) -> float:
        """The error that may remain after a signal."""
        return float(getattr(self, f"{signal}_error"))


@dataclass(frozen=True)
class SignalError:
    """The worst error of a joint under a signal, and what is allowed."""

    joint: str
    signal: str
    error: float
    allowed: float

    @property
    def met(self) -> bool:
        """Whether it is inside the specification."""
        return self.error <= self.allowed


@dataclass(frozen=True)
class DampingRange:
    """The damping (4) of a joint over all postures, and what is allowed."""

    joint: str
    lowest: float
    highest: float
    allowed: tuple[float, float]

    @property
    def met(self) -> bool:
        """Whether it is inside the specification."""
        return self.allowed[0] <= self.lowest and self.highest <= self.allowed[1]


@dataclass(frozen=True)
class VerificationResult:
    """What the simplified model does on the full plant."""

    errors: tuple[SignalError, ...]
    damping: tuple[DampingRange, ...]
    postures: int

    @property
    def met(self) -> bool:
        """Whether everything is inside the specification."""
        return all(row.met for row in self.errors) and all(row.met for row in self.damping)


def verify_specification(
    robot: Robot,
    model: Model,
    specification: Sequence[JointSpecification],
    *,
    postures: npt.ArrayLike | int = 8,
    period: float = 0.001,
    seed: int = 0,
) -> VerificationResult:
    """Drive the full robot with the simplified `model` (its inverse dynamics and mass matrix), (1)-(7).

    `postures` (k, n), or how many to draw within the joint ranges (within half a turn where there are none). `period`
    [s] of the controller. Raises `ArgumentError` where there is not one specification per joint.
    """
    asked = tuple(specification)
    if len(asked) != robot.n:
        raise ArgumentError(f"{len(asked)} specifications for {robot.n} joints", remedy="give one per joint")
    places = _postures(robot, postures, seed)
    plant = Plant(without_coulomb(robot), friction=FrictionModel.SIGN, saturates=False)
    controller = pd_with_feedforward(plant.robot, model, asked, period=period)
    worst = {signal: np.zeros(robot.n) for signal in SIGNALS}
    for place in places:
        for signal in SIGNALS:
            worst[signal] = np.maximum(worst[signal], _remaining(plant, controller, asked, place, signal, period))
    errors = tuple(
        SignalError(name, signal, float(worst[signal][k]), asked[k].allowed(signal))
        for signal in SIGNALS
        for k, name in enumerate(robot.joint_names)
    )
    ratios = np.array([_damping(robot, model, place) for place in places])
    damping = tuple(
        DampingRange(name, float(ratios[:, k].min()), float(ratios[:, k].max()), asked[k].damping)
        for k, name in enumerate(robot.joint_names)
    )
    return VerificationResult(errors, damping, len(places))


def pd_with_feedforward(
    robot: Robot, model: Model, specification: Sequence[JointSpecification], *, period: float | None = None
) -> Controller:
    """The law (1)-(3) with the simplified model's own functions."""
    torque, inertia = model.function("inverse_dynamics"), model.function("mass_matrix")
    viscous = [joint.friction.viscous_positive for joint in robot.joints]

    def law(**signals: Any) -> dict[str, Any]:
        graph = signals["q"][0].graph
        n = robot.n
        state = {"q": signals["q"], "qd": signals["qd_ref"], "qdd": signals["qdd_ref"]}
        forward = inline(torque, graph, state)["tau"]
        M = inline(inertia, graph, {"q": signals["q"]})["M"]
        tau = []
        for i, asked in enumerate(specification):
            e = signals["q_ref"][i] - signals["q"][i]
            ed = signals["qd_ref"][i] - signals["qd"][i]
            kv = asked.resonance * sqrt(asked.inertia * M[i * n + i]) - viscous[i]
            friction = viscous[i] * signals["qd_ref"][i]
            tau.append(forward[i] + friction + (asked.stiffness * e + kv * ed))
        return {"tau": tau}

    return make_controller("pd_with_feedforward", robot.joint_names, law, period=period)


def _remaining(
    plant: Plant,
    controller: Controller,
    asked: Sequence[JointSpecification],
    place: Array,
    signal: str,
    period: float,
) -> Array:
    """The errors (n,) that remain under a signal from a posture (5)-(7)."""
    slowest = min(joint.resonance for joint in asked)
    settle = (_STEP_TRANSIENT if signal == "step" else _TRANSIENT) * 2.0 / slowest
    t = period * np.arange(math.ceil(1.25 * settle / period) + 1, dtype=np.float64)
    speed, acceleration = (np.array([getattr(joint, name) for joint in asked]) for name in ("speed", "acceleration"))
    zeros = np.zeros((len(t), plant.n))
    start = place
    if signal == "ramp":
        q, qd, qdd = place + t[:, None] * speed, zeros + speed, zeros
    elif signal == "parabola":
        q, qd, qdd = place + 0.5 * t[:, None] ** 2 * acceleration, t[:, None] * acceleration, zeros + acceleration
    else:
        q, qd, qdd = zeros + place, zeros, zeros
        start = place - _STEP
    trajectory = Trajectory(plant.robot.joint_names, t, q, qd, qdd)
    options = LoopOptions(integrator=RungeKutta4(2))
    result = simulate(plant, controller, trajectory, options=options, initial_q=start)
    late: Array = np.abs(result.error[t >= settle])
    return np.asarray(late.max(axis=0), dtype=np.float64)


def _damping(robot: Robot, model: Model, place: Array) -> Array:
    """(4) at a posture, (n,)."""
    actual = np.diagonal(compile(robot).mass_matrix(place))
    computed = np.diagonal(model.mass_matrix(place))
    return np.asarray(np.sqrt(computed / actual), dtype=np.float64)


def _postures(robot: Robot, postures: npt.ArrayLike | int, seed: int) -> Array:
    if isinstance(postures, int) and not isinstance(postures, bool) and postures > 0:
        generator = np.random.default_rng(seed)
        lower = np.array([max(joint.limits.lower, -math.pi) for joint in robot.joints])
        upper = np.array([min(joint.limits.upper, math.pi) for joint in robot.joints])
        # The ramp and the parabola go on from here: away from the ends of the range.
        margin = _SHARE_OF_RANGE * (upper - lower)
        return np.asarray(generator.uniform(lower + margin, upper - margin, (postures, robot.n)), dtype=np.float64)
    array = np.atleast_2d(np.asarray(postures, dtype=np.float64))
    if array.ndim != 2 or array.shape[1] != robot.n or not np.isfinite(array).all():
        raise ArgumentError(f"postures of shape {array.shape}", remedy=f"give (k, {robot.n}) finite positions")
    return array
