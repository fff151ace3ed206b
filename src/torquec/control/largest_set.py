"""The largest part of an uncertainty set for which the tracking error is bounded, where the whole set has no bound.

The set that contributes most (`TrackingGuarantee.cause`) is scaled by a factor s between 0 and 1, a payload about its
nominal mass. Bisection finds the largest s with a bound. This does not prove that larger sets have none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from torquec.control.tracked_loop import TrackedLoop
from torquec.control.uncertainty import BodyUncertainty, JointUncertainty, Uncertainty
from torquec.errors import ArgumentError
from torquec.foundation.budget import Budget
from torquec.foundation.work import Work, as_work
from torquec.model.model import Model
from torquec.robot.robot import Robot
from torquec_check.claim import rounded_down

_RESOLUTION = 1.0 / 16.0
"""Width of the bracket of s at which the bisection ends."""

_SECONDS = 120.0
"""Time limit of the bisection [s]: one guarantee of seven joints may take half a minute."""

_JOINT_ENTRIES = {
    "friction": ("friction_part", "friction_residual"),
    "drives": ("torque_part",),
    "sensors": ("position", "position_bias", "speed_noise"),
}
"""Entries of joints by cause."""

_Sets = TypeVar("_Sets", JointUncertainty, BodyUncertainty)

_BODY_ENTRIES = ("mass_part", "first_moment_part", "inertia_part")


@dataclass(frozen=True)
class LargestSet:
    """The largest `part` of a set that has a bound, and the `entries` of the set scaled by it.

    `resolution`: width of the last bracket, as a part of the stated set. Where no part that was tried has a bound,
    `part` is zero and `entries` are the smallest ones tried.
    """

    cause: str
    part: float
    resolution: float
    entries: dict[str, str]

    @property
    def text(self) -> str:
        """The values in words."""
        size = ", ".join(f"{name} = {value}" for name, value in self.entries.items())
        if not self.part:
            return f"no bound is found either for {size}, {100.0 * self.resolution:.3g} % of the stated set"
        return f"a bound is found up to {size}, within {100.0 * self.resolution:.3g} % of the stated set"


def largest_set(
    model: Robot | Model, loop: TrackedLoop, cause: str, *, seconds: float = _SECONDS, work: Work | None = None
) -> LargestSet | None:
    """The largest part of the sets of a cause for which the loop has a bound; None for a cause without numbers.

    Raises `ArgumentError` for a loop without an uncertainty.
    """
    if loop.uncertainty is None:
        raise ArgumentError("a loop without an uncertainty has no sets", remedy="give uncertainty=...")
    stated, low, high = loop.uncertainty, 0.0, 1.0
    if not _entries(stated, cause):
        return None
    budget = Budget(seconds)
    with as_work(work).step(f"searching for the largest '{cause}' with a bound") as step:
        while high - low > _RESOLUTION and not budget.is_over:
            part = 0.5 * (low + high)
            found = replace(loop, uncertainty=scaled_sets(stated, cause, part)).guarantee(model)
            low, high = (part, high) if found.valid else (low, part)
            step.show(1.0 - (high - low), 1.0, f"between {low:.3g} and {high:.3g} of the stated set")
    size = {
        name: rounded_down(value) for name, value in _entries(scaled_sets(stated, cause, low or high), cause).items()
    }
    return LargestSet(cause, low, high - low, size)


def scaled_sets(stated: Uncertainty, cause: str, part: float) -> Uncertainty:
    """The sets with those of a cause multiplied by a part."""
    if cause in _JOINT_ENTRIES:
        return _with_joints(stated, lambda joint: _multiplied(joint, _JOINT_ENTRIES[cause], part))
    if cause == "bodies":
        return replace(stated, bodies=_multiplied(stated.bodies, _BODY_ENTRIES, part))
    if cause == "payload" and (held := stated.payload) is not None:
        nominal = held.nominal_mass
        low, high = (nominal + part * (mass - nominal) for mass in held.mass)
        return replace(stated, payload=replace(held, mass=(low, high)))
    if cause == "delay":
        return replace(stated, timing=replace(stated.timing, jitter=part * stated.timing.jitter))
    return stated


def _entries(stated: Uncertainty, cause: str) -> dict[str, float]:
    """The entries of a cause that are not zero, the largest of all joints, by their names in a file."""
    if cause == "payload":
        return {} if stated.payload is None else {"the largest payload.mass": stated.payload.mass[1]}
    if cause == "delay":
        found = {"timing.jitter": stated.timing.jitter}
    elif cause == "bodies":
        found = {f"bodies.{name}": getattr(stated.bodies, name) for name in _BODY_ENTRIES}
    else:
        joints = (stated.every_joint, *stated.joints.values())
        found = {name: max(getattr(joint, name) for joint in joints) for name in _JOINT_ENTRIES.get(cause, ())}
    return {name: value for name, value in found.items() if value}


def _with_joints(stated: Uncertainty, change: Callable[[JointUncertainty], JointUncertainty]) -> Uncertainty:
    joints = {name: change(joint) for name, joint in stated.joints.items()}
    return replace(stated, every_joint=change(stated.every_joint), joints=joints)


def _multiplied(sets: _Sets, names: tuple[str, ...], part: float) -> _Sets:
    return replace(sets, **{name: part * getattr(sets, name) for name in names})
