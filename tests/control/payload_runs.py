"""Simulated arms with an unknown payload: friction off by a third, encoder noise, torque ripple; runs in one call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import torquec as tq
from torquec.control.uncertainty import SpeedSource
from torquec.expr.math import sincos
from torquec.robot.drives import read_drives
from torquec.robot.lock_joints import lock_joints
from torquec.simulation.applied_forces import HeldPayload
from torquec.simulation.closed_loop import LoopOptions, drives_of, prepared_loop
from torquec.simulation.observed_run import estimate
from torquec.simulation.plant import DryFriction, Plant
from torquec.simulation.plant_force import ForceWithState
from torquec.simulation.sensors import Sensors

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
PERIOD = 0.001
PAYLOADS = (
    (0.0, (0.0, 0.0, 0.0)),
    (0.5, (0.0, 0.0, 0.05)),
    (1.0, (0.03, 0.0, 0.08)),
    (2.0, (0.0, -0.05, 0.06)),
    (3.0, (0.02, 0.04, 0.1)),
)
SENSORS = Sensors(resolution=2e-5, position_noise=1e-5, speed=SpeedSource.DIFFERENCE, filter_share=0.3)
RIPPLE, WAVES = 0.005, (100.0, 200.0)
"""Torque ripple of a harmonic drive with ratio 100: amplitude by the torque limit, periods per turn of the joint."""


@dataclass(frozen=True)
class Ripple(ForceWithState):
    """A torque that is periodic in the position of each joint; its phases are numbers of the run."""

    amplitudes: tuple[float, ...]

    def check(self, robot):
        pass

    def first_state(self, robot, q, qd):
        return [0.0] * (len(WAVES) * robot.n)

    def state_rate(self, robot, now):
        return [0.0 * x for x in now.state]

    def torque(self, robot, now):
        found = []
        for j, (x, a) in enumerate(zip(now.q, self.amplitudes, strict=True)):
            waves = [sincos(m * x + now.state[k * robot.n + j])[0] for k, m in enumerate(WAVES)]
            found.append(a * sum(waves))
        return found


def arm(name):
    """The Panda without fingers or the UR5, with the shared drives; frame, middle configuration, amplitudes."""
    models, drives = SHARED / "models", SHARED / "drives"
    if not models.exists():
        pytest.skip("the shared models are not here")
    robot = read_drives(drives / f"{name}.drives.toml", tq.load(models / f"{name}.urdf"))
    if name == "ur5":
        return robot, "tool0", [0, -1.2, 1.5, -1.0, -1.2, 0], [0.5, 0.35, 0.4, 0.6, 0.6, 0.8]
    fingers = {joint: 0.0 for joint in robot.joint_names if "finger" in joint}
    sizes = [0.5, 0.35, 0.5, 0.4, 0.6, 0.5, 0.8]
    return lock_joints(robot, fingers), "panda_hand_tcp", [0, -0.3, 0, -2.0, 0, 1.8, 0.7], sizes


def waving(robot, middle, sizes, seconds, seed, *, period=PERIOD):
    """A smooth motion from rest: two sines per joint around a middle configuration, faded in."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, seconds + 0.5 * period, period)
    s = np.clip(t / 0.5, 0.0, 1.0)[:, None]
    speed, phase = rng.uniform(1.5, 4.0, (2, robot.n)), rng.uniform(0, 2 * np.pi, (2, robot.n))
    wave = sum(np.sin(w * t[:, None] + f) - np.sin(f) for w, f in zip(speed, phase, strict=True))
    q = np.array(middle) + s**3 * (10 - 15 * s + 6 * s**2) * np.array(sizes) * wave * 0.5
    qd = np.gradient(q, period, axis=0)
    return tq.Trajectory(robot.joint_names, t, q, qd, np.gradient(qd, period, axis=0))


def recorded_runs(robot, motion, payload, *, runs, seed, ripple=RIPPLE):
    """Measured motions and torques (S, runs, n) of robots whose friction is up to a third off the file's."""
    limits = np.array([joint.limits.effort for joint in robot.joints])
    forces = (Ripple(tuple((ripple * limits).tolist())), *([payload] if payload.mass else []))
    plant = Plant(robot, friction=DryFriction.STICK, varies=True, forces=forces)
    law = tq.computed_torque(robot, -15.0, period=PERIOD)
    run, sampled = prepared_loop(plant, law, motion, LoopOptions(sensors=SENSORS))
    rng = np.random.default_rng(seed)
    n, bodies = robot.n, len(robot.bodies)
    factors = np.concatenate([np.ones((runs, bodies)), rng.uniform(0.67, 1.33, (runs, n))], axis=1)
    rows = run.first_rows(np.tile(motion.q[0], (runs, 1)), np.zeros((runs, n)), factors)
    first = run.loop.parts["motion"].start + 2 * n
    rows[:, first : first + len(WAVES) * n] = rng.uniform(0, 2 * np.pi, (runs, len(WAVES) * n))
    found = run.run(rows, drives_of(plant, law, sampled), seeds=[(seed, k) for k in range(runs)])
    assert (found.diverged < 0).all()
    return found.seen, found.seen_speed, np.clip(found.wanted, -limits, limits)


def mass_errors(name, *, runs, ripple=RIPPLE):
    """True masses, errors and radii of the interval after 4 s, (5 runs,) each."""
    robot, frame, middle, sizes = arm(name)
    estimator = tq.recursive_estimator(robot, frame, period=PERIOD)
    found = []
    for k, (mass, center) in enumerate(PAYLOADS):
        inertia = tuple(tuple(0.0016 * mass * (i == j) for j in range(3)) for i in range(3))
        motion = waving(robot, middle, sizes, 4.0, 10 + k)
        held = HeldPayload(frame, mass, center, inertia)
        logs = recorded_runs(robot, motion, held, runs=runs, seed=100 + k, ripple=ripple)
        estimated, interval, *_ = estimate(estimator, *logs)
        radius = 0.5 * (interval[-1, :, 1] - interval[-1, :, 0])
        found.append(np.array([np.full(runs, mass), estimated[-1, :, 0] - mass, radius]))
    return np.concatenate(found, axis=1)
