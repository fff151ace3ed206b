"""What a hand wants in an experiment: a circle, a rotation to and fro, a push; a row of `GOAL` per sample.

(1)  circle:    p + r ((cos f - 1) x + sin f y),   f' rising smoothly to the angular speed within `start` seconds
(2)  rotation:  the angle a sin f about z, likewise
(3)  push:      the force m v (pi/2T) sin(pi t/T) along x for T seconds, which brings a mass m to the speed v; no grip

x, y and z are the axes of the held frame where it starts. In (1) and (2) the hand adds what it knows the object needs:
mass times acceleration, inertia times angular acceleration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.dynamics.virtual_object import quaternion_of
from torquec.foundation.arrays import Array
from torquec.simulation.simulated_hand import GOAL, GOAL_SIZE
from torquec.spatial import Pose, axis_angle_rotation, matmul


@dataclass(frozen=True)
class HandMotion:
    """How a hand moves: `radius` [m] or `swing` [rad], `speed` [rad/s] of the phase, `start` and `duration` [s]."""

    speed: float
    duration: float
    radius: float = 0.0
    swing: float = 0.0
    start: float = 1.0

    def times(self, period: float) -> Array:
        """Samples from 0 on."""
        return np.arange(round(self.duration / period)) * np.float64(period)


def circle_goals(motion: HandMotion, pose: Pose, mass: float, *, period: float) -> Array:
    """(1) from a pose of the frame, for a mass [kg] that the hand knows."""
    x, y = (np.array([row[k] for row in pose.rotation]) for k in (0, 1))
    f, fd, fdd = (value[:, None] for value in _phase(motion, motion.times(period)))
    r, c, s = motion.radius, np.cos(f), np.sin(f)
    rows = _still(pose, len(f))
    _set(rows, "position", np.array(pose.origin) + r * ((c - 1.0) * x + s * y))
    _set(rows, "velocity", r * fd * (c * y - s * x))
    acceleration = r * (fdd * (c * y - s * x) - fd**2 * (c * x + s * y))
    _set(rows, "acceleration", acceleration)
    _set(rows, "force", mass * acceleration)
    return rows


def rotation_goals(motion: HandMotion, pose: Pose, inertia: float, *, period: float) -> Array:
    """(2) from a pose of the frame, for an inertia [kg m^2] that the hand knows."""
    z = np.array([row[2] for row in pose.rotation])
    f, fd, fdd = _phase(motion, motion.times(period))
    angle, a = motion.swing * np.sin(f), motion.swing
    rate, acceleration = a * np.cos(f) * fd, a * (np.cos(f) * fdd - np.sin(f) * fd**2)
    rows = _still(pose, len(f))
    turned = [
        quaternion_of(matmul(pose.rotation, axis_angle_rotation((0.0, 0.0, 1.0), math.cos(x), math.sin(x))))
        for x in angle
    ]
    _set(rows, "orientation", np.array(turned))
    _set(rows, "turning", rate[:, None] * z)
    _set(rows, "turning_rate", acceleration[:, None] * z)
    _set(rows, "moment", inertia * acceleration[:, None] * z)
    return rows


def push_goals(pose: Pose, mass: float, *, speed: float, lasting: float, duration: float, period: float) -> Array:
    """(3): a push of `lasting` seconds from a pose of the frame, then nothing."""
    t = np.arange(round(duration / period)) * period
    x = np.array([row[0] for row in pose.rotation])
    # The mean over each cycle: the impulse is then exact whatever the period.
    ends = np.clip(np.stack([t, t + period]), 0.0, lasting)
    gained = 0.5 * mass * speed * -np.diff(np.cos(math.pi * ends / lasting), axis=0)[0]
    rows = _still(pose, len(t))
    _set(rows, "grip", np.zeros((len(t), 1)))
    _set(rows, "force", gained[:, None] / period * x)
    return rows


def _phase(motion: HandMotion, t: Array) -> tuple[Array, ...]:
    """f and its two derivatives: its speed rises as 3 u^2 - 2 u^3, u = t/start."""
    w, T = motion.speed, motion.start
    u = np.clip(t / T, 0.0, 1.0)
    f = w * T * (u**3 - 0.5 * u**4) + w * np.clip(t - T, 0.0, None)
    return f, w * (3.0 * u**2 - 2.0 * u**3), w / T * (6.0 * u - 6.0 * u**2)


def _still(pose: Pose, count: int) -> Array:
    rows = np.zeros((count, GOAL_SIZE))
    _set(rows, "position", np.array(pose.origin))
    _set(rows, "orientation", np.array(quaternion_of(pose.rotation)))
    _set(rows, "grip", np.ones(1))
    return rows


def goal_part(rows: Array, name: str) -> Array:
    """The columns of a quantity of `GOAL` in rows (K, `GOAL_SIZE`), as a view."""
    start = 0
    for key, size in GOAL.items():
        if key == name:
            break
        start += size
    part: Array = rows[:, start : start + GOAL[name]]
    return part


def _set(rows: Array, name: str, values: Array) -> None:
    goal_part(rows, name)[...] = values
