"""Independent joint control: PD or PID per joint, with optional model feedforward or gravity compensation.

(1)  tau = kp e + kd ed + ki I + feedforward,      I the integral of e, by the trapezoidal rule
(2)  anti-windup: the integral is frozen while the torque is at its limit and the error would drive it further
(3)  gains from poles, for a joint that moves the inertia J alone:  kp = J p, kd = J s;  with a third pole -r
     kp = J (p + s r),  kd = J (s + r),  ki = J p r
(4)  poles that the drives and the sampling interval T allow:  p = min(50/s, 0.1 / T, sqrt(u / (J e))),  u the torque
     limit less gravity at q, e = 0.1 rad (0.01 m) the error at which the feedback reaches u
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.control.controller import Controller, designed_controller
from torquec.control.law_options import ControllerOptions, Feedforward, LawDesign, LawKind, PidGains, finite_limits
from torquec.control.model_terms import (
    FrictionAt,
    FrictionCompensation,
    added,
    errors_of,
    friction_compensation,
    rigid_torque,
)
from torquec.control.poles import PoleArgument, error_feedback, joint_poles
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.expr.math import maximum, minimum, select
from torquec.foundation.choice import chosen
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.spatial import Scalar

_FASTEST, _PART_OF_SAMPLING = 50.0, 0.1
"""(4): fastest pole [1/s], below the first resonance of common arms; its product with the sampling interval."""
_FULL_TORQUE = {True: 0.1, False: 0.01}
"""(4): position error that saturates a drive, of revolute [rad] and prismatic [m] joints."""
_LEAST_SHARE = 0.1  # (4): smallest part of a torque limit that is available to feedback

_FRICTION = FrictionCompensation()
_NO_FRICTION = FrictionCompensation(FrictionAt.NOTHING)


def independent_joint(
    source: Robot | Model,
    gains: PidGains,
    *,
    period: float | None = None,
    feedforward: Feedforward | str = Feedforward.NOTHING,
    friction: FrictionCompensation | FrictionAt | str = _NO_FRICTION,
    efforts: npt.ArrayLike | None = None,
) -> Controller:
    """The law (1); an integral needs the sampling interval `period` [s].

    `efforts` (n,): torque limits for (2), the robot's unless given. Raises `ArgumentError` for gains that are not one
    per joint, and for an integral without a period.
    """
    model = as_model(source)
    robot = model.robot
    added_torque, loss = chosen(Feedforward, feedforward, "feedforward"), friction_compensation(friction)
    gains.check(robot.joint_names)
    integral = any(gains.integral)
    if integral and not (period is not None and np.isfinite(period) and period > 0.0):
        raise ArgumentError("an integral needs a sampling interval", remedy="give the period in seconds")
    given = [joint.limits.effort for joint in robot.joints] if efforts is None else list(np.asarray(efforts, float))
    if len(given) != robot.n:
        raise ArgumentError(f"{len(given)} torque limits for {robot.n} joints", remedy="give one per joint")

    def law(**signals: Any) -> dict[str, Any]:
        e, ed = errors_of(signals)
        tau = added(_model_torque(model, added_torque, signals), loss.torque(model, signals))
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
    kind = LawKind.PID if integral else LawKind.PD
    options = ControllerOptions(
        period=period,
        friction=loss,
        gains=gains,
        feedforward=added_torque,
        anti_windup=None if efforts is None else finite_limits(given),
    )
    return designed_controller(model, LawDesign(kind, options), law, slots=slots)


def gravity_compensation(source: Robot | Model, gains: PidGains | None = None, **options: Any) -> Controller:
    """Gravity and spring compensation at the measured position, with PD or PID `gains` if given (else the arm floats).

    Options are those of `independent_joint`.
    """
    zeros = (0.0,) * as_model(source).robot.n
    law = independent_joint(source, gains or PidGains(zeros, zeros), feedforward=Feedforward.GRAVITY, **options)
    return law if gains is not None else _as(law, LawKind.GRAVITY)


def feedforward_torque(
    source: Robot | Model,
    *,
    online_gravity: bool = False,
    friction: FrictionCompensation | FrictionAt | str = _FRICTION,
) -> Controller:
    """Open-loop feedforward: inverse dynamics of the reference, optionally with gravity at the measured position.

    Izaguirre et al., 7.2.
    """
    zeros = (0.0,) * as_model(source).robot.n
    computed = Feedforward.DYNAMICS_AND_GRAVITY if online_gravity else Feedforward.DYNAMICS
    law = independent_joint(source, PidGains(zeros, zeros), feedforward=computed, friction=friction)
    return _as(law, LawKind.OPEN_LOOP_GRAVITY if online_gravity else LawKind.OPEN_LOOP)


def _as(controller: Controller, kind: LawKind) -> Controller:
    """The controller under the name of another law, the one that zero gains make it."""
    assert controller.design is not None
    options = replace(controller.design.options, gains=None, feedforward=None)
    name = kind.value.replace("-", "_")
    function = replace(controller.function, name=name)
    return replace(controller, name=name, function=function, design=LawDesign(kind, options))


def gains_from_poles(
    source: Robot | Model, poles: PoleArgument, q: npt.ArrayLike, *, integral_pole: float | None = None
) -> PidGains:
    """PD or PID gains (3) from poles, for the diagonal inertias at q (n,); `integral_pole` -r [1/s] adds an integral.

    Raises `ArgumentError` for poles that are unstable.
    """
    model = as_model(source)
    robot = model.robot
    position = np.asarray(q, dtype=np.float64)
    if position.shape != (robot.n,) or not np.isfinite(position).all():
        raise ArgumentError(f"q has shape {position.shape}", remedy=f"give {robot.n} finite positions")
    feedback = error_feedback(joint_poles(robot.joint_names, poles))
    J = [float(row[k]) for k, row in enumerate(model.at("mass_matrix", position.tolist()))]
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


def drive_poles(source: Robot | Model, q: npt.ArrayLike, period: float) -> tuple[float, ...]:
    """Real double poles (n,) [1/s] of PD gains that suit inertias and torque limits at q (n,): (4).

    >>> from torquec.robot import classics
    >>> [round(pole) for pole in drive_poles(classics.planar2r(), [0.0, 0.0], 0.002)]
    [-11, -21]
    """
    model = as_model(source)
    position = np.asarray(q, dtype=np.float64).tolist()
    inertia, gravity = model.at("mass_matrix", position), model.at("gravity_torque", position)
    fastest = min(_FASTEST, _PART_OF_SAMPLING / period)
    poles = []
    for k, (joint, coordinate) in enumerate(zip(model.robot.joints, model.robot.coordinates, strict=True)):
        limit = joint.limits.effort
        free = max(limit - abs(float(gravity[k])), _LEAST_SHARE * limit)
        own = float(inertia[k][k])  # zero in some simplified models
        square = free / (own * _FULL_TORQUE[coordinate.turns]) if own > 0.0 else np.inf
        poles.append(-min(fastest, float(np.sqrt(square))))
    return tuple(poles)


def _model_torque(model: Model, feedforward: Feedforward, signals: dict[str, Any]) -> list[Scalar]:
    zeros: list[Scalar] = [0.0] * model.robot.n
    reference = signals["q_ref"]

    def held(q: Sequence[Scalar]) -> list[Scalar]:
        return added(model.at("gravity_torque", q), model.at("spring_torque", q))

    match feedforward:
        case Feedforward.NOTHING:
            return zeros
        case Feedforward.GRAVITY:
            return held(signals["q"])
        case Feedforward.DYNAMICS:
            return rigid_torque(model, reference, signals["qd_ref"], signals["qdd_ref"])
        case Feedforward.DYNAMICS_AND_GRAVITY:
            moving = rigid_torque(model, reference, signals["qd_ref"], signals["qdd_ref"])
            there, here = held(reference), held(signals["q"])
            return [m + (h - t) for m, h, t in zip(moving, here, there, strict=True)]


def _kept(past: Scalar, grown: Scalar, torque: Scalar, limit: float) -> Scalar:
    """The integral after anti-windup (2)."""
    if not np.isfinite(limit):
        return grown
    slower = select(torque - limit, minimum(grown, past), grown)
    return select(-limit - torque, maximum(grown, past), slower)
