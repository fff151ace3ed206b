"""What is promised of a controller, as text: the proven tracking error, and statistics of what else it tolerates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.report.tables import number, table

_SHOWN = ("speed", "acceleration", "torque", "torque_margin")
_KEPT = ("lower", "upper", "velocity", "acceleration", "jerk")


def guarantee_text(guarantee: Mapping[str, Any]) -> str:
    """The document of a `TrackingGuarantee` as a page.

    >>> print(guarantee_text({"valid": False, "reason": "there is no certificate", "bounds": {}}))
    No guarantee: there is no certificate
    """
    if not guarantee["valid"]:
        return f"No guarantee: {guarantee['reason']}"
    rows = [
        [joint, number(bound["value"], 4), bound["unit"], *(number(bound[key], 4) for key in _SHOWN)]
        for joint, bound in guarantee["bounds"].items()
    ]
    header = ["joint", "position", "", "speed", "acceleration", "torque", "left of the drive"]
    lines = [
        "Guaranteed at every instant, on the robot that the model describes, without friction: the error is at most"
    ]
    lines.append(table(header, rows))
    if guarantee["references"]:
        limits = [
            [joint, *(number(allowed[key], 4) for key in _KEPT)] for joint, allowed in guarantee["references"].items()
        ]
        header = ["joint", "above", "below", "speed", "acceleration", "jerk"]
        lines += ["for every reference that keeps", table(header, limits)]
    elif guarantee["end"] is not None:
        lines.append(f"until t = {guarantee['end']:g} s, where the reference ends")
    return "\n".join(lines)


def statistics_text(payload: Mapping[str, Any], covariance: Mapping[str, Any]) -> str:
    """What else a loop tolerates, by linear models and not by proof; empty where nothing is known."""
    lines = []
    if "upper" in payload:
        limit = "any payload" if payload["upper"] is None else f"up to {number(payload['upper'], 4)} kg"
        lines.append(f"Statistics: stable with {limit} at '{payload['frame']}' that the model does not know")
    elif payload:
        lines.append(f"Statistics: no payload interval, {payload['reason']}")
    if "level" in covariance:
        share, scale = f"{100.0 * covariance['level']:g} %", covariance["scale"]
        verdict = "stable" if covariance["stable"] else "NOT stable"
        grown = "" if scale is None else f"; the limit is {number(scale, 3)} times their deviations"
        lines.append(f"Statistics: {verdict} for the parameters that {share} of identifications give{grown}")
    elif covariance:
        lines.append(f"Statistics: no margin for the parameters, {covariance['reason']}")
    return "\n".join(lines)
