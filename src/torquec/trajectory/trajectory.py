"""`Trajectory`: a motion of all joints over time, as samples and, where it is known, as a formula.

(1)  Between samples, a motion without a formula follows the polynomial of degree five that has the position, speed and
     acceleration of both neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind


@dataclass(frozen=True, eq=False)
class MotionState:
    """Position, speed and acceleration of all joints, (n,) each, or (N, n) at N times."""

    q: Array
    qd: Array
    qdd: Array


class Motion(Protocol):
    """The formula of a motion from time `start` to time `end`."""

    @property
    def start(self) -> float:
        """First time [s]."""
        ...

    @property
    def end(self) -> float:
        """Last time [s]."""
        ...

    def at(self, t: npt.ArrayLike) -> MotionState:
        """The state at a time, or at N times (N,)."""
        ...


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Samples of a motion: times t (N,), rising, and q, qd, qdd (N, n); `joints` names the columns.

    `motion` is the formula that the samples are taken from. The arrays are copied and cannot be written to.
    Raises `ArgumentError` for shapes that do not agree, for times that do not rise and for values that are not finite.

    >>> rest = Trajectory(("a",), [0.0, 1.0], [[2.0], [2.0]], [[0.0], [0.0]], [[0.0], [0.0]])
    >>> rest.duration, rest.at(0.5).q.tolist()
    (1.0, [2.0])
    """

    joints: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    motion: Motion | None = None

    def __repr__(self) -> str:
        return f"Trajectory({self.n} joints, {len(self.t)} samples from {self.t[0]:g} to {self.t[-1]:g} s)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        object.__setattr__(self, "t", _frozen("t", self.t))
        for name in ("q", "qd", "qdd"):
            object.__setattr__(self, name, _frozen(name, getattr(self, name)))
        _check(self)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    def __len__(self) -> int:
        return len(self.t)

    @property
    def duration(self) -> float:
        """From the first sample to the last [s]."""
        return float(self.t[-1] - self.t[0])

    @property
    def period(self) -> float:
        """The constant sampling interval [s]; raises `ArgumentError` where the samples are not evenly spaced."""
        steps = np.diff(self.t)
        if len(steps) == 0 or np.ptp(steps) > 1e-6 * steps.mean():
            raise ArgumentError(
                "the samples of this trajectory are not evenly spaced", remedy="use trajectory.sampled(period)"
            )
        return float(self.duration / len(steps))

    def at(self, t: npt.ArrayLike) -> MotionState:
        """The state at a time, or at N times; outside the samples, at rest at the first or last position.

        Raises `ArgumentError` for times that are not finite.
        """
        times = np.asarray(t, dtype=np.float64)
        if not np.isfinite(times).all():
            raise ArgumentError("a time is not finite", remedy="ask for times in seconds")
        formula = self._interpolant if self.motion is None else self.motion
        state = formula.at(np.clip(times, formula.start, formula.end))
        outside = ((times < self.t[0]) | (times > self.t[-1]))[..., None]
        return MotionState(state.q, np.where(outside, 0.0, state.qd), np.where(outside, 0.0, state.qdd))

    @cached_property
    def _interpolant(self) -> Motion:
        """(1)."""
        from torquec.trajectory.polynomial_motion import polynomial_motion

        return polynomial_motion(self.t, self.q, self.qd, self.qdd)

    def sampled(self, period: float) -> Trajectory:
        """The same motion with samples every `period` seconds, the last one at or just after the end.

        Raises `ArgumentError` for a period that is not positive or longer than the motion.
        """
        times = sample_times(float(self.t[0]), float(self.t[-1]), period)
        state = self.at(times)
        return Trajectory(self.joints, times, state.q, state.qd, state.qdd, self.motion)

    def of_joints(self, joints: Sequence[str]) -> Trajectory:
        """The same motion with its columns in the order of `joints`; columns q1 .. qn are taken in that order.

        Raises `ArgumentError` where it moves other joints.

        >>> still = Trajectory(("b", "a"), [0.0, 1.0], [[2.0, 1.0]] * 2, [[0.0, 0.0]] * 2, [[0.0, 0.0]] * 2)
        >>> still.of_joints(["a", "b"]).q[0].tolist()
        [1.0, 2.0]
        """
        wanted = tuple(joints)
        if self.joints == wanted:
            return self
        if set(self.joints) == set(wanted):
            columns = tuple(self.joints.index(name) for name in wanted)
            motion = None if self.motion is None else _ReorderedMotion(self.motion, columns)
            q, qd, qdd = (values[:, columns] for values in (self.q, self.qd, self.qdd))
            return Trajectory(wanted, self.t, q, qd, qdd, motion)
        if self.joints == joint_labels(None, len(wanted)):
            return Trajectory(wanted, self.t, self.q, self.qd, self.qdd, self.motion)
        raise ArgumentError(
            f"the joints of the trajectory are {', '.join(self.joints)}",
            remedy=f"move {', '.join(wanted)}, or leave the names out to take the columns in this order",
        )


