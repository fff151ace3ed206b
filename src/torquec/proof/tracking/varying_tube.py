"""Tracking error tube with time-varying radii, for an uncertain plant given by sets (`plant_uncertainty`).

The reference is cut into pieces of time; where it comes to rest, pieces of growing length follow, the last without end.

(1)  Over every piece, for all motions within its radii: the level W of the acceleration error by cause, and its drift
     R, including the jerk of the reference. The measurements behind a torque have an age of up to (delay + 1) T, and
     are bounded over all pieces of that time.
(2)  W and R of the pieces give radii by the gains of the loop at every lag (`coupled_response`): old disturbances have
     decayed, and later ones do not act yet. The loop contains the inertia of every payload cell, constant over epochs
     in which inertias change little.
     The constant part of position measurement errors is an initial error and a lasting offset; the rest is noise
     (`PlantUncertainty.position_noise`).
(3)  acceleration:  |G| feedback + W + T R;   torque: that of the reference's acceleration, the loop's output M u with
     the M of the epoch, and |M(q) - M| |u|
Every cell of the payload's set (`cells`) has its own radii, because a payload is constant during a motion; enclosures
of the nominal robot are over the tubes of all cells together.

(4)  the tube of radii r is invariant if (2), (3) of that tube are below r in every piece: up to the first instant at
     which the motion leaves the tube, or at which a narrower piece begins, all bounds hold. Bounds of the next instant
     depend on the past only, so the motion is strictly inside. Hence there is no first instant outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.proof.tracking.acceleration_bound import (
    AccelerationBound,
    CloserAccelerationBound,
    MotionBoxes,
    boxes_around,
)
from torquec.proof.tracking.coupled_loop import CoupledErrorLoop
from torquec.proof.tracking.coupled_response import (
    CoupledResponse,
    Epochs,
    coupled_response,
    runs,
    slot_samples,
)
from torquec.proof.tracking.divergence_reason import divergence_reason
from torquec.proof.tracking.error_inputs import ActingErrors, ErrorInputs, ErrorMotion, joined_inputs, summed
from torquec.proof.tracking.error_tube import ErrorTube, Radii, TubeLoop, leaves_box, rounded_torque, rounding_error
from torquec.proof.tracking.plant_uncertainty import PlantUncertainty
from torquec.proof.tracking.preconditioned import batched_product
from torquec.proof.tracking.time_pieces import Pieces
from torquec.proof.tracking.torque_error_bound import ProvenTorque
from torquec.proof.tracking.viscous_damping import speed_error, step_error
from torquec.trajectory.motion_enclosure import MotionEnclosure

_ROUNDS = 60  # the radii converge in ten or twenty iterations, or never
_LOST = 10.0  # position error [rad or m] beyond which iterations diverge, or give a bound of no use
_FIRST_STEP, _STEP = 0.02, 0.01
"""Relative widening of a trial tube over the last bounds: while searching a tube, and while narrowing it."""

_CHANGE = 0.02
"""Largest change of G and of the scaled M_t^-1 in an epoch; at 0.05 bounds of the PUMA 560 are 5 % larger."""
_RISING = 0.7  # a disturbance that rises from 0 to T R in a period acts as one of at most 0.698 T R throughout:
# the largest ratio of the integrals of r |k(r)| and |k(r)| over r from 0 to 1, for weights k linear in r
_AT_ONCE = 512  # boxes that are enclosed together
_UP = 1.0 + 1e-13  # covers the rounding of sums of some dozens of numbers that are not negative


@dataclass(frozen=True, eq=False)
class VaryingTube:
    """Problem data of a time-varying tube: proven torque, sets of the plant, loop, reference, `edges` of its pieces.

    `cells` (C, 2, k) are the boxes of the payload's parameters. Accelerations are bounded by mean-value forms: radii
    converge in fewer iterations than with interval ends, so that they take less time in all.
    """

    proven: ProvenTorque
    sets: PlantUncertainty
    loop: TubeLoop
    coupled: CoupledErrorLoop
    reference: MotionEnclosure
    edges: Array
    cells: Array

    @cached_property
    def epochs(self) -> Epochs:
        """Epochs: a new one begins where G or M_t^-1 has changed by `_CHANGE`; its matrices are midpoints over it."""
        G, inverse, M = self.sets.frozen(self.bound, self.cells, self.reference.q)
        size = np.sqrt(np.abs(np.diagonal(inverse, axis1=2, axis2=3)))
        firsts = [0]
        for k in range(1, len(M)):
            a = firsts[-1]
            scaled = (inverse[:, k] - inverse[:, a]) / (size[:, a, :, None] * size[:, a, None, :])
            if max(np.abs(scaled).max(), np.abs(G[:, k] - G[:, a]).max()) > _CHANGE:
                firsts.append(k)

        def middles(matrices: Array) -> Array:
            ends = (best.reduceat(matrices, firsts, axis=-3) for best in (np.minimum, np.maximum))
            return np.asarray(0.5 * sum(ends))

        of_piece = np.searchsorted(firsts, np.arange(len(M)), side="right") - 1
        return Epochs(middles(G), middles(inverse), middles(M), of_piece)

    @cached_property
    def slot(self) -> int:
        """Samples in a slot of lags: about as long as a piece."""
        least = max(round((self.edges[1] - self.edges[0]) / self.coupled.period), 1)
        return slot_samples(self.coupled, least)

    @cached_property
    def response(self) -> CoupledResponse:
        """The gains of the loop."""
        start, speed, noise = self.loop.start_position + self._offset, self.loop.start_speed, self.sets.position_noise
        return coupled_response(self.coupled, self.epochs, self.slot, position=start, speed=speed, noise=noise)

    @cached_property
    def _offset(self) -> Array:
        """The constant part of the errors of measured positions (n,)."""
        return np.asarray(self.sets.position_error - self.sets.position_noise)

    @cached_property
    def pieces(self) -> Pieces:
        """The pieces of time, with slots."""
        return Pieces.of(self.edges, self.slot * self.coupled.period, self.response.lags)

    @cached_property
    def bound(self) -> AccelerationBound:
        """Enclosures of the inertia."""
        return CloserAccelerationBound(self.proven.robot)

    @cached_property
    def age(self) -> float:
        """Largest sample age of the measurements behind a torque [s]."""
        return self.loop.period + self.sets.delay

    @cached_property
    def wanted(self) -> Array:
        """Largest accelerations of the reference (N, n) in a piece and in the memory of the speed filter before it."""
        return self._remembered(np.abs(self.reference.qdd) + self.reference.qdd_spread)

    def _remembered(self, values: Array) -> Array:
        """The largest values (.., N, n) in a piece, at the age of its measurements, and in their filter's memory.

        The filter decays at least as fast as its lag implies: after fifty lags only rounding remains.
        """
        memory = self.age + 50.0 * float(self.sets.speed_lag.max(initial=0.0))
        return np.asarray(self.pieces.held(values, memory) + 1e-12 * values.max(axis=-2, keepdims=True))

    def boxes(self, radii: Radii, *, asked: bool) -> MotionBoxes:
        """The tubes of all cells as boxes: the true motions, or with `asked` the measured ones at which torques are
        commanded; `radii` (N, n).
        """
        position, speed, other = radii.position, radii.speed, radii.acceleration
        if asked:
            other = radii.feedback + self.sets.feedback_error(self.wanted)
            if not self.sets.at_reference:
                position = position + self.sets.position_error
                speed = speed + self.sets.speed_errors(self.wanted + self._remembered(radii.acceleration))
        r = self.reference
        return boxes_around((r.q, r.qd, r.qdd), (r.q_spread + position, r.qd_spread + speed, r.qdd_spread + other))

    def radii(self, causes: Mapping[str, ErrorInputs], before: Radii) -> tuple[Radii, Array]:
        """(2) and (3), (C, N, n) each, and the feedback torques, for a tube of radii `before`."""
        inputs = summed(causes.values())
        e, speed, feedback, torque = self.reached(inputs, before)
        held = self.pieces.held(before.feedback, self.age)
        G, inverse = (np.abs(each[:, self.epochs.of_piece]) for each in (self.epochs.G, self.epochs.inverse))
        known = np.maximum(np.abs(inputs.low), np.abs(inputs.high)) + causes["sampling"].level * (1.0 / _RISING - 1.0)
        torques = inputs.torque + self.sets.viscous.coefficients * before.speed
        acceleration = (batched_product(G, held) + batched_product(inverse, torques) + known + inputs.most) * _UP
        position = (e + self.coupled.period**2 / 8.0 * acceleration + self._offset) * _UP
        return Radii(position, speed, acceleration, feedback), torque

    def reached(self, inputs: ErrorInputs, before: Radii, *, free: bool = True, damped: bool = True) -> Array:
        """Position, speed, feedback and torque of the loop (4, C, N, n); without `free` those of inputs alone, without
        `damped` not those of viscous friction in the loop.
        """
        epochs, pieces, n = self.epochs, self.pieces, self.proven.n
        T, noise = self.coupled.period, self.sets.position_noise
        position, speed, feedback = (getattr(before, name).max(axis=1) for name in ("position", "speed", "feedback"))
        differences = T * speed + 2.0 * noise
        states = [position, T * speed, position + differences, differences]
        loop, asked = self.coupled, T**2 * feedback
        if loop.integral is not None:  # J from u, e and s of (3)
            seen = loop.stiffness * T**2 * (position + noise) + loop.damping * T * differences
            states.append((asked + seen) / (loop.integral * T**3))
        states += [asked] * loop.delay
        largest = np.stack(states, axis=1)
        found = np.zeros((len(self.cells), len(pieces.first), 4 * n))
        slots = inputs.mapped(pieces.to_slots, lambda values: -pieces.to_slots(-values))
        for epoch, rows in runs(epochs.of_piece[pieces.first]):
            G, inverse = (
                np.abs(each - each[:, epoch, None])[:, epochs.of_piece] for each in (epochs.G, epochs.inverse)
            )
            torques = inputs.torque + damped * self.sets.viscous.coefficients * before.speed
            level = inputs.level + batched_product(G, inputs.feedback) + batched_product(inverse, torques)
            level, turning = self._damped(epoch, inputs, level, before) if damped else (level, 0.0 * level)
            each = replace(slots, level=pieces.to_slots(level) * _UP)
            found[:, rows] = self.response.reached(epoch, each, rows, largest, free=free)
            found[:, rows, n : 2 * n] += pieces.to_slots(turning)[:, rows]
        return np.stack([pieces.to_pieces(found[..., k * n : (k + 1) * n]) for k in range(4)])

    def _damped(self, epoch: int, inputs: ErrorInputs, level: Array, before: Radii) -> tuple[Array, Array]:
        """A level with w' of (2) of `viscous_damping`, and (4) there, where the loop has the matrices of an epoch."""
        G, inverse = (each[:, epoch, None] for each in (self.epochs.G, self.epochs.inverse))
        A = self.coupled.resisted(inverse)
        known = np.maximum(np.abs(inputs.low), np.abs(inputs.high)) + batched_product(np.abs(inverse), inputs.torque)
        w = level + known + inputs.most - inputs.level
        held, speed = (self._held(each) for each in (before.feedback, before.speed))
        p = batched_product(np.abs(G), held) + batched_product(np.abs(A), speed) / self.coupled.period
        more = step_error(A, w, before.acceleration, rising=_RISING)
        return level + more, speed_error(A, p, self.coupled.period)

    def costs(self, causes: Mapping[str, ErrorInputs], radii: Radii) -> dict[str, Array]:
        """Contribution of every cause to the position bounds (n,), each at the cell and piece where it is largest."""
        cells, count, n = radii.position.shape
        rows = np.unravel_index(radii.position.reshape(-1, n).argmax(axis=0), (cells, count))
        costs = {}
        for cause, inputs in causes.items():
            alone = self.reached(inputs, radii, free=False, damped=cause == "friction")[0]
            costs[cause] = alone[rows[0], rows[1], np.arange(n)]
        noise = self.response.noise[..., :n].max(axis=(0, 1))
        costs["sensors"] = costs["sensors"] + noise + self._offset
        reached = radii.position.max(axis=(0, 1))
        costs["start"] = np.maximum(reached - np.sum(list(costs.values()), axis=0), 0.0)
        return costs

    # --- levels -----------------------------------------------------------------------------------------------------

    def causes(self, radii: Radii) -> dict[str, ErrorInputs]:
        """(1): inputs of the loop by cause, (C, N, n) each; `radii` (C, N, n)."""
        sets, held = self.sets, self._held
        union, feedback = widest(radii), held(radii.feedback)
        # A, whose drift is bounded, contains u where the robot accelerates by G u.
        less = feedback - batched_product(np.abs(self.epochs.G[:, self.epochs.of_piece]), feedback)
        own = self.boxes(replace(union, acceleration=union.acceleration + less.max(axis=0, initial=0.0)), asked=False)
        asked = self.boxes(union, asked=True)
        past = replace(union, acceleration=self._remembered(union.acceleration))
        cuts = [slice(max(k - 1, 0), k + _AT_ONCE + 1) for k in range(0, len(own.q_lower), _AT_ONCE)]
        inner = [slice(min(c.start, 1), min(c.start, 1) + _AT_ONCE) for c in cuts]  # without the neighbours
        inverses = [self.bound.inverse(self.bound.inertia(own.q_lower[c], own.q_upper[c])) for c in cuts]
        found = [self._torque_errors(past, own, asked, inverse, c) for inverse, c in zip(inverses, cuts, strict=True)]
        model, evaluation, drift = (
            np.concatenate([x[c] for x, c in zip(each, inner, strict=True)]) for each in zip(*found, strict=True)
        )
        drift = held(drift)
        lag = sets.feedback_error(self.wanted)
        jitter = held(sets.jitter_error(past.position, past.speed, past.acceleration))
        other = held(lag + model + evaluation) + jitter + self.age * drift
        other = np.broadcast_to(other * _UP, radii.position.shape)
        friction, damped, r = self._friction(radii), self.sets.viscous.coefficients * radii.speed, self.reference
        lengths, moving = np.diff(self.edges), bool(np.any(self.loop.start_speed))

        def motions(c: slice) -> list[ErrorMotion]:
            pairs = zip(radii.speed[:, c], radii.acceleration[:, c], strict=True)
            return [ErrorMotion(*pair, lengths[c], moving) for pair in pairs]

        near = replace(own, qdd_lower=r.qdd - r.qdd_spread, qdd_upper=r.qdd + r.qdd_spread)
        frozen = [each[:, self.epochs.of_piece] for each in (self.epochs.G, self.epochs.inverse)]
        plants = [
            sets.plant_errors(
                inverse,
                near.rows(c),
                self.cells,
                (frozen[0][:, c], frozen[1][:, c]),
                ActingErrors(friction[:, c], feedback[:, c], other[:, c], motions(c), damped[:, c]),
            )
            for inverse, c in zip(inverses, cuts, strict=True)
        ]
        causes = {
            cause: joined_inputs([_without(each[cause], k) for each, k in zip(plants, inner, strict=True)])
            for cause in plants[0]
        }
        shared = {"model": held(model), "sensors": held(evaluation + lag), "delay": jitter + sets.delay * drift}
        zero = np.zeros(radii.position.shape)
        for cause, values in {**shared, "sampling": _RISING * self.coupled.period * drift}.items():
            level = np.broadcast_to(values * _UP, zero.shape)
            causes[cause] = ErrorInputs(level, zero, zero, zero, zero)
        return causes

    def _held(self, values: Array) -> Array:
        return self.pieces.held(values, self.age)

    def _torque_errors(
        self, radii: Radii, own: MotionBoxes, asked: MotionBoxes, inverse: tuple[Array, Array], c: slice
    ) -> tuple[Array, Array, Array]:
        """Errors of the model and of the state it is evaluated at, and the drift, over some rows of the boxes."""
        sets, seen = self.sets, asked.rows(c)
        speed = np.maximum(np.abs(seen.qd_lower), np.abs(seen.qd_upper))
        wanted = np.maximum(np.abs(seen.qdd_lower), np.abs(seen.qdd_upper))
        errors = self.proven.errors(seen.q_lower, seen.q_upper, speed, wanted)
        errors = errors + rounded_torque(self.proven.torques(seen))
        eps = radii.position[c], radii.speed[c]
        if not sets.at_reference:
            wrong_speed = sets.speed_errors(self.wanted[c] + radii.acceleration[c])
            eps = np.broadcast_to(sets.position_error, errors.shape), wrong_speed
        model, evaluation, drift = sets.torque_errors(inverse, own.rows(c), seen, errors, eps)
        model = model + rounding_error(wanted)
        return model + self.reference.jump, evaluation, drift + self.reference.jerk

    def _friction(self, radii: Radii) -> Array:
        """Friction errors (C, N, n): reference and measured speeds are those at the sample of a torque."""
        r, shape = self.reference, radii.speed.shape
        old = r.qd_spread + self.age * self.wanted
        moved = self.wanted + self._remembered(radii.acceleration)
        reach = r.qd_spread + radii.speed
        late = reach + self.age * moved + self.sets.speed_errors(moved)

        def ends(wide: Array) -> tuple[Array, Array]:
            low, high = (np.broadcast_to(r.qd + sign * wide, shape).reshape(-1, shape[-1]) for sign in (-_UP, _UP))
            return low, high

        found = self.sets.friction_error(ends(reach), ends(old), ends(late)).reshape(shape)
        return found + self.sets.viscous.coefficients * self.age * self.wanted

    def torques(self, radii: Radii, torque: Array) -> Array:
        """The largest commanded torques (n,) (3), including those of feedback (C, N, n)."""
        union = widest(radii)
        still = self.boxes(replace(union, feedback=np.zeros_like(union.feedback)), asked=True)
        asked = self.boxes(union, asked=True)
        inertia = AccelerationBound(self.proven.robot).inertia
        epochs = self.epochs.recent(self.edges, self.slot * self.coupled.period)
        largest, r = np.zeros(self.proven.n), self.reference
        for k in range(0, len(asked.q_lower), _AT_ONCE):
            c = slice(k, k + _AT_ONCE)
            part, seen = still.rows(c), asked.rows(c)
            low, high = inertia(part.q_lower, part.q_upper)
            apart = np.zeros_like(low)
            for M in (self.epochs.M[epoch[c]] for epoch in epochs):
                apart = np.maximum(apart, np.maximum(np.abs(high - M), np.abs(M - low)))
            ref = r.qd[c] - r.qd_spread[c], r.qd[c] + r.qd_spread[c]
            friction = self.sets.compensated(ref, (seen.qd_lower, seen.qd_upper))
            speed = np.maximum(np.abs(seen.qd_lower), np.abs(seen.qd_upper))
            wanted = np.maximum(np.abs(seen.qdd_lower), np.abs(seen.qdd_upper))
            errors = self.proven.errors(seen.q_lower, seen.q_upper, speed, wanted)
            known = self.proven.torques(part, friction) + 2.0 * (errors + rounded_torque(self.proven.torques(seen)))
            found = known + torque.max(axis=0)[c] + batched_product(apart, union.feedback[c])
            largest = np.maximum(largest, found.max(axis=0) * _UP)
        return largest


