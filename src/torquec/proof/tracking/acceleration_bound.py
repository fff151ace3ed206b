"""Acceleration error bounds from enclosures of M and of the torque: interval form, and the tighter mean-value form.

The robot obeys tau = tau(q, qd, a) = M(q) a + c(q, qd) + g(q) + springs(q). Over boxes of motions:

(1)  torque errors d, |d_i| <= b_i, change the acceleration by w = M^-1 d:    level >= |w|
(2)  while the torques are held the acceleration changes at the rate a', which follows from d tau/dt = 0:
       M a' = - d/dz tau(q + z qd, qd + z a, a)  at z = 0:                                 drift >= |a'|

Both solve a linear system with M(q), enclosed over the box (`solution_bound`). The entries come from interval
arithmetic (:mod:`torquec.proof.enclosure.enclose`), rounded outwards.

The mean-value form is tighter and slower, for arms with light wrists. Entries of M and of the right side depend on the
same variables; interval ends lose this dependency, and a large inverse amplifies the overestimation. Over a box with
centre z0 and half widths r, with R an approximate inverse of M(z0):

(3)  |1 - R M(z)| <= |1 - R M(z0)| + sum_k r_k |R [dM/dz_k]|,   [.] enclosed over the box     (mean value form)
(4)  |R d(z)|     <= |R d(z0)|     + sum_k r_k |R [dd/dz_k]|
(5)  the bound of the solution of M x = d that follows from (3), (4):  (5), (6) of
     :mod:`torquec.proof.enclosure.enclose`

R multiplies the midpoints of the slopes before magnitudes are taken. The smaller of (4) and the interval form is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from torquec.dynamics import inverse_dynamics, mass_matrix, spring_torque
from torquec.expr import Function, bind, differentiate, trace
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import (
    approximate_inverses,
    defect,
    enclose,
    magnitudes,
    rounding,
    solution_bound,
    verified_bound,
)
from torquec.robot.robot import Robot

_CONSTANTS = 1e-12  # rounding error of constants folded while tracing, relative to the largest entry

_STATE = ("q", "qd", "qdd")

_WIDER = 1e-12  # relative and absolute enlargement of half widths: covers the rounding of centre and half width
_ROUNDED = 1e-13  # covers the rounding of sums of some dozens of half widths
_ROUNDS = 40  # iterations for the solution: the mean-value form is used where 1 - R M contracts slowly


@dataclass(frozen=True, eq=False)
class MotionBoxes:
    """N boxes of motions: ends of positions, speeds and accelerations, (N, n) each."""

    q_lower: Array
    q_upper: Array
    qd_lower: Array
    qd_upper: Array
    qdd_lower: Array
    qdd_upper: Array

    def parts(self, size: int) -> Iterator[MotionBoxes]:
        """Chunks of at most `size` boxes, which bounds the memory of their enclosure."""
        for k in range(0, len(self.q_lower), size):
            yield self.rows(slice(k, k + size))

    def rows(self, kept: slice) -> MotionBoxes:
        """Some of the boxes."""
        return MotionBoxes(*(getattr(self, field.name)[kept] for field in fields(self)))

    @property
    def lower(self) -> dict[str, Array]:
        """The lower ends by the names of a torque program's inputs."""
        return {"q": self.q_lower, "qd": self.qd_lower, "qdd": self.qdd_lower}

    @property
    def upper(self) -> dict[str, Array]:
        """The upper ends by the names of a torque program's inputs."""
        return {"q": self.q_upper, "qd": self.qd_upper, "qdd": self.qdd_upper}


def boxes_around(centres: tuple[Array, Array, Array], reaches: tuple[Array, Array, Array]) -> MotionBoxes:
    """Boxes with these centres and half widths of positions, speeds and accelerations, rounded outwards."""
    ends: list[Array] = []
    for centre, reach in zip(centres, reaches, strict=True):
        wide = reach * (1.0 + _ROUNDED)
        ends += [np.nextafter(centre - wide, -np.inf), np.nextafter(centre + wide, np.inf)]
    return MotionBoxes(*ends)


