"""Generalized-momentum observer: external torques from what is known anyway, and whether something was hit.

With p = M qd and the torque u that acts besides the drives, b = C' qd - g - friction - springs:

(1)  pd = tau + b + external
(2)  between samples    p^ -> p^ + h (tau + (b_before + b_now)/2)                         tau held for h seconds
(3)  at a sample        r = (1 - exp(-k h))/h (p - p^),      p^ -> p^ + (1 - exp(-k h)) (p - p^)

so that r follows the external torque with the time constant 1/k and no offset; no acceleration is measured and no mass
matrix inverted. De Luca & Mattone (2003), here with exact sampling.
(4)  collision of a joint: |r| above its threshold

Friction that depends on the load takes the weight for it: accelerations, which would be the rest, are not known here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from torquec.control.law_options import finite_limits
from torquec.dynamics.friction_torque import friction_torque
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.expr import Function, evaluate, trace
from torquec.expr.math import absolute, select
from torquec.foundation.arrays import Array
from torquec.model.model import Model, as_model
from torquec.model.model_function import ModelFunction, ModelOrigin
from torquec.robot.robot import Robot


@dataclass(frozen=True, repr=False)
class Observer(ModelFunction):
    """An observer: (q, qd, tau, state) -> external (n,), collision (n,) 0 or 1, next_state.

    `tau` is the torque that acted since the call before. Start it with `state_at`. `bandwidth` [1/s] and `thresholds`
    (n,) [Nm], None where a joint has none, are what it was made with.
    """

    KIND: ClassVar[str] = "observer"

    start: Function | None = None
    bandwidth: float = 0.0
    thresholds: tuple[float | None, ...] = ()

    def state_at(self, q: npt.ArrayLike, qd: npt.ArrayLike) -> Array:
        """The state to start with where the robot is at (q, qd), (n,) each, and nothing touches it.

        No time has passed at the first call: give it no torque.
        """
        assert self.start is not None
        return evaluate(self.start, {"q": q, "qd": qd})["state"]


def momentum_observer(
    source: Robot | Model, *, bandwidth: float, period: float, thresholds: npt.ArrayLike | None = None
) -> Observer:
    """The observer (1)-(4), with k = `bandwidth` [1/s], called every `period` seconds.

    `thresholds` (n,) [Nm]: where a joint is taken to be hit; infinite unless given. Raises `ArgumentError` for a
    bandwidth or period that is not positive.
    """
    for name, value in (("bandwidth", bandwidth), ("period", period)):
        if not (math.isfinite(value) and value > 0.0):
            raise ArgumentError(f"a {name} of {value}", remedy="give a positive number")
    model = as_model(source)
    n = model.robot.n
    limits = np.full(n, np.inf) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    if limits.shape != (n,) or not np.all(limits > 0.0):
        raise ArgumentError(f"thresholds {limits.tolist()}", remedy=f"give one positive torque per joint, ({n},)")
    decay = -math.expm1(-bandwidth * period)

    def algorithm(q: Any, qd: Any, tau: Any, state: Any) -> dict[str, Any]:
        momentum, bias = _momentum(model, q, qd), _bias(model, q, qd)
        past, before = state[:n], state[n:]
        predicted = [p + period * (t + 0.5 * (b + c)) for p, t, b, c in zip(past, tau, before, bias, strict=True)]
        missing = [p - x for p, x in zip(momentum, predicted, strict=True)]
        external = [(decay / period) * x for x in missing]
        later = [p + decay * x for p, x in zip(predicted, missing, strict=True)]
        hit = [
            0.0 if math.isinf(limit) else select(absolute(r) - limit, 1.0, 0.0)
            for r, limit in zip(external, limits, strict=True)
        ]
        return {"external": external, "collision": hit, "next_state": [*later, *bias]}

    function = trace("momentum_observer", algorithm, {"q": (n,), "qd": (n,), "tau": (n,), "state": (2 * n,)})

    def begin(q: Any, qd: Any) -> dict[str, Any]:
        bias = _bias(model, q, qd)
        # What (2) adds at the first call, which comes after no time at all, is taken away beforehand.
        momentum = [p - period * b for p, b in zip(_momentum(model, q, qd), bias, strict=True)]
        return {"state": [*momentum, *bias]}

    start = trace("momentum_observer_start", begin, {"q": (n,), "qd": (n,)})
    zeros = (0.0,) * n
    slots = (StateSlot("momentum", zeros), StateSlot("bias", zeros))
    return Observer(
        function.name,
        model.robot.joint_names,
        function,
        slots,
        period,
        ModelOrigin.of(model),
        start,
        bandwidth,
        finite_limits(limits.tolist()),
    )


def _momentum(model: Model, q: Any, qd: Any) -> list[Any]:
    """p = M qd."""
    return [sum((m * v for m, v in zip(row, qd, strict=True)), 0.0) for row in model.at("mass_matrix", q)]


def _bias(model: Model, q: Any, qd: Any) -> list[Any]:
    """b of (1)."""
    n, C = model.robot.n, model.at("coriolis_matrix", q, qd)
    weight = model.at("gravity_torque", q)
    held = zip(weight, friction_torque(model.robot, qd, load=weight), model.at("spring_torque", q), strict=True)
    turned = [sum((C[i][j] * qd[i] for i in range(n)), 0.0) for j in range(n)]
    return [c - (g + f + s) for c, (g, f, s) in zip(turned, held, strict=True)]
