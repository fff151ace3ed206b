"""Choice of the background period: hold error against the period, and the longest period within a tolerance.

(1)  the sample age of coefficients is at most  period + latency:  sampled at the start of a background run, published
     `latency` later, used until the next ones are published
(2)  total = proven error of the model + bound of the hold error (`held_torque_bound`), joint by joint; the
     error of an exact model is that of its snapped angles against the file as written
     (:mod:`torquec.proof.torque.snap_bound`)
(3)  recommended: the longest background period, a second at most, for which no joint's total exceeds the torque error
     that the specification allows

A certificate bounds the torque error with coefficients of the same instant. The cycle uses older ones: the header of a
two-rate package never states the first part of (2) without the second one. Where :mod:`torquec_check.hold` proves the
sum, the plan has a witness, which the package contains; else the sum is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model, as_model
from torquec.model.model_parameters import ModelKind
from torquec.proof.hold.held_torque_bound import HoldBound, held_torque_bound
from torquec.proof.hold.hold_certificate import hold_certificate, hold_witness, is_hold_proven
from torquec.proof.hold.hold_order import HoldOrder
from torquec.proof.torque.snap_bound import snap_bound
from torquec.realtime.background_period import period_words
from torquec.realtime.hold_search import FoundErrors, search_hold_error
from torquec.realtime.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.simplification.specification import Specification
from torquec.trajectory.motion_box import MotionBox
from torquec_check.claim import Claim, Standing, rounded_down, rounded_up

_DIGITS = 6
"""Digits of bounds in a header; they are rounded up."""


@dataclass(frozen=True)
class HeldErrors:
    """Errors (2) of every joint, at a background period and a latency [s].

    For an exact model, `model` is the error of its snapped angles against the file as written, zero without snaps.
    `witness`: motions and bounds of a hold certificate (`hold_witness`) if the checker has proven it, else None.
    """

    joints: tuple[str, ...]
    period: float
    latency: float
    order: HoldOrder
    model: tuple[float, ...]
    held: tuple[float, ...]
    witness: Mapping[str, Any] | None = None

    @property
    def standing(self) -> Standing:
        """Proven where there is a witness that the checker replays, else computed."""
        return Standing.COMPUTED if self.witness is None else Standing.PROVEN

    @property
    def total(self) -> tuple[float, ...]:
        """(2) by joint; that of the witness, if there is one, includes the rounding of the model's torques."""
        if self.witness is not None:
            return tuple(self.witness["joints"][joint]["bound"] for joint in self.joints)
        return tuple(own + held for own, held in zip(self.model, self.held, strict=True))

    def certificate(self, model: Model) -> Mapping[str, Any] | None:
        """The hold certificate of `model`, whose errors these are; None without a witness."""
        if self.witness is None:
            return None
        program = model.function("inverse_dynamics")
        return hold_certificate(model.robot, program, self.witness, age=self.age, order=self.order)

    @property
    def age(self) -> float:
        """The largest sample age (1) [s]."""
        return self.period + self.latency

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; without a witness, in the format of packages that have none."""
        stated = {key: value for key, value in vars(self).items() if (key, value) != ("witness", None)}
        return {key: list(value) if isinstance(value, tuple) else value for key, value in stated.items()}

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> HeldErrors:
        """The inverse of `to_dict`."""
        lists = {key: tuple(document[key]) for key in ("joints", "model", "held")}
        if not (document["period"] > 0.0 and document["latency"] >= 0.0):
            raise ArgumentError("a plan has a period, and no latency below zero", remedy="make the package again")
        return HeldErrors(**{**document, **lists, "order": HoldOrder(document["order"])})

    @staticmethod
    def of_document(document: Mapping[str, Any]) -> HeldErrors:
        """The errors in a document of `torquec realtime plan`."""
        order = HoldOrder(document["order"])
        return HeldErrors(
            tuple(document["proven"]),
            document["period"],
            document["latency"],
            order,
            tuple(document["proven"].values()),
            tuple(document[order.value].values()),
            document.get("witness"),
        )


def held_errors_text(
    robot: Robot,
    errors: HeldErrors | None,
    *,
    certified: bool,
    kind: ModelKind = ModelKind.EXACT,
    claim: Claim | None = None,
    witness_file: str = "",
) -> str:
    """Header text about the hold error; `certified`: whether certified errors without hold precede it.

    `claim` is that of a hold certificate, in `witness_file` beside the code.

    Nothing is proven of an abbreviated model: only the hold error is stated, in addition to its own errors.
    """
    lines = []
    if certified:
        lines.append(
            "The errors above are with coefficients of the very instant. A cycle uses older ones, which adds to them:"
        )
    if errors is None:
        more = "how much is not known here" if certified else "Coefficients that are held add an error"
        lines.append(
            f"{more}: torquec realtime plan bounds it, and torquec generate with --spec and --period writes it here."
        )
        return "\n".join(lines)
    lines.append(
        f"With {errors.order.value} order, {period_words(errors.period)}, coefficients at most "
        f"{rounded_down(1e3 * errors.age, 4)} ms old, {errors.standing} for all motions of the plan:"
    )
    for joint, own, held, total in zip(robot.coordinates, errors.model, errors.held, errors.total, strict=True):
        unit = joint.effort_unit
        cause = "the model" if certified else "snapped angles"
        if own and errors.witness is not None:  # the parts that are proven
            own = errors.witness["joints"][joint.name]["model"]
            held = total - own
        parts = f" = {rounded_up(own, _DIGITS)} of {cause} + {rounded_up(held, _DIGITS)} of holding" if own else ""
        lines.append(f"  torque error of {joint.name}: at most {rounded_up(total, _DIGITS)} {unit}{parts}")
    if kind is ModelKind.ABBREVIATED:
        lines.append("The errors of the abbreviated model itself add to these, and no bound of them is proven.")
    lines.append("Friction that is held is not in this.")
    if claim is not None:
        lines += [*claim.lines(), f"The witness is {witness_file}: torquec check DIR proves it again."]
    return "\n".join(lines)


_CURVE = np.geomspace(1e-4, 1e-1, 25)  # periods of the plot [s]: from a fast cycle to a slow background
_DOTS = np.geomspace(1e-4, 1e-1, 4)  # periods at which errors are searched [s]


@dataclass(frozen=True)
class HoldPlan:
    """A background period, and the torque errors of every joint at it.

    `zeroth` and `first`: bounds of the hold error; `proven`: bound of the model error (2); `allowed`: tolerance of the
    specification (None without one); `recommended`: the longest period by order; `witness`: as in `HeldErrors`.
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
    witness: Mapping[str, Any] | None = None

    def held(self, order: HoldOrder) -> Array:
        """The bound of the hold error at the plan's period, (n,)."""
        return self.bound.at(self.period + self.latency, order)

    @property
    def total(self) -> Array:
        """(2) at the plan's period and order, (n,)."""
        return self.proven + self.held(self.order)

    @property
    def errors(self) -> HeldErrors:
        """(2) at the plan's period and order, in its parts."""
        held = self.held(self.order).tolist()
        own = tuple(self.proven.tolist())
        return HeldErrors(self.joints, self.period, self.latency, self.order, own, tuple(held), self.witness)

    def curve(self) -> dict[str, Array]:
        """Bounds against the period: `period` (K,), `zeroth` and `first` (K, n), for plots."""
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

    With `search` the largest errors found are given beside the bounds. Raises `ArgumentError` for a specification
    without speeds and accelerations or with motions that the model's certificate does not cover, and for invalid
    times; `RobotError` for too many joints.
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
        recommended[each] = (
            None if longest is None or longest <= 0.0 else min(longest, TUNING.longest_background_period)
        )
    at = period or recommended[chosen_order] or TUNING.usual_background_period
    found = None
    if search:
        with as_work(work).step("searching for motions with the largest error"):
            found = search_hold_error(model, motions, at + latency, jerk=specification.jerks)
    plan = HoldPlan(model.robot.joint_names, at, latency, chosen_order, bound, proven, allowed, recommended, found)
    return replace(plan, witness=_witness(model, motions, plan, specification.jerks, as_work(work)))


