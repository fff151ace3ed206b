"""Actuator limits of a control law: torque saturation and torque rate limits.

(1)  tau' = clamp(tau, last - r h, last + r h),  then clamp(tau', -limit, limit);   `last` is the previous command
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.control.controller import GAINS, Controller, make_controller
from torquec.control.law_options import LawDesign, finite_limits
from torquec.dynamics.sampled_function import STATE, StateSlot
from torquec.errors import ArgumentError
from torquec.expr import inline
from torquec.expr.math import maximum, minimum
from torquec.model.model import Model, as_model
from torquec.robot.robot import Robot
from torquec.spatial import Scalar


def with_actuator_limits(
    controller: Controller,
    source: Robot | Model,
    *,
    efforts: npt.ArrayLike | None = None,
    rates: npt.ArrayLike | None = None,
    first_torque: npt.ArrayLike | None = None,
) -> Controller:
    """The controller with its torques limited (1).

    `efforts` (n,) [Nm]: the robot's limits unless given. `rates` (n,) [Nm/s]: none unless given; they need a
    controller with a period and start from `first_torque` (n,), zero unless given. Raises `ArgumentError` for limits
    that are not one positive number per joint.
    """
    robot, n = as_model(source).robot, controller.n
    limits = _per_joint("efforts", [j.limits.effort for j in robot.joints] if efforts is None else efforts, n)
    slopes = None if rates is None else _per_joint("rates", rates, n)
    if slopes is not None and controller.period is None:
        raise ArgumentError("rate limits need a sampling interval", remedy="make the controller with a period")
    start = np.zeros(n) if first_torque is None else np.asarray(first_torque, dtype=np.float64)
    own = sum(slot.size for slot in controller.slots)

    def law(**signals: Any) -> dict[str, Any]:
        graph = signals["q"][0].graph
        state = signals.get(STATE, ())
        inputs: dict[str, Any] = {
            name: [entry for row in signals[name] for entry in row] if len(shape) > 1 else signals[name]
            for name, shape in controller.signals.items()
        }
        if controller.schedule is not None:
            inputs[GAINS] = [entry for row in signals[GAINS] for entry in row]
        if own:
            inputs[STATE] = state[:own]
        found = inline(controller.function, graph, inputs)
        tau: list[Scalar] = list(found["tau"])
        if slopes is not None and controller.period is not None:
            steps = [rate * controller.period for rate in slopes]
            last = state[own:]
            tau = [_clamped(t, x - step, x + step) for t, x, step in zip(tau, last, steps, strict=True)]
        tau = [t if np.isinf(limit) else _clamped(t, -limit, limit) for t, limit in zip(tau, limits, strict=True)]
        later = [*found.get("next_state", ()), *(tau if slopes is not None else ())]
        return {"tau": tau, "next_state": later} if later else {"tau": tau}

    slots = list(controller.slots)
    if slopes is not None:
        slots.append(StateSlot("last_torque", tuple(start.tolist())))
    return make_controller(
        controller.name,
        controller.joints,
        law,
        slots=slots,
        period=controller.period,
        schedule=controller.schedule,
        design=_limited(controller, limits, slopes),
        origin=controller.origin,
        reference=controller.reference,
    )


def _limited(controller: Controller, limits: list[float], slopes: list[float] | None) -> LawDesign | None:
    """The design of the controller, with the limits among its options."""
    if controller.design is None:
        return None
    rates = None if slopes is None else tuple(slopes)
    options = replace(controller.design.options, efforts=finite_limits(limits), rates=rates)
    return replace(controller.design, options=options)


def _clamped(value: Scalar, low: Scalar, high: Scalar) -> Scalar:
    return minimum(maximum(value, low), high)


def _per_joint(name: str, values: npt.ArrayLike, n: int) -> list[float]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n,) or not np.all(array > 0.0):
        raise ArgumentError(f"'{name}' is {array.tolist()}", remedy=f"give one positive limit per joint, ({n},)")
    found: list[float] = array.tolist()
    return found
