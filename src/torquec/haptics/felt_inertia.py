"""The mass that a hand feels: force over acceleration, measured as Clover does (IV, section V).

(1)  joint speeds are differences of encoder positions; a spline is put through them by generalized cross-validation,
     and its slope is the acceleration                                         (:mod:`torquec.trajectory.even_spline`)
(2)  forward kinematics gives the frame's velocity J qd and acceleration J qdd + Jd qd
(3)  |F|/|A| sample by sample, for rotation |G|/|alpha|; its mean and standard deviation
(4)  sum Z . F/sum Z . A with the acceleration Z of the motion that the hand intends: what is felt in phase with it

Near A = 0 the quotient says nothing. The paper states no rule; here a sample counts where |F| |A| is at least `SHARE`^2
of its mean, and neither the start of the motion nor the ends of the spline count. The product decides since neither of
its factors may do so alone: A has what the arm does by itself, sticking and slipping, and where |A| decides, samples in
which that adds to it count and those in which it takes from it do not, so that the mean is too small; where |F|
decides, 1/|A| makes it too large. With poles that let the arm shake by 15 % of A either is off by 1 to 3 %, the product
by less than half of that.

(4) is an instrumental-variable estimate: noise of the force and shaking of the arm are both uncorrelated with the
intended motion. Least squares lack that: sum F . F/sum F . A is too large by the noise of F (6.54 for 5 kg on the
Stanford arm at half pace), sum F . A/sum A . A too small by the shaking in A (11.6 for 12.5 kg m^2 on the PUMA 560 with
poles -12 +- 45j); (4) gives 5.005 and 12.51.

Samples in which the loop stops or limits the object (a joint at its limit, a capped force) render no mass and count in
neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.codegen.llvm import compile_function
from torquec.dynamics.frame_pose import frame_pose
from torquec.dynamics.jacobian import jacobian, jacobian_derivative
from torquec.errors import ArgumentError
from torquec.expr import trace
from torquec.foundation.arrays import Array, Mask
from torquec.robot.robot import Robot
from torquec.spatial import Scalar
from torquec.trajectory.even_spline import even_spline

SHARE = 0.5
"""A sample counts where the root of |F| |A| is at least this share of the root of its mean."""

_ENDS = 0.1
"""Seconds at either end in which a spline is not trusted: it has samples on one side only."""


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """How a frame moved by encoders (1), (2), in base axes: t (N,); position (N, 3), rotation (N, 3, 3), velocity and
    acceleration (N, 6), linear before angular.
    """

    t: Array
    position: Array
    rotation: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True)
class FeltInertia:
    """Statistics of the quotient (3): mean and standard deviation [kg or kg m^2] over `counted` of `samples`; and what
    is felt `in_phase` (4), over all samples of the steady motion in which the object is free.
    """

    mean: float
    deviation: float
    in_phase: float
    counted: int
    samples: int


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


def felt_inertia(
    t: Array, load: Array, acceleration: Array, intended: Array, *, start: float = 0.0, free: Mask | None = None
) -> FeltInertia:
    """(3) and (4) of forces (or moments) and accelerations (N, 3), in the same axes, at times t (N,).

    `intended` (N, 3): the acceleration of the motion that the hand intends. Samples count from `start` [s] on, and
    where `free` (N,), all unless given: nothing stops the object there. Raises `ArgumentError` where no sample is left
    to count.
    """
    steady = (t >= start) & (t >= t[0] + _ENDS) & (t <= t[-1] - _ENDS)
    if free is not None:
        steady &= free
    push, moved = np.linalg.norm(load, axis=1), np.linalg.norm(acceleration, axis=1)
    counts = steady & _says_something(push, moved, steady)
    if not counts.any():
        raise ArgumentError(
            "nothing moved freely in the time that counts",
            remedy="record a longer or faster motion, away from the limits of the joints",
        )
    quotient = push[counts] / moved[counts]
    force, motion, instrument = load[steady], acceleration[steady], intended[steady]
    in_phase = float((instrument * force).sum() / (instrument * motion).sum())
    return FeltInertia(float(quotient.mean()), float(quotient.std()), in_phase, int(counts.sum()), len(t))


def quotient_over_time(load: Array, acceleration: Array) -> Array:
    """|F|/|A| (N,) of every sample, NaN where nothing accelerates: for pictures."""
    push, moved = np.linalg.norm(load, axis=1), np.linalg.norm(acceleration, axis=1)
    counts = _says_something(push, moved, np.ones(len(push), dtype=bool))
    return np.where(counts, push / np.where(moved > 0.0, moved, 1.0), np.nan)


def _says_something(push: Array, moved: Array, steady: Mask) -> Mask:
    """Which samples are far enough from A = 0, by what is usual where the motion is steady."""
    usual = float((push * moved)[steady].mean()) if steady.any() else 0.0
    found: Mask = (push * moved >= SHARE**2 * usual) & (moved > 0.0)
    return found
