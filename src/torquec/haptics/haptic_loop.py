"""Simulation of the haptic loop (hand, force sensor, encoders, haptic cycle, arm) in native code.

(1)  at a sample:  read sensor and encoders, one haptic cycle, hold its torques   (state, hand's goal, settings, noise)
(2)  in between:   the arm moves under torques and hand; the sensor's filter runs with it                  (state)

The sensor measures the hand's wrench and the tool's own weight and inertia (`admittance_options.py`), at the
acceleration of the arm over each fine step. The arm is the controller's robot with its tool and stiction, or another
plant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.codegen.llvm import compile_function
from torquec.codegen.llvm.repeat import LoopEnd, NativeLoop
from torquec.control.controller import TORQUE
from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.dynamics.sampled_function import NEXT_STATE, STATE
from torquec.errors import ArgumentError, DivergenceError
from torquec.expr import Function, inline, trace
from torquec.foundation.arrays import Array
from torquec.foundation.choice import chosen
from torquec.haptics.admittance import Admittance
from torquec.haptics.admittance_options import FrameMotion
from torquec.haptics.force_sensor import CHANNELS, ForceSensor
from torquec.haptics.haptic_cycle import HAND, JOINTS, SETTINGS, STATUS, WRENCH
from torquec.haptics.rendered_object import SETTING_COUNT
from torquec.haptics.simulated_hand import GOAL_SIZE, GraspingHand, HandImpedance
from torquec.robot.robot import Robot
from torquec.simulation.integrators import rk4_step
from torquec.simulation.plant import DryFriction, Dynamics, Plant, drive_torque
from torquec.simulation.sensors import quantised
from torquec.simulation.stick import stick_slip_step
from torquec.spatial import Scalar, add, matvec, transpose

_USUAL_SENSOR = ForceSensor()
_USUAL_HAND = HandImpedance()


@dataclass(frozen=True)
class HapticSetting:
    """Environment of a haptic cycle: force sensor, encoders, hand, friction.

    `resolution` of the encoders [rad or m], `friction`: the model of dry friction, `steps`: fine steps per cycle,
    `seed` of the sensor's noise.
    """

    sensor: ForceSensor = _USUAL_SENSOR
    resolution: float = 1e-4
    hand: HandImpedance = _USUAL_HAND
    friction: DryFriction = DryFriction.STICK
    steps: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", chosen(DryFriction, self.friction, "friction model"))
        if not (self.resolution >= 0.0 and math.isfinite(self.resolution)) or self.steps < 1:
            raise ArgumentError(
                f"encoders of {self.resolution} rad, {self.steps} steps per cycle",
                remedy="give a resolution of zero or more and at least one step",
            )


USUAL_SETTING = HapticSetting()


@dataclass(frozen=True, eq=False)
class HapticRecording:
    """Recording of a run, a row per sample.

    `t` (K,); measured joints `seen` (K, n); the measured `wrench` and the cycle's wrench of the `hand` (K, 6), in the
    frame's axes; `tau` (K, n), `status` (K,); true joints `q`, `qd` (K, n); `cycle`: the cycle's state (K, m) before
    each sample; `last`: the loop's final row.
    """

    t: Array
    seen: Array
    wrench: Array
    hand: Array
    tau: Array
    status: Array
    q: Array
    qd: Array
    cycle: Array
    last: Array


@dataclass(frozen=True, eq=False)
class HapticLoop:
    """A haptic cycle in its environment; `plant` is the arm with its tool, the cycle's own unless given."""

    cycle: Admittance
    setting: HapticSetting = USUAL_SETTING
    plant: Plant | None = None

    @cached_property
    def arm(self) -> Plant:
        """The plant of the loop."""
        if self.plant is not None:
            if self.plant.robot.joint_names != self.cycle.joints or self.plant.motors:
                raise ArgumentError(
                    "the plant does not go with the haptic cycle", remedy="give one with its joints, without motors"
                )
            if self.plant.motion_size != 2 * self.cycle.n:
                raise ArgumentError(
                    "a force of the plant has a state or depends on the time, which the haptic loop does not integrate",
                    remedy="give a plant without it",
                )
            return self.plant
        return Plant(self.cycle.carrying, friction=self.setting.friction, effort=self.cycle.options.caps.effort)

    @property
    def period(self) -> float:
        """Period of the cycle [s]."""
        return self.cycle.options.period

    @cached_property
    def parts(self) -> Mapping[str, slice]:
        """The slice of each part of a row."""
        n = self.cycle.n
        sizes = {
            "motion": 2 * n,
            "torque": n,
            "since": 1,
            "goal": GOAL_SIZE,
            "filter": self.setting.sensor.memory_size,
            "cycle": len(self.cycle.initial_state),
        }
        found, start = {}, 0
        for name, size in sizes.items():
            found[name] = slice(start, start + size)
            start += size
        return found

    @property
    def size(self) -> int:
        """The length of a row."""
        return int(self.parts["cycle"].stop)

    @cached_property
    def native(self) -> NativeLoop:
        """The loop, compiled."""
        return NativeLoop(
            compile_function(self.sample_function()), compile_function(self.motion_function()), most=self.setting.steps
        )

    def sample_function(self) -> Function:
        """(1). Its log is a row of q (n,), wrench (6,), the hand's wrench (6,), torques (n,) and the status."""
        n, sensor = self.cycle.n, self.setting.sensor
        ports = {STATE: (self.size,), "goal": (GOAL_SIZE,), SETTINGS: (SETTING_COUNT,), "noise": (CHANNELS,)}

        def program(**given: Any) -> dict[str, Any]:
            row = self._split(given[STATE])
            seen = [quantised(value, self.setting.resolution) for value in row["motion"][:n]]
            wrench = sensor.measured(row["filter"], list(given["noise"]))
            signals = {STATE: row["cycle"], WRENCH: wrench, JOINTS: seen, SETTINGS: list(given[SETTINGS])}
            found = inline(self.cycle.function, given[STATE][0].graph, signals)
            row |= {
                "torque": drive_torque(self.arm, found[TORQUE]),
                "since": [0.0],
                "goal": list(given["goal"]),
                "cycle": found[NEXT_STATE],
            }
            log = [*seen, *wrench, *found[HAND], *found[TORQUE], *found[STATUS]]
            return {"next": self._join(row), "log": log}

        return trace("haptic_sample", program, ports)

    def motion_function(self) -> Function:
        """(2), one fine step."""
        n, h, robot, frame = self.cycle.n, self.period / self.setting.steps, self.arm.robot, self.cycle.frame

        def program(state: Any) -> dict[str, Any]:
            row = self._split(state)
            hand = GraspingHand(frame, self.setting.hand, row["goal"], row["since"][0])
            dynamics = Dynamics(replace(self.arm, forces=(*self.arm.forces, hand)))
            y, tau = row["motion"], row["torque"]
            if self.arm.friction is DryFriction.STICK:
                after = stick_slip_step(dynamics, y, tau, h)
            else:
                after = rk4_step(lambda at: dynamics.motion_rate(at, tau), y, h)
            qdd = [(new - old) * (1.0 / h) for new, old in zip(after[n:], y[n:], strict=True)]
            since = row["since"][0] + h
            felt = self._felt(GraspingHand(frame, self.setting.hand, row["goal"], since), robot, after, qdd)
            row |= {"motion": after, "since": [since], "filter": self.setting.sensor.filtered(row["filter"], felt, h)}
            return {"next": self._join(row)}

        return trace("haptic_motion", program, {STATE: (self.size,)})

    def _felt(self, hand: GraspingHand, robot: Robot, motion: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """The wrench on the sensor (6,) in its own axes."""
        n, frame = self.cycle.n, self.cycle.frame
        q, qd = motion[:n], motion[n:]
        J, rate = jacobian(robot, frame, q), jacobian_derivative(robot, frame, q, qd)
        twist = [_dot(row, qd) for row in J]
        moving = [_dot(row, qdd) + _dot(drift, qd) for row, drift in zip(J, rate, strict=True)]
        back = transpose(frame_pose(robot, frame, q).rotation)
        own = hand.on_tool(robot, q, twist, moving)
        motion_seen = FrameMotion(
            matvec(back, (moving[0], moving[1], moving[2])),
            matvec(back, (twist[3], twist[4], twist[5])),
            matvec(back, (moving[3], moving[4], moving[5])),
            matvec(back, robot.gravity),
        )
        tool = self.cycle.options.tool.wrench(motion_seen)
        force, moment = add(matvec(back, own.force), tool.force), add(matvec(back, own.moment), tool.moment)
        return [*force, *moment]

    def first_row(self, q: npt.ArrayLike) -> Array:
        """The row of an arm at rest at q (n,), the sensor settled under the tool's weight."""
        joints = np.asarray(q, dtype=np.float64)
        row = np.zeros(self.size)
        row[self.parts["cycle"]] = self.cycle.start(joints)
        row[self.parts["motion"]] = [*joints, *np.zeros(self.cycle.n)]
        pose = frame_pose(self.arm.robot, self.cycle.frame, [float(x) for x in joints])
        still = (0.0, 0.0, 0.0)
        weight = self.cycle.options.tool.wrench(
            FrameMotion(still, still, still, matvec(transpose(pose.rotation), self.arm.robot.gravity))
        )
        row[self.parts["filter"]] = [*weight.force, *weight.moment, *[0.0] * CHANNELS]
        return row

    def run(self, first: Array, goals: Array, settings: Array | None = None) -> HapticRecording:
        """Run K samples from the row `first` (size,), for goals (K, `GOAL_SIZE`) and settings (32,) or (K, 32).

        Without settings the object is the one that the cycle was made for. Raises `ArgumentError` for wrong shapes and
        `DivergenceError`, with the time, where the loop becomes infinite or NaN.
        """
        steps, n = len(goals), self.cycle.n
        asked = self.cycle.rendered.settings if settings is None else np.asarray(settings, dtype=np.float64)
        if goals.shape != (steps, GOAL_SIZE) or asked.shape not in ((SETTING_COUNT,), (steps, SETTING_COUNT)):
            raise ArgumentError(
                f"goals of shape {goals.shape}, settings of shape {asked.shape}",
                remedy=f"give (K, {GOAL_SIZE}) and ({SETTING_COUNT},) or (K, {SETTING_COUNT})",
            )
        states = np.empty((steps + 1, 1, self.size))
        states[0, 0] = first
        log = np.empty((steps, 1, 2 * n + 2 * CHANNELS + 1))
        noise = np.random.default_rng(self.setting.seed).standard_normal((steps, 1, CHANNELS))
        rows = np.ascontiguousarray(np.broadcast_to(asked, (steps, SETTING_COUNT)))
        drives = [np.ascontiguousarray(goals, dtype=np.float64)[:, None], rows[:, None], noise]
        result = self.native.run(states, drives, log)
        if result.end is not LoopEnd.DONE:
            raise DivergenceError(
                f"the haptic loop is no longer finite at t = {result.steps * self.period:g} s",
                remedy="render a larger mass, use slower poles, or a filter with a higher cut-off",
            )
        seen, wrench, hand, tau, status = np.split(log[:, 0], np.cumsum([n, CHANNELS, CHANNELS, n]), axis=1)
        motion = states[:-1, 0, self.parts["motion"]]
        return HapticRecording(
            np.arange(steps) * np.float64(self.period),
            seen,
            wrench,
            hand,
            tau,
            status[:, 0],
            motion[:, :n],
            motion[:, n:],
            states[:-1, 0, self.parts["cycle"]],
            states[-1, 0].copy(),
        )

    def _split(self, row: Sequence[Any]) -> dict[str, list[Any]]:
        return {name: list(row[part]) for name, part in self.parts.items()}

    def _join(self, parts: Mapping[str, Sequence[Any]]) -> list[Any]:
        return [value for name in self.parts for value in parts[name]]


def _dot(row: Sequence[Scalar], v: Sequence[Scalar]) -> Scalar:
    return sum((a * b for a, b in zip(row, v, strict=True)), start=0.0)