def varying_tube(problem: VaryingTube) -> ErrorTube | str:
    """A narrow invariant tube (4), or the reason why none was found."""
    shape = len(problem.cells), len(problem.reference.t), problem.proven.n
    zero = np.zeros(shape)
    none = ErrorInputs(zero, zero, zero, zero, zero)
    try:
        radii, _ = problem.radii({"sampling": none}, Radii(zero, zero, zero, zero))
    except ArgumentError:  # a payload that makes the feedback almost ineffective, or the loop unstable
        return divergence_reason(problem, {})
    step, found, causes = _FIRST_STEP, None, dict[str, ErrorInputs]()
    for _ in range(_ROUNDS):
        # Radii that are too small are lower bounds: if they already leave the box, no tube exists.
        outside = None if found else _outside(problem, radii)
        if outside is not None:
            return outside
        wide = radii.wider(step)
        new_causes = problem.causes(wide)
        if radii.position.max() > _LOST or not all(np.isfinite(each.most).all() for each in new_causes.values()):
            break
        causes = new_causes
        new, torque = problem.radii(causes, wide)
        if new.is_inside(wide) and _outside(problem, wide) is None:
            narrower = found is None or np.any(new.position.max(axis=(0, 1)) < (1.0 - _STEP) * found[0])
            found = new.position.max(axis=(0, 1)), new, wide, causes, torque
            if not narrower and step == _STEP:
                break
            step = _STEP
        radii = new
    if found is None:
        return _outside(problem, radii.wider(_STEP)) or divergence_reason(problem, causes)
    tube = _tube(problem, *found[1:])
    return problem.loop.saturation(problem.proven.robot, tube.torque) or tube


