"""How often the background must run: the error of holding against the period, and what remains of a tolerance.

(1)  coefficients are at most  age = period + latency  old: seen at the start of a run of the background, published
     `latency` later, used until the next ones are
(2)  total = proven error of the model + bound of holding (:mod:`torquec.realtime.hold_bound`), joint by joint; that of
     an exact model is what snapped angles change against the file as written (:mod:`torquec.proof.snap_bound`)
(3)  recommended: the longest background period, a second at most, for which no joint's total exceeds the torque error
     that the specification allows
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model, as_model
from torquec.proof.snap_bound import snap_bound
from torquec.realtime.background_period import LONGEST_PERIOD, USUAL_PERIOD
from torquec.realtime.choices import HoldOrder
from torquec.realtime.held_errors import HeldErrors
from torquec.realtime.hold_bound import HoldBound, hold_bound
from torquec.realtime.hold_search import FoundErrors, search_hold_error
from torquec.robot.robot import Robot
from torquec.simplification.specification import Specification
from torquec.trajectory.motion_box import MotionBox

_CURVE = np.geomspace(1e-4, 1e-1, 25)  # periods of the picture [s]: from a fast cycle to a slow background
_DOTS = np.geomspace(1e-4, 1e-1, 4)  # where errors are searched for


@dataclass(frozen=True)
class HoldPlan:
    """A background period, and for every joint what is lost at it.

    `zeroth` and `first` are bounds of holding, `proven` that of the model (2), `allowed` what the specification
    asks for (None where it asks for none), `recommended` the longest period by order.
    """

    joints: tuple[str, ...]
    period: float
    latency: float
    order: HoldOrder
    bound: HoldBound
    proven: Array
    allowed: Array | None
    recommended: Mapping[HoldOrder, float | None]
    found: FoundErrors | None = None

    def held(self, order: HoldOrder) -> Array:
        """The bound of holding at the plan's period, (n,)."""
        return self.bound.at(self.period + self.latency, order)

    @property
    def total(self) -> Array:
        """(2) at the plan's period and order, (n,)."""
        return self.proven + self.held(self.order)

    @property
    def errors(self) -> HeldErrors:
        """(2) at the plan's period and order, in its parts."""
        held = self.held(self.order).tolist()
        return HeldErrors(self.joints, self.period, self.latency, self.order, tuple(self.proven.tolist()), tuple(held))

    def curve(self) -> dict[str, Array]:
        """Bounds against the period: `period` (K,), `zeroth` and `first` (K, n), for pictures."""
        rows = {order: np.array([self.bound.at(p + self.latency, order) for p in _CURVE]) for order in HoldOrder}
        return {"period": _CURVE, **{order.value: values for order, values in rows.items()}}


def plan_background(
    source: Robot | Model,
    specification: Specification,
    *,
    period: float | None = None,
    latency: float = 0.0,
    order: HoldOrder | str = HoldOrder.FIRST,
    search: bool = True,
    work: Work | None = None,
) -> HoldPlan:
    """The plan of a model for a specification (1)-(3); at the recommended period unless one is given [s].

    With `search` the largest errors that are found stand beside the bounds. Raises `ArgumentError` for a specification
    without speeds and accelerations or with motions that the model's certificate does not cover, and for times that are
    none; `RobotError` for too many joints.
    """
    model, chosen_order = as_model(source), chosen(HoldOrder, order, "order of the hold")
    if (period is not None and not (np.isfinite(period) and period > 0.0)) or not (latency >= 0.0):
        raise ArgumentError(f"a period of {period} s and a latency of {latency} s", remedy="give positive times")
    motions = specification.motions
    proven = _proven(model, motions)
    bound = hold_bound(model, motions, jerk=specification.jerks, work=work)
    errors = [joint.torque_error for joint in specification.joints]
    allowed = None if any(error is None for error in errors) else np.array(errors, dtype=np.float64)
    recommended: dict[HoldOrder, float | None] = {}
    for each in HoldOrder:
        longest = None if allowed is None else bound.longest_age((allowed - proven).tolist(), each) - latency
        recommended[each] = None if longest is None or longest <= 0.0 else min(longest, LONGEST_PERIOD)
    at = period or recommended[chosen_order] or USUAL_PERIOD
    found = None
    if search:
        with as_work(work).step("looking for motions that err most"):
            found = search_hold_error(model, motions, at + latency, jerk=specification.jerks)
    return HoldPlan(model.robot.joint_names, at, latency, chosen_order, bound, proven, allowed, recommended, found)


def found_at(source: Robot | Model, specification: Specification, latency: float = 0.0) -> dict[str, Array]:
    """The largest errors found against the period: `period` (K,), `zeroth` and `first` (K, n), for pictures."""
    model = as_model(source)
    rows = [search_hold_error(model, specification.motions, p + latency, jerk=specification.jerks) for p in _DOTS]
    return {
        "period": _DOTS,
        "zeroth": np.array([row.zeroth for row in rows]),
        "first": np.array([row.first for row in rows]),
    }


def _proven(model: Model, motions: MotionBox) -> Array:
    """What is proven of the model's torques over these motions, (n,); of an exact one, what snapped angles change."""
    record = model.record
    if record is None:
        return np.array(snap_bound(model.robot, motions))
    box = record.motions
    inside = bool(box.velocity) and all(
        np.all(np.asarray(a) <= np.asarray(b) + 1e-12)
        for a, b in (
            (box.lower, motions.lower),
            (motions.upper, box.upper),
            (motions.velocity, box.velocity),
            (motions.acceleration, box.acceleration),
        )
    )
    if not inside:
        raise ArgumentError(
            "the specification has motions that the model's certificate does not cover",
            remedy="plan for the specification that the model was simplified for",
        )
    joints = model.robot.joint_names
    missing = [name for name in joints if name not in record.joints]
    if missing:
        raise ArgumentError(
            f"nothing is proven of the torque of '{missing[0]}'", remedy="simplify to torque errors, then plan"
        )
    return np.array([record.joints[name].bound for name in joints])
