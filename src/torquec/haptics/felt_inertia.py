"""Apparent mass at the hand: force over acceleration as in Clover (IV, section V), and an unbiased estimate.

(1)  joint speeds are differences of encoder positions; a smoothing spline is fitted by generalized cross-validation,
     and its slope is the acceleration                                         (:mod:`torquec.trajectory.smoothing`)
(2)  forward kinematics gives the frame's velocity J qd and acceleration J qdd + Jd qd
(3)  |F|/|A| sample by sample, for rotation |G|/|alpha|; its mean and standard deviation
(4)  f_j = sum w_j Y . F,  a_j = sum w_j Y . D;   unbiased value  m = sum f_j/sum a_j

Near A = 0 the quotient is meaningless. The paper states no rule; here a sample counts where |F| |A| is at least
`counted_share`^2 of its mean, and neither the start of the motion nor the ends of the spline count. Selection by |A|
alone biases the mean down (samples in which vibration of the arm adds to A count, those in which it subtracts do not),
selection by |F| alone biases it up (by 1/|A|); the product does neither. Force noise still makes |F| too large: the
quotient is biased where the force is not far above its noise (`is_biased`).

(4) is an instrumental-variable estimate. Y is the intended acceleration Z, shifted in phase by the lag of the arm (a
sum of Z and its derivative, two-stage least squares); force noise and vibration of the arm are both uncorrelated with
it. D is the second difference of the measured pose: nothing is smoothed, and its quantisation noise averages out under
Hann windows w_j of half a turn with 50 % overlap. Where the object is free throughout fewer than six windows, the free
samples of all windows count, with the accelerations of (2). Least squares are biased: the noise of F makes
sum F . F/sum F . A too large, the vibration in A makes sum F . A/sum A . A too small.

(5)  95 % interval:  m +- (t s + r m),   s^2 = (4/3) sum (f_j - m a_j)^2/(sum a_j)^2

t is Student's for the number of windows without overlap; 4/3 accounts for the overlap. r is the known systematic part:
a differenced speed lags by half a period T, from which feedback with poles p makes a relative amplitude error of

(6)  r = w^2 T |Re p|/|p|^2      at the angular frequency w of the motion

Samples in which the loop stops or limits the object (a joint at its limit, a capped force) count neither in (3) nor in
(4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from torquec.codegen.llvm import compile_function
from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.foundation.arrays import Array, Mask
from torquec.haptics.tuning import TUNING
from torquec.robot.robot import Robot
from torquec.spatial import Scalar
from torquec.trajectory.smoothing import even_spline

_NORMAL_QUANTILE = 1.959964  # two-sided 95 % quantile of the normal distribution


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """Motion of a frame measured by encoders (1), (2), in base axes.

    t (N,); position (N, 3), rotation (N, 3, 3); velocity and acceleration (N, 6), linear before angular.
    """

    t: Array
    position: Array
    rotation: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True)
class FeltInertia:
    """Apparent inertia [kg or kg m^2]: statistics of the quotient (3), and the `unbiased` value (4).

    `mean` and standard `deviation` are over `counted` of the `samples`; `interval` is the 95 % interval (5).
    """

    mean: float
    deviation: float
    unbiased: float
    interval: tuple[float, float]
    counted: int
    samples: int

    @property
    def is_biased(self) -> bool:
        """Whether the quotient's mean is biased: outside of the interval, and off by more than 1 %."""
        low, high = self.interval
        return not low <= self.mean <= high and abs(self.mean / self.unbiased - 1.0) > TUNING.biased_deviation


@dataclass(frozen=True, eq=False)
class IntendedMotion:
    """The motion that the hand intends: `acceleration` (N, 3), `speed` [rad/s] of its phase, from `start` [s] on.

    `systematic` is r of (6).
    """

    acceleration: Array
    speed: float
    start: float = 0.0
    systematic: float = 0.0


