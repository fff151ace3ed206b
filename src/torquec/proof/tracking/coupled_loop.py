"""Sampled error loop of all joints: feedback, delayed torques, true inertia, viscous friction.

T is the sampling interval, e are the position errors (n,), M is the nominal inertia and M_t the true one. The feedback
torque M u accelerates the robot by G u, G = M_t^-1 M, and viscous friction B by -A ed/T, A = T M_t^-1 B
(:mod:`torquec.proof.tracking.viscous_damping`). Under a disturbance w, at samples, with z_k = T ed_k

(1)  p_k = G u_(k-d) + A z_k,    e_k+1 = e_k + z_k - (1/2 - A/6) p_k + T^2 int_0^1 (1 - r) w dr
     z_k+1 = z_k - (1 - A/2) p_k + T^2 int_0^1 w dr
(2)  s_k = (1 - c) s_(k-1) + c (e_k - e_(k-1)),  or  s_k = z_k  for measured speeds
(3)  u_k = p T^2 e_k + s T s_k + i T^3 J_k,  J_(k+1) = J_k + e_k where there is an integral;  errors n_k of measured
     positions: e_k - n_k in place of e_k in (2) and (3), so that their differences telescope

in the state x = (e_k, z_k, e_(k-1), s_(k-1), [J_k,] u_(k-1), .., u_(k-d)), (n,) each.

(4)  x_k+1 = F x_k + ..;  rows g_(m+1) ~ g_m F of outputs g_0, approximate numbers
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.proof.tracking.viscous_damping import ViscousDamping

OUTPUTS = ("position", "speed", "feedback", "torque")

_FORGOTTEN = 1e-8
"""Decay of a row, relative to its largest entry, after which the tube's radii bound later lags."""

_MOST_SAMPLES = 30_000
"""Limit of lags: a loop that is stable in practice has fewer (a pole of -1/s at 1 kHz)."""

_SLOWED = 8
"""Largest ratio of memories with and without friction: slow modes beyond it are left to the tube's radii."""

_AT_ONCE = 1 << 16
"""Entries of rows that are computed together."""


