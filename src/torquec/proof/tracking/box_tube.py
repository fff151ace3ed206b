"""Tracking error bound for all references in the certified box at once.

(1)  Level W and drift R of the acceleration error (`acceleration_bound`) are bounded over all positions, speeds and
     accelerations of the box. Position boxes are halved where W and R are largest. The robot's own accelerations may
     exceed the commanded ones by W + T R.
(2)  The radii follow from W and R as along a reference (`error_tube`); the reference's jerk is at most J.
(3)  The tube stays in the box if the reference keeps a distance of the radii from its limits: positions in
     [lower + E, upper - E], speeds and accelerations likewise. The guarantee holds for all such references.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array
from torquec.proof.tracking.acceleration_bound import AccelerationBound, MotionBoxes
from torquec.proof.tracking.error_tube import ErrorTube, TubeLoop, joint_unit, rounded_torque, rounding_error
from torquec.proof.tracking.torque_error_bound import ProvenTorque

_MOST_BOXES = 6000  # some seconds of work; bounds from fewer boxes are wider, never wrong
_AT_ONCE = 1500
"""Boxes that are enclosed together: some hundred megabytes for the mass matrix of a six-joint arm."""

_NEAR = 0.85
"""Boxes whose bounds reach this part of the largest are halved."""

_ENOUGH = 0.01
"""A round that lowers the largest bound by less than this part is the last."""

_FIRST_ROOM = 0.25
"""Initial guess of the excess of the robot's true accelerations, relative to the certified ones."""

_ROUNDS = 4
"""Fixed-point iterations for the accelerations of (1), which depend on the resulting W and R."""


@dataclass(frozen=True, eq=False)
class BoxTube:
    """The tube of every reference in `lower`, `upper`, `velocity`, `acceleration` (n,) whose jerk is at most `jerk`."""

    tube: ErrorTube
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array


def box_tube(proven: ProvenTorque, loop: TubeLoop, *, jerk: Array) -> BoxTube | str:
    """The tube (3) for all references with at most this jerk (n,), or the reason why there is none."""
    limited = np.isfinite(proven.velocity) & np.isfinite(proven.acceleration)
    if not limited.all():
        return (
            "nothing limits the speeds and accelerations of this model: without a reference there is nothing to bound; "
            "give a trajectory"
        )
    room = _FIRST_ROOM * proven.acceleration
    for _ in range(_ROUNDS):
        fastest = proven.acceleration + room
        found = _largest(proven, loop, fastest)
        if isinstance(found, str):
            return found
        level, drift, torque = found
        own = proven.acceleration + level + loop.period * drift
        if np.all(own < fastest):
            radii = loop.radii(level, drift + jerk)
            return _inner(proven, loop, ErrorTube(radii, level, drift + jerk, torque), jerk)
        room = 1.5 * (level + loop.period * drift)
    return "while torques are held the accelerations may grow without bound: sample faster"


def _inner(proven: ProvenTorque, loop: TubeLoop, tube: ErrorTube, jerk: Array) -> BoxTube | str:
    """(3)."""
    saturated = loop.saturation(proven.robot, tube.torque)
    if saturated:
        return saturated
    radii = tube.radii.wider(1e-6)
    lower, upper = proven.lower + radii.position, proven.upper - radii.position
    speed, acceleration = proven.velocity - radii.speed, proven.acceleration - radii.feedback
    for name, per, left, reach, limit in (
        ("position", "", upper - lower, 2.0 * radii.position, proven.upper - proven.lower),
        ("speed", "/s", speed, radii.speed, proven.velocity),
        ("commanded acceleration", "/s^2", acceleration, radii.feedback, proven.acceleration),
    ):
        if np.all(left > 0.0):
            continue
        k = int(np.argmax(~(left > 0.0)))
        return (
            f"the error alone takes {reach[k]:.4g} {joint_unit(proven.robot.joints[k])}{per} of the {name} of joint "
            f"'{proven.robot.joint_names[k]}', for which {limit[k]:.4g} are certified: no reference is left; certify a "
            "larger box or a smaller torque error, or give a trajectory, along which the bounds are closer"
        )
    return BoxTube(tube, lower, upper, speed, acceleration, jerk)


