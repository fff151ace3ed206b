"""Limits of joints that a simulation passed, in sentences."""

from __future__ import annotations

_SPEED = "speed"


def passed_limit_text(joint: str, quantity: str, *, time: float, value: float, limit: float, unit: str) -> str:
    """What happened, when first, how far it went and what the limit is; `unit` of the joint's positions.

    >>> passed_limit_text("wrist", "position", time=0.25, value=-4.2742, limit=-1.83, unit="rad")
    'wrist left its range at t = 0.25 s and came to -4.274 rad; the limit is -1.83 rad'
    >>> passed_limit_text("wrist", "speed", time=0.2, value=-15.85, limit=-4.54, unit="rad")
    'wrist was faster than its limit at t = 0.2 s and reached -15.85 rad/s; the limit is 4.54 rad/s'
    """
    if quantity == _SPEED:
        what, unit, limit = "was faster than its limit at", f"{unit}/s", abs(limit)
        return f"{joint} {what} t = {time:.4g} s and reached {value:.4g} {unit}; the limit is {limit:.4g} {unit}"
    return f"{joint} left its range at t = {time:.4g} s and came to {value:.4g} {unit}; the limit is {limit:.4g} {unit}"
