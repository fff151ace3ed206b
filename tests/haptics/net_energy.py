"""Energy that a port takes in after the hand lets its own go: a law of passivity, summed over two hours of samples.

(1)  P = sum_n A_d'^n Q A_d^n,   by doubling:  P <- P + A'P A,  A <- A A      (A_d, Q of `coupled_loop`)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices, Mask
from torquec.haptics.coupled_loop import CoupledLoop

_DOUBLINGS = 22
"""2^22 samples: more than two hours at 500 Hz."""

_ROUNDING = 1e-9
"""What grows by less than this in a sample is not told from rounding."""

_FADED = 1e-13  # of the state that is left when nothing more can happen
_GROWN = 1e9  # a state that has grown so far belongs to an unstable loop, or is looked at again


@dataclass(frozen=True, eq=False)
class NetEnergy:
    """For N hands: whether the loop settles, and the least share of its energy that a hand loses to the port.

    `least_share` is over all ways in which the hand can store its energy: negative where the port gives more
    than it takes, minus infinity where the loop is unstable.
    """

    is_stable: Mask
    least_share: Array


def net_energy(loop: CoupledLoop) -> NetEnergy:
    """What the port takes in over 2^22 samples after the hand lets its energy go, arm and object at rest."""
    A, total = loop.step, loop.energy.copy()
    is_stable, active = np.ones(len(A), dtype=bool), np.arange(len(A))
    for _ in range(_DOUBLINGS):
        P = total[active]
        total[active] = P + A.swapaxes(1, 2) @ P @ A
        A = A @ A
        size = np.abs(A).max(axis=(1, 2))
        is_stable[active[size > _GROWN]] = False  # for now: transients of stable loops can be large, too
        going = (size >= _FADED) & (size <= _GROWN)
        A, active = A[going], active[going]
    # What has faded is stable; of the others, which are few, the eigenvalues decide.
    unclear = np.union1d(active, np.flatnonzero(~is_stable))
    if len(unclear):
        radius = np.abs(np.linalg.eigvals(loop.step[unclear])).max(axis=1)
        is_stable[unclear] = radius < 1.0 + _ROUNDING
        total[unclear] = _summed(loop, unclear)
    taken = np.full(len(is_stable), -math.inf)
    if is_stable.any():
        scale, P = loop.hand_scale[is_stable], total[is_stable]
        of_hand = P[:, loop.hand][:, :, loop.hand] / (scale[:, :, None] * scale[:, None, :])
        taken[is_stable] = 2.0 * np.linalg.eigvalsh(0.5 * (of_hand + of_hand.swapaxes(1, 2)))[:, 0]
    return NetEnergy(is_stable, taken)


def _summed(loop: CoupledLoop, which: Indices) -> Array:
    """(1) for some of the loops, all doublings done; infinite where it overflows."""
    A, P = loop.step[which], loop.energy[which]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_DOUBLINGS):
            P = P + A.swapaxes(1, 2) @ P @ A
            A = A @ A
    return np.nan_to_num(P)
