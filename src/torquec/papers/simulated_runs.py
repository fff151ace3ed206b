"""The identification experiment of Izaguirre et al. (section 7), simulated: short runs, then elimination.

(1)  splines of degree five through points inside of every joint's range, at rest at both ends; of ten runs, six go
     over one point and four over two; slowed down or sped up until the fastest joint reaches a given speed
(2)  recorded every 28 ms: positions as an encoder gives them, rounded to its resolution, and torques with white noise,
     whose deviation is a share of the largest torque of the joint; speeds are not recorded

The paper states the rate, the number and kind of its runs, and their results, but not the noise. With 2 % of the
largest torque, the friction of joints 1 to 3 scatters about as much as in its Table 2. There the scatter of the wrist
is larger; the paper attributes this to a coupling of the last three motors, which neither its model nor this one has.

Identification from the runs:

(3)  speeds and accelerations by central differences alone: the low-pass filter is opened to almost the Nyquist rate
(4)  15 samples are cut at each end of a run
(5)  stepwise elimination in the base of section 6.1 (`elimination`, `inward_basis`)
(6)  gravity of the PUMA 260's shoulder: g2 = c12 C2 + c13 S23 + c15 (S23 C5 + C23 C4 S5)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.logs.prepare import prepare
from torquec.identification.torque.torque_model import TorqueModel
from torquec.model.model import compile
from torquec.papers.elimination import Elimination, eliminate
from torquec.papers.inward_basis import InwardBasis
from torquec.robot.robot import Robot
from torquec.trajectory.log import Log
from torquec.trajectory.polynomial_motion import quintic_spline
from torquec.trajectory.trajectory import Trajectory

PERIOD = 0.028
_RUNS = 10  # as Izaguirre et al. recorded
_RUNS_OVER_POINT = 6  # of these go over one point, as theirs (1)
_SPEED = 4.0  # [rad/s]: torques of inertia and of friction then have the same size on this arm
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
    short = math.ceil(count * _RUNS_OVER_POINT / _RUNS)
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


_CUTOFF = 0.49  # of the sampling rate (3)
_EDGE_SAMPLES = 15  # samples (4)


def simulated_elimination(
    model: TorqueModel, basis: InwardBasis, *, noise: MeasurementNoise = _NOISE, seed: int = 0
) -> Elimination:
    """Eliminate parameters of `basis` that ten simulated runs of the model's robot do not need (3)-(5)."""
    logs = simulated_runs(model.robot, noise=noise, seed=seed)
    runs = [prepare(log, cutoff=_CUTOFF / PERIOD, edge=_EDGE_SAMPLES * PERIOD) for log in logs]
    return eliminate(basis.names, [(model.regressor(run)[run.used] @ basis.matrix, run.tau[run.used]) for run in runs])


def gravity_coefficients(robot: Robot) -> tuple[float, float, float]:
    """c12, c13 and c15 of (6) [N m] for a PUMA 260, from its gravity torques at three positions."""
    quarter = math.pi / 2.0
    arm = compile(robot)
    hanging = arm.gravity_torque([0.0, quarter, 0.0, 0.0, quarter, 0.0])[1]
    bent = arm.gravity_torque([0.0, quarter, 0.0, 0.0, 0.0, 0.0])[1]
    level = arm.gravity_torque([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])[1]
    return float(level), float(hanging), float(bent - hanging)
