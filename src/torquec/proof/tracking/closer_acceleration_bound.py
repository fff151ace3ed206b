"""What the acceleration of a robot can differ by, by slopes: closer, and slower, for arms with light wrists.

Entries of M and of a right side move together. Ends of each by itself forget that, and an inverse whose numbers are
large makes much of it. Over a box with centre z0 and half widths r, with R about the inverse of M(z0):

(1)  |1 - R M(z)| <= |1 - R M(z0)| + sum_k r_k |R [dM/dz_k]|,   [.] enclosed over the box     (mean value form)
(2)  |R d(z)|     <= |R d(z0)|     + sum_k r_k |R [dd/dz_k]|
(3)  what (1), (2) mean for the solution of M x = d:  (1), (2) of :mod:`torquec.proof.enclosure.solution_bound`

R meets the middles of the slopes before magnitudes are taken. Of (2) and of ends, the smaller one counts.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from torquec.expr import Function, differentiate
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.enclose import enclose
from torquec.proof.enclosure.solution_bound import approximate_inverses, defect, magnitudes, rounding, verified_bound
from torquec.proof.tracking.acceleration_bound import AccelerationBound, MotionBoxes

_WIDER = 1e-12
"""Half widths are raised by this part of themselves, and by as much: centre and half width round."""

_ROUNDS = 40
"""For the solution: slopes are worth their time where 1 - R M contracts by little."""

_CONSTANTS = 1e-12
"""Relative to the largest entry: what rounding may have changed in the constants that tracing folds."""


class CloserAccelerationBound(AccelerationBound):
    """The bounds of `AccelerationBound` by slopes; what it gives as `inertia` are R and the sum of (1), (N, n, n)."""

    def inertia(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """R and (1) over positions between `lower` and `upper` (N, n)."""
        centre, half = _centred(lower, upper)
        low, high = enclose(self.inertia_program, {"q": centre}, {"q": centre})["M"]
        middle, radius = _with_constants(low, high)
        with np.errstate(all="ignore"):
            R, regular = approximate_inverses(np.where(np.isfinite(middle), middle, 0.0))
            D = defect(R, middle) + (1.0 + rounding(middle.shape[-1])) * (np.abs(R) @ radius)
            below, above = enclose(self._inertia_slopes, {"q": lower}, {"q": upper})["dM_dq"]
            for k in range(lower.shape[1]):
                moved = magnitudes(R, *_with_constants(below[..., k], above[..., k]))
                D = D + moved * half[:, k, None, None]
        return R, np.where(regular[:, None, None], D * (1.0 + _WIDER), np.inf)

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
                c = c + (magnitudes(R, *_with_constants(low, high)) @ half[..., None])[..., 0]
            c = np.fmin(c * (1.0 + _WIDER), _reached(R, *enclose(self.rate_program, lower, upper)["rate"]))
        return verified_bound(D, c, rounds=_ROUNDS)

    @cached_property
    def _inertia_slopes(self) -> Function:
        return differentiate(self.inertia_program, "M", "q")

    @cached_property
    def _rate_slopes(self) -> dict[str, Function]:
        return {port.name: differentiate(self.rate_program, "rate", port.name) for port in self.rate_program.inputs}


def _centred(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Centres and half widths that hold the boxes."""
    centre = 0.5 * (lower + upper)
    return centre, np.maximum(upper - centre, centre - lower) * (1.0 + _WIDER) + _WIDER


def _with_constants(low: Array, high: Array) -> tuple[Array, Array]:
    """Middles and radii of entries (N, n, m) between the ends, with room for folded constants."""
    middle = 0.5 * (low + high)
    largest = np.maximum(np.abs(low), np.abs(high)).max(axis=(1, 2), keepdims=True)
    return middle, np.maximum(high - middle, middle - low) + _CONSTANTS * largest


def _reached(R: Array, low: Array, high: Array) -> Array:
    """At least |R d| for d between the ends, (N, n)."""
    return magnitudes(R, *_with_constants(low[..., None], high[..., None]))[..., 0]
