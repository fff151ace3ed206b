"""Histograms of times as the loop counts them: sixteen bins an octave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.realtime.runtime.structures import BINS, HistogramStruct


def bin_starts() -> Array:
    """The first nanosecond of every bin and the end of the last one, (BINS + 1,) [ns]."""
    bins = np.arange(BINS + 1)
    return np.where(bins < 32, bins, (16.0 + bins % 16) * 2.0 ** (bins // 16 - 1))


@dataclass(frozen=True, eq=False)
class TimeHistogram:
    """How often a time was in each bin, (BINS,), and the largest [s]."""

    counts: Indices
    largest: float

    @staticmethod
    def of(struct: HistogramStruct) -> TimeHistogram:
        """A copy of what the loop has counted."""
        return TimeHistogram(np.array(struct.bins, dtype=np.int64), struct.largest * 1e-9)

    @property
    def count(self) -> int:
        """How many times."""
        return int(self.counts.sum())

    def percentile(self, share: float) -> float:
        """The time [s] that `share` per cent of them do not pass: the end of its bin, so never too small."""
        if not self.count:
            return 0.0
        k = int(np.searchsorted(np.cumsum(self.counts), np.ceil(share / 100.0 * self.count)))
        return min(self.largest, float(bin_starts()[k + 1]) * 1e-9)

    def to_document(self) -> dict[str, float]:
        """Percentiles and the largest [s]."""
        shares = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}
        return {**{name: self.percentile(share) for name, share in shares.items()}, "max": self.largest}
