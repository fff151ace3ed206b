"""A log that is gone through as often as needed, and is never in memory: its samples, its rows, its folds.

(1)  rows: A and tau at the samples that count, block by block
(2)  folds: as those of decimated samples in memory (`cross_validation`); the decimation goes on from block to block,
     and the borders of folds are known before, because the first pass has counted
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.estimators.cross_validation import Folds, same_motions, states_of
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.fit_logs import LogRows, Rows
from torquec.identification.logs.prepare import Samples, correlation_of, thinning
from torquec.identification.logs.stream_log import LogScan, Pieces, stream_blocks
from torquec.identification.torque.torque_model import TorqueModel

EDGE = 0.5


@dataclass(frozen=True, eq=False)
class StreamedLog:
    """The pieces of a log and what a first pass has found; `size` samples are in memory at a time."""

    pieces: Pieces
    scan: LogScan
    size: int

    @cached_property
    def used(self) -> int:
        """How many samples count."""
        return self.scan.used_count(EDGE)

    @property
    def step(self) -> int:
        """Every how many samples decimation keeps one."""
        return thinning(self.scan.rate, self.scan.cutoff)

    @property
    def thinned(self) -> int:
        """How many samples decimation keeps."""
        return -(-self.used // self.step)

    def with_cutoff(self, cutoff: float) -> StreamedLog:
        """The same log through another filter."""
        return dataclasses.replace(self, scan=dataclasses.replace(self.scan, cutoff=cutoff))

    def correlation(self, count: int) -> float:
        """How many of `count` samples, evenly taken, share one independent one."""
        return correlation_of(count, self.used / self.scan.rate, self.scan.cutoff)

    def blocks(self) -> Iterator[Samples]:
        """Its samples, in another pass."""
        return stream_blocks(self.pieces, self.scan, edge=EDGE, rows=self.size)

    def rows(self) -> LogRows:
        """(1)."""

        def rows_of(model: TorqueModel) -> Rows:
            return _StreamedRows(self, model)

        return LogRows(self.scan.source, rows_of)


@dataclass(frozen=True, eq=False)
class _StreamedRows:
    """(1): every iteration is a pass."""

    log: StreamedLog
    model: TorqueModel

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        for block in self.log.blocks():
            if block.used.any():
                yield self.model.regressor(block)[block.used], block.tau[block.used]


@dataclass(frozen=True, eq=False)
class StreamFolds:
    """(2), a pass for every model; what was found is kept, as triangles."""

    logs: Sequence[StreamedLog]
    _made: dict[tuple[TorqueModel, int], Folds] = field(default_factory=dict)

    @property
    def correlation(self) -> float:
        """Of the decimated samples."""
        return max(log.correlation(log.thinned) for log in self.logs)

    @cached_property
    def motions(self) -> tuple[tuple[int, ...], ...]:
        """Which logs show the same motion."""
        if len(self.logs) == 1:
            return ((0,),)
        return same_motions([states_of(log.blocks(), log.used) for log in self.logs])

    def folds(self, model: TorqueModel, parts: int) -> Folds:
        """The triangles of a model."""
        key = (model, parts)
        if key not in self._made:
            self._made[key] = Folds(tuple(_log_folds(log, model, parts) for log in self.logs), self.motions)
        return self._made[key]


def _log_folds(log: StreamedLog, model: TorqueModel, parts: int) -> tuple[JointFactors, ...]:
    """The triangles of the parts of one log."""
    borders = np.linspace(0, log.thinned, parts + 1).astype(int)
    n, k = model.robot.n, model.size
    found = [joint_factors(np.zeros((0, n, k)), np.zeros((0, n))) for _ in range(parts)]
    seen = taken = 0
    for block in log.blocks():
        used = np.flatnonzero(block.used)
        kept = used[-seen % log.step :: log.step]
        seen += len(used)
        if len(kept) == 0:
            continue
        a, tau = model.regressor(block)[kept], block.tau[kept]
        numbers = np.arange(taken, taken + len(kept))
        taken += len(kept)
        own = np.searchsorted(borders, numbers, side="right") - 1
        for part in np.unique(own):
            inside = own == part
            found[part] = found[part].merged(joint_factors(a[inside], tau[inside]))
    return tuple(found)
