"""The folds of logs for several models at a time, whether the logs are in memory or come in pieces.

(1)  every log is cut into parts of equally many decimated samples; the borders are known before the first block. Half
     a second at each end of a part, but no more than a fifth of it, is the gap to a neighbour that is left out
(2)  columns that do not depend on the law of friction are computed once for all models of a pass; of logs in memory
     they are kept for the next one
(3)  each log is gone through for itself, by this process or by a worker (`each_log`); one that is told its files only
     reads them there
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from torquec.foundation.arrays import Array, Indices
from torquec.foundation.work import Meter, Work, as_work, silent
from torquec.identification.estimators.cross_validation import FoldPart, Folds, LogStates, same_motions, states_of
from torquec.identification.estimators.joint_factors import JointFactors, joint_factors
from torquec.identification.logs.log_source import (
    LogSource,
    are_files,
    decimated_blocks,
    decimated_count,
    each_log,
    sample_correlation,
)
from torquec.identification.logs.prepare import Samples
from torquec.identification.torque.torque_model import Past, TorqueModel

_GAP, _GAP_SHARE = 0.5, 0.2  # of (1): seconds after which residuals are no longer alike, and part of a fold


class LogFolds:
    """The folds of logs (1)-(3); `work` says who goes through them."""

    def __init__(self, logs: Sequence[LogSource], *, work: Work | None = None) -> None:
        self.logs = tuple(logs)
        self._work = as_work(work)
        self._kept: dict[tuple[int, int], tuple[Array, Array]] = {}

    @property
    def correlation(self) -> float:
        """How many of the decimated samples share one independent one."""
        return max(sample_correlation(log, decimated_count(log)) for log in self.logs)

    @cached_property
    def motions(self) -> tuple[tuple[int, ...], ...]:
        """Which logs (indices) show the same motion."""
        if len(self.logs) == 1:
            return ((0,),)
        return same_motions(each_log(self._work, "comparing the motions", _log_states, self.logs))

    def folds(self, models: Sequence[TorqueModel], parts: int, *, meter: Meter = silent) -> list[Folds]:
        """The triangles of every model, each log cut into `parts`, in one pass; `meter` is told the samples done."""
        if self._work.executor is not None and are_files(self.logs):
            spread = each_log(self._work, "going through the logs", _file_folds, self.logs, tuple(models), parts)
            return [Folds(tuple(log[k] for log in spread), self.motions) for k in range(len(models))]
        counts = [decimated_count(log) for log in self.logs]

        def number_done(number: int, done: int) -> None:
            meter(sum(counts[:number]) + done, sum(counts))

        logs = [
            self._log_folds(number, models, parts, partial(number_done, number)) for number in range(len(self.logs))
        ]
        return [Folds(tuple(log[k] for log in logs), self.motions) for k in range(len(models))]

    def _log_folds(
        self, number: int, models: Sequence[TorqueModel], parts: int, show: Callable[[int], None]
    ) -> list[tuple[FoldPart, ...]]:
        """[model][part] of one log."""
        log = self.logs[number]
        borders = _borders(log, parts)
        found = [[_nothing(model) for _ in range(3 * parts)] for model in models]
        taken, pasts = 0, [Past() for _ in models]
        for block, kept in decimated_blocks(log):
            own = np.searchsorted(borders, np.arange(taken, taken + len(kept)), side="right") - 1
            for k, columns in enumerate(self._columns(number, models, block, kept, pasts)):
                show(taken + k * len(kept) // len(models))
                tau = block.tau[kept]
                for part in np.unique(own):
                    inside = own == part
                    here = joint_factors(columns[inside], tau[inside])
                    found[k][part] = here if found[k][part].count == 0 else found[k][part].merged(here)
            taken += len(kept)
            show(taken)
        return [tuple(FoldPart(*model[3 * part : 3 * part + 3]) for part in range(parts)) for model in found]

    def _columns(
        self,
        number: int,
        models: Sequence[TorqueModel],
        block: Samples,
        kept: Indices,
        pasts: Sequence[Past],
    ) -> Iterator[Array]:
        """A (M, n, k) of every model at the samples that are kept (2)."""
        fixed: dict[int, tuple[Array, Array]] = {}
        for model, past in zip(models, pasts, strict=True):
            # Models of one search differ in friction, and in whether there are rotors.
            motors = len(model.robot.drives.motors)
            whole = self.logs[number].whole is not None
            if whole and (number, motors) in self._kept:
                fixed[motors] = self._kept[number, motors]
            if motors not in fixed:
                fixed[motors] = (model.rigid_columns(block)[kept], model.further_columns(block)[kept])
                if whole:
                    self._kept[number, motors] = fixed[motors]
            rigid, further = fixed[motors]
            yield np.concatenate([rigid, model.friction_columns(block, past)[kept], further], axis=2)


def _log_states(log: LogSource) -> LogStates:
    return states_of(log.blocks(), log.used)


def _file_folds(log: LogSource, models: Sequence[TorqueModel], parts: int) -> list[tuple[FoldPart, ...]]:
    """[model][part] of a log that is read in pieces (3): of these nothing is kept from pass to pass."""
    return LogFolds([log])._log_folds(0, models, parts, lambda _: None)


def _borders(log: LogSource, parts: int) -> Indices:
    """Where heads, middles and tails of the parts begin, and the last ends, in decimated samples (1)."""
    count = decimated_count(log)
    borders = np.linspace(0, count, parts + 1).astype(int)
    gap = int(min(_GAP * count * log.rate / log.used, _GAP_SHARE * count / parts))
    starts = [border for start, stop in pairwise(borders) for border in (start, start + gap, stop - gap)]
    return np.array([*starts, count])


def _nothing(model: TorqueModel) -> JointFactors:
    n, k = model.robot.n, model.size
    return joint_factors(np.zeros((0, n, k)), np.zeros((0, n)))
