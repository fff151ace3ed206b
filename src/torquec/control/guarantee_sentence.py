"""The tracking guarantee as one sentence, with all of its conditions: header, verdict, screen and report print it.

The sentence is made from the document of a guarantee (`TrackingGuarantee.to_document`), so that every room above can
print it, whether it proved the guarantee or read it from a file. Upper bounds are rounded up, limits that references
must keep are rounded inwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.foundation.rounded_bound import rounded_down, rounded_up

CONDITIONS = (
    "the robot without friction, with exact sensors, no delay, drives that give the torque asked for, and no payload "
    "that the model does not know"
)
"""What every tracking guarantee assumes of the robot; :mod:`torquec.control.tracking_guarantee` has the argument."""

_DIGITS = 2  # of bounds, which are rarely within some percent of what happens
_LIMIT_DIGITS = 3  # of what references must keep, which people compare with their own numbers


def guarantee_sentence(guarantee: Mapping[str, Any]) -> str:
    """The document of a guarantee in one sentence, without a full stop: the proven tracking error and its conditions.

    >>> guarantee_sentence({"valid": False, "reason": "there is no certificate"})
    'no tracking error is proven: there is no certificate'
    """
    if not guarantee.get("valid"):
        return f"no tracking error is proven: {guarantee.get('reason', '')}"
    bounds = [
        f"{joint} {rounded_up(bound['value'], _DIGITS)} {bound['unit']}" for joint, bound in guarantee["bounds"].items()
    ]
    parts = [CONDITIONS, _references(guarantee), _start(guarantee)]
    return f"proven for {'; '.join(parts)}: the tracking error is at most {', '.join(bounds)}"


def _references(guarantee: Mapping[str, Any]) -> str:
    """Which references the guarantee is for."""
    limits = guarantee.get("references")
    if limits:
        units = {joint: bound["unit"] for joint, bound in guarantee["bounds"].items()}
        each = [f"{joint} {_limits(limits[joint], units[joint])}" for joint in limits]
        return f"for references that keep {', '.join(each)}"
    end = guarantee.get("end")
    until = "" if end is None else f" until t = {rounded_down(end, _LIMIT_DIGITS)} s, where it ends"
    return f"along the motion that the controller was designed for{until}"


def _limits(allowed: Mapping[str, Any], unit: str) -> str:
    """Positions, speed, acceleration and jerk of one joint's references."""
    lower, upper = allowed["lower"], allowed["upper"]
    position = "at any position"
    if lower is not None and upper is not None:
        position = f"from {rounded_up(lower, _LIMIT_DIGITS)} to {rounded_down(upper, _LIMIT_DIGITS)} {unit}"
    rates = [
        f"{rounded_down(allowed[key], _LIMIT_DIGITS)} {unit}/{per}"
        for key, per in (("velocity", "s"), ("acceleration", "s^2"), ("jerk", "s^3"))
        if allowed[key] is not None
    ]
    return f"{position} with at most {' and '.join(rates)}" if rates else position


def _start(guarantee: Mapping[str, Any]) -> str:
    """Where the robot starts; documents of older versions were all of robots that start on the reference."""
    start = guarantee.get("start_error", {})
    units = {joint: bound["unit"] for joint, bound in guarantee["bounds"].items()}
    away = [
        f"{joint} {rounded_down(start['position'][joint], _LIMIT_DIGITS)} {unit} and "
        f"{rounded_down(start['speed'][joint], _LIMIT_DIGITS)} {unit}/s"
        for joint, unit in units.items()
        if start and (start["position"][joint] or start["speed"][joint])
    ]
    farther = f", or no farther from it than {', '.join(away)}" if away else ""
    return f"starting on the reference{farther}"