@dataclass(frozen=True, eq=False)
class CoupledErrorLoop:
    """Feedback `stiffness` p and `damping` s (n,), every `period` T [s], `delay` d samples late.

    `share` (n,) is c of (2), zero for measured speeds; `integral` i (n,) [1/s^3] and the friction B of `viscous`: None
    without one.
    """

    stiffness: Array
    damping: Array
    period: float
    delay: int
    share: Array
    integral: Array | None = None
    viscous: ViscousDamping | None = None

    @property
    def queue(self) -> int:
        """Index of the first delayed feedback in the state, and number of parts before it."""
        return 4 if self.integral is None else 5

    @property
    def kinds(self) -> int:
        """Number of parts of the state, (n,) each."""
        return self.queue + self.delay

    @property
    def _scaled(self) -> tuple[Array, Array, Array]:
        """p T^2, s T, and one where speeds are measured."""
        return self.stiffness * self.period**2, self.damping * self.period, np.where(self.share > 0.0, 0.0, 1.0)

    def resisted(self, inverse: Array) -> Array:
        """A of (1) for M_t^-1 (.., n, n)."""
        return np.zeros_like(inverse) if self.viscous is None else self.period * self.viscous.rates(inverse)

    def outputs(self, M: Array) -> tuple[Array, Array]:
        """g_0 (B, 4 n, kinds, n) of `OUTPUTS`, for inertias M (B, n, n), and factors (B, 4 n, n) of errors n_k."""
        p, s, measured = self._scaled
        n, c, one = len(p), self.share, np.eye(len(p))
        parts = [p + c * s, measured * s, -c * s, (1.0 - c - measured) * s]
        if self.integral is not None:
            parts.append(self.integral * self.period**3)
        asked = np.stack([np.diag(part) for part in parts])
        rows = np.zeros((len(M), 4 * n, self.kinds, n))
        rows[:, :n, 0] = one
        rows[:, n : 2 * n, 1] = one / self.period
        rows[:, 2 * n : 3 * n, : self.queue] = asked.swapaxes(0, 1) / self.period**2
        rows[:, 3 * n :, : self.queue] = np.einsum("bij,sjk->bisk", M, asked) / self.period**2
        noise = np.zeros((len(M), 4 * n, n))
        noise[:, 2 * n :] = rows[:, 2 * n :, 0]
        return rows, noise

    def step(self, g: Array, G: Array, A: Array, *, sign: float = -1.0) -> tuple[Array, Array]:
        """g F (B, rows, kinds, n), and the factors (B, rows, n) of an error n_k; of |F| for |G|, |A| and `sign` 1."""
        p, s, measured = self._scaled
        c, d, first = self.share, self.delay, self.queue
        slowed = sign * (0.5 * g[:, :, 0] + g[:, :, 1]) + (g[:, :, 0] / 6.0 + 0.5 * g[:, :, 1]) @ A
        pulled = slowed @ G
        asked = g[:, :, first] if d else pulled
        speed = g[:, :, 3] + asked * s
        seen = g[:, :, 2] + asked * p + c * speed
        found = np.empty_like(g)
        if self.integral is not None:
            found[:, :, 4] = g[:, :, 4] + asked * (self.integral * self.period**3)
            seen = seen + g[:, :, 4]
        found[:, :, 0] = g[:, :, 0] + seen
        found[:, :, 1] = g[:, :, 0] + g[:, :, 1] + measured * speed + slowed @ A
        found[:, :, 2] = sign * c * speed
        found[:, :, 3] = (1.0 - c - measured) * speed
        if d:
            found[:, :, first:-1] = g[:, :, first + 1 :]
            found[:, :, -1] = pulled
        return found, seen

    def starts(self, g: Array, position: Array, speed: Array) -> Array:
        """|g x_0| (.., rows) for initial errors of `position` and `speed`, (n,) each.

        Until the first torque arrives, the initial torque acts, with any part of its feedback.
        """
        p, s, _ = self._scaled
        T = self.period
        queue = g[..., self.queue :, :].sum(axis=-2)
        stood, moved = g[..., 0, :] + g[..., 2, :], g[..., 1, :] - g[..., 2, :] + g[..., 3, :]
        stood, moved = (np.maximum(np.abs(x), np.abs(x + queue * y)) for x, y in ((stood, p), (moved, s)))
        return np.asarray(stood @ position + T * (moved @ speed))

    def transition(self, G: Array, A: Array) -> Array:
        """F with the factors of an error n_k to its right, (B, D, D + n), D = kinds n."""
        cells, kinds, n = len(G), self.kinds, len(self.stiffness)
        one = np.broadcast_to(np.eye(kinds * n).reshape(-1, kinds, n), (cells, kinds * n, kinds, n))
        F, seen = self.step(one, G, A)
        return np.concatenate([F.reshape(cells, kinds * n, kinds * n), seen], axis=2)

    def rows(self, g: Array, both: Array, count: int) -> Iterator[tuple[Array, Array]]:
        """Rows g_0 to g_count (4), some lags at a time: (k + 1, B, rows, kinds, n), and the factors (k, B, rows, n) of
        errors n_k; the last rows of a part are the first of the next. `both` is the `transition`.
        """
        cells, size, kinds, n = g.shape
        most = max(1, _AT_ONCE // (cells * size * both.shape[2]))
        last = g.reshape(cells, size, kinds * n)
        for start in range(0, count, most):
            k = min(most, count - start)
            found = np.empty((k + 1, cells, size, both.shape[2]))
            found[0, ..., : kinds * n] = last
            for m in range(k):
                np.matmul(found[m, ..., : kinds * n], both, out=found[m + 1])
            last = found[k, ..., : kinds * n]
            yield found[..., : kinds * n].reshape(k + 1, cells, size, kinds, n), found[1:, ..., kinds * n :]

    @cached_property
    def nominal_memory(self) -> int:
        """Memory of the loop with the nominal inertia, at most `_MOST_SAMPLES`: samples until rows have decayed, with
        and without friction. Of a loop that friction slows further it is `_SLOWED` times that without.

        Raises `ArgumentError` for a loop that is unstable or slower without friction.
        """
        one = np.eye(len(self.stiffness))[None]
        free = self._memory(0.0 * one, _MOST_SAMPLES)
        if free is None:
            raise self.unstable()
        if self.viscous is None:
            return free
        most = min(_SLOWED * free, _MOST_SAMPLES)
        return max(free, self._memory(self.resisted(self.viscous.inverse[None]), most) or most)

    def _memory(self, A: Array, most: int) -> int | None:
        """Samples until all rows have decayed with the nominal inertia, None where they are more than `most`."""
        decay, n = Decay(self), len(self.stiffness)
        one = np.eye(n)[None]
        for g, _ in self.rows(self.outputs(0.0 * one)[0][:, : 3 * n], self.transition(one, A), most):
            if decay.is_over(g):
                return decay.lags
        return None

    def unstable(self) -> ArgumentError:
        """The error for a loop whose rows do not decay."""
        slow = ", ".join(f"{x:g}" for x in sorted(set(self.stiffness.tolist())))
        return ArgumentError(
            f"a loop with stiffness {slow}, sampled every {self.period:g} s, with a delay of {self.delay} samples is "
            "not stable for all robots of the sets, or far too slow",
            remedy="choose slower poles, sample faster, or filter speeds less",
        )


class Decay:
    """Whether rows of `OUTPUTS` other than torques have decayed, and the `lags` until then."""

    def __init__(self, loop: CoupledErrorLoop) -> None:
        self._loop, self._count, self._largest, self.lags = loop, 3 * len(loop.stiffness), 0.0 * loop.share[:1], 0

    def is_over(self, g: Array) -> bool:
        """Whether rows decay in the next ones (k + 1, B, rows, kinds, n), the first known; raises where they grow."""
        size = np.abs(g[:, :, : self._count]).max(axis=(3, 4))
        size[0] = np.maximum(size[0], self._largest)
        largest = np.maximum.accumulate(size, axis=0)
        decayed = np.all(size[1:] < _FORGOTTEN * largest[1:], axis=(1, 2))
        if decayed.any():
            self.lags += int(np.argmax(decayed)) + 1
            return True
        if not np.all(largest <= 1e12):
            raise self._loop.unstable()
        self._largest, self.lags = largest[-1], self.lags + len(decayed)
        return False
