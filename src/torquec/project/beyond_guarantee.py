"""Simulated tracking errors beyond the proven ones: by how much, and which conditions of the guarantee were not met.

A guarantee holds under conditions (:mod:`torquec.control.tracking_guarantee`), and an experiment may leave them on
purpose: friction, an unknown load, sensors. A report that shows both a proven and a larger simulated error has to
explain the difference; an error that no condition explains contradicts the guarantee.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.foundation.rounded_bound import rounded_up

_FRICTION = "friction"


def beyond_guarantee(
    guarantee: Mapping[str, Any], simulated: Mapping[str, Any], *, own_motion: bool = False
) -> dict[str, Any] | None:
    """What is stated of a simulation whose error exceeds the proven one; None where none does or nothing is proven.

    `guarantee` is that of the design's document, `simulated` the document of the experiment, `own_motion` whether it
    moves along another motion than the design. The keys: `joint`, `error`, `bound`, `reasons` (conditions that were
    not met, in words), `disturbed` (whether the experiment itself adds one beside friction) and `text`, a sentence.
    """
    if not guarantee.get("valid"):
        return None
    bounds = guarantee["bounds"]
    over = [
        (error / max(bounds[joint]["value"], 1e-300), joint)
        for joint, error in simulated.get("max_error", {}).items()
        if joint in bounds and error > bounds[joint]["value"]  # never of an error that is not a number
    ]
    if not over:
        return None
    _, joint = max(over)
    error, bound, unit = simulated["max_error"][joint], bounds[joint]["value"], bounds[joint]["unit"]
    reasons = _reasons(simulated, own_motion=own_motion)
    others = [name for _, name in over if name != joint]
    more = f" ({', '.join(others)} {'exceeds its' if len(others) == 1 else 'exceed their'} own)" if others else ""
    errs = (
        f"{joint} errs by {error:.3g} {unit} in the simulation, the proven bound is {rounded_up(bound, 2)} {unit}{more}"
    )
    if reasons:
        listed = reasons[0] if len(reasons) == 1 else f"{', '.join(reasons[:-1])} and {reasons[-1]}"
        text = f"{errs}: the simulation includes {listed}, which the guarantee does not cover"
    else:
        text = f"{errs}: this CONTRADICTS the guarantee, whose conditions were all met; please report it"
    disturbed = any(reason != _FRICTION for reason in reasons)
    return {
        "joint": joint,
        "error": error,
        "bound": bound,
        "reasons": reasons,
        "disturbed": disturbed,
        "text": text,
    }


def _reasons(simulated: Mapping[str, Any], *, own_motion: bool) -> list[str]:
    """The conditions of a guarantee that a simulation does not keep."""
    given = simulated["conditions"]
    found = {
        _FRICTION: given["friction_stated"],
        "a load that the model does not know": given["payload"],
        "sensors with steps or noise": given["resolution"] or given["noise"],
        "a delay": given["delay"],
        "scattered parameters": simulated.get("spread"),
        "drives at their torque limits": simulated.get("saturated"),
        "another motion than that of the design": own_motion,
    }
    return [words for words, present in found.items() if present]
