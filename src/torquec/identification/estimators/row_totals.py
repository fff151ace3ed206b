"""Sums over the rows of logs, block by block: R factors, largest entries of A and tau; instruments of a log.

Blocks are added up log by log, and the logs in their order: the sums do not depend on the number of workers.
Instruments follow the motion of a log, but hardly its noise:

(1)  Z = A along the motion after a second low pass, at half the cut-off of the first: position noise enters
     accelerations with the square of its frequency, so that most of the noise in A lies in the upper half of the band
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.foundation.work import Work, as_work
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.logs.log_source import LogSource, counted_rows, each_log
from torquec.identification.logs.prepare import central_difference
from torquec.identification.torque.torque_model import Past, TorqueModel

_SHARE = 0.5  # of the cut-off: keeps most of the motion and removes most of its noise


def instruments(model: TorqueModel, log: LogSource) -> Array:
    """Z (N, n, k) of (1) at the samples of a log that count; raises `ArgumentError` for a log in pieces."""
    samples = log.whole
    if samples is None:
        raise ArgumentError("instruments need all rows of a log at once", where=log.source, remedy="give shorter logs")
    slow = dataclasses.replace(samples, cutoff=_SHARE * samples.cutoff)
    q, qd = slow.low_passed(samples.q), slow.low_passed(samples.qd)
    smooth = dataclasses.replace(samples, q=q, qd=qd, qdd=central_difference(qd, samples.rate))
    columns: Array = model.regressor(smooth)[samples.used]
    return columns


@dataclass(frozen=True, eq=False)
class LogRows:
    """The rows of a log for a model: blocks of A (N, n, k) and tau (N, n), read anew in every iteration."""

    log: LogSource
    model: TorqueModel

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        return ((a, tau) for a, tau, _ in self.counted())

    def counted(self) -> Iterator[tuple[Array, Array, Mask | None]]:
        """The same with the rows (N, n) that count in a fit, None where all do."""
        past = Past()
        for block in self.log.blocks():
            kept = np.flatnonzero(block.used)
            columns = self.model.regressor(block, past, kept)
            if len(kept):
                rows = None if self.model.friction.has_memory else counted_rows(self.log, block)
                yield columns, block.tau[kept], None if rows is None else rows[kept]


@dataclass(frozen=True, eq=False)
class RowTotals:
    """Factors of rows, the largest |A_jk| (n, k) and the largest |tau_j| (n,)."""

    factors: JointFactors
    peaks: Array
    torque_peaks: Array

    def merged(self, other: RowTotals) -> RowTotals:
        """Totals of all rows together."""
        return RowTotals(
            self.factors.merged(other.factors),
            np.maximum(self.peaks, other.peaks),
            np.maximum(self.torque_peaks, other.torque_peaks),
        )


def row_totals(logs: Iterable[Iterable[tuple[Array, Array]]]) -> RowTotals:
    """The totals of the rows of logs; raises `ArgumentError` where there are none."""
    return _together([_log_totals((a, tau, None) for a, tau in rows) for rows in logs])


def model_totals(logs: Sequence[LogSource], model: TorqueModel, *, work: Work | None = None) -> RowTotals:
    """The totals of a model's rows in logs, computed in parallel by `work`; raises as `row_totals` does."""
    return _together(each_log(as_work(work), "adding up the logs", _totals_of, logs, model))


def _totals_of(log: LogSource, model: TorqueModel) -> RowTotals | None:
    return _log_totals(LogRows(log, model).counted())


def _log_totals(rows: Iterable[tuple[Array, Array, Mask | None]]) -> RowTotals | None:
    """The totals of one log, None where it has no row."""
    total: RowTotals | None = None
    for a, tau, counted in rows:
        own = RowTotals(joint_factors(a, tau, counted), np.abs(a).max(axis=0), np.abs(tau).max(axis=0))
        total = own if total is None else total.merged(own)
    return total


def _together(totals: Sequence[RowTotals | None]) -> RowTotals:
    found = [total for total in totals if total is not None]
    if not found:
        raise ArgumentError("there are no samples to fit", remedy="give at least one log that moves")
    return reduce(RowTotals.merged, found)