def _witness(
    model: Model, motions: MotionBox, plan: HoldPlan, jerk: Sequence[float] | None, work: Work
) -> Mapping[str, Any] | None:
    """The witness of a plan, proven by the checker; None if it is not, or the model's own errors have no bound."""
    if model.record is None and model.kind is not ModelKind.EXACT:
        return None
    age, order, program = plan.period + plan.latency, plan.order, model.function("inverse_dynamics")
    own = None if model.record is None else plan.proven.tolist()
    witness = hold_witness(model.robot, program, motions, plan.bound, jerk=jerk, age=age, order=order, model=own)
    if witness is None:
        return None
    document = hold_certificate(model.robot, program, witness, age=age, order=order)
    return witness if is_hold_proven(document, work=work) else None


def found_at(source: Robot | Model, specification: Specification, latency: float = 0.0) -> dict[str, Array]:
    """The largest errors found against the period: `period` (K,), `zeroth` and `first` (K, n), for plots."""
    model = as_model(source)
    rows = [search_hold_error(model, specification.motions, p + latency, jerk=specification.jerks) for p in _DOTS]
    return {
        "period": _DOTS,
        "zeroth": np.array([row.zeroth for row in rows]),
        "first": np.array([row.first for row in rows]),
    }


def _proven(model: Model, motions: MotionBox) -> Array:
    """The certified torque error over these motions, (n,); of an exact model, the error of snapped angles."""
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


def hold_bound(
    source: Robot | Model, motions: MotionBox, *, jerk: Sequence[float] | None = None, work: Work | None = None
) -> HoldBound:
    """Hold error bounds of a model over a box of motions with speeds and accelerations; `jerk` (n,) if limited.

    A time limit of `work` is divided among the joints; bounds that it cuts short are coarser.
    Raises `ArgumentError` for a box without speeds or accelerations, `RobotError` for too many joints.
    """
    model = as_model(source)
    program = model.function("inverse_dynamics")
    sums_angles = not model.kind.follows_program
    return held_torque_bound(model.robot, program, motions, sums_angles=sums_angles, jerk=jerk, work=work)
