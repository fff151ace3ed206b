"""Runs of a robot as Izaguirre et al. (section 7) recorded them, simulated: short motions, positions and torques only.

(1)  splines of degree five through points inside of every joint's range, at rest at both ends; of ten runs, six go
     over one point and four over two; slowed down or sped up until the fastest joint reaches a given speed
(2)  recorded every 28 ms: positions as an encoder gives them, rounded to its resolution, and torques with white noise,
     whose deviation is a share of the largest torque of the joint; speeds are not recorded

The paper states the rate, the number of runs, their kind and what was found, not the noise: 2 % of the largest torque
gives the friction of joints 1 to 3 about the scatter that its Table 2 prints. The scatter of its wrist is larger, which
it puts down to a coupling of the last three motors that neither its model nor this one has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.model.model import compile
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.polynomial_motion import quintic_spline
from torquec.trajectory.trajectory import Trajectory

PERIOD = 0.028
_RUNS = 10  # as Izaguirre et al. recorded
_SHORT = 6  # of these go over one point, as theirs (1)
_SPEED = 4.0  # [rad/s]: inertia and friction then make torques of one size on this arm
_REACH = 1.8  # [rad], about a hundred degrees to each side


@dataclass(frozen=True)
class MeasurementNoise:
    """Deviation of the torques as a share of the largest one, and resolution of the encoders [rad or m] (2)."""

    torque: float = 0.02
    resolution: float = 1e-4


_NOISE = MeasurementNoise()


def simulated_runs(
    robot: Robot,
    *,
    count: int = _RUNS,
    noise: MeasurementNoise = _NOISE,
    period: float = PERIOD,
    speed: float = _SPEED,
    seed: int = 0,
) -> list[Log]:
    """Logs of `count` runs (1), (2), a sample every `period` seconds, the fastest joint at `speed` [rad/s].

    Raises `ArgumentError` for numbers that are not positive, `RobotError` for a robot without inertias.
    """
    if count < 1 or not (period > 0.0 and speed > 0.0 and noise.torque >= 0.0 and noise.resolution >= 0.0):
        raise ArgumentError("a number of these runs is not positive", remedy="give positive numbers")
    rng = np.random.default_rng(seed)
    short = math.ceil(count * _SHORT / _RUNS)
    motions = [_run(robot, rng, 3 if k < short else 4, speed, period) for k in range(count)]
    model = compile(robot)
    torques = [np.asarray(model.total_torque(m.q, m.qd, m.qdd)) for m in motions]
    deviation = noise.torque * np.max([np.abs(tau).max(axis=0) for tau in torques], axis=0)
    return [
        Log(
            robot.joint_names,
            motion.t,
            _rounded(motion.q, noise.resolution),
            tau + deviation * rng.normal(size=tau.shape),
            source=f"run {k + 1}",
        )
        for k, (motion, tau) in enumerate(zip(motions, torques, strict=True))
    ]


def _run(robot: Robot, rng: np.random.Generator, points: int, speed: float, period: float) -> Trajectory:
    """(1)."""
    lower, upper = np.array([_range(robot, j) for j in range(robot.n)]).T
    way = rng.uniform(lower, upper, (points, robot.n))
    times = np.arange(points, dtype=np.float64)
    fastest = float(np.abs(quintic_spline(times, way, period=0.01).qd).max())
    return quintic_spline(times * fastest / speed, way, joints=robot.joint_names, period=period)


def _range(robot: Robot, j: int) -> tuple[float, float]:
    limits = robot.joints[j].limits
    return max(limits.lower, -_REACH), min(limits.upper, _REACH)


def _rounded(q: Array, resolution: float) -> Array:
    if resolution == 0.0:
        return q
    rounded: Array = np.round(q / resolution) * resolution
    return rounded
