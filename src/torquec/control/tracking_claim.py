"""The claim of a tracking guarantee with all its conditions, as laws, verdicts, screens and reports print it.

It is made from the document of a guarantee (`TrackingGuarantee.to_document`), so that new guarantees and
those from a file print alike. The claim is *proven* where the document names a witness, which `torquec check` replays
(:mod:`torquec.control.tracking_witness`); then it is the checker's own claim. Any other claim is *computed*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torquec_check.claim import Bound, Claim, ClaimedRobot, Standing, rounded_down, rounded_up

CONDITIONS = (
    "the robot without friction, with exact sensors, no delay, drives that give the torque asked for, and no payload "
    "that the model does not know"
)
"""Assumptions of a guarantee without an uncertainty; :mod:`torquec.control.tracking_guarantee` has the argument."""

_DIGITS = 3  # of the limits of references, which people compare with their own numbers


def guarantee_sentence(guarantee: Mapping[str, Any]) -> str:
    """The document of a guarantee in one sentence, without a full stop: the tracking error and its conditions.

    >>> guarantee_sentence({"valid": False, "reason": "there is no certificate"})
    'no tracking error is bounded: there is no certificate'
    """
    if not guarantee.get("valid"):
        return f"no tracking error is bounded: {guarantee.get('reason', '')}"
    return tracking_claim(guarantee).sentence


def computed_reason(guarantee: Mapping[str, Any]) -> str:
    """Why a bound is computed and not proven, and what to do; empty for a proven bound and where there is none.

    >>> computed_reason({"valid": True, "witness": {"reason": "a robust term has no witness"}})
    'computed, not proven: a robust term has no witness'
    """
    witness = guarantee.get("witness") or {}
    if not guarantee.get("valid") or "conditions" in witness:
        return ""
    usual = _EVERY_REFERENCE if guarantee.get("references") else _NO_SEARCH
    return f"computed, not proven: {witness.get('reason', usual)}"


_EVERY_REFERENCE = "a bound for every reference has no witness; along one motion there may be one: give a trajectory"
_NO_SEARCH = "no witness was searched for; torquec design with a trajectory searches for one"


def tracking_claim(guarantee: Mapping[str, Any]) -> Claim:
    """The claim of a valid guarantee."""
    witness = guarantee.get("witness") or {}
    if "conditions" in witness:
        proven = [
            Bound(name, joint, row[key], row["unit"] + per)
            for name, key, per in (("tracking_error", "value", ""), ("speed_error", "speed", "/s"))
            for joint, row in guarantee["bounds"].items()
        ]
        about, conditions = _robot(guarantee.get("robot")), tuple(witness["conditions"])
        return Claim(Standing.PROVEN, "tracking error", about, tuple(proven), (), conditions)
    bounds = [Bound("tracking_error", joint, row["value"], row["unit"]) for joint, row in guarantee["bounds"].items()]
    units = {each.joint: each.unit for each in bounds}
    return Claim(
        Standing.COMPUTED,
        "tracking error",
        _robot(guarantee.get("robot")),
        tuple(bounds),
        (),
        (
            guarantee.get("conditions") or CONDITIONS,
            _sampling(guarantee),
            _references(guarantee, units),
            _start(guarantee.get("start_error", {}), units),
        ),
    )


def robot_words(robot: Mapping[str, Any] | None) -> str:
    """The robot of a guarantee's document in words: name, hash, gravity, payloads, locked joints."""
    return str(_robot(robot))


def _robot(stated: Mapping[str, Any] | None) -> ClaimedRobot:
    if stated is None:  # documents of older versions
        return ClaimedRobot("", "", ())
    return ClaimedRobot(stated["name"], stated["sha256"], tuple(stated["setting"]))


def _sampling(guarantee: Mapping[str, Any]) -> str:
    if "period" not in guarantee:  # documents of older versions
        return ""
    period = guarantee["period"]
    return "a continuous controller" if period is None else f"torques held for {period!r} s"


def _references(guarantee: Mapping[str, Any], units: Mapping[str, str]) -> str:
    """Which references the guarantee is for."""
    limits = guarantee.get("references")
    if limits:
        each = [f"{joint} {_limits(limits[joint], units[joint])}" for joint in limits]
        return f"for references that keep {', '.join(each)}"
    end = guarantee.get("end")
    until = "" if end is None else f" until t = {rounded_down(end, _DIGITS)} s, where it ends"
    return f"along the motion that the controller was designed for{until}"


def _limits(allowed: Mapping[str, Any], unit: str) -> str:
    """Positions, speed, acceleration and jerk of one joint's references."""
    lower, upper = allowed["lower"], allowed["upper"]
    position = "at any position"
    if lower is not None and upper is not None:
        position = f"from {rounded_up(lower, _DIGITS)} to {rounded_down(upper, _DIGITS)} {unit}"
    rates = [
        f"{rounded_down(allowed[key], _DIGITS)} {unit}/{per}"
        for key, per in (("velocity", "s"), ("acceleration", "s^2"), ("jerk", "s^3"))
        if allowed[key] is not None
    ]
    return f"{position} with at most {' and '.join(rates)}" if rates else position


def _start(start: Mapping[str, Any], units: Mapping[str, str]) -> str:
    """Where the robot starts; documents of older versions were all of robots that start on the reference."""
    away = [
        f"{joint} {rounded_down(start['position'][joint], _DIGITS)} {unit} and "
        f"{rounded_down(start['speed'][joint], _DIGITS)} {unit}/s"
        for joint, unit in units.items()
        if start and (start["position"][joint] or start["speed"][joint])
    ]
    farther = f", or no farther from it than {', '.join(away)}" if away else ""
    return f"starting on the reference{farther}"