def measured_motion(robot: Robot, frame: str, t: npt.ArrayLike, q: npt.ArrayLike) -> MeasuredMotion:
    """The motion of a frame from encoder positions q (N, n) at evenly spaced times t (N,).

    Raises `ArgumentError` for times that are not evenly spaced, and for too few of them.
    """
    times, joints = np.asarray(t, dtype=np.float64), np.asarray(q, dtype=np.float64)
    steps = np.diff(times)
    if joints.ndim != 2 or times.shape != joints.shape[:1] or not np.allclose(steps, steps[:1], rtol=1e-6, atol=0.0):
        raise ArgumentError(
            f"positions of shape {joints.shape} at {times.shape} times", remedy="give a row per time, evenly spaced"
        )
    h = float((times[-1] - times[0]) / (len(times) - 1))
    splines = [even_spline(np.diff(column) / h, h).between() for column in joints.T]
    speed, rate = (np.ascontiguousarray(np.stack(part, axis=1)) for part in zip(*splines, strict=True))
    turn, origin, velocity, acceleration = frame_motion(robot, frame)(np.ascontiguousarray(joints), speed, rate)
    return MeasuredMotion(times, origin, turn, velocity, acceleration)


def recorded_motion(robot: Robot, frame: str, t: Array, q: Array, qd: Array) -> MeasuredMotion:
    """The motion of a frame from a simulation's own joint positions and speeds (N, n): causal, without smoothing.

    Accelerations are those of the interval before each sample.
    """
    rate = np.zeros_like(qd)
    rate[1:] = np.diff(qd, axis=0) / float(t[1] - t[0])
    turn, origin, velocity, acceleration = frame_motion(robot, frame)(*map(np.ascontiguousarray, (q, qd, rate)))
    return MeasuredMotion(t, origin, turn, velocity, acceleration)


def frame_motion(robot: Robot, frame: str) -> Callable[..., tuple[Array, ...]]:
    """Natively, q, qd, qdd (N, n) -> rotation (N, 3, 3), origin (N, 3), velocity and acceleration (N, 6) of a frame."""

    def algorithm(q: list[Scalar], qd: list[Scalar], qdd: list[Scalar]) -> dict[str, object]:
        pose = frame_pose(robot, frame, q)
        J, rate = jacobian(robot, frame, q), jacobian_derivative(robot, frame, q, qd)
        velocity = [sum((a * b for a, b in zip(row, qd, strict=True)), start=0.0) for row in J]
        acceleration = [
            sum((a * b for a, b in zip((*row, *drift), (*qdd, *qd), strict=True)), start=0.0)
            for row, drift in zip(J, rate, strict=True)
        ]
        return {"turn": pose.rotation, "origin": pose.origin, "velocity": velocity, "acceleration": acceleration}

    ports = dict.fromkeys(("q", "qd", "qdd"), (robot.n,))
    return compile_function(trace("frame_motion", algorithm, ports)).call


def skew_part(rotation: Array) -> Array:
    """The axis times the sine of the angle (N, 3) of rotations (N, 3, 3)."""
    between = 0.5 * (rotation - np.swapaxes(rotation, 1, 2))
    return np.stack([between[:, 2, 1], between[:, 0, 2], between[:, 1, 0]], axis=1)


def pose_differences(t: Array, position: Array, rotation: Array) -> Array:
    """Second differences of poses (N, 6) by time, linear before angular, base axes; zero at both ends.

    `position` (N, 3), `rotation` (N, 3, 3). The angular part differences the mean angular velocities of two intervals.
    """
    h = float(t[1] - t[0])
    # Of a small angle the skew part is the rotation vector times sin(angle)/angle.
    sine = skew_part(rotation[1:] @ np.swapaxes(rotation[:-1], 1, 2))
    size = np.linalg.norm(sine, axis=1, keepdims=True)
    spin = sine * np.where(size > 0.0, np.arcsin(np.minimum(size, 1.0)) / np.where(size > 0.0, size, 1.0), 1.0)
    found = np.zeros((len(t), 6))
    found[1:-1] = np.diff(np.hstack([np.diff(position, axis=0), spin]), axis=0) / h**2
    return found


