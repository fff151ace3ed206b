"""The closed loop that an attack on a tracking guarantee simulates, for many plants of the sets at once.

A run has constants (body parameters, payload, start, offsets of the encoders) and signals (friction factors, residual
and drive torques, noise, late torques), which may change at samples.

(1)  R_ij(m), N_ij(m): change of the error of joint i, m samples after a pulse at joint j: R of the torque, N of the
     measured position or speed; simulated for pulses at several instants
(2)  a run aligned with joint i and the instant t* makes the error of i at t* the largest to first order: torques have
     the sign of R_ij, friction against the speed that of -R_ij, noise that of N_ij, at lag t* - t; parameters have the
     largest c' delta, c = -sum R_ij Y_j with the regressor Y of the reference

Friction sticks at rest. A joint may stand in the tube where the reference is slower than the speed bound. In presliding
runs the dry friction there may have any value in its range, and is aligned, too: the proof excludes none of these
values, and elastic contacts of real joints delay the reversal of friction. One native program serves all runs, which
fill SIMD lanes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from torquec.control.controller import Controller, make_controller
from torquec.control.tracking_guarantee import TrackingGuarantee
from torquec.control.uncertainty import SpeedSource, Uncertainty
from torquec.control.uncertainty_sets import body_set, payload_columns
from torquec.dynamics.friction_torque import FrictionPart, friction_torque, rubbing_shafts
from torquec.dynamics.regressor import regressor
from torquec.dynamics.sampled_function import StateSlot
from torquec.errors import ArgumentError
from torquec.expr.replay import replay
from torquec.foundation.arrays import Array, Mask, by_joint
from torquec.robot.robot import Robot
from torquec.simulation.closed_loop import LoopOptions, drives_of, prepared_loop, results_of
from torquec.simulation.native_run import NativeRun, Recording
from torquec.simulation.plant import DryFriction, Plant, Variation
from torquec.simulation.sensors import Sensors
from torquec.simulation.simulation_result import SimulationResult
from torquec.simulation.tuning import TUNING
from torquec.spatial import PARAMETER_NAMES
from torquec.trajectory.trajectory import Trajectory

WIDTH = len(PARAMETER_NAMES)
"""Standard parameters of a body."""


@dataclass(frozen=True, eq=False)
class AttackChoices:
    """Choices of R runs.

    `bodies` (R, j): a vertex, or a point of the unit sphere for an ellipsoid; `mass` (R,): the end of the payload's
    range, -1 or 1; `centre` (R, 3) its direction; `moments` (R, 3): zero or one; `friction` (R, n): constant signs,
    zero for aligned ones; `presliding` (R,): zero or one; `offset`, `start`, `speed` (R, n) signs; `aim` (R, 3): joint,
    sample and sign of (2).
    """

    bodies: Array
    mass: Array
    centre: Array
    moments: Array
    friction: Array
    presliding: Array
    offset: Array
    start: Array
    speed: Array
    aim: Array

    def rows(self, index: Any) -> AttackChoices:
        """Attacks of some runs."""
        return AttackChoices(*(getattr(self, item.name)[index] for item in fields(self)))

    @staticmethod
    def joined(parts: list[AttackChoices]) -> AttackChoices:
        """Attacks of several parts, concatenated."""
        names = [item.name for item in fields(AttackChoices)]
        return AttackChoices(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True, eq=False)
class Presliding:
    """Friction of joints that may stand in the tube, where `standing` (K, n).

    `smooth`: smooth friction at the reference's speed; `backward`, `forward`: dry friction of either direction that
    stays in its range with the smooth friction of every speed in the tube.
    """

    standing: Mask
    smooth: Array
    backward: Array
    forward: Array


@dataclass(frozen=True, eq=False)
class AttackedLoop:
    """The loop under attack, its nominal robot with the drives of the guarantee."""

    robot: Robot
    law: Controller
    motion: Trajectory
    sets: Uncertainty
    guarantee: TrackingGuarantee

    @cached_property
    def loop(self) -> tuple[NativeRun, Trajectory]:
        """The native loop with disturbances, and the motion at its samples."""
        plant = Plant(self.robot, friction=DryFriction.STICK, varies=Variation.PARAMETERS)
        late = late_law(self.law, self.motion, self.sets)
        run, sampled = prepared_loop(plant, late, self.motion, LoopOptions(sensors=_sensors(self.robot, self.sets)))
        return replace(run, loop=replace(run.loop, disturbed=True)), sampled

    @cached_property
    def sizes(self) -> dict[str, Array]:
        """Sizes (n,) of the sets: friction part, torques beside it, noise and offsets, noise of speeds, start."""
        joints = self.sets.of(self.robot)
        limits = np.array([bound.effort for bound in self.guarantee.joints])
        drives = np.array(
            [j.torque_part * limit if j.torque_part else 0.0 for j, limit in zip(joints, limits, strict=True)]
        )
        step = np.array([j.position for j in joints])
        start = self.guarantee.start_error
        return {
            "friction": np.array([j.friction_part for j in joints]),
            "torque": np.array([j.friction_residual for j in joints]) + drives,
            "noise": 0.5 * step,
            "offset": 0.5 * step + np.array([j.position_bias for j in joints]),
            "speed": np.array([j.speed_noise for j in joints]),
            "start": by_joint("start.position", start.position, self.robot.n),
            "start_speed": by_joint("start.speed", start.speed, self.robot.n),
        }

    @cached_property
    def body_columns(self) -> tuple[Array, bool]:
        """Deviations (10 bodies + motors, j) of the standard parameters, and whether they are those of an ellipsoid."""
        directions, factor = body_set(self.robot, self.sets)
        columns = directions if factor is None else directions @ factor
        count = WIDTH * len(self.robot.bodies) + len(self.robot.drives.motors)
        return np.concatenate([columns, np.zeros((count - len(columns), columns.shape[1]))]), factor is not None

    # --- runs -------------------------------------------------------------------------------------------------------

    def errors(self, choices: AttackChoices) -> Array:
        """The largest errors (R, n) of some runs; infinite for one that diverges."""
        found = np.empty((len(choices.mass), self.robot.n))
        for k in range(0, len(found), TUNING.runs_per_call):
            rows = slice(k, k + TUNING.runs_per_call)
            recording, sampled = self._recorded(choices.rows(rows), every=0)
            last = np.abs(sampled.q[-1] - recording.q[-1])
            found[rows] = np.maximum(recording.last[:, self.loop[0].loop.parts["largest"]], last)
            found[rows][recording.diverged >= 0] = np.inf
        return found

    def result(self, choices: AttackChoices) -> SimulationResult:
        """The whole simulation of one run."""
        recording, sampled = self._recorded(choices, every=1)
        return results_of(self.loop[0], sampled, recording)[0]

    def _recorded(self, choices: AttackChoices, *, every: int) -> tuple[Recording, Trajectory]:
        return self.run_all(self.parameters(choices), self.signals(choices), self._starts(choices), every=every)

    def run_all(
        self, parameters: Array, signals: Array, starts: tuple[Array, Array], *, every: int
    ) -> tuple[Recording, Trajectory]:
        """Runs with inertias (R, P), signals (K, R, 4 n + 1) and starts (R, n)."""
        run, sampled = self.loop
        n, parts = self.robot.n, run.loop.parts
        factors = np.concatenate([parameters, np.ones((len(parameters), n))], axis=1)
        rows = run.first_rows(*starts, factors, time=float(sampled.t[0]))
        for row, q, qd, error in zip(rows, *starts, signals[0, :, 2 * n : 3 * n], strict=True):
            row[parts["sensors"]] = run.loop.sensors.first_memory(q + error, qd, period=run.period)
        start = [sampled.q[0], sampled.qd[0], sampled.qdd[0], sampled.q[0], sampled.qd[0]]
        rows[:, parts["before"]] = self.law.torque(*start)
        drives = replace(drives_of(run.loop.plant, run.loop.controller, sampled), disturbance=signals)
        return run.run(rows, drives, seeds=[(0, k) for k in range(len(rows))], every=every), sampled

    def parameters(self, choices: AttackChoices) -> Array:
        """Standard parameters of bodies and additions to rotors (R, P), payload included."""
        robot, payload = self.robot, self.sets.payload
        found = self.nominal() + choices.bodies @ self.body_columns[0].T
        if payload is not None:
            columns, mass = payload_columns(robot, payload), np.where(choices.mass > 0.0, *payload.mass[::-1])
            first = WIDTH * columns.body
            moved = point_mass_parameters(mass, payload.centre_within * choices.centre)
            moved[:, [0, 3, 5]] += choices.moments * (payload.inertia_part * mass * payload.centre_within**2)[:, None]
            moved[:, 9] -= payload.nominal_mass
            found[:, first : first + WIDTH] += moved @ columns.units.T
        return found

    def _starts(self, choices: AttackChoices) -> tuple[Array, Array]:
        sampled, sizes = self.loop[1], self.sizes
        return sampled.q[0] + choices.start * sizes["start"], sampled.qd[0] + choices.speed * sizes["start_speed"]

    def signals(self, choices: AttackChoices) -> Array:
        """The signals (K, R, 4 n + 1) of some runs (2)."""
        sampled = self.loop[1]
        n, count, sizes = self.robot.n, len(sampled) - 1, self.sizes
        found = np.zeros((count, len(choices.mass), 4 * n + 1))
        found[:, :, :n] = 1.0
        for r, (joint, stop, sign) in enumerate(choices.aim.tolist()):
            torque, position, speed = (sign * self.weights(kind, int(joint), int(stop)) for kind in range(3))
            against = np.where(self.rubbing == 0.0, 1.0, -np.sign(torque * self.rubbing))
            ways = np.where(choices.friction[r] == 0.0, against, choices.friction[r])
            found[:, r, :n] = 1.0 + sizes["friction"] * ways
            found[:, r, n : 2 * n] = sizes["torque"] * np.sign(torque)
            if choices.presliding[r]:
                slow = self.presliding
                found[:, r, :n] *= ~slow.standing
                dry = np.where(torque > 0.0, -slow.backward, slow.forward)
                found[:, r, n : 2 * n] -= slow.standing * (slow.smooth + dry)
            found[:, r, 2 * n : 3 * n] = sizes["noise"] * np.sign(position) + sizes["offset"] * choices.offset[r]
            found[:, r, 3 * n : 4 * n] = sizes["speed"] * np.sign(speed)
        if self.sets.timing.jitter:
            found[:, :, -1] = (np.arange(count)[:, None] % 2 == 0) | (choices.aim[:, 2] > 0.0)
        return found

    # --- responses --------------------------------------------------------------------------------------------------

    @cached_property
    def rubbing(self) -> Array:
        """Nominal friction (K, n) along the reference."""
        sampled = self.loop[1]
        return np.array(np.broadcast_arrays(*friction_torque(self.robot, list(sampled.qd[:-1].T)))).T

    @cached_property
    def presliding(self) -> Presliding:
        """The friction of joints that may stand in the tube."""
        sampled, tube = self.loop[1], self.guarantee.tube
        speed = sampled.qd[:-1]
        if tube is None or tube.edges is None or tube.speeds is None:
            return Presliding(np.zeros(speed.shape, dtype=bool), *np.zeros((3, *speed.shape)))
        piece = np.searchsorted(tube.edges, sampled.t[:-1], side="right") - 1
        reach = tube.speeds[np.clip(piece, 0, len(tube.speeds) - 1)]

        def friction(at: Array, part: FrictionPart) -> Array:
            return np.array(np.broadcast_arrays(*friction_torque(self.robot, list(at.T), part=part))).T

        smooth = friction(speed, FrictionPart.SMOOTH)
        around = [np.abs(friction(speed + side, FrictionPart.SMOOTH) - smooth) for side in (-reach, reach)]
        dry = [
            np.minimum(*(np.abs(friction(way * at, FrictionPart.DRY)) for at in (1e-9 + 0.0 * speed, 2.0 * reach)))
            for way in (-1.0, 1.0)
        ]
        backward, forward = ((1.0 + self.sizes["friction"]) * each - np.maximum(*around) for each in dry)
        alone = all(shaft.is_joint for shaft in rubbing_shafts(self.robot))
        standing = (np.abs(speed) < reach) & (backward > 0.0) & (forward > 0.0) & alone
        return Presliding(standing, smooth, backward, forward)

    @cached_property
    def responses(self) -> tuple[Array, Array, Array]:
        """(1): first samples of the pulses (P,), and R, N of positions and of speeds (3, P, K, n, n), over lags."""
        sampled = self.loop[1]
        n, count = self.robot.n, len(sampled) - 1
        starts = np.unique(np.linspace(0, count - 2, TUNING.pulse_instants + 1, dtype=int)[:-1])
        efforts = np.array([bound.effort for bound in self.guarantee.joints])
        pulses = np.array([np.where(np.isfinite(efforts), 0.01 * efforts, 1.0), np.full(n, 1e-5), np.full(n, 1e-4)])
        signals = np.zeros((count, 1 + 3 * len(starts) * n, 4 * n + 1))
        for kind in range(3):
            for p, start in enumerate(starts):
                for j in range(n):
                    signals[start, 1 + (kind * len(starts) + p) * n + j, (kind + 1) * n + j] = pulses[kind, j]
        nominal = np.repeat(self.nominal(), signals.shape[1], axis=0)
        first = [np.repeat(x[:1], signals.shape[1], axis=0) for x in (sampled.q, sampled.qd)]
        recording, _ = self.run_all(nominal, signals, (first[0], first[1]), every=1)
        moved = (recording.q[:, :1] - recording.q[:, 1:]).reshape(count + 1, 3, len(starts), n, n)
        found = np.zeros((3, len(starts), count + 1, n, n))
        for p, start in enumerate(starts):
            found[:, p, : count + 1 - start] = moved[start:, :, p].transpose(1, 0, 3, 2)
        return starts, found, pulses

    def nominal(self) -> Array:
        """Parameters (1, P) of the nominal robot."""
        robot = self.robot
        own = [x for body in robot.bodies for x in body.inertia.parameters] + [0.0] * len(robot.drives.motors)
        return np.array([own], dtype=np.float64)

    def weights(self, kind: int, joint: int, stop: int) -> Array:
        """Response of a joint's later error to a unit torque, position error or speed error at each sample (K, n)."""
        starts, found, pulses = self.responses
        count = len(self.loop[1]) - 1
        k = np.arange(min(stop, count))
        nearest = np.searchsorted(starts, k, side="right") - 1
        weights = np.zeros((count, self.robot.n))
        weights[k] = found[kind, nearest, stop - k, joint]
        return np.asarray(weights / pulses[kind])

    @cached_property
    def columns(self) -> tuple[Array, Array]:
        """Some samples (S,) of the reference, and the regressor there, (S, n, P)."""
        sampled = self.loop[1]
        at = np.unique(np.linspace(0, len(sampled) - 2, 200, dtype=int))
        rows = regressor(self.robot, *(list(x[at].T) for x in (sampled.q, sampled.qd, sampled.qdd)))
        return at, np.moveaxis(np.array([np.broadcast_arrays(at * 0.0, *row)[1:] for row in rows]), 2, 0)

    def costs(self, joint: int, stop: int) -> Array:
        """c (P,) of (2)."""
        at, Y = self.columns
        return -np.asarray(np.einsum("sn,snp->p", self.weights(0, joint, stop)[at], Y))

    def words(self, choices: AttackChoices) -> dict[str, Any]:
        """The plant of one run."""
        joint, stop, _ = choices.aim[0].tolist()
        ways = 1.0 + self.sizes["friction"] * choices.friction[0]
        found: dict[str, Any] = {
            "friction": {
                name: "against the motion of the error" if way == 0.0 else float(part)
                for name, way, part in zip(self.robot.joint_names, choices.friction[0], ways, strict=True)
            },
            "aligned_with": self.robot.joint_names[int(joint)],
            "instant": float(self.loop[1].t[int(stop)]),
            "presliding": bool(choices.presliding[0]),
        }
        if (payload := self.sets.payload) is not None:
            found["payload_mass"] = payload.mass[int(choices.mass[0] > 0.0)]
            found["payload_centre"] = (payload.centre_within * choices.centre[0]).tolist()
        return found


