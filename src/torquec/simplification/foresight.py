"""What a torque program would err after a replacement and a fit of its constants, foreseen without doing either.

(1)  torques change by J_k (v - v_k) where v stands for step k: derivatives J by reverse mode, at every motion
(2)  constants can make up for a part of it, d tau/dc = (d tau/dc as it is) - J_k d v_k/dc: what reached the torques
     through step k does not any more
(3)  least squares over the motions, those of large errors weighted more, give the change of the constants; what is
     left at the worst motion is the error foreseen

A constant by which step k is multiplied later is taken to act on its old value, so it may promise too much. Single
precision will do as well: the best of what is foreseen is tried in earnest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from torquec.expr import Function, Op
from torquec.foundation.arrays import Array, RealArray
from torquec.simplification.refit_constants import fitted_constants, shares, values_at
from torquec.simplification.replacements import Replacement, replacements

_LIGHTEST, _LEAST = 0.15, 0.3
"""The weight of motions without error, beside one for the worst; and the error that counts as large where all are
small."""

_RIDGE = 1e-4
"""Of the mean square of the columns, added to all of them: constants that hardly matter stay."""

_FARTHEST = 1.0
"""The largest change of a constant, as a part of itself, that derivatives are trusted for."""


@dataclass(frozen=True)
class Foreseen:
    """A replacement, with each joint's largest error after it and after a fit (n,), in tolerances."""

    replacement: Replacement
    errors: RealArray

    @property
    def largest(self) -> float:
        """Over the joints."""
        return float(self.errors.max())


def foresee(
    program: Function, states: Array, torques: Array, tolerance: Array, constants: Sequence[int] | None = None
) -> tuple[RealArray, list[Foreseen]]:
    """The largest errors of the program as it is (n,), and every replacement that saves something with its errors.

    `states` (N, 3, n) are the motions that count, `torques` (N, n) what the program should give there; `constants` the
    steps that may be fitted, all by default.
    """
    count = len(torques)
    values = np.stack([np.broadcast_to(np.asarray(v, np.float32), count) for v in values_at(program, states)])
    changes = _changes(program, values, tolerance)
    errors = (values[list(program.results[0])] - torques.T.astype(np.float32)) / tolerance[:, None].astype(np.float32)
    largest = np.abs(errors).max(axis=1)
    weight = (_LIGHTEST + np.abs(errors) / max(float(largest.max()), _LEAST)).reshape(-1)
    constants = fitted_constants(program) if constants is None else constants
    paths = _paths(program, values, constants)
    sizes = np.array([program.operations[k].value for k in constants], np.float32)
    columns = changes[:, constants].transpose(1, 0, 2) * sizes[:, None, None]  # (constants, n, N), (2) relative
    found: list[Foreseen] = []
    every = sorted(replacements(program, values, changes), key=lambda one: one.step)
    for k, group in groupby(every, key=lambda one: one.step):
        ways = [way for way in group if way.saved > 0]
        if not ways:
            continue
        moved = np.stack([way.of(values) for way in ways]) - values[k]
        after = errors + changes[:, k] * moved[:, None]  # (ways, n, N), (1)
        path = paths[k]
        left = columns if path is None else columns - path[:, None] * changes[:, k]
        fitted = _fitted(after.reshape(len(ways), -1), left.reshape(len(constants), weight.size), weight)
        both = np.abs(np.stack([after, fitted.reshape(after.shape)])).max(axis=3)  # (2, ways, n)
        better = both.max(axis=2).argmin(axis=0)
        found += [Foreseen(way, both[side, row]) for row, (way, side) in enumerate(zip(ways, better, strict=True))]
    return largest, found


def _fitted(errors: RealArray, columns: RealArray, weight: RealArray) -> RealArray:
    """What is left of errors (ways, N n) after least squares on the columns (constants, N n) (3)."""
    if not len(columns):
        return errors
    weighted = columns * weight
    gram = (weighted @ weighted.T).astype(np.float64)
    gram[np.diag_indices_from(gram)] += _RIDGE * np.trace(gram) / len(gram) + 1e-9
    step = np.linalg.solve(gram, (weighted @ (errors * weight).T).astype(np.float64))
    left: RealArray = errors - np.clip(step, -_FARTHEST, _FARTHEST).T.astype(np.float32) @ columns
    return left


def _changes(program: Function, values: RealArray, tolerance: Array) -> RealArray:
    """How torques change with each step, in tolerances, (n, steps, N): reverse mode."""
    steps, count = values.shape
    found = np.zeros((len(tolerance), steps, count), np.float32)
    for joint, result in enumerate(program.results[0]):
        found[joint, result] = 1.0 / tolerance[joint]
        reached = {result}
        for k in range(result, -1, -1):
            step = program.operations[k]
            if k not in reached or step.op in (Op.CONST, Op.INPUT):
                continue
            parts = shares(step.op, found[joint, k], [values[a] for a in step.args])
            for argument, part in zip(step.args, parts, strict=True):
                found[joint, argument] += part
                reached.add(argument)
    return found


def _paths(program: Function, values: RealArray, constants: Sequence[int]) -> list[RealArray | None]:
    """How each step changes with the constants, relative to each, (constants, N), or None: forward mode."""
    row = {k: c for c, k in enumerate(constants)}
    found: list[Any] = []
    for k, step in enumerate(program.operations):
        if k in row:
            own = np.zeros((len(row), values.shape[1]), np.float32)
            own[row[k]] = step.value
            found.append(own)
            continue
        total = None
        parts = shares(step.op, np.float32(1.0), [values[a] for a in step.args]) if step.args else []
        for argument, part in zip(step.args, parts, strict=True):
            if found[argument] is not None:
                grown = found[argument] * part
                total = grown if total is None else total + grown
        found.append(total)
    return found
