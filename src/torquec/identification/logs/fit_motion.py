"""Regressor columns for diagnostic fits: a few filtered samples of a log, all inertial and friction parameters free.

(1)  columns (M, n, 10 bodies + 5 n): inertial parameters, and per joint a rotor, viscous friction, direction-dependent
     viscous friction, Coulomb friction and an offset; only Coulomb friction, which is not smooth, is low-passed
(2)  the regressor is linear in gravity:  Y(g) = Y(0) + sum_k g_k T_k,  T_k that of unit gravity along axis k at rest

Nothing is compiled: the algorithms run on arrays of a few hundred samples.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.dynamics.regressor import regressor
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Indices
from torquec.identification.logs.prepare import Samples, low_pass, prepare
from torquec.robot.robot import Drives, Robot
from torquec.trajectory.log import Log

_MOST = 200  # samples: dozens of fits are compared, each with about a hundred parameters
LONGEST = 40_000
"""Samples that are filtered, from the middle of the log."""
_SLOWEST, _FASTEST = 2.0, 15.0
"""Range of cut-offs [Hz]: slow motions are enough for a diagnosis, and noise is to be removed."""


@dataclass(frozen=True, eq=False)
class FitMotion:
    """Times t (M,), q, qd, qdd, tau (M, n) and the filtered sign of the speeds, `sides` (M, n)."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    sides: Array
    tau: Array

    def moved(self, offsets: Array) -> FitMotion:
        """The same with offsets (n,) added to the positions."""
        return dataclasses.replace(self, q=self.q + offsets)

    def turned(self, *, motion: Array | float = 1.0, torque: Array | float = 1.0) -> FitMotion:
        """The same with positions and their derivatives, or torques, times factors (n,)."""
        return FitMotion(
            self.t, self.q * motion, self.qd * motion, self.qdd * motion, self.sides * motion, self.tau * torque
        )

    def ordered(self, order: list[int], *, motion: bool, torque: bool) -> FitMotion:
        """The same with positions and their derivatives, or torques, in another order of the joints."""
        q, qd, qdd, sides = (
            values[:, order] if motion else values for values in (self.q, self.qd, self.qdd, self.sides)
        )
        return FitMotion(self.t, q, qd, qdd, sides, self.tau[:, order] if torque else self.tau)

    @cached_property
    def friction_columns(self) -> Array:
        """The columns (M, n, 5 n) of rotors and friction (1)."""
        m, n = self.q.shape
        own = np.stack([self.qdd, self.qd, np.abs(self.qd), self.sides, np.ones((m, n))], axis=2)
        columns: Array = np.einsum("mja,jk->mjka", own, np.eye(n)).reshape(m, n, -1)
        return columns

    def columns(self, robot: Robot) -> Array:
        """All columns of (1) for the gravity of the robot."""
        rigid = _regressor(robot, robot.gravity, self.q, self.qd, self.qdd)
        return np.concatenate([rigid, self.friction_columns], axis=2)

    def pulls(self, robot: Robot) -> Array:
        """Columns of (1) without gravity, and the change by unit gravity along each axis (4, M, n, k) (2)."""
        still = np.zeros_like(self.q)
        nothing = np.zeros_like(self.friction_columns)
        parts = [
            np.concatenate([_regressor(robot, (0.0, 0.0, 0.0), self.q, self.qd, self.qdd), self.friction_columns], 2)
        ]
        axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        parts += [np.concatenate([_regressor(robot, axis, self.q, still, still), nothing], axis=2) for axis in axes]
        return np.stack(parts)


def prepared_for_fit(log: Log, cutoff: float | None = None) -> Samples:
    """The middle of a log, filtered: at `cutoff` [Hz], or at one from the data between 2 and 15 Hz.

    Raises as `prepare` does.
    """
    middle = _middle(log)
    samples = prepare(middle, cutoff=cutoff)
    if cutoff is not None or _SLOWEST <= samples.cutoff <= _FASTEST:
        return samples
    return prepare(middle, cutoff=float(np.clip(samples.cutoff, _SLOWEST, min(_FASTEST, 0.2 * samples.rate))))


def even_rows(samples: Samples, *, edge: float = 0.0, most: int = _MOST) -> Indices:
    """At most about `most` of the samples that count, evenly taken, `edge` [s] away from the ends, as indices.

    Raises `ArgumentError` where none is left.
    """
    inside = samples.used & (samples.t > samples.t[0] + edge) & (samples.t < samples.t[-1] - edge)
    rows = np.flatnonzero(inside)
    if len(rows) == 0:
        raise ArgumentError(
            f"nothing is left of the log {edge:g} s away from its ends",
            where=samples.source,
            remedy="record a longer motion",
        )
    return rows[:: max(1, len(rows) // most)]


def fit_motion(samples: Samples, rows: Indices) -> FitMotion:
    """The motion at some of the samples."""
    sides = low_pass(np.sign(samples.qd), samples.rate, samples.cutoff)
    parts = (samples.t, samples.q, samples.qd, samples.qdd, sides, samples.tau)
    return FitMotion(*(values[rows] for values in parts))


def _regressor(robot: Robot, gravity: tuple[float, float, float], q: Array, qd: Array, qdd: Array) -> Array:
    """The columns (M, n, 10 bodies) of the bodies; columns of rotors are among those of friction."""
    bare = dataclasses.replace(robot, gravity=gravity, drives=Drives())
    rows = regressor(bare, list(q.T), list(qd.T), list(qdd.T))
    table = np.empty((*q.shape, len(rows[0])))
    for j, row in enumerate(rows):
        for k, values in enumerate(row):
            table[:, j, k] = values
    return table


def _middle(log: Log) -> Log:
    """The middle of a long log."""
    if len(log) <= LONGEST:
        return log
    start = (len(log) - LONGEST) // 2
    part = slice(start, start + LONGEST)
    qd = None if log.qd is None else log.qd[part]
    return Log(log.joints, log.t[part], log.q[part], log.tau[part], qd, source=log.source)
