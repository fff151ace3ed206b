"""Independent joint control: a PD or PID law for every joint, with what is wanted of the model added.

(1)  tau = kp e + kd ed + ki I + feedforward,      I the integral of e, by the trapezoidal rule
(2)  the integral rests while the torque is at its limit and the error would drive it further (anti-windup)
(3)  gains from poles, for a joint that moves the inertia J alone:  kp = J p, kd = J s;  with a third pole -r
     kp = J (p + s r),  kd = J (s + r),  ki = J p r
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.control.controller import Controller, StateSlot, make_controller
from torquec.control.model_terms import FrictionAt, FrictionCompensation, added, errors_of, rigid_torque
from torquec.control.poles import PoleArgument, error_feedback, joint_poles
from torquec.dynamics import gravity_torque, mass_matrix, spring_torque
from torquec.errors import ArgumentError
from torquec.expr.math import maximum, minimum, select
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

_FRICTION = FrictionCompensation()
_NO_FRICTION = FrictionCompensation(FrictionAt.NOTHING)


class Feedforward(StrEnum):
    """What an independent joint law adds from the model."""

    NOTHING = "nothing"
    GRAVITY = "gravity"
    """Gravity and springs where the robot is: gravity compensation."""
    DYNAMICS = "dynamics"
    """Inverse dynamics of the reference: what the motion needs, computed in advance."""
    DYNAMICS_AND_GRAVITY = "dynamics and gravity"
    """Inverse dynamics of the reference, with the gravity of where the robot is."""


@dataclass(frozen=True)
class PidGains:
    """Gains per joint: position [Nm/rad], speed [Nm s/rad] and integral [Nm/(rad s)]; no integral: PD."""

    position: tuple[float, ...]
    speed: tuple[float, ...]
    integral: tuple[float, ...] = ()

    def check(self, joints: Sequence[str]) -> None:
        """Raise `ArgumentError` unless there is one finite gain per joint, none of them negative."""
        for name in ("position", "speed", "integral"):
            values = getattr(self, name)
            if name == "integral" and not values:
                continue
            if len(values) != len(joints):
                raise ArgumentError(
                    f"{len(values)} {name} gains for {len(joints)} joints", remedy="give one gain per joint"
                )
            for joint, value in zip(joints, values, strict=True):
                if not (np.isfinite(value) and value >= 0.0):
                    raise ArgumentError(
                        f"the {name} gain of joint '{joint}' is {value}", remedy="give a finite gain, not negative"
                    )


def independent_joint(
    robot: Robot,
    gains: PidGains,
    *,
    period: float | None = None,
    feedforward: Feedforward = Feedforward.NOTHING,
    friction: FrictionCompensation = _NO_FRICTION,
    efforts: npt.ArrayLike | None = None,
) -> Controller:
    """The law (1); an integral needs the sampling interval `period` [s].

    `efforts` (n,): torque limits for (2), the robot's unless given. Raises `ArgumentError` for gains that are not one
    per joint, and for an integral without a period.
    """
    gains.check(robot.joint_names)
    integral = any(gains.integral)
    if integral and not (period is not None and np.isfinite(period) and period > 0.0):
        raise ArgumentError("an integral needs a sampling interval", remedy="give the period in seconds")
    given = [joint.limits.effort for joint in robot.joints] if efforts is None else list(np.asarray(efforts, float))
    if len(given) != robot.n:
        raise ArgumentError(f"{len(given)} torque limits for {robot.n} joints", remedy="give one per joint")

    def law(**signals: Any) -> dict[str, Any]:
        e, ed = errors_of(signals)
        tau = added(_model_torque(robot, feedforward, signals), friction.torque(robot, signals))
        tau = [t + (kp * x + kd * v) for t, kp, x, kd, v in zip(tau, gains.position, e, gains.speed, ed, strict=True)]
        if not integral:
            return {"tau": tau}
        assert period is not None
        past, before = signals["state"][: robot.n], signals["state"][robot.n :]
        grown = [i + (0.5 * period) * (x + y) for i, x, y in zip(past, e, before, strict=True)]
        wanted = [t + ki * i for t, ki, i in zip(tau, gains.integral, grown, strict=True)]
        kept = [_kept(*row) for row in zip(past, grown, wanted, given, strict=True)]
        return {"tau": wanted, "next_state": [*kept, *e]}

    zeros = (0.0,) * robot.n
    slots = (StateSlot("integral", zeros), StateSlot("last_error", zeros)) if integral else ()
    name = "pid" if integral else "pd"
    return make_controller(name, robot.joint_names, law, slots=slots, period=period)


def gravity_compensation(robot: Robot, gains: PidGains | None = None, **options: Any) -> Controller:
    """Gravity and springs held where the robot is, and a PD or PID law where `gains` are given (else the arm floats).

    Options are those of `independent_joint`.
    """
    zeros = (0.0,) * robot.n
    return independent_joint(robot, gains or PidGains(zeros, zeros), feedforward=Feedforward.GRAVITY, **options)


def feedforward_torque(
    robot: Robot,
    *,
    online_gravity: bool = False,
    friction: FrictionCompensation = _FRICTION,
) -> Controller:
    """The torques that the reference needs and no feedback: open loop, with the gravity of where the robot is if asked.

    Izaguirre et al., 7.2.
    """
    zeros = (0.0,) * robot.n
    chosen = Feedforward.DYNAMICS_AND_GRAVITY if online_gravity else Feedforward.DYNAMICS
    return independent_joint(robot, PidGains(zeros, zeros), feedforward=chosen, friction=friction)


def gains_from_poles(
    robot: Robot, poles: PoleArgument, q: npt.ArrayLike, *, integral_pole: float | None = None
) -> PidGains:
    """Gains (3) for the inertias that the joints have at q (n,), alone; `integral_pole` -r [1/s] adds an integral.

    Raises `ArgumentError` for poles that are unstable.
    """
    position = np.asarray(q, dtype=np.float64)
    if position.shape != (robot.n,) or not np.isfinite(position).all():
        raise ArgumentError(f"q has shape {position.shape}", remedy=f"give {robot.n} finite positions")
    feedback = error_feedback(joint_poles(robot.joint_names, poles))
    J = [float(row[k]) for k, row in enumerate(mass_matrix(robot, list(position)))]
    rows = list(zip(J, feedback.stiffness, feedback.damping, strict=True))
    if integral_pole is None:
        return PidGains(tuple(j * p for j, p, _ in rows), tuple(j * s for j, _, s in rows))
    if not (np.isfinite(integral_pole) and integral_pole < 0.0):
        raise ArgumentError(f"an integral pole of {integral_pole:g} is unstable", remedy="give a negative one")
    r = -integral_pole
    return PidGains(
        tuple(j * (p + s * r) for j, p, s in rows),
        tuple(j * (s + r) for j, _, s in rows),
        tuple(j * p * r for j, p, _ in rows),
    )


def _model_torque(robot: Robot, feedforward: Feedforward, signals: dict[str, Any]) -> list[Scalar]:
    zeros: list[Scalar] = [0.0] * robot.n
    reference = signals["q_ref"]
    match feedforward:
        case Feedforward.NOTHING:
            return zeros
        case Feedforward.GRAVITY:
            return added(gravity_torque(robot, signals["q"]), spring_torque(robot, signals["q"]))
        case Feedforward.DYNAMICS:
            return rigid_torque(robot, reference, signals["qd_ref"], signals["qdd_ref"])
        case Feedforward.DYNAMICS_AND_GRAVITY:
            moving = rigid_torque(robot, reference, signals["qd_ref"], signals["qdd_ref"])
            there = added(gravity_torque(robot, reference), spring_torque(robot, reference))
            here = added(gravity_torque(robot, signals["q"]), spring_torque(robot, signals["q"]))
            return [m + (h - t) for m, h, t in zip(moving, here, there, strict=True)]


def _kept(past: Scalar, grown: Scalar, torque: Scalar, limit: float) -> Scalar:
    """(2): the integral that is remembered."""
    if not np.isfinite(limit):
        return grown
    slower = select(torque - limit, minimum(grown, past), grown)
    return select(-limit - torque, maximum(grown, past), slower)
