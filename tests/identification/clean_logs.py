"""Clean logs of any robot: a smooth motion within its limits and the torques of its own model, with a little noise."""

from __future__ import annotations

import math

import numpy as np

import torquec as tq
from torquec.trajectory.log import Log


def clean_log(robot, *, seconds=12.0, rate=100.0, noise=0.01, seed=0, late=0.0, torque_robot=None):
    """A log whose torques belong to `late` seconds before its positions, and to another robot where one is given."""
    t = np.arange(round(seconds * rate)) / rate
    q, qd, _ = motion(robot, t, seed)
    tau = np.asarray(tq.compile(torque_robot or robot).total_torque(*motion(robot, t - late, seed)))
    tau = tau + noise * tau.std(axis=0) * np.random.default_rng(seed).normal(size=tau.shape)
    return Log(robot.joint_names, t, q, tau, qd, source="clean")


def motion(robot, t, seed=0):
    """Five harmonics of 0.12 Hz about the middle of each joint's range, at times t (N,)."""
    rng = np.random.default_rng(seed)
    lows = np.array([joint.limits.lower if math.isfinite(joint.limits.lower) else -2.0 for joint in robot.joints])
    highs = np.array([joint.limits.upper if math.isfinite(joint.limits.upper) else 2.0 for joint in robot.joints])
    half = np.minimum(0.5 * (highs - lows), 2.0)
    k = np.arange(1, 6)
    amplitudes = rng.uniform(0.5, 1.0, (robot.n, 5)) / k
    amplitudes *= 0.9 * half[:, None] / amplitudes.sum(axis=1, keepdims=True)
    phases = rng.uniform(0.0, 2.0 * np.pi, (robot.n, 5))
    w = 2.0 * np.pi * 0.12 * k
    angles = w * t[:, None, None] + phases
    q = 0.5 * (lows + highs) + (amplitudes * np.sin(angles)).sum(axis=2)
    qd = (amplitudes * w * np.cos(angles)).sum(axis=2)
    return q, qd, -(amplitudes * w**2 * np.sin(angles)).sum(axis=2)