def unit_rows(vectors: Array) -> Array:
    """Vectors (R, k) of length one; zero stays zero."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300))


def point_mass_parameters(mass: Array, centre: Array) -> Array:
    """Standard parameters (R, 10) of point masses (R,) at centres (R, 3)."""
    x, y, z = centre.T
    second = [y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y, x, y, z, np.ones_like(x)]
    return np.asarray(mass[:, None] * np.stack(second, axis=1))


def late_law(law: Controller, motion: Trajectory, uncertainty: Uncertainty) -> Controller:
    """The law with its torques delayed by the samples that the uncertainty states; the first acts from the start.

    The last sample of a jitter is not included.
    """
    samples = uncertainty.timing.delay + max(uncertainty.samples_late(law.period) - uncertainty.timing.delay - 1, 0)
    if not samples:
        return law
    if law.schedule is not None:
        raise ArgumentError("a law with scheduled gains cannot be delayed", remedy="attack computed torque")
    start = [motion.q[0], motion.qd[0], motion.qdd[0], motion.q[0], motion.qd[0]]
    first, n = tuple(law.torque(*start).tolist()), len(law.joints)
    queue = samples * n

    def delayed(state: Any, **signals: Any) -> dict[str, Any]:
        own = {"state": state[queue:]} if law.slots else {}
        now = replay(law.function, {**signals, **own})
        return {"tau": state[:n], "next_state": [*state[n:queue], *now["tau"], *now.get("next_state", [])]}

    slots = tuple(StateSlot(f"torque{k + 1}", first) for k in range(samples))
    return make_controller(f"late_{law.name}", law.joints, delayed, slots=(*slots, *law.slots), period=law.period)


def _sensors(robot: Robot, uncertainty: Uncertainty) -> Sensors:
    joints = uncertainty.of(robot)
    if len({(joint.speed, joint.speed_filter) for joint in joints}) > 1:
        raise ArgumentError("joints have different sources of their speeds", remedy="state them in [every_joint]")
    first = joints[0]
    share = first.speed_filter if first.speed is SpeedSource.DIFFERENCE else 1.0
    return Sensors(speed=first.speed, filter_share=share)
