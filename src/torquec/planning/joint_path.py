"""Geometric paths in joint space: the natural cubic spline through waypoints, twice continuously differentiable.

(1)  segment k, from s_k to s_k+1:   q = c0 + c1 r + c2 r^2 + c3 r^3,   r = s - s_k
(2)  s is the cumulative distance between waypoints in joint space, so that |dq/ds| is about one
(3)  second derivatives m of the inner waypoints, with steps h and slopes D = (q_k+1 - q_k)/h (left: -, right: +):

         h- m-  +  2 (h- + h+) m  +  h+ m+  =  6 (D+ - D-),       zero at both ends

(4)  Where |dq/ds| vanishes, the path turns back on itself: a cusp, at which a robot has to stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.planning.tuning import TUNING
from torquec.trajectory.trajectory import joint_labels

_CUSP_CANDIDATES = 16  # places around which the smallest |dq/ds| is sought more finely
_CUSP_ROUNDS = 3  # each narrows a place by a factor of 32


@dataclass(frozen=True, eq=False)
class JointPath:
    """A path q(s) of n joints (1): `knots` (m,) from zero, `coefficients` (4, m - 1, n), names of the joints."""

    joints: tuple[str, ...]
    knots: Array
    coefficients: Array

    def __repr__(self) -> str:
        return f"JointPath({len(self.joints)} joints, {len(self.knots)} waypoints, length {self.length:.4g})"

    @property
    def length(self) -> float:
        """The last s: the sum of the distances between waypoints."""
        return float(self.knots[-1])

    @property
    def waypoints(self) -> Array:
        """Waypoints (m, n)."""
        return self.at(self.knots)[0]

    def at(self, s: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Positions and their first and second derivatives with respect to s, (n,) each, or (N, n) for N places.

        >>> q, tangent, bend = joint_path([[0.0], [1.0], [2.0]]).at(0.5)
        >>> q.tolist(), tangent.tolist(), bend.tolist()
        ([0.5], [1.0], [0.0])
        """
        places = np.asarray(s, dtype=np.float64)
        k = np.clip(np.searchsorted(self.knots, places, side="right") - 1, 0, len(self.knots) - 2)
        r = (places - self.knots[k])[..., None]
        c = self.coefficients[:, k]
        return (
            c[0] + r * (c[1] + r * (c[2] + r * c[3])),
            c[1] + r * (2.0 * c[2] + r * (3.0 * c[3])),
            2.0 * c[2] + 6.0 * r * c[3],
        )


def joint_path(waypoints: npt.ArrayLike, *, joints: Sequence[str] | None = None) -> JointPath:
    """The path through `waypoints` (m, n), at least two; `joints` names the columns (q1 .. qn unless given).

    Raises `ArgumentError` for waypoints that are not finite or repeat, and for a path with a cusp (4), with its place.

    >>> joint_path([[0.0, 0.0], [3.0, 4.0]]).length
    5.0
    """
    q = np.asarray(waypoints, dtype=np.float64)
    if q.ndim != 2 or len(q) < 2 or not q.shape[1] or not np.isfinite(q).all():
        raise ArgumentError(
            f"waypoints of shape {q.shape}", remedy="give at least two rows of finite joint positions, (m, n)"
        )
    steps = np.linalg.norm(np.diff(q, axis=0), axis=1)
    if not steps.all():
        k = int(np.flatnonzero(steps == 0.0)[0])
        raise ArgumentError(f"waypoints {k + 1} and {k + 2} are the same", remedy="leave one of them out")
    knots = np.concatenate([[0.0], np.cumsum(steps)])
    slopes = np.diff(q, axis=0) / steps[:, None]
    bends = _bends(steps, slopes)
    h = steps[:, None]
    coefficients = np.array(
        [
            q[:-1],
            slopes - h * (2.0 * bends[:-1] + bends[1:]) / 6.0,
            0.5 * bends[:-1],
            (bends[1:] - bends[:-1]) / (6.0 * h),
        ]
    )
    path = JointPath(joint_labels(joints, q.shape[1]), knots, coefficients)
    _check_cusps(path)
    return path


def _bends(steps: Array, slopes: Array) -> Array:
    """Second derivatives (m, n) at all waypoints (3), by forward elimination and back substitution."""
    m = len(steps) + 1
    bends = np.zeros((m, slopes.shape[1]))
    diagonal = 2.0 * (steps[:-1] + steps[1:])
    right = 6.0 * np.diff(slopes, axis=0)
    for k in range(1, m - 2):
        factor = steps[k] / diagonal[k - 1]
        diagonal[k] -= factor * steps[k]
        right[k] -= factor * right[k - 1]
    for k in range(m - 3, -1, -1):
        bends[k + 1] = (right[k] - steps[k + 1] * bends[k + 2]) / diagonal[k]
    return bends


def _check_cusps(path: JointPath) -> None:
    """Raise `ArgumentError` where the tangent vanishes: sampled, then refined around the smallest samples."""
    part = np.linspace(0.0, 1.0, TUNING.cusp_samples)
    steps = np.diff(path.knots)
    s = (path.knots[:-1, None] + steps[:, None] * part).ravel()
    width = np.repeat(steps / (TUNING.cusp_samples - 1), TUNING.cusp_samples)
    for _ in range(_CUSP_ROUNDS):
        size = np.linalg.norm(path.at(s)[1], axis=1)
        near = np.argsort(size)[:_CUSP_CANDIDATES]
        s = np.clip(s[near, None] + width[near, None] * (2.0 * part - 1.0), 0.0, path.length).ravel()
        width = np.repeat(width[near] * 2.0 / (TUNING.cusp_samples - 1), TUNING.cusp_samples)
    size = np.linalg.norm(path.at(s)[1], axis=1)
    if size.min() >= TUNING.cusp_tangent:
        return
    at = float(s[np.argmin(size)])
    k = int(np.argmin(np.abs(path.knots - at)))
    raise ArgumentError(
        f"the path turns back on itself at s = {at:.6g} of {path.length:.6g}, near waypoint {k + 1}: a cusp",
        remedy="end the path there and start a second one, or round the corner with another waypoint",
    )
