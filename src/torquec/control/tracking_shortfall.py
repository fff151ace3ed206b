"""Why a required tracking error cannot be guaranteed: cost by cause at each joint, and single changes that suffice.

Changes are tried, and reported only if the guarantee with the exact model then meets the required errors: faster
poles, a smaller payload, better known friction, a rotor for the joint with the largest excess. Initial sizes follow
from the budget: a bound falls as the square of the poles or the inertia grows, and the cost of a cause with its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from torquec.control.poles import joint_poles
from torquec.control.tracked_loop import TrackedLoop
from torquec.control.tracking_guarantee import TrackingGuarantee
from torquec.control.uncertainty import Uncertainty
from torquec.errors import ArgumentError
from torquec.foundation.budget import Budget
from torquec.model.model import Model, as_model
from torquec.robot.robot import Drives, Motor, Robot
from torquec_check.claim import rounded_up

_ROOM = 1.1
"""Factor on the change that the budget suggests: costs are not simply additive."""

_MORE = 1.5
"""Growth of the factor of a change at the second try."""

_UNKNOWN = 4.0
"""Assumed ratio of bound to requirement, where there is no bound."""

_SECONDS = 30.0
"""Time after which no further change is tried: a guarantee of seven joints takes a minute."""

_FASTEST = 20.0
"""The largest factor on poles that is tried."""


@dataclass(frozen=True)
class TrackingShortfall:
    """The joints that miss their required error: bound [rad, m], None without one, and requirement; costs by cause.

    `changes`: single changes, each of which alone meets the requirement; `reason`: why there is no bound.
    """

    joints: Mapping[str, tuple[float | None, float]]
    costs: Mapping[str, Mapping[str, float]]
    changes: tuple[str, ...]
    reason: str = ""

    @property
    def text(self) -> str:
        """The requirements that are not met, and the costs by cause."""
        if self.reason:
            return f"no tracking error can be bounded, even with the exact model: {self.reason}"
        return "; ".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for joint, (bound, wanted) in self.joints.items():
            assert bound is not None
            parts = sorted(self.costs.get(joint, {}).items(), key=lambda item: -item[1])
            costs = ", ".join(f"{cause} {rounded_up(value, 3)}" for cause, value in parts if value > 0.01 * bound)
            already = f"the exact model already has {rounded_up(bound, 3)} ({costs})"
            yield f"joint '{joint}' cannot keep {wanted:.4g}: {already}"

    @property
    def remedy(self) -> str:
        """Single changes that would suffice."""
        if self.changes:
            return f"any one of these suffices: {'; '.join(self.changes)}"
        return "allow a larger tracking error, or combine faster poles, a smaller payload and better known friction"

    def to_document(self) -> dict[str, object]:
        """As JSON values."""
        joints = {name: {"bound": bound, "wanted": wanted} for name, (bound, wanted) in self.joints.items()}
        costs = {joint: dict(parts) for joint, parts in self.costs.items()}
        return {"joints": joints, "costs": costs, "changes": list(self.changes), "reason": self.reason}


def tracking_shortfall(
    model: Model, loop: TrackedLoop, exact: TrackingGuarantee, wanted: tuple[float, ...]
) -> TrackingShortfall:
    """Shortfall of a guarantee with the exact model against the required errors (n,), infinite where there are none."""
    names = model.robot.joint_names
    reached = [bound.position for bound in exact.joints] if exact.valid else [math.inf] * len(names)
    ratios = [_UNKNOWN if math.isinf(e) else e / w for e, w in zip(reached, wanted, strict=True)]
    over = [k for k, ratio in enumerate(ratios) if ratio >= 1.0]
    worst = max(range(len(names)), key=ratios.__getitem__)

    def does(other: TrackedLoop, robot: Robot | Model) -> bool:
        try:
            found = other.guarantee(robot)
        except ArgumentError:  # poles that are too fast for the sampling
            return False
        return found.valid and all(b.position <= w for b, w in zip(found.joints, wanted, strict=True))

    time = Budget.after(_SECONDS)
    tries = (_faster, _better_known, _lighter, _rotor)
    found = ("" if time.is_over else change(model, loop, worst, ratios[worst], does) for change in tries)
    changes = tuple(text for text in found if text)
    shown = {names[k]: (None if math.isinf(reached[k]) else reached[k], wanted[k]) for k in over}
    costs = {name: exact.budget.get(name, {}) for name in shown}
    return TrackingShortfall(shown, costs, changes, exact.reason)


Trial = Callable[[TrackedLoop, "Robot | Model"], bool]


def _faster(model: Model, loop: TrackedLoop, _: int, ratio: float, does: Trial) -> str:
    pairs = joint_poles(model.robot.joint_names, loop.poles).pairs
    factor = math.sqrt(_ROOM * ratio)
    for _ in range(2):
        if factor > _FASTEST:
            break
        poles = [(factor * pair.first, factor * pair.second) for pair in pairs]
        if does(replace(loop, poles=poles), model):
            fastest = min(pole.real for pair in poles for pole in pair)
            return f"poles {factor:.2g} times as fast ({fastest:.3g} 1/s)"
        factor *= _MORE
    return ""


def _better_known(model: Model, loop: TrackedLoop, _: int, ratio: float, does: Trial) -> str:
    sets = loop.uncertainty or Uncertainty()
    stated = (sets.every_joint, *sets.joints.values())
    largest = max(joint.friction_part for joint in stated)
    if not largest:
        return ""
    share = 1.0 / (_ROOM * ratio) ** 2
    less = replace(
        sets,
        every_joint=replace(sets.every_joint, friction_part=share * sets.every_joint.friction_part),
        joints={n: replace(j, friction_part=share * j.friction_part) for n, j in sets.joints.items()},
    )
    done = does(replace(loop, uncertainty=less), model)
    return f"friction known to {100 * share * largest:.2g} % instead of {100 * largest:.2g} %" if done else ""


def _lighter(model: Model, loop: TrackedLoop, _: int, ratio: float, does: Trial) -> str:
    sets = loop.uncertainty or Uncertainty()
    if sets.payload is None or not sets.payload.mass[1]:
        return ""
    low, high = sets.payload.mass
    for share in (1.0 / (_ROOM * ratio) ** 2, 0.0):
        most = max(low, share * high)
        nominal = min(sets.payload.nominal_mass, most)
        payload = replace(sets.payload, mass=(low, most), nominal_mass=nominal) if most else None
        if does(replace(loop, uncertainty=replace(sets, payload=payload)), model):
            smaller = f"an unknown payload of at most {most:.2g} kg instead of {high:.3g} kg"
            return smaller if most else "no unknown payload"
    return ""


def _rotor(model: Model, loop: TrackedLoop, joint: int, ratio: float, does: Trial) -> str:
    """A rotor at the joint with the largest excess; the text also gives the inertia that the joint moves now."""
    robot = model.robot
    motion = loop.trajectory.at(np.linspace(loop.trajectory.t[0], loop.trajectory.t[-1], 9))
    own = float(np.asarray(as_model(robot).mass_matrix(motion.q))[:, joint, joint].min())
    added = own * (_ROOM * ratio - 1.0)
    for _ in range(2):
        row = tuple(float(k == joint) for k in range(robot.n))
        drives = Drives((*robot.drives.motors, Motor("rotor", added)), (*robot.drives.transmission, row))
        if does(loop, replace(robot, drives=drives)):
            name, unit = robot.joint_names[joint], "kg m^2" if robot.coordinates[joint].turns else "kg"
            return f"a rotor of {added:.2g} {unit} at joint '{name}', which moves {own:.2g} {unit} now"
        added *= _MORE
    return ""
