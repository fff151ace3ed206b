"""What is added up over the rows of logs, block by block: triangles, and the largest entries of A and tau."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.logs.log_source import LogSource
from torquec.identification.torque.torque_model import Past, TorqueModel


@dataclass(frozen=True, eq=False)
class LogRows:
    """The rows of a log for a model: blocks of A (N, n, k) and tau (N, n), read again whenever asked for."""

    log: LogSource
    model: TorqueModel

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        past = Past()
        for block in self.log.blocks():
            columns = self.model.regressor(block, past)
            if block.used.any():
                yield columns[block.used], block.tau[block.used]


@dataclass(frozen=True, eq=False)
class RowTotals:
    """Factors of rows, the largest |A_jk| (n, k) and the largest |tau_j| (n,)."""

    factors: JointFactors
    peaks: Array
    torque_peaks: Array

    def merged(self, other: RowTotals) -> RowTotals:
        """Those of all rows together."""
        return RowTotals(
            self.factors.merged(other.factors),
            np.maximum(self.peaks, other.peaks),
            np.maximum(self.torque_peaks, other.torque_peaks),
        )


def row_totals(logs: Iterable[Iterable[tuple[Array, Array]]]) -> RowTotals:
    """The totals of the rows of logs; raises `ArgumentError` where there are none."""
    total: RowTotals | None = None
    for rows in logs:
        for a, tau in rows:
            own = RowTotals(joint_factors(a, tau), np.abs(a).max(axis=0), np.abs(tau).max(axis=0))
            total = own if total is None else total.merged(own)
    if total is None:
        raise ArgumentError("there are no samples to fit", remedy="give at least one log that moves")
    return total