@dataclass(frozen=True)
class _ReorderedMotion:
    """A motion with its columns in another order."""

    motion: Motion
    columns: tuple[int, ...]

    @property
    def start(self) -> float:
        return self.motion.start

    @property
    def end(self) -> float:
        return self.motion.end

    def at(self, t: npt.ArrayLike) -> MotionState:
        state = self.motion.at(t)
        q, qd, qdd = (values[..., self.columns] for values in (state.q, state.qd, state.qdd))
        return MotionState(q, qd, qdd)


def sample_times(start: float, end: float, period: float) -> Array:
    """Times from `start`, every `period` seconds, until `end` is reached.

    >>> sample_times(0.0, 1.0, 0.4).tolist()
    [0.0, 0.4, 0.8, 1.2000000000000002]
    """
    if not (np.isfinite(period) and 0.0 < period <= end - start):
        raise ArgumentError(
            f"a sampling interval of {period:g} s for a motion of {end - start:g} s",
            remedy="give a positive interval, shorter than the motion",
        )
    steps = int(np.ceil((end - start) / period * (1.0 - 1e-12)))
    times: Array = start + period * np.arange(steps + 1, dtype=np.float64)
    return times


_BYTES = 8
"""Bytes of a number."""


def check_samples(duration: float, period: float, n: int, where: str = "") -> None:
    """Raise `ArgumentError` where the samples of n joints would take more memory than a trajectory may."""
    samples = duration / period if period > 0.0 else 0.0
    size = samples * _BYTES * (1 + 3 * n)
    if size > FileKind.TRAJECTORY.most_bytes:
        found = f"{samples:.3g} samples of {n} joints, {period:g} s apart, take {size / 1e6:.4g} MB"
        raise FileKind.TRAJECTORY.too_large(found, where)


def trajectory_of(motion: Motion, *, joints: Sequence[str], period: float) -> Trajectory:
    """The samples of a motion, every `period` seconds, with the names of its joints (n,)."""
    check_samples(motion.end - motion.start, period, len(joints))
    times = sample_times(motion.start, motion.end, period)
    state = motion.at(np.minimum(times, motion.end))
    return Trajectory(tuple(joints), times, state.q, state.qd, state.qdd, motion)


def joint_labels(joints: Sequence[str] | None, n: int) -> tuple[str, ...]:
    """The given names, n of them, or q1 .. qn; raises `ArgumentError` for another number or for repeated names.

    >>> joint_labels(None, 2)
    ('q1', 'q2')
    """
    names = tuple(f"q{k + 1}" for k in range(n)) if joints is None else tuple(joints)
    if len(names) != n or len(set(names)) != n:
        raise ArgumentError(
            f"{n} joints move, the names are {', '.join(names) or 'none'}",
            remedy="name each joint once, in joint order",
        )
    return names


def _frozen(name: str, values: npt.ArrayLike) -> Array:
    try:
        array = np.array(values, dtype=np.float64, order="C")  # native loops read rows
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"'{name}' is not an array of real numbers ({error})", remedy="give floats") from error
    array.flags.writeable = False
    return array


def _check(trajectory: Trajectory) -> None:
    t, joints = trajectory.t, trajectory.joints
    joint_labels(joints, len(joints))
    if t.ndim != 1 or len(t) < 2 or not np.isfinite(t).all() or np.any(np.diff(t) <= 0.0):
        raise ArgumentError("the times of a trajectory do not rise", remedy="give at least two finite, rising times")
    for name in ("q", "qd", "qdd"):
        values = getattr(trajectory, name)
        if values.shape != (len(t), len(joints)):
            raise ArgumentError(
                f"'{name}' has shape {values.shape}", remedy=f"give one row per time, ({len(t)}, {len(joints)})"
            )
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            row, column = bad[0]
            raise ArgumentError(
                f"'{name}' of joint '{joints[column]}' is not finite at t = {t[row]:g} s", remedy="mend that sample"
            )


def quintic_coefficients(left: tuple[Array, Array, Array], right: tuple[Array, Array, Array]) -> tuple[Array, ...]:
    """The polynomial c0 + c1 s + .. + c5 s^5 on 0 <= s <= 1 from value, first and second derivative by s at both ends.

    >>> [float(c) for c in quintic_coefficients((np.zeros(()),) * 3, (np.ones(()), np.zeros(()), np.zeros(())))]
    [0.0, 0.0, 0.0, 10.0, -15.0, 6.0]
    """
    (p, v, a), (p1, v1, a1) = left, right
    rise = p1 - p - v - 0.5 * a
    slope = v1 - v - a
    bend = a1 - a
    return (
        p,
        v,
        0.5 * a,
        10.0 * rise - 4.0 * slope + 0.5 * bend,
        -15.0 * rise + 7.0 * slope - bend,
        6.0 * rise - 3.0 * slope + 0.5 * bend,
    )