def _largest(proven: ProvenTorque, loop: TubeLoop, fastest: Array) -> tuple[Array, Array, Array] | str:
    """(1): the largest level, drift and torque (n,), positions halved where they matter."""
    search = _Search(proven, AccelerationBound(proven.robot), loop.period, fastest)
    lower = np.where(np.isfinite(proven.lower), proven.lower, -np.pi)[None]
    upper = np.where(np.isfinite(proven.upper), proven.upper, np.pi)[None]
    boxes = np.stack([lower, upper])
    values = search.bounds(boxes)
    previous = np.inf
    while boxes.shape[1] < _MOST_BOXES:
        score = values[0] + 0.5 * loop.period * values[1]
        top = score.max(axis=0)
        size = float(np.sum(top)) if np.isfinite(top).all() else np.inf
        too_much = np.any(values[2] > loop.efforts, axis=1)
        if np.isfinite(size) and size > (1.0 - _ENOUGH) * previous and not too_much.any():
            break
        previous = size
        split = np.any(~np.isfinite(score) | (score >= _NEAR * np.where(np.isfinite(top), top, np.inf)), axis=1)
        split |= too_much
        halves = search.halved(boxes[:, split])
        boxes = np.concatenate([boxes[:, ~split], halves], axis=1)
        values = np.concatenate([values[:, ~split], search.bounds(halves)], axis=1)
    if not np.isfinite(values[:2]).all():
        return "the mass matrix could not be proven nonsingular everywhere in the box: give a trajectory"
    level, drift, torque = values.max(axis=1)
    return level, drift, torque


@dataclass(frozen=True, eq=False)
class _Search:
    proven: ProvenTorque
    bound: AccelerationBound
    period: float
    fastest: Array

    def bounds(self, boxes: Array) -> Array:
        """Level, drift and torque (3, N, n) over boxes (2, N, n) of positions."""
        parts = [self._bounds(boxes[:, k : k + _AT_ONCE]) for k in range(0, boxes.shape[1], _AT_ONCE)]
        return np.concatenate(parts, axis=1)

    def _bounds(self, boxes: Array) -> Array:
        lower, upper = boxes
        speed, asked, own = (
            np.broadcast_to(side, lower.shape)
            for side in (self.proven.velocity, self.proven.acceleration, self.fastest)
        )
        torque = self.proven.torques(MotionBoxes(lower, upper, -speed, speed, -asked, asked))
        errors = self.proven.errors(lower, upper, speed, asked) + rounded_torque(torque)
        inertia = self.bound.inertia(lower, upper)
        level = self.bound.level(inertia, errors) + rounding_error(asked)
        drift = np.zeros_like(level)
        if self.period > 0.0:
            drift = self.bound.drift(inertia, MotionBoxes(lower, upper, -speed, speed, -own, own))
        return np.stack([level, drift, torque])

    def halved(self, boxes: Array) -> Array:
        """Every box halved across the joint whose range changes the inertia most."""
        lower, upper = boxes
        middle = 0.5 * (lower + upper)
        worth = np.empty(lower.shape)
        for joint in range(lower.shape[1]):
            ends = []
            for side in (lower, upper):
                place = middle.copy()
                place[:, joint] = 0.75 * side[:, joint] + 0.25 * middle[:, joint]
                ends.append(self.bound.inertia(place, place)[0])
            size = np.sqrt(np.abs(np.diagonal(ends[0], axis1=1, axis2=2))) + 1e-12
            change = np.abs(ends[0] - ends[1]) / (size[:, :, None] * size[:, None, :])
            worth[:, joint] = change.sum(axis=(1, 2)) + 1e-3 * (upper - lower)[:, joint]
        axis = np.argmax(worth, axis=1)
        rows = np.arange(lower.shape[0])
        first, second = boxes.copy(), boxes.copy()
        first[1, rows, axis] = second[0, rows, axis] = middle[rows, axis]
        return np.concatenate([first, second], axis=1)
