"""Maximum payload within the torque limits of the drives: along a motion, or at rest over the workspace.

(1)  along a motion: with a mass m at a frame a drive gives  tau_0 + m tau_1 + friction(qd, load). The friction of a
     standing joint acts in the worse direction. The limit is the largest m for which no drive exceeds its torque limit
     at any sample
(2)  over the workspace: the same at rest in every configuration within the joint limits, where a drive must overcome
     gravity, springs and dry friction. The limit is sampled first; then slightly smaller masses are proven
     (:mod:`torquec.proof.torque.static_torque_bound`)

An `Uncertainty` is included: larger friction, residual friction, and drives with less torque.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.control.payload_interval import HEAVIEST
from torquec.control.uncertainty import Uncertainty
from torquec.dynamics.friction import OneWay, ShaftState
from torquec.dynamics.friction_torque import FrictionPart, rubbing_shafts, shaft_friction
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.model.model import Model, as_model
from torquec.proof.torque.static_torque_bound import static_torques
from torquec.robot.payload import attach_payload
from torquec.robot.xml_text import unused_name
from torquec.trajectory.motion_box import MotionBox, joint_box
from torquec.trajectory.trajectory import Trajectory

_BISECTIONS = 50
_SAMPLES = 50_000
"""Number of sampled configurations of a workspace."""

_SHRINK = (0.999, 0.99, 0.97, 0.9)  # fractions of the sampled limit for which a proof is tried, in this order


class LimitStanding(StrEnum):
    """How a torque limit was found: sampled or proven."""

    MOTION = "samples of the motion"
    PROVEN = "proven over the workspace"
    SAMPLED = "sampled configurations"


@dataclass(frozen=True)
class PayloadLimit:
    """A payload limit [kg], None where there is none; the joint that causes it, if any; and the reason in words."""

    kg: float | None
    joint: str | None
    reason: str

    def to_document(self) -> dict[str, Any]:
        """As JSON values."""
        return dict(vars(self))


class CarriedMass:
    """A robot with a unit payload at its hand, and the torque limits of its drives."""

    def __init__(
        self,
        model: Model,
        frame: str,
        centre: tuple[float, float, float],
        sets: Uncertainty,
        efforts: npt.ArrayLike | None,
    ) -> None:
        self.model, self.frame, self.centre = model, frame, centre
        robot = model.robot
        name = unused_name("payload", {frame.name for frame in robot.frames})
        self.loaded = attach_payload(robot, frame, mass=1.0, center=centre, name=name)
        self.sets, joints = sets, sets.of(robot)
        limits = [joint.limits.effort for joint in robot.joints] if efforts is None else efforts
        self.efforts = np.asarray(limits, dtype=np.float64)
        if self.efforts.shape != (robot.n,) or not np.all(self.efforts > 0.0):
            raise ArgumentError(f"efforts of {self.efforts.tolist()}", remedy=f"give {robot.n} positive torques")
        self.usable = self.efforts * (1.0 - np.array([j.torque_part for j in joints]))
        self.usable -= np.array([j.friction_residual for j in joints])
        self.worse = 1.0 + np.array([j.friction_part for j in joints])

    @property
    def heaviest(self) -> float:
        """The largest mass [kg] searched; beyond it the payload counts as unlimited."""
        return HEAVIEST * max(self.model.robot.mass, 1e-6)

    def torques(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """Torques (N, n) of the bodies and springs without the mass, and those of one kilogram."""
        bare = self.model.robot if self.model.kind.follows_program else self.model
        parts = [np.ascontiguousarray(part) for part in (q, qd, qdd)]
        own, robot = as_model(bare).inverse_dynamics(*parts), as_model(self.model.robot).inverse_dynamics(*parts)
        loaded = as_model(self.loaded).inverse_dynamics(*parts)
        return own + as_model(bare).spring_torque(parts[0]), loaded - robot

    def needed(self, rigid: Array, qd: Array) -> Array:
        """The magnitudes (N, n) that drives give for rigid torques (N, n): friction opposes the motion, (1)."""
        robot = self.model.robot
        least, most = rigid.copy(), rigid.copy()
        for shaft in rubbing_shafts(robot):
            row = np.array(shaft.row)
            speed, load = qd @ row, np.abs(rigid) @ np.abs(row)
            ways = [_shaft_torque(shaft.friction, speed, load, forwards=way) for way in (True, False)]
            low = np.where(speed > 0.0, ways[0], ways[1])
            high = np.where(speed < 0.0, ways[1], ways[0])
            for k in np.flatnonzero(row):
                ends = np.stack([row[k] * low, row[k] * high])
                ends += (self.worse[k] - 1.0) * np.abs(ends) * np.array([[-1.0], [1.0]])
                least[:, k] += ends.min(axis=0)
                most[:, k] += ends.max(axis=0)
        found: Array = np.maximum(np.abs(least), np.abs(most))
        return found

    def largest(self, rigid: Array, unit: Array, qd: Array) -> tuple[float, int, int]:
        """The largest mass at these states, and the sample and joint that limit it; infinite where none does."""

        def excess(mass: float) -> Array:
            return self.needed(rigid + mass * unit, qd) - self.usable

        inside, outside = 0.0, self.heaviest
        worst = excess(outside)
        if not (worst > 0.0).any():
            return math.inf, -1, -1
        empty = excess(0.0)
        if (empty > 0.0).any():
            outside, worst = 0.0, empty
        for _ in range(_BISECTIONS if outside else 0):
            middle = 0.5 * (inside + outside)
            found = excess(middle)
            if (found > 0.0).any():
                outside, worst = middle, found
            else:
                inside = middle
        sample, joint = (int(k) for k in np.unravel_index(int(np.argmax(worst)), worst.shape))
        return inside, sample, joint

    def words(self, joint: int) -> str:
        """The drive of a joint and its limit."""
        coordinate = self.model.robot.coordinates[joint]
        left = "" if self.usable[joint] == self.efforts[joint] else f" ({self.usable[joint]:.4g} of it certain)"
        return f"the drive of joint '{coordinate.name}' gives {self.efforts[joint]:.4g} {coordinate.effort_unit}{left}"


def _shaft_torque(friction: Any, speed: Array, load: Array, *, forwards: bool) -> Array:
    """Friction (N,) of a shaft whose dry part acts in one direction."""
    state = ShaftState(speed, OneWay(forwards), load)  # terms are written over any scalar
    return np.broadcast_to(np.asarray(shaft_friction(friction, state, FrictionPart.ALL), dtype=np.float64), speed.shape)


def mass_along(load: CarriedMass, motion: Trajectory) -> tuple[PayloadLimit, LimitStanding]:
    """(1)."""
    names = load.model.robot.joint_names
    motion = motion.of_joints(names)
    rigid, unit = load.torques(motion.q, motion.qd, motion.qdd)
    mass, sample, joint = load.largest(rigid, unit, motion.qd)
    if math.isinf(mass):
        return PayloadLimit(None, None, _unlimited(load)), LimitStanding.MOTION
    when = f"at t = {motion.t[sample]:.4g} s of the motion"
    empty = "" if mass else ", exceeded without a payload already"
    return PayloadLimit(mass, names[joint], f"{load.words(joint)}{empty}, {when}"), LimitStanding.MOTION


def _unlimited(load: CarriedMass) -> str:
    if not np.isfinite(load.efforts).all():
        return "the robot's file states no torque limit that a mass could reach"
    return f"no drive reaches its limit with up to {load.heaviest:.3g} kg"


def mass_over_workspace(load: CarriedMass) -> tuple[PayloadLimit, LimitStanding]:
    """(2)."""
    robot = load.model.robot
    box = joint_box(robot)
    q = box.samples(range(robot.n), _SAMPLES)
    still = np.zeros_like(q)
    rigid, unit = load.torques(q, still, still)
    mass, sample, joint = load.largest(rigid, unit, still)
    if math.isinf(mass):
        return PayloadLimit(None, None, _unlimited(load)), LimitStanding.SAMPLED
    place = ", ".join(f"{value:.3g}" for value in q[sample])
    reason = f"{load.words(joint)}: at q = ({place})"
    tables = _tables(load, box)
    if isinstance(tables, str) or not mass:
        why = f"; not proven: {tables}" if isinstance(tables, str) else ", exceeded without a payload already"
        return PayloadLimit(mass, robot.joint_names[joint], reason + why), LimitStanding.SAMPLED
    bodies, (gain, offset) = tables
    for part in _SHRINK:
        holds = (load.usable - offset) / gain
        if all(bodies.is_within(k, part * mass, float(holds[k])) for k in range(robot.n) if np.isfinite(holds[k])):
            return PayloadLimit(
                part * mass, robot.joint_names[joint], f"{reason} it holds {mass:.4g} kg and no more"
            ), (LimitStanding.PROVEN)
    return PayloadLimit(mass, robot.joint_names[joint], reason + "; not proven in the time allowed"), (
        LimitStanding.SAMPLED
    )


def _tables(load: CarriedMass, box: MotionBox) -> Any:
    """Tables of the static torques, torque of a standing drive, gain |rigid| + offset; or why there are none."""
    robot = load.model.robot
    if load.model.kind.follows_program:
        return "the model is a program without bodies"
    gain, offset = np.ones(robot.n), np.zeros(robot.n)
    for shaft in rubbing_shafts(robot):
        if not shaft.is_joint:
            return "a motor turns with several joints"
        (k,) = np.flatnonzero(shaft.row)
        size, ends = abs(shaft.row[k]), []
        for way in (True, False):
            dry, more = (
                float(_shaft_torque(shaft.friction, np.zeros(1), np.array([x]), forwards=way)[0]) for x in (0.0, 1.0)
            )
            ends.append((abs(dry), abs(more - dry)))
        offset[k] += load.worse[k] * size * max(dry for dry, _ in ends)
        gain[k] += load.worse[k] * size * size * max(slope for _, slope in ends)
    found = static_torques(robot, load.loaded, box)
    return found if isinstance(found, str) else (found, (gain, offset))
