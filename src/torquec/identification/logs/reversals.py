"""Where a joint turns back: there friction jumps, which no filtered torque shows as it is."""

from __future__ import annotations

import numpy as np

from torquec.foundation.arrays import Array, Mask


def away_from_reversals(qd: Array, count: int) -> Mask:
    """Which samples of speeds qd (N, n) are more than `count` samples from a change of sign, by joint (N, n).

    >>> away_from_reversals(np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0]]), 1).ravel().tolist()
    [True, False, False, False, False, True]
    """
    result = np.ones(qd.shape, dtype=np.bool_)
    for j, speed in enumerate(qd.T):
        turns = np.flatnonzero(np.sign(speed[1:]) != np.sign(speed[:-1]))
        near = np.zeros(len(speed) + 1)
        np.add.at(near, np.maximum(turns - count, 0), 1.0)
        np.add.at(near, np.minimum(turns + count + 2, len(speed)), -1.0)
        result[:, j] = np.cumsum(near)[:-1] == 0.0
    return result
