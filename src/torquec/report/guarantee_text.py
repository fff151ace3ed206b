"""What is promised of a controller, as text: the proven tracking error, and statistics of what else it tolerates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec.control.guarantee_sentence import guarantee_sentence
from torquec.report.tables import lower_bound, number, table, upper_bound

_SHOWN = ("value", "speed", "acceleration", "torque")
_KEPT = ("upper", "velocity", "acceleration", "jerk")


def guarantee_text(guarantee: Mapping[str, Any]) -> str:
    """The document of a `TrackingGuarantee` as a page.

    >>> print(guarantee_text({"valid": False, "reason": "there is no certificate", "bounds": {}}))
    No guarantee: there is no certificate
    """
    if not guarantee["valid"]:
        return f"No guarantee: {guarantee['reason']}"
    rows = []
    for joint, bound in guarantee["bounds"].items():
        value, *others = (upper_bound(bound[key], 4) for key in _SHOWN)
        rows.append([joint, value, bound["unit"], *others, lower_bound(bound["torque_margin"], 4)])
    header = ["joint", "position", "", "speed", "acceleration", "torque", "left of the drive"]
    sentence = guarantee_sentence(guarantee)
    lines = [f"{sentence[0].upper()}{sentence[1:]}.", "", "Errors at every instant, under these conditions, at most"]
    lines.append(table(header, rows))
    if guarantee["references"]:
        limits = [
            [joint, upper_bound(allowed["lower"], 4), *(lower_bound(allowed[key], 4) for key in _KEPT)]
            for joint, allowed in guarantee["references"].items()
        ]
        header = ["joint", "above", "below", "speed", "acceleration", "jerk"]
        lines += ["for every reference that keeps", table(header, limits)]
    return "\n".join(lines)


def statistics_text(payload: Mapping[str, Any], covariance: Mapping[str, Any]) -> str:
    """What else a loop tolerates, by linear models and not by proof; empty where nothing is known."""
    lines = []
    if "upper" in payload:
        limit = "any payload" if payload["upper"] is None else f"up to {lower_bound(payload['upper'], 4)} kg"
        where = f"at '{payload['frame']}' that the model does not know"
        lines.append(f"Statistics: linear stability, which is not accuracy, with {limit} {where}")
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
