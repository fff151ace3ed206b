"""A warning where the background of a plan runs too rarely: held coefficients may then err more than is allowed."""

from __future__ import annotations

from torquec.realtime.background_period import shorter_than_cycle
from torquec.report.blocks import Paragraph, Part, Tone, paragraph
from torquec.report.provenance import Number, Statement, assumed, proved
from torquec.report.stored_values import StoredValue

_MILLI = 1e3  # s to ms

HOLDING = proved("interval arithmetic over all motions of the specification; docs/real-time.md has the argument")
"""How the error of holding is bounded."""


def period_note(values: StoredValue, name: str) -> Paragraph | None:
    """The warning of a result of `torquec realtime plan`; None where its period is short enough.

    In a run the plan knows the cycle of the controller, and a background period below it is warned of as well.
    """
    period = Number(_MILLI * values["period"].number, assumed(f"the options of the plan {name}"), "ms")
    allowed = values.get("allowed")
    if allowed is None:
        return None
    times = [
        (total.number / allowed[joint].number, joint)
        for joint, total in values["total"].items()
        if allowed[joint].number > 0.0
    ]
    most, joint = max(times, default=(0.0, ""))
    order = values["order"].text
    longest = values["recommended"].get(order)
    if most <= 1.0 and longest is not None:
        return _shorter_than_cycle(values, period)
    parts: list[Part] = ["With the background period of ", period, " the torque error may be "]
    parts += [Number(most, HOLDING, digits=3), f" times what is allowed, at {joint}: "]
    if longest is None:
        parts.append(f"no period is short enough to prove it, {order} order.")
    else:
        parts += [
            "a background period of ",
            Number(_MILLI * longest.number, HOLDING, "ms", at_least=True),
            " is short enough.",
        ]
    return paragraph(*parts, tone=Tone.WARNING)


def _shorter_than_cycle(values: StoredValue, period: Number) -> Paragraph | None:
    """That two rates gain nothing, where coefficients are to be refreshed more than once a cycle."""
    cycle = values.get("cycle")
    if cycle is None or values["period"].number >= cycle.number:
        return None
    words = Statement(shorter_than_cycle(cycle.number), period.provenance)
    return paragraph("The background period of ", period, " is ", words, ".", tone=Tone.WARNING)
