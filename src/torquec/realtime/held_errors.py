"""Torque errors with coefficients of an age, joint by joint: what the header of a two-rate package says of them.

A certificate bounds the error of torques from coefficients of the very instant. The cycle uses older ones, and

(1)  error = that of the model + that of holding,    each bounded, at most  age = period + latency  old

of :mod:`torquec.realtime.plan`. A header never states the first part of (1) without the second one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torquec.foundation.rounded_bound import rounded_down, rounded_up
from torquec.model.kinds import ModelKind
from torquec.proof.hold.hold_order import HoldOrder
from torquec.realtime.background_period import period_words
from torquec.robot.robot import Robot

_DIGITS = 6
"""Of bounds in a header; they are rounded up."""


@dataclass(frozen=True)
class HeldErrors:
    """(1) of every joint, at a background period and a latency [s].

    `model` of an exact model is what snapped angles change against the file as written, zero without snaps.
    """

    joints: tuple[str, ...]
    period: float
    latency: float
    order: HoldOrder
    model: tuple[float, ...]
    held: tuple[float, ...]

    @property
    def age(self) -> float:
        """That of the oldest coefficients of (1) [s]."""
        return self.period + self.latency

    @staticmethod
    def of_document(document: Mapping[str, Any]) -> HeldErrors:
        """Those of the document that `torquec realtime plan` writes."""
        order = HoldOrder(document["order"])
        return HeldErrors(
            tuple(document["proven"]),
            document["period"],
            document["latency"],
            order,
            tuple(document["proven"].values()),
            tuple(document[order.value].values()),
        )


def held_errors_text(
    robot: Robot, errors: HeldErrors | None, *, certified: bool, kind: ModelKind = ModelKind.EXACT
) -> str:
    """What a header says of the age of coefficients; `certified` where errors of the very instant stand before it.

    Of an abbreviated model nothing is proven: what holding adds to its own errors is stated as that.
    """
    lines = []
    if certified:
        lines.append(
            "These are the errors with coefficients of the very instant. A cycle uses older ones, which adds to them:"
        )
    if errors is None:
        more = "how much is not known here" if certified else "Coefficients that are held add an error"
        lines.append(
            f"{more}: torquec realtime plan bounds it, and torquec generate with --spec and --period writes it here."
        )
        return "\n".join(lines)
    lines.append(
        f"With {errors.order.value} order, {period_words(errors.period)}, coefficients at most "
        f"{rounded_down(1e3 * errors.age, 4)} ms old, for all motions of the plan:"
    )
    for joint, own, held in zip(robot.coordinates, errors.model, errors.held, strict=True):
        unit = joint.effort_unit
        cause = "the model" if certified else "snapped angles"
        parts = f" = {rounded_up(own, _DIGITS)} of {cause} + {rounded_up(held, _DIGITS)} of holding" if own else ""
        lines.append(f"  torque error of {joint.name}: at most {rounded_up(own + held, _DIGITS)} {unit}{parts}")
    if kind is ModelKind.ABBREVIATED:
        lines.append("The errors of the abbreviated model itself add to these, and no bound of them is proven.")
    lines.append("Friction that is held is not in this.")
    return "\n".join(lines)
