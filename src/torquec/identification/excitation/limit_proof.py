"""Whether a motion keeps its limits at every instant, not only at samples: a proof by intervals.

(1)  on |t - t0| <= r, with |qddd| <= J:     qdd within qdd(t0) -+ J r,     qd within qd(t0) -+ (|qdd(t0)| r + J r^2/2),
     q within q(t0) -+ (|qd(t0)| r + |qdd(t0)| r^2/2 + J r^3/6)
(2)  the shares of all limits over these boxes are enclosed by interval arithmetic; where the enclosure exceeds 1, the
     time is halved and looked at again, until every piece is proved, or one is found whose middle exceeds a limit
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Mask
from torquec.identification.excitation.motion_limits import MotionLimits
from torquec.proof.enclosure.enclose import enclose
from torquec.trajectory.fourier_motion import FourierMotion
from torquec.trajectory.polynomial_motion import PolynomialMotion

_PIECES = 512  # to begin with: most are proven at once
_HALVINGS = 14  # a motion that needs finer ones touches its limit
_MOST = 200_000
"""Pieces of time at once: beyond, the motion runs along a limit and no proof will come."""
_ROUNDING = 1e-12
"""Relative to sizes: what the formulas of a motion may be off."""


@dataclass(frozen=True, eq=False)
class LimitProof:
    """`kept`: proved for every instant. `peaks` (K,): the largest shares seen, at the middles of all pieces.

    `broken`: names of limits that are exceeded or could not be proved.
    """

    kept: bool
    peaks: Array
    broken: tuple[str, ...]


def limit_proof(motion: FourierMotion | PolynomialMotion, limits: MotionLimits) -> LimitProof:
    """Proof, or not, that a motion keeps all limits from its start to its end (1), (2)."""
    edges = np.linspace(motion.start, motion.end, _PIECES + 1)
    middles, radius = 0.5 * (edges[:-1] + edges[1:]), 0.5 * (motion.end - motion.start) / _PIECES
    peaks = np.full(len(limits.names), -np.inf)
    for _ in range(_HALVINGS):
        here, bounds = _enclosed(motion, limits, middles, radius)
        peaks = np.maximum(peaks, here.max(axis=0))
        if np.any(peaks > 1.0):
            return LimitProof(False, peaks, _named(limits, peaks > 1.0))
        open_pieces = (bounds > 1.0).any(axis=1)
        if not open_pieces.any():
            return LimitProof(True, peaks, ())
        radius *= 0.5
        middles = np.concatenate([middles[open_pieces] - radius, middles[open_pieces] + radius])
        if len(middles) > _MOST:
            break
    return LimitProof(False, peaks, _named(limits, np.max(bounds, axis=0) > 1.0))


def _enclosed(
    motion: FourierMotion | PolynomialMotion, limits: MotionLimits, middles: Array, radius: float
) -> tuple[Array, Array]:
    """Shares (N, K) at the middles, and upper bounds of them on the pieces around (1), (2)."""
    state, jerk, r = motion.at(middles), motion.jerk_bound, radius * (1.0 + _ROUNDING)
    spread = {
        "q": np.abs(state.qd) * r + np.abs(state.qdd) * r**2 / 2.0 + jerk * r**3 / 6.0,
        "qd": np.abs(state.qdd) * r + jerk * r**2 / 2.0,
        "qdd": np.broadcast_to(jerk * r, state.qdd.shape),
    }
    centre = {"q": state.q, "qd": state.qd, "qdd": state.qdd}
    for key, values in centre.items():
        spread[key] = spread[key] + _ROUNDING * (1.0 + np.abs(values))
    bounds = [
        (np.abs(state.q - limits.middle) + spread["q"]) / limits.half,
        (np.abs(state.qd) + spread["qd"]) / limits.speed,
        (np.abs(state.qdd) + spread["qdd"]) / limits.acceleration,
    ]
    if limits.program is not None:
        lower = {key: centre[key] - spread[key] for key in centre}
        upper = {key: centre[key] + spread[key] for key in centre}
        bounds.append(enclose(limits.program, lower, upper)["share"][1])
    return limits.shares(state), np.concatenate(bounds, axis=1)


def _named(limits: MotionLimits, which: Mask) -> tuple[str, ...]:
    return tuple(name for name, chosen in zip(limits.names, which, strict=True) if chosen)
