"""Radii of a tube with time-varying radii, and of its acceleration error in the inertial norm.

Equation numbers are those of :mod:`torquec.proof.tracking.inertial_norm`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array
from torquec.proof.tracking.coupled_loop import CoupledErrorLoop
from torquec.proof.tracking.coupled_response import Epochs
from torquec.proof.tracking.error_inputs import ErrorInputs
from torquec.proof.tracking.error_tube import Radii
from torquec.proof.tracking.inertial_norm import length
from torquec.proof.tracking.preconditioned import batched_product
from torquec.proof.tracking.time_pieces import Pieces
from torquec.proof.tracking.viscous_damping import step_error

_UP = 1.0 + 1e-12  # covers the rounding of sums of some hundred numbers that are not negative
_CANCELLED = 1e-12
"""Rounding of K^-1 M_c^-1, as a part of the product of magnitudes."""

_LEAST = 1e-12
"""Smallest radius of the inertial norm: its tube has an interior without any error."""


@dataclass(frozen=True, eq=False)
class TubeRadii(Radii):
    """Radii (C, N, n) of every payload cell and piece, and `inertial` (C, N, 1), those of the acceleration error in the
    inertial norm of the piece's epoch.
    """

    inertial: Array

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> TubeRadii:
        """Zero radii of a shape (C, N, n)."""
        zero = np.zeros(shape)
        return cls(zero, zero, zero, zero, zero[..., :1])

    def wider(self, part: float) -> TubeRadii:
        """The radii, enlarged by a relative margin."""
        return TubeRadii(**vars(super().wider(part)), inertial=self.inertial * (1.0 + part) + _LEAST)

    def is_inside(self, other: Radii) -> bool:
        """True where every radius is smaller; never with a NaN."""
        assert isinstance(other, TubeRadii)
        return super().is_inside(other) and bool(np.all(self.inertial < other.inertial))


def sample_norms(
    epochs: Epochs, pieces: Pieces, loop: CoupledErrorLoop, values: Array, acting: tuple[Array, Array]
) -> Array:
    """The first term of (6) (C, N, 1) from values (C, S) of |p_k/T^2| in slots.

    The sample before may lie in an earlier slot and epoch f: then `values` are those of the matrices of f, and
    feedback and speed error, `acting` (C, N, n) each, bound the difference.
    """
    norm, of_piece, of_slot = epochs.norm, epochs.of_piece, epochs.of_piece[pieces.first]
    (u, speed), A = acting, loop.resisted(epochs.inverse)
    found = np.zeros((len(values), len(of_piece), 1))
    for k, (a, b) in enumerate(pieces.slots_of(loop.period)):
        e = int(of_piece[k])
        for f in np.unique(of_slot[a:b]).tolist():
            part = norm.between[:, e, f] * values[:, a:b][:, of_slot[a:b] == f].max(axis=1)
            if f != e:
                other = batched_product(np.abs(epochs.G[:, e] - epochs.G[:, f]), u[:, k])
                other += batched_product(np.abs(A[:, e] - A[:, f]), speed[:, k]) / loop.period
                part = part + length(batched_product(np.abs(norm.L[:, e]), other))
            found[:, k, 0] = np.maximum(found[:, k, 0], part)
    return np.asarray(found * norm.of_samples(A)[:, of_piece, None] * _UP)


def error_norms(
    epochs: Epochs, loop: CoupledErrorLoop, inputs: ErrorInputs, moved: Array, acceleration: Array
) -> Array:
    """(6): the inertial norm (C, N, 1) of acceleration errors, from `moved`, its first term, in a tube with these radii
    of the acceleration (C, N, n).

    Signed errors of all outputs are part of `moved`.
    """
    held = inputs.constant
    if held is None:
        return 0.0 * moved
    inverse, L = (each[:, epochs.of_piece] for each in (epochs.inverse, epochs.norm.L))
    A = np.abs(loop.resisted(inverse))
    known = np.maximum(np.abs(inputs.low), np.abs(inputs.high)) + held.beside
    level = inputs.level + held.level
    drawn = level + held.turned + batched_product(np.abs(inverse), inputs.torque) + known
    late = step_error(A, drawn, acceleration, rising=1.0)
    level = level + late + (batched_product(A, known) if inputs.is_whole else known)
    torques = np.abs(L @ inverse) + _CANCELLED * (np.abs(L) @ np.abs(inverse))
    own = batched_product(np.abs(L), level) + batched_product(torques, inputs.torque)
    return np.asarray((moved + length(own)[..., None] + held.norm) * _UP)