def felt_inertia(
    t: Array,
    load: Array,
    acceleration: Array,
    intended: IntendedMotion,
    *,
    differences: Array | None = None,
    free: Mask | None = None,
) -> FeltInertia:
    """Apparent inertia (3)-(5) from forces (or moments) and accelerations (N, 3), in the same axes, at times t (N,).

    `differences` (N, 3) are those of (4), the accelerations unless given. Only samples count where `free` (N,) is true,
    that is, where nothing stops the object; all unless given. Raises `ArgumentError` where no sample, or too short a
    motion, is left.
    """
    steady = (t >= intended.start) & (t >= t[0] + TUNING.discarded_ends) & (t <= t[-1] - TUNING.discarded_ends)
    if free is not None:
        steady &= free
    push, moved = np.linalg.norm(load, axis=1), np.linalg.norm(acceleration, axis=1)
    counts = steady & _says_something(push, moved, steady)
    if not counts.any():
        raise ArgumentError(
            "nothing moved freely in the evaluated time",
            remedy="record a longer or faster motion, away from the limits of the joints",
        )
    quotient = push[counts] / moved[counts]
    rows = acceleration if differences is None else differences
    value, half = _unbiased(t, load, _Motion(rows, acceleration), intended, steady)
    return FeltInertia(
        float(quotient.mean()), float(quotient.std()), value, (value - half, value + half), int(counts.sum()), len(t)
    )


class _Motion(NamedTuple):
    """Accelerations (N, 3): differences for windows in which the object is free all the time, smoothed for others."""

    differences: Array
    smoothed: Array


def _unbiased(t: Array, load: Array, moved: _Motion, intended: IntendedMotion, steady: Mask) -> tuple[float, float]:
    """(4), and half of the interval (5)."""
    h, long = float(t[1] - t[0]), np.pi / intended.speed
    wanted = intended.acceleration
    instruments = np.stack([wanted, np.gradient(wanted, h, axis=0) / intended.speed])
    forces, motions, smooth = (np.einsum("zkc,kc->zk", instruments, values) for values in (load, *moved))
    whole, parts = [], []
    for begin in np.arange(float(t[steady][0]), float(t[-1]) - long, 0.5 * long):
        rows = (t >= begin) & (t <= begin + long)
        w = np.sin(np.pi * (t[rows] - begin) / long) ** 2
        if steady[rows].all():
            whole.append((forces[:, rows] @ w, motions[:, rows] @ w))
        w = w * steady[rows]
        parts.append((forces[:, rows] @ w, smooth[:, rows] @ w))
    # If too few windows are free throughout, the free samples of all windows count, with smoothed accelerations.
    sums = whole if len(whole) >= TUNING.fewest_windows else parts
    if len(sums) < TUNING.fewest_windows:
        raise ArgumentError(
            f"the object moved for {len(sums)} windows of half a turn ({long:.2g} s)",
            remedy=f"record a longer motion: {TUNING.fewest_windows} such windows are needed",
        )
    f, a = (np.array(part) for part in zip(*sums, strict=True))
    phase = a.sum(axis=0)  # Y of (4): how Z and its derivative are mixed, by the first stage
    f, a = f @ phase, a @ phase
    value = float(f.sum() / a.sum())
    spread = float(np.sqrt(4.0 / 3.0 * ((f - value * a) ** 2).sum()) / abs(a.sum()))
    return value, student(0.5 * len(sums) - 1.0) * spread + intended.systematic * abs(value)


def student(degrees: float) -> float:
    """Two-sided 95 % quantile of Student's distribution, by its series in 1/degrees.

    >>> round(student(4.0), 2), round(student(30.0), 3)
    (2.77, 2.042)
    """
    z, n = _NORMAL_QUANTILE, degrees
    first, second = (z**3 + z) / 4.0, (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0
    third = (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0
    return z + first / n + second / n**2 + third / n**3


def quotient_over_time(load: Array, acceleration: Array) -> Array:
    """|F|/|A| (N,) of every sample, NaN where nothing accelerates: for plots."""
    push, moved = np.linalg.norm(load, axis=1), np.linalg.norm(acceleration, axis=1)
    counts = _says_something(push, moved, np.ones(len(push), dtype=bool))
    return np.where(counts, push / np.where(moved > 0.0, moved, 1.0), np.nan)


def _says_something(push: Array, moved: Array, steady: Mask) -> Mask:
    """Samples far enough from A = 0, relative to the mean over the steady motion."""
    usual = float((push * moved)[steady].mean()) if steady.any() else 0.0
    found: Mask = (push * moved >= TUNING.counted_share**2 * usual) & (moved > 0.0)
    return found
