"""A tube whose radii vary with time, for a plant that is known to sets only (`plant_uncertainty`).

The reference is cut into pieces of time; where it comes to rest, pieces of growing length follow, the last without end.

(1)  Over every piece, for all motions within its radii: the level W of the acceleration's error by cause, and its
     drift R with the jerk of the reference. What a torque was computed from, up to the age (delay + 1) T before,
     counts from all pieces of that time.
(2)  W and R of the pieces give radii by the gains of the loop at every lag (`late_response`): what happened
     long ago is forgotten, and what only happens later does not count yet.
     Of the errors of measured positions, a constant part is a start that far away, and the position then stays as far
     off; the rest is noise (`PlantUncertainty.position_noise`).
(3)  acceleration:  feedback + W + T R
Every cell of the payload's set (`cells`) has its own radii, because a payload stays the same while the
robot moves; enclosures of the nominal robot are over the tubes of all cells together.

(4)  radii r with (2), (3) of the tube of r below r, in every piece, prove themselves: up to the first instant at which
     the motion is outside of the tube of r, or at which a narrower piece begins, all bounds hold, and those of the next
     instant use nothing but the past: it is inside, with room. There is no first instant outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.proof.tracking.acceleration_bound import AccelerationBound, CloserAccelerationBound, MotionBoxes
from torquec.proof.tracking.error_tube import (
    ErrorTube,
    Radii,
    TubeLoop,
    joint_unit,
    leaves_box,
    rounded_torque,
    rounding_error,
)
from torquec.proof.tracking.late_response import LagResponse
from torquec.proof.tracking.plant_uncertainty import PlantUncertainty
from torquec.proof.tracking.torque_error_bound import ProvenTorque
from torquec.trajectory.motion_enclosure import MotionEnclosure

_ROUNDS = 60  # radii settle in ten or twenty where they settle at all
_FIRST_STEP, _STEP = 0.02, 0.01
"""By what part a tube is tried wider than the bounds of the last one: to find one, and to make it narrow."""

_GROWING = 1.5
"""By how much each piece after the end of a motion is longer than the one before it."""

_AT_ONCE = 512
"""Boxes that are enclosed together."""

_UP = 1.0 + 1e-13
"""Covers the rounding of sums of some dozens of numbers that are not negative."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces of time and the sampling intervals that overlap them: `edges` (N + 1,), the last may be infinite.

    `first`, `last` (S,): the pieces in which a sampling interval begins and ends; one interval for all pieces where the
    controller is not sampled.
    """

    edges: Array
    first: Indices
    last: Indices

    @classmethod
    def of(cls, edges: Array, period: float | None, memory: int) -> Pieces:
        """The pieces between the edges, with samples until a `memory` of so many after the last piece began.

        >>> Pieces.of(np.array([0.0, 0.004, 0.008]), 0.003, 10).last.tolist()
        [0, 1, 1]
        """
        if period is None:
            return cls(edges, np.zeros(1, dtype=np.int64), np.array([len(edges) - 2]))
        stop = edges[-1] if np.isfinite(edges[-1]) else edges[-2] + (memory + 2) * period
        times = edges[0] + period * np.arange(int(np.ceil((stop - edges[0]) / period)) + 1)
        room = 1e-9 * period
        first = np.searchsorted(edges, times[:-1] - room, side="right") - 1
        last = np.searchsorted(edges, times[1:] + room, side="left") - 1
        top = len(edges) - 2
        return cls(edges, np.clip(first, 0, top), np.clip(last, 0, top))

    def to_samples(self, values: Array) -> Array:
        """The largest values (.., S, n) of the pieces (.., N, n) that a sampling interval overlaps."""
        if len(self.first) == 1:
            return np.asarray(values.max(axis=-2, keepdims=True))
        found = np.maximum(values[..., self.first, :], values[..., self.last, :])
        for k in range(1, int((self.last - self.first).max(initial=0))):
            found = np.maximum(found, values[..., np.minimum(self.first + k, self.last), :])
        return np.asarray(found)

    def to_pieces(self, values: Array) -> Array:
        """The largest values (.., N, n) of the sampling intervals (.., S, n) that overlap a piece."""
        count = len(self.edges) - 1
        if len(self.first) == 1:
            return np.repeat(values, count, axis=-2)
        # Intervals that overlap a piece follow each other: the largest between two indices.
        starts = np.searchsorted(self.last, np.arange(count), side="left")
        stops = np.searchsorted(self.first, np.arange(count), side="right")
        return np.stack([values[..., a:b, :].max(axis=-2) for a, b in zip(starts, stops, strict=True)], axis=-2)

    def held(self, values: Array, age: float) -> Array:
        """The largest values (.., N, n) of a piece and of all of the time `age` before it."""
        start = np.clip(np.searchsorted(self.edges, self.edges[:-1] - age * (1.0 + 1e-9), side="right") - 1, 0, None)
        found, own = values, np.arange(len(start))
        for back in range(1, int((own - start).max()) + 1):
            found = np.maximum(found, values[..., np.maximum(own - back, start), :])
        return np.asarray(found)


def with_rest(
    reference: MotionEnclosure, period: float | None, memory: int, *, rests: bool
) -> tuple[MotionEnclosure, Pieces]:
    """A reference with its pieces; one that `rests` at its end gets some of growing length, the last without end."""
    count = len(reference.t)
    half = (reference.end - reference.t[0]) / (2.0 * count - 1.0)
    edges = np.linspace(reference.t[0] - half, reference.end, count + 1)
    if rests:
        step, after = 2.0 * half, [float(edges[-1])]
        while after[-1] < edges[-1] + 2.0 * memory * (period or 0.0):
            after.append(after[-1] + step)
            step *= _GROWING
        edges = np.concatenate([edges, after[1:], [np.inf]])
        reference = reference.resting(len(after))
    return reference, Pieces.of(edges, period, memory)


@dataclass(frozen=True, eq=False)
class VaryingTube:
    """What a tube is about: a proven torque, the sets of the plant, the gains of the loop by lag, and the reference.

    `cells` (C, 2, k) are the boxes of the payload's parameters. `closer`: accelerations are bounded by mean-value
    forms, which take longer.
    """

    proven: ProvenTorque
    sets: PlantUncertainty
    loop: TubeLoop
    responses: tuple[LagResponse, ...]
    reference: MotionEnclosure
    pieces: Pieces
    cells: Array
    closer: bool = False

    @cached_property
    def bound(self) -> AccelerationBound:
        """Enclosures of the inertia."""
        return (CloserAccelerationBound if self.closer else AccelerationBound)(self.proven.robot)

    @cached_property
    def age(self) -> float:
        """How old the measurements behind a torque may be [s]."""
        return self.loop.period + self.sets.delay

    @cached_property
    def wanted(self) -> Array:
        """The largest accelerations of the reference (N, n) in a piece and what a filter of speeds remembers of them.

        A filter forgets by at least what its lag says: after fifty lags nothing is left of older ones but rounding.
        """
        own = np.abs(self.reference.qdd) + self.reference.qdd_spread
        older = 1e-12 * own.max(axis=0)
        memory = self.age + 50.0 * float(self.sets.speed_lag.max(initial=0.0))
        return np.asarray(self.pieces.held(own, memory) + older)

    def boxes(self, radii: Radii, *, asked: bool) -> MotionBoxes:
        """The tubes of all cells as boxes: the motions that the robot has, or the measured ones that torques are
        `asked` for; `radii` (N, n).
        """
        position, speed, other = radii.position, radii.speed, radii.acceleration
        if asked:
            other = radii.feedback + self.sets.feedback_error(self.wanted)
            if not self.sets.at_reference:
                position = position + self.sets.position_error
                speed = speed + self.sets.speed_errors(self.wanted + radii.acceleration)
        r = self.reference
        return _boxes((r.q, r.qd, r.qdd), (r.q_spread + position, r.qd_spread + speed, r.qdd_spread + other))

    def radii(self, parts: Mapping[str, Array], drift: Array) -> Radii:
        """(2) and (3), (C, N, n) each."""
        level = np.sum(list(parts.values()), axis=0) * _UP
        found = [self.reached(name, level, drift) for name in ("position", "speed", "feedback")]
        held = self.pieces.held(found[2], self.age)
        return Radii(found[0], found[1], (held + level + self.loop.period * drift) * _UP, found[2])

    def reached(self, name: str, level: Array, drift: Array) -> Array:
        """(2) of an output (C, N, n), from levels (C, N, n) and drifts (N, n)."""
        W, R = self.pieces.to_samples(level), self.pieces.to_samples(drift)
        columns = []
        for k, response in enumerate(self.responses):
            offset = float(self.sets.position_error[k] - self.sets.position_noise[k])
            start = (float(self.loop.start_position[k]) + offset, float(self.loop.start_speed[k]))
            found = getattr(response, name).reached(W[..., k], R[..., k], start, float(self.sets.position_noise[k]))
            columns.append(found + offset * (name == "position"))
        return self.pieces.to_pieces(np.stack(columns, axis=-1)) * _UP

    def cost(self, level: Array, drift: Array, where: tuple[Array, Array]) -> Array:
        """What levels (C, N, n) and drifts (N, n) add to the position bounds (n,), each at a cell and a piece."""
        cells, pieces = where
        stops = np.searchsorted(self.pieces.first, pieces, side="right")
        found = []
        for k, response in enumerate(self.responses):
            W = self.pieces.to_samples(level[cells[k]])[: stops[k], k]
            R = self.pieces.to_samples(drift)[: stops[k], k]
            begin = int(np.searchsorted(self.pieces.last, pieces[k], side="left"))
            found.append(response.position.reached(W[None], R, (0.0, 0.0), 0.0)[0, begin:].max())
        return np.array(found)

    # --- levels -----------------------------------------------------------------------------------------------------

    def causes(self, radii: Radii) -> tuple[dict[str, Array], Array]:
        """(1): parts of the level by cause, (C, N, n) or (N, n), and the drift (N, n); `radii` (C, N, n)."""
        sets, held = self.sets, self._held
        union = widest(radii)
        own, asked = self.boxes(union, asked=False), self.boxes(union, asked=True)
        cuts = [slice(k, k + _AT_ONCE) for k in range(0, len(own.q_lower), _AT_ONCE)]
        inverses = [self.bound.inverse(self.bound.inertia(own.q_lower[c], own.q_upper[c])) for c in cuts]
        found = [self._torque_errors(union, own, asked, inverse, c) for inverse, c in zip(inverses, cuts, strict=True)]
        model, evaluation, drift = (np.concatenate(each) for each in zip(*found, strict=True))
        lag = sets.feedback_error(self.wanted)
        reach = (held(radii.feedback + (lag + model + evaluation)) + self.age * drift) * _UP
        friction = self._friction(radii)
        r = self.reference
        near = replace(own, qdd_lower=r.qdd - r.qdd_spread, qdd_upper=r.qdd + r.qdd_spread)
        plants = [
            sets.plant_errors(inverse, _rows(near, c), self.cells, reach[:, c], friction[:, c])
            for inverse, c in zip(inverses, cuts, strict=True)
        ]
        parts = {cause: np.concatenate([each[cause] for each in plants], axis=1) for cause in plants[0]}
        jitter = sets.jitter_error(union.speed, union.acceleration)
        shared = {"model": model, "sensors": evaluation + lag, "delay": jitter}
        parts |= {cause: np.broadcast_to(held(values), reach.shape) for cause, values in shared.items()}
        parts["delay"] = parts["delay"] + sets.delay * drift * _UP
        return parts, drift

    def _held(self, values: Array) -> Array:
        return self.pieces.held(values, self.age)

    def _torque_errors(
        self, radii: Radii, own: MotionBoxes, asked: MotionBoxes, inverse: tuple[Array, Array], c: slice
    ) -> tuple[Array, Array, Array]:
        """Errors of the model and of the state it is evaluated at, and the drift, over some rows of the boxes."""
        sets, seen = self.sets, _rows(asked, c)
        speed = np.maximum(np.abs(seen.qd_lower), np.abs(seen.qd_upper))
        wanted = np.maximum(np.abs(seen.qdd_lower), np.abs(seen.qdd_upper))
        errors = self.proven.errors(seen.q_lower, seen.q_upper, speed, wanted)
        errors = errors + rounded_torque(self.proven.torques(seen))
        eps = (
            (radii.position[c], radii.speed[c])
            if sets.at_reference
            else (
                np.broadcast_to(sets.position_error, errors.shape),
                sets.speed_errors(self.wanted[c] + radii.acceleration[c]),
            )
        )
        model, evaluation, drift = sets.torque_errors(inverse, _rows(own, c), seen, errors, eps)
        model = model + rounding_error(wanted)
        if not self.loop.period:
            return model, evaluation, np.zeros_like(model)
        return model + self.reference.jump, evaluation, drift + self.reference.jerk

    def _friction(self, radii: Radii) -> Array:
        """Friction errors (C, N, n): reference and measured speeds are those of the time that a torque is from."""
        r, shape = self.reference, radii.speed.shape
        old = r.qd_spread + self.age * self.wanted
        moved = self.wanted + radii.acceleration
        reach = r.qd_spread + radii.speed
        late = reach + self.age * moved + self.sets.speed_errors(moved)

        def ends(wide: Array) -> tuple[Array, Array]:
            sides = (np.broadcast_to(r.qd + sign * wide, shape).reshape(-1, shape[-1]) for sign in (-_UP, _UP))
            low, high = sides
            return low, high

        return self.sets.friction_error(ends(reach), ends(old), ends(late)).reshape(shape)

    def torques(self, radii: Radii) -> Array:
        """The largest torques (n,) that the controller may ask for."""
        parts = self.boxes(radii, asked=True).parts(_AT_ONCE)
        return np.asarray(np.max([self.proven.torques(part).max(axis=0) for part in parts], axis=0))


def varying_tube(problem: VaryingTube) -> ErrorTube | str:
    """A narrow tube that proves itself (4), or the reason why none was found."""
    n, count = problem.proven.n, len(problem.reference.t)
    radii = problem.radii({"start": np.zeros((len(problem.cells), count, n))}, np.zeros((count, n)))
    step, found, parts = _FIRST_STEP, None, dict[str, Array]()
    for _ in range(_ROUNDS):
        # Radii that are too small are bounds from below: where already they leave the box, no others will do.
        outside = None if found else _outside(problem, radii)
        if outside is not None:
            return outside
        wide = radii.wider(step)
        new_parts, drift = problem.causes(wide)
        if not np.isfinite(drift).all() or not all(np.isfinite(values).all() for values in new_parts.values()):
            break
        parts = new_parts
        new = problem.radii(parts, drift)
        if new.is_inside(wide) and _outside(problem, wide) is None:
            narrower = found is None or np.any(new.position.max(axis=(0, 1)) < (1.0 - _STEP) * found.radii.position)
            found = _tube(problem, new, wide, parts, drift)
            if not narrower and step == _STEP:
                break
            step = _STEP
        radii = new
    if found is None:
        return _outside(problem, radii.wider(_STEP)) or _too_uncertain(problem, parts)
    return problem.loop.saturation(problem.proven.robot, found.torque) or found


def _tube(problem: VaryingTube, new: Radii, wide: Radii, parts: Mapping[str, Array], drift: Array) -> ErrorTube:
    """The tube as its largest radii, levels and drift, with the costs of all causes where the position is largest."""
    level = np.sum(list(parts.values()), axis=0)
    zero = np.zeros_like(level)
    cells, count, n = new.position.shape
    worst = np.unravel_index(new.position.reshape(-1, n).argmax(axis=0), (cells, count))
    costs = {cause: problem.cost(values, zero[0], worst) for cause, values in parts.items()}
    costs["sampling"] = problem.cost(zero, drift, worst)
    gains = np.array([response.position.noise for response in problem.responses])
    offset = problem.sets.position_error - problem.sets.position_noise
    costs["sensors"] = costs["sensors"] + gains * problem.sets.position_noise + offset
    reached = new.position.max(axis=(0, 1))
    costs["start"] = np.maximum(reached - np.sum(list(costs.values()), axis=0), 0.0)
    largest = Radii(*(getattr(new, name).max(axis=(0, 1)) for name in _RADII))
    torque = problem.torques(widest(wide))
    positions = new.position.max(axis=0)
    return ErrorTube(largest, level.max(axis=(0, 1)), drift.max(axis=0), torque, costs, problem.pieces.edges, positions)


_RADII = ("position", "speed", "acceleration", "feedback")


def widest(radii: Radii) -> Radii:
    """The largest radii (N, n) of all cells."""
    return Radii(*(getattr(radii, name).max(axis=0) for name in _RADII))


def _outside(problem: VaryingTube, radii: Radii) -> str | None:
    return leaves_box(problem.proven, problem.boxes(widest(radii), asked=True), problem.reference.t)


def _too_uncertain(problem: VaryingTube, parts: Mapping[str, Array]) -> str:
    """Why the bounds of an uncertain plant grow without end: the joint and the set that costs most."""
    finite = {cause: values.max(axis=(0, 1)) for cause, values in parts.items() if np.isfinite(values).all()}
    robot = problem.proven.robot
    if not finite:
        cause, joint, size = problem.sets.largest_inertia(problem.bound, problem.cells, problem.reference.q[:1])
        return (
            "the inertia could not be shown to be regular for all robots of the sets, even on the reference: most is "
            f"'{cause}' at joint '{robot.joint_names[joint]}', {size:.2g} of the nominal inertia where less than 1 is "
            "needed; state a smaller set, or give the robot its rotor inertias"
        )
    cause, joint = max(((name, k) for name in finite for k in range(robot.n)), key=lambda at: finite[at[0]][at[1]])
    return (
        f"the bounds grow without end under this uncertainty: most of it is '{cause}' at joint "
        f"'{robot.joint_names[joint]}', an acceleration error of {finite[cause][joint]:.3g} "
        f"{joint_unit(robot.joints[joint])}/s^2; state a smaller set, choose faster poles, move more slowly, or give "
        "the robot its rotor inertias"
    )


def _rows(boxes: MotionBoxes, c: slice) -> MotionBoxes:
    return MotionBoxes(
        *(getattr(boxes, f"{name}_{end}")[c] for name in ("q", "qd", "qdd") for end in ("lower", "upper"))
    )


def _boxes(centres: tuple[Array, Array, Array], reaches: tuple[Array, Array, Array]) -> MotionBoxes:
    ends: list[Array] = []
    for centre, reach in zip(centres, reaches, strict=True):
        wide = reach * _UP
        ends += [np.nextafter(centre - wide, -np.inf), np.nextafter(centre + wide, np.inf)]
    return MotionBoxes(*ends)
