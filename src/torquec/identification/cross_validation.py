"""Choosing settings by what they predict, not by what they fit: folds over time and over logs.

(1)  Fold i of k is the i-th part in time of every log, so that two runs of one motion never stand on both sides.
(2)  With several logs, each of them is a fold as well.
(3)  The error of a setting is |tau - predicted|/|tau| over all folds, each predicted by a fit to all the others.

Folds are kept as triangles: fits of many settings cost next to nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from torquec.identification.estimator import Estimator
from torquec.identification.joint_factors import JointFactors, joint_factors
from torquec.trajectory.trajectory import Array

PARTS = 5


@dataclass(frozen=True, eq=False)
class Folds:
    """Triangles of every part of every log, [log][part]."""

    parts: tuple[tuple[JointFactors, ...], ...]

    @property
    def whole(self) -> JointFactors:
        """Everything."""
        every = [part for log in self.parts for part in log]
        return every[0].merged(*every[1:])

    def pairs(self) -> list[tuple[JointFactors, tuple[JointFactors, ...]]]:
        """(what to fit, what to predict) of each fold (1), (2)."""
        made = []
        count = len(self.parts[0])
        for i in range(count):
            kept = [part for log in self.parts for k, part in enumerate(log) if k != i]
            made.append((kept[0].merged(*kept[1:]), tuple(log[i] for log in self.parts)))
        if len(self.parts) > 1:
            for i, log in enumerate(self.parts):
                kept = [part for k, other in enumerate(self.parts) for part in other if k != i]
                made.append((kept[0].merged(*kept[1:]), log))
        return made


def time_folds(rows: Sequence[tuple[Array, Array]], *, parts: int = PARTS) -> Folds:
    """The folds of logs, each given as (A (N, n, k), tau (N, n)) in the order of time."""
    made = []
    for a, tau in rows:
        borders = np.linspace(0, len(a), parts + 1).astype(int)
        spans = itertools.pairwise(borders)
        made.append(tuple(joint_factors(a[start:stop], tau[start:stop]) for start, stop in spans))
    return Folds(tuple(made))


def validation_error(folds: Folds, make: Callable[[], Estimator]) -> float:
    """(3) for the estimator that `make` gives."""
    return errors_of(folds.pairs(), [make])[0]


def errors_of(
    pairs: Sequence[tuple[JointFactors, tuple[JointFactors, ...]]], makers: Sequence[Callable[[], Estimator]]
) -> list[float]:
    """(3) for each of several settings."""
    found = []
    for make in makers:
        wrong = total = 0.0
        for kept, left_out in pairs:
            x = make().fit_factors(kept).x_
            wrong += sum(float(part.squares(x).sum()) for part in left_out)
            total += sum(float(part.torque_squares.sum()) for part in left_out)
        found.append(float(np.sqrt(wrong / total)))
    return found