@dataclass(frozen=True, eq=False)
class AccelerationBound:
    """The bounds (1) and (2) of a robot over boxes of motions."""

    robot: Robot

    def inertia(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Ends (N, n, n) of M over positions between `lower` and `upper` (N, n)."""
        low, high = enclose(self.inertia_program, {"q": lower}, {"q": upper})["M"]
        slack = _CONSTANTS * np.maximum(np.abs(low), np.abs(high)).max(axis=(1, 2), keepdims=True)
        return low - slack, high + slack

    def inverse(self, inertia: tuple[Array, Array]) -> tuple[Array, Array]:
        """R, an approximate inverse of M, and D >= |1 - R M|, (N, n, n) each, from the result of `inertia`."""
        low, high = inertia
        middle = 0.5 * (low + high)
        with np.errstate(all="ignore"):
            R, regular = approximate_inverses(np.where(np.isfinite(middle), middle, 0.0))
            spread = np.maximum(high - middle, middle - low) * (1.0 + _WIDER)
            D = defect(R, middle) + (1.0 + rounding(middle.shape[-1])) * (np.abs(R) @ spread)
        return R, np.where(regular[:, None, None], D * (1.0 + _WIDER), np.inf)

    def level(self, inertia: tuple[Array, Array], errors: Array) -> Array:
        """(1) for torque errors (N, n) where M lies between the ends; infinite where M could not be inverted."""
        return solution_bound(*inertia, -errors, errors)

    def drift(self, inertia: tuple[Array, Array], boxes: MotionBoxes) -> Array:
        """(2) over the boxes (N, n), M being between the ends there; infinite where M could not be inverted."""
        low, high = enclose(self.rate_program, boxes.lower, boxes.upper)["rate"]
        slack = _CONSTANTS * np.maximum(np.abs(low), np.abs(high)).max(axis=1, keepdims=True)
        return solution_bound(*inertia, low - slack, high + slack)

    @cached_property
    def inertia_program(self) -> Function:
        """q -> M (n, n)."""
        return trace("inertia", lambda q: {"M": mass_matrix(self.robot, q)}, {"q": (self.robot.n,)})

    @cached_property
    def rate_program(self) -> Function:
        """(q, qd, qdd) -> the right side of (2) without its sign, `rate` (n,)."""
        robot = self.robot

        def moved(q: Any, qd: Any, qdd: Any, z: Any) -> dict[str, Any]:
            place = [x + z[0] * v for x, v in zip(q, qd, strict=True)]
            speed = [v + z[0] * a for v, a in zip(qd, qdd, strict=True)]
            parts = zip(inverse_dynamics(robot, place, speed, qdd), spring_torque(robot, place), strict=True)
            return {"tau": [bodies + spring for bodies, spring in parts]}

        n = robot.n
        whole = trace("moved", moved, {**dict.fromkeys(_STATE, (n,)), "z": (1,)})
        slope = bind(differentiate(whole, "tau", "z"), {"z": [0.0]})

        def rate(**state: Any) -> dict[str, Any]:
            from torquec.expr.replay import replay

            return {"rate": [row[0] for row in replay(slope, state)["dtau_dz"]]}

        return trace("rate", rate, dict.fromkeys(_STATE, (n,)))


class CloserAccelerationBound(AccelerationBound):
    """The bounds of `AccelerationBound` in mean-value form; its `inertia` returns R and the sum of (3), (N, n, n)."""

    def inertia(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """R and (3) over positions between `lower` and `upper` (N, n)."""
        centre, half = _centred(lower, upper)
        low, high = enclose(self.inertia_program, {"q": centre}, {"q": centre})["M"]
        middle, radius = with_constants(low, high)
        with np.errstate(all="ignore"):
            R, regular = approximate_inverses(np.where(np.isfinite(middle), middle, 0.0))
            D = defect(R, middle) + (1.0 + rounding(middle.shape[-1])) * (np.abs(R) @ radius)
            below, above = enclose(self._inertia_slopes, {"q": lower}, {"q": upper})["dM_dq"]
            for k in range(lower.shape[1]):
                moved = magnitudes(R, *with_constants(below[..., k], above[..., k]))
                D = D + moved * half[:, k, None, None]
        return R, np.where(regular[:, None, None], D * (1.0 + _WIDER), np.inf)

    def inverse(self, inertia: tuple[Array, Array]) -> tuple[Array, Array]:
        """As of `AccelerationBound`: the result of `inertia` itself."""
        return inertia

    def level(self, inertia: tuple[Array, Array], errors: Array) -> Array:
        """As of `AccelerationBound`, for torque errors (N, n)."""
        R, D = inertia
        return verified_bound(
            D, magnitudes(R, np.zeros_like(errors)[..., None], errors[..., None])[..., 0], rounds=_ROUNDS
        )

    def drift(self, inertia: tuple[Array, Array], boxes: MotionBoxes) -> Array:
        """As of `AccelerationBound`, over the boxes."""
        R, D = inertia
        lower, upper = boxes.lower, boxes.upper
        ends = {name: _centred(lower[name], upper[name]) for name in lower}
        centres = {name: centre for name, (centre, _) in ends.items()}
        with np.errstate(all="ignore"):
            c = _reached(R, *enclose(self.rate_program, centres, centres)["rate"])
            for name, (_, half) in ends.items():
                low, high = enclose(self._rate_slopes[name], lower, upper)[f"drate_d{name}"]
                c = c + (magnitudes(R, *with_constants(low, high)) @ half[..., None])[..., 0]
            c = np.fmin(c * (1.0 + _WIDER), _reached(R, *enclose(self.rate_program, lower, upper)["rate"]))
        return verified_bound(D, c, rounds=_ROUNDS)

    @cached_property
    def _inertia_slopes(self) -> Function:
        return differentiate(self.inertia_program, "M", "q")

    @cached_property
    def _rate_slopes(self) -> dict[str, Function]:
        return {port.name: differentiate(self.rate_program, "rate", port.name) for port in self.rate_program.inputs}


def _centred(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Centres and half widths of intervals that contain the boxes."""
    centre = 0.5 * (lower + upper)
    return centre, np.maximum(upper - centre, centre - lower) * (1.0 + _WIDER) + _WIDER


def with_constants(low: Array, high: Array) -> tuple[Array, Array]:
    """Midpoints and radii of entries (N, n, m) between the ends, with a margin for folded constants."""
    middle = 0.5 * (low + high)
    largest = np.maximum(np.abs(low), np.abs(high)).max(axis=(1, 2), keepdims=True)
    return middle, np.maximum(high - middle, middle - low) + _CONSTANTS * largest


def _reached(R: Array, low: Array, high: Array) -> Array:
    """At least |R d| for d between the ends, (N, n)."""
    return magnitudes(R, *with_constants(low[..., None], high[..., None]))[..., 0]
