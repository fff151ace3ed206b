"""Motion enclosures: bounds on position, speed and acceleration over short time intervals, also between samples.

(1)  on |t - t0| <= r, with |qddd| <= J:     qdd within qdd(t0) -+ J r,     qd within qd(t0) -+ (|qdd(t0)| r + J r^2/2),
     q within q(t0) -+ (|qd(t0)| r + |qdd(t0)| r^2/2 + J r^3/6)
(2)  (1) needs continuous q, qd and qdd: where polynomials meet, they must agree to rounding. `jump` bounds the sum of
     the remaining jumps of the acceleration at the knots within any `window`
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.trajectory.fourier_motion import FourierMotion
from torquec.trajectory.polynomial_motion import PolynomialMotion, polynomial_motion
from torquec.trajectory.trajectory import Trajectory

_ROUNDING = 1e-12  # relative rounding error of the formulas of a motion

_CONTINUOUS = 1e-12
"""Tolerance on continuity where polynomials meet, relative to their terms and absolute; beyond it is a jump."""


@dataclass(frozen=True, eq=False)
class MotionEnclosure:
    """A motion over N pieces of time: `t` (N,) their middles, `radius` [s] half their length.

    `q`, `qd`, `qdd` (N, n) at the middles; `q_spread`, `qd_spread`, `qdd_spread` (N, n) are the largest deviations from
    them within the piece; `jerk` (n,) bounds the third derivative, `jump` (n,) is the rounding allowance on changes of
    acceleration (2); the enclosure holds until `end` [s].
    """

    t: Array
    radius: float
    q: Array
    qd: Array
    qdd: Array
    q_spread: Array
    qd_spread: Array
    qdd_spread: Array
    jerk: Array
    jump: Array
    end: float

    def resting(self, count: int) -> MotionEnclosure:
        """The enclosure extended by `count` pieces at rest, for a motion that stays where its last piece ended.

        There the position is within the last spread; speed and acceleration are zero to rounding.
        """

        def longer(values: Array, last: Array) -> Array:
            return np.concatenate([values, np.repeat(last[None], count, axis=0)])

        zero = np.zeros_like(self.q[-1])
        return replace(
            self,
            t=np.concatenate([self.t, np.full(count, self.end)]),
            q=longer(self.q, self.q[-1]),
            qd=longer(self.qd, zero),
            qdd=longer(self.qdd, zero),
            q_spread=longer(self.q_spread, self.q_spread[-1]),
            qd_spread=longer(self.qd_spread, zero + _ROUNDING),
            qdd_spread=longer(self.qdd_spread, zero + _ROUNDING),
        )


def motion_enclosure(trajectory: Trajectory, *, pieces: int, window: float = 0.0) -> MotionEnclosure:
    """The enclosure (1) of a trajectory, from its first sample to its last one or the earlier end of its formula.

    A trajectory without a formula follows the polynomials between its samples. `window` [s]: see (2). Raises
    `ArgumentError` for fewer than one piece, for a formula without a known jerk bound, and for polynomials that are
    discontinuous (2).

    >>> from torquec.trajectory import minimum_jerk
    >>> held = motion_enclosure(minimum_jerk([0.0], [1.0], 1.0), pieces=100)
    >>> bool(held.q[0, 0] - held.q_spread[0, 0] <= 0.0), round(float(held.jerk[0]), 6)
    (True, 60.0)
    """
    if pieces < 1:
        raise ArgumentError(f"{pieces} pieces of time", remedy="give one or more")
    motion = trajectory.motion
    if motion is None:
        motion = polynomial_motion(trajectory.t, trajectory.q, trajectory.qd, trajectory.qdd)
    if not isinstance(motion, (PolynomialMotion, FourierMotion)):
        raise ArgumentError(
            f"no largest jerk is known of a motion that is a {type(motion).__name__}",
            remedy="sample it: Trajectory(joints, t, q, qd, qdd) follows polynomials between its samples",
        )
    jump = np.zeros(trajectory.n)
    start, end = max(float(trajectory.t[0]), motion.start), min(float(trajectory.t[-1]), motion.end)
    edges = np.linspace(start, end, pieces + 1)
    middles = 0.5 * (edges[:-1] + edges[1:])
    if isinstance(motion, PolynomialMotion):
        jump = _jumps(motion, trajectory.joints, max(window, (end - start) / pieces))
    r = float(np.diff(edges).max()) * 0.5 * (1.0 + _ROUNDING) + _ROUNDING * max(abs(start), abs(end))
    state, jerk = motion.at(middles), motion.jerk_bound * (1.0 + _ROUNDING)

    def spread(reach: Array, size: Array) -> Array:
        return np.asarray(reach + _ROUNDING * (1.0 + np.abs(size)), dtype=np.float64)

    return MotionEnclosure(
        middles,
        r,
        state.q,
        state.qd,
        state.qdd,
        spread(np.abs(state.qd) * r + np.abs(state.qdd) * r**2 / 2.0 + jerk * r**3 / 6.0, state.q),
        spread(np.abs(state.qdd) * r + jerk * r**2 / 2.0, state.qd),
        spread(np.broadcast_to(jerk * r + jump, state.qdd.shape), state.qdd),
        jerk,
        jump,
        end,
    )


def _jumps(motion: PolynomialMotion, joints: tuple[str, ...], window: float) -> Array:
    """(2): bound on the summed acceleration jumps of every joint within the window; raises for more than rounding."""
    jump = np.zeros((0, len(joints)))
    c, step = motion.coefficients, np.diff(motion.breaks)[:, None]
    rows = np.arange(6.0)
    ends = [c.sum(axis=0), np.tensordot(rows, c, axes=1), np.tensordot(rows * (rows - 1.0), c, axes=1)]
    starts = [c[0], c[1], 2.0 * c[2]]
    for order, (name, at_end, at_start) in enumerate(
        zip(("position", "speed", "acceleration"), ends, starts, strict=True)
    ):
        jump = np.abs(at_end[:-1] / step[:-1] ** order - at_start[1:] / step[1:] ** order)
        size = np.abs(c).sum(axis=0) / step**order
        bad = np.argwhere(jump > _CONTINUOUS * (1.0 + np.maximum(size[:-1], size[1:])))
        if len(bad):
            piece, joint = (int(k) for k in bad[0])
            raise ArgumentError(
                f"the {name} of joint '{joints[joint]}' jumps by {jump[piece, joint]:.3g} at "
                f"t = {motion.breaks[piece + 1]:g} s",
                remedy="let position, speed and acceleration of the motion be continuous",
            )
    places = np.searchsorted(motion.breaks, motion.breaks + window, side="right") - np.arange(len(motion.breaks))
    total: Array = jump.max(axis=0, initial=0.0) * float(places.max())
    return total