def _tube(problem: VaryingTube, new: Radii, wide: Radii, causes: Mapping[str, ErrorInputs], torque: Array) -> ErrorTube:
    """The tube: largest radii, levels and drift, with the contributions of all causes where the position is largest."""
    drift = causes["sampling"].level.max(axis=(0, 1)) / (_RISING * problem.coupled.period)
    largest = Radii(*(getattr(new, name).max(axis=(0, 1)) for name in _RADII))
    torques, costs = problem.torques(wide, torque), problem.costs(causes, new)
    over_time = problem.edges, new.position.max(axis=0), new.speed.min(axis=0)
    return ErrorTube(largest, largest.acceleration, drift, torques, costs, *over_time)


_RADII = ("position", "speed", "acceleration", "feedback")


def widest(radii: Radii) -> Radii:
    """The largest radii (N, n) of all cells."""
    return Radii(*(getattr(radii, name).max(axis=0) for name in _RADII))


def _outside(problem: VaryingTube, radii: Radii) -> str | None:
    return leaves_box(problem.proven, problem.boxes(widest(radii), asked=True), problem.reference.t)


def _without(inputs: ErrorInputs, kept: slice) -> ErrorInputs:
    """Inputs of some pieces of time."""
    return inputs.mapped(*[lambda values: values[..., kept, :]] * 2)
