"""Generalized-momentum observer: external torque estimation and collision detection.

With the momentum p = M qd and its rate without drive and external torques, b = dM/dt qd - c - g - springs - friction:

(1)  pd = tau + b + external
(2)  between samples    p^ -> p^ + h (tau + (b_before + b_now)/2)                         tau held for h seconds
(3)  at a sample        r = (1 - exp(-k h))/h (p - p^),      p^ -> p^ + (1 - exp(-k h)) (p - p^)

so that r follows the external torque with the time constant 1/k and no offset. The observer measures no acceleration
and inverts no mass matrix. De Luca & Mattone (2003), here with exact sampling. M, c, g and dM/dt all come from one
torque program: r differs from the external torque by the error of that program and no more. This also holds for a
simplified program, for which dM/dt = C + C' fails.

(4)  collision of a joint: |r| above its threshold: a number, or
(5)  the threshold from an `Uncertainty` (:mod:`torquec.control.detection_thresholds`), which depends on the measured
     speeds: no false alarm on any robot in the sets

Load-dependent friction takes the gravity torque as its load: accelerations are not known here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from torquec.control.detection_thresholds import bias_program, detection_thresholds, momentum_program
from torquec.control.law_options import finite_limits
from torquec.control.tracking_guarantee import TrackingGuarantee
from torquec.control.uncertainty import Uncertainty
from torquec.dynamics.friction_torque import friction_torque
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.expr import Function, evaluate, trace
from torquec.expr.math import absolute, select
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array
from torquec.model.model import Model, as_model
from torquec.model.model_function import ModelFunction, ModelOrigin
from torquec.robot.robot import Robot
from torquec.trajectory.motion_box import MotionBox
from torquec.trajectory.trajectory import Trajectory


@dataclass(frozen=True, repr=False)
class Observer(ModelFunction):
    """An observer: (q, qd, tau, state) -> external (n,), collision (n,) 0 or 1, next_state; with (5) threshold (n,).

    `tau` is the torque that acted since the previous call. `state_at` gives the initial state. `bandwidth` [1/s] and
    `thresholds` (n,) [Nm] are those of its design; a joint without a threshold has None. With (5), `thresholds` are
    those at rest, the largest ones, and `moving` (n,) the largest while all joints move; `moving` is empty without (5).
    """

    KIND: ClassVar[str] = "observer"

    start: Function | None = None
    bandwidth: float = 0.0
    thresholds: tuple[float | None, ...] = ()
    moving: tuple[float, ...] = ()

    @property
    def smallest_torque(self) -> tuple[float | None, ...]:
        """The external torque (n,) [Nm] that is certainly detected on every robot in the sets: twice the threshold.

        Twice as much is detected within `detection_time`. None without thresholds from an uncertainty.
        """
        return tuple(2.0 * t if self.moving and t is not None else None for t in self.thresholds)

    @property
    def detection_time(self) -> float:
        """Time [s] within which twice the `smallest_torque` is detected: ln 2/k plus one sampling interval."""
        return math.log(2.0) / self.bandwidth + (self.period or 0.0)

    def state_at(self, q: npt.ArrayLike, qd: npt.ArrayLike) -> Array:
        """The initial state at (q, qd), (n,) each, without external torque.

        No time has passed at the first call: pass it zero torque.
        """
        assert self.start is not None
        return evaluate(self.start, {"q": q, "qd": qd})["state"]


def momentum_observer(
    source: Robot | Model,
    *,
    bandwidth: float,
    period: float,
    thresholds: npt.ArrayLike | None = None,
    uncertainty: Uncertainty | None = None,
    motions: Trajectory | MotionBox | None = None,
    guarantee: TrackingGuarantee | None = None,
) -> Observer:
    """The observer (1)-(5), with k = `bandwidth` [1/s], called every `period` seconds.

    `thresholds` (n,) [Nm]: collision thresholds, infinite unless given. With an `uncertainty` they follow
    from its sets (5), for robots that move within `motions`: a box with speeds and accelerations, or a trajectory with
    its `guarantee`; the default is the box of a certified model. Raises `ArgumentError` for a bandwidth or period that
    is not positive, for thresholds of both kinds, and as `detection_thresholds` does.
    """
    for name, value in (("bandwidth", bandwidth), ("period", period)):
        if not (math.isfinite(value) and value > 0.0):
            raise ArgumentError(f"a {name} of {value}", remedy="give a positive number")
    model = as_model(source)
    n, decay = model.robot.n, -math.expm1(-bandwidth * period)
    limits = np.full(n, np.inf) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    if limits.shape != (n,) or not np.all(limits > 0.0):
        raise ArgumentError(f"thresholds {limits.tolist()}", remedy=f"give one positive torque per joint, ({n},)")
    levels, moving = None, ()
    if uncertainty is not None:
        if thresholds is not None:
            raise ArgumentError("thresholds and an uncertainty", remedy="give the one or the other")
        levels = detection_thresholds(model, uncertainty, _motions(model, motions), period=period, guarantee=guarantee)
        limits, moving = levels.standing(decay, period), tuple(levels.moving(decay, period).tolist())
    momentum, smooth = momentum_program(model), bias_program(model)

    def bias(q: Any, qd: Any) -> list[Any]:
        """The bias b of (1)."""
        if levels is None:
            loss = friction_torque(model.robot, qd, load=model.at("gravity_torque", q))
        else:
            loss = levels.friction(qd)
        return [b - f for b, f in zip(replay(smooth, {"q": q, "qd": qd})["b"], loss, strict=True)]

    def algorithm(q: Any, qd: Any, tau: Any, state: Any) -> dict[str, Any]:
        now, p = bias(q, qd), replay(momentum, {"q": q, "qd": qd})["p"]
        past, before = state[:n], state[n : 2 * n]
        predicted = [p + period * (t + 0.5 * (b + c)) for p, t, b, c in zip(past, tau, before, now, strict=True)]
        missing = [p - x for p, x in zip(p, predicted, strict=True)]
        external = [(decay / period) * x for x in missing]
        later = [p + decay * x for p, x in zip(predicted, missing, strict=True)]
        if levels is None:
            return {"external": external, "collision": _hits(external, limits), "next_state": [*later, *now]}
        level, noise = levels.level(qd), levels.noise(decay, period)
        filtered = [
            low + decay * (0.5 * (a + b) - low)
            for low, a, b in zip(state[3 * n :], state[2 * n : 3 * n], level, strict=True)
        ]
        bound = [low + extra for low, extra in zip(filtered, noise.tolist(), strict=True)]
        return {
            "external": external,
            "threshold": bound,
            "collision": [select(absolute(r) - b, 1.0, 0.0) for r, b in zip(external, bound, strict=True)],
            "next_state": [*later, *now, *level, *filtered],
        }

    names = ("momentum", "bias", *(() if levels is None else ("level", "threshold")))
    ports = {"q": (n,), "qd": (n,), "tau": (n,), "state": (len(names) * n,)}
    function = trace("momentum_observer", algorithm, ports)

    def begin(q: Any, qd: Any) -> dict[str, Any]:
        now = bias(q, qd)
        # No time passes before the first call: subtract in advance what (2) will add there.
        own = [p - period * b for p, b in zip(replay(momentum, {"q": q, "qd": qd})["p"], now, strict=True)]
        level = [] if levels is None else levels.level(qd)
        return {"state": [*own, *now, *level, *level]}

    start = trace("momentum_observer_start", begin, {"q": (n,), "qd": (n,)})
    return Observer(
        function.name,
        model.robot.joint_names,
        function,
        tuple(StateSlot(name, (0.0,) * n) for name in names),
        period,
        ModelOrigin.of(model),
        start,
        bandwidth,
        finite_limits(limits.tolist()),
        moving,
    )


def detectable_force(
    observer: Observer, source: Robot | Model, frame: str, q: npt.ArrayLike, direction: npt.ArrayLike | None = None
) -> float:
    """The smallest force [N] on a frame's origin that is certainly detected at q (n,), in one direction (3,) or in all.

    A force F acts on the joints with J' F, and is detected where one joint reaches its `smallest_torque`. Over all
    directions the result is an upper bound of that force: sqrt(n) over the smallest singular value of J', each row
    divided by the torque of its joint. The result is infinite where a direction moves no joint. Raises `ArgumentError`
    for an observer without thresholds from an uncertainty, and for a direction that is zero or not finite.
    """
    if not observer.moving:
        raise ArgumentError("the observer has no thresholds from an uncertainty", remedy="make it with uncertainty=")
    smallest = np.array(observer.smallest_torque, dtype=np.float64)
    J = np.asarray(as_model(source).jacobian(frame)(np.asarray(q, dtype=np.float64)), dtype=np.float64)[:3]
    weighted = J / smallest
    if direction is None:
        least = float(np.linalg.svd(weighted, compute_uv=False).min()) if observer.n >= 3 else 0.0
        return math.sqrt(observer.n) / least if least > 0.0 else math.inf
    way = np.asarray(direction, dtype=np.float64)
    length = float(np.linalg.norm(way))
    if way.shape != (3,) or not 0.0 < length < math.inf:
        raise ArgumentError(f"a direction {way.tolist()}", remedy="give three finite numbers, not all zero")
    most = float(np.abs(way / length @ weighted).max())
    return 1.0 / most if most > 0.0 else math.inf


def _hits(external: Sequence[Any], limits: Array) -> list[Any]:
    """Collision flags (4)."""
    return [
        0.0 if math.isinf(limit) else select(absolute(r) - limit, 1.0, 0.0)
        for r, limit in zip(external, limits.tolist(), strict=True)
    ]


def _motions(model: Model, given: Trajectory | MotionBox | None) -> Trajectory | MotionBox:
    if given is not None:
        return given
    if model.record is None or not model.box.acceleration:
        raise ArgumentError(
            "thresholds hold for stated motions", remedy="give motions=: a MotionBox, or a trajectory with guarantee="
        )
    return model.box
