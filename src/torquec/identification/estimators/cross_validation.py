"""Choosing settings by what they predict, not by what they fit: folds over motions or over time.

(1)  Logs of different motions: each motion is a fold, predicted by a fit to the others. That is what a model is for.
(2)  Logs that repeat one motion, or a single log: fold i of k is the i-th part in time of every log, so that two runs
     of one motion never stand on both sides. What is fitted keeps a gap from what is left out, because residuals of
     neighbouring samples are alike.
(3)  The error of a setting is |tau - predicted|/|tau| over all folds.
(4)  Two logs repeat one motion if the states (q, qd) of each come near those of the other, half of them at least.

Folds are kept as triangles: fits of many settings cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from torquec.foundation.arrays import Array
from torquec.identification.estimators.estimator import Estimator
from torquec.identification.estimators.joint_factors import JointFactors
from torquec.identification.logs.prepare import Samples

PARTS = 5
_NEAR = 0.05
"""Of the range that each position and speed has over all logs: repeated runs of a robot differ by less (4)."""
_STATES = 300  # of a fold; more hardly change which model is chosen

Pair = tuple[JointFactors, tuple[JointFactors, ...]]
"""What to fit, and what to predict."""


@dataclass(frozen=True, eq=False)
class FoldPart:
    """Triangles of a part of a log: its middle and, where a neighbour is left out, the gaps at its two ends (2)."""

    head: JointFactors
    middle: JointFactors
    tail: JointFactors

    @cached_property
    def whole(self) -> JointFactors:
        """All of it."""
        return self.head.merged(self.middle, self.tail)

    def beside(self, *, before: bool, after: bool) -> JointFactors:
        """What is fitted of it where the part `before` it, or the one `after` it, is left out."""
        if not (before or after):
            return self.whole
        return self.middle.merged(*([] if before else [self.head]), *([] if after else [self.tail]))


@dataclass(frozen=True, eq=False)
class Folds:
    """Triangles of every part of every log, [log][part]; `motions` are the logs (indices) of each motion."""

    parts: tuple[tuple[FoldPart, ...], ...]
    motions: tuple[tuple[int, ...], ...] = ()

    @property
    def whole(self) -> JointFactors:
        """Everything."""
        every = [part.whole for log in self.parts for part in log]
        return every[0].merged(*every[1:])

    def pairs(self) -> list[Pair]:
        """The folds: over motions (1) where there are several, else over time (2)."""
        places = [(log, part) for log, parts in enumerate(self.parts) for part in range(len(parts))]
        if len(self.motions) > 1:
            folds = [[place for place in places if place[0] in motion] for motion in self.motions]
        else:
            folds = [[place for place in places if place[1] == part] for part in range(len(self.parts[0]))]
        made = []
        for fold in folds:
            left = set(fold)
            kept = [
                self.parts[log][part].beside(before=(log, part - 1) in left, after=(log, part + 1) in left)
                for log, part in places
                if (log, part) not in left
            ]
            made.append((kept[0].merged(*kept[1:]), tuple(self.parts[log][part].whole for log, part in fold)))
        return made


@dataclass(frozen=True, eq=False)
class LogStates:
    """States (q, qd) of a log: the smallest and the largest (2 n,), and a few of them (M, 2 n)."""

    smallest: Array
    largest: Array
    few: Array


def states_of(blocks: Iterable[Samples], count: int) -> LogStates:
    """The states of a log that has `count` samples which count, in blocks."""
    step, seen = max(1, count // _STATES), 0
    low, high, few = [], [], []
    for block in blocks:
        states = np.column_stack([block.q, block.qd])[block.used]
        if len(states):
            low.append(states.min(axis=0))
            high.append(states.max(axis=0))
            few.append(states[-seen % step :: step])
        seen += len(states)
    return LogStates(np.min(low, axis=0), np.max(high, axis=0), np.concatenate(few))


def same_motions(logs: Sequence[LogStates]) -> tuple[tuple[int, ...], ...]:
    """Which logs (indices) show the same motion (4), by their states."""
    smallest, largest = np.min([log.smallest for log in logs], axis=0), np.max([log.largest for log in logs], axis=0)
    size = np.maximum(largest - smallest, np.finfo(float).tiny ** 0.5)
    few = [log.few / size for log in logs]
    groups: list[list[int]] = []
    for k, state in enumerate(few):
        same = next((group for group in groups if _repeats(state, few[group[0]])), None)
        if same is None:
            groups.append([k])
        else:
            same.append(k)
    return tuple(tuple(group) for group in groups)


def validation_error(pairs: Sequence[Pair], make: Callable[[], Estimator], *, most: float = np.inf) -> float:
    """(3) for the estimator that `make` gives; infinite as soon as it must exceed `most`."""
    total = sum(float(part.torque_squares.sum()) for _, left_out in pairs for part in left_out)
    wrong = 0.0
    for kept, left_out in pairs:
        x = make().fit_factors(kept).x_
        wrong += sum(float(part.squares(x).sum()) for part in left_out)
        if wrong > most**2 * total:
            return np.inf
    return float(np.sqrt(wrong / total))


def _repeats(a: Array, b: Array) -> bool:
    """(4)."""
    squares = ((a[:, None, :] - b[None, :, :]) ** 2).mean(axis=2)
    return all(float(np.median(np.sqrt(squares.min(axis=axis)))) < _NEAR for axis in (0, 1))
