"""Minimax fit of a torque program's constants to worst motions, and prediction of errors after a replacement.

After terms were dropped, the error of a program is smallest with other constants than the robot's. Changing them costs
no operation. The minimax fit over given motions:

(1)  tau(c + d) = tau(c) + J d + ..,   J by reverse mode over the program, for every motion and joint
(2)  min over d of max |tau(c) + J d - tau_exact|/tolerance,   |d_k| <= r |c_k|: a linear program
(3)  a step that does not lower the largest error is tried again with a quarter of r

The error after a replacement and a fit is predicted without doing either:

(4)  torques change by J_k (v - v_k) where v replaces step k: derivatives J by reverse mode, at every motion
(5)  constants can compensate a part of this change: their derivative is d tau/dc less J_k d v_k/dc, the path through
     step k
(6)  least squares over the motions, those of large errors weighted more, give the change of the constants; the residual
     at the worst motion is the predicted error

A constant that multiplies step k later is assumed to act on its old value, so predictions may be too optimistic. Single
precision is enough: the best predictions are verified by a full fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from torquec.expr import Function, Op
from torquec.expr.replay import rebuilt, replayed_steps
from torquec.foundation.arrays import Array, RealArray
from torquec.simplification.fitting.chebyshev_program import exchange_fit
from torquec.simplification.replacements import Replacement, angle_steps, replacements
from torquec.simplification.tuning import TUNING

Steps = list[Any]


def refit_constants(
    function: Function, states: Array, torques: Array, tolerance: Array, constants: Sequence[int] | None = None
) -> Function:
    """The program with constants fitted by (1)-(3); its error at the states (N, 3, n) is no larger than before.

    `torques` (N, n) are the exact torques there; `constants` the steps that may change, all by default.
    """
    constants = fitted_constants(function) if constants is None else constants
    if not constants:
        return function
    current = {k: function.operations[k].value for k in constants}
    radius = TUNING.first_radius
    error, columns = _linearized(function, current, states, torques, tolerance)
    largest = float(np.abs(error).max())
    for _ in range(TUNING.refit_programs):
        size = np.array([abs(current[k]) for k in constants])
        step, _ = exchange_fit(columns * size, -error, within=radius)
        trial = {k: current[k] * (1.0 + float(d)) for k, d in zip(constants, step, strict=True)}
        new_error, new_columns = _linearized(function, trial, states, torques, tolerance)
        new_largest = float(np.abs(new_error).max())
        if new_largest < largest:
            small = new_largest > TUNING.worthwhile_gain * largest
            current, error, columns, largest = trial, new_error, new_columns, new_largest
            if small:
                break
        else:
            radius *= 0.25
            if radius < TUNING.smallest_radius:
                break
    return rebuilt(function, constants=current)


def refit_by_least_squares(
    function: Function, states: Array, torques: Array, tolerance: Array, constants: Sequence[int] | None = None
) -> Function:
    """The program after one step of weighted least squares on its constants: quick, with half the gain of a full fit.

    Motions of large errors weigh more. Where the largest error does not decrease, the program is unchanged.
    """
    constants = fitted_constants(function) if constants is None else constants
    if not constants:
        return function
    current = {k: function.operations[k].value for k in constants}
    error, columns = _linearized(function, current, states, torques, tolerance)
    largest = float(np.abs(error).max())
    if largest == 0.0:
        return function
    weight = TUNING.weight_without_error + np.abs(error) / largest
    weighted = columns * np.array(list(current.values())) * weight[:, None]
    gram = weighted.T @ weighted
    gram[np.diag_indices_from(gram)] += TUNING.ridge * np.trace(gram) / len(gram)
    step = np.clip(np.linalg.solve(gram, -weighted.T @ (error * weight)), -TUNING.first_radius, TUNING.first_radius)
    trial = {k: current[k] * (1.0 + float(d)) for k, d in zip(constants, step, strict=True)}
    values = values_at(function, states, trial)
    reached = max(
        float(np.abs(values[k] - torques[:, joint]).max()) / float(tolerance[joint])
        for joint, k in enumerate(function.results[0])
    )
    return rebuilt(function, constants=trial) if reached < largest else function


def fitted_constants(function: Function) -> list[int]:
    """The steps whose constants are fitted: not 0, 1 and 2, which cost no multiplication, nor constants in angles, in
    which torques are too nonlinear.
    """
    angles = angle_steps(function)
    return [
        k
        for k, step in enumerate(function.operations)
        if step.op is Op.CONST and k not in angles and abs(step.value) not in (0.0, 1.0, 2.0)
    ]


def values_at(function: Function, states: Array, constants: Mapping[int, float] | None = None) -> Steps:
    """The value of every step at the states (N, 3, n)."""
    inputs = {name: states[:, k].T for k, name in enumerate(("q", "qd", "qdd"))}
    return replayed_steps(function, inputs, constants=constants)


def _linearized(
    function: Function, constants: Mapping[int, float], states: Array, torques: Array, tolerance: Array
) -> tuple[Array, Array]:
    """Errors over the tolerance (N n,) and their derivatives (N n, constants) by the constants (1)."""
    values = values_at(function, states, constants)
    index = {k: c for c, k in enumerate(constants)}
    count, n = torques.shape
    errors = np.empty((n, count))
    columns = np.zeros((n, count, len(index)))
    for joint, result in enumerate(function.results[0]):
        errors[joint] = (values[result] - torques[:, joint]) / tolerance[joint]
        change: dict[int, Any] = {result: 1.0 / tolerance[joint]}
        for k in range(result, -1, -1):
            s = change.pop(k, None)
            if s is None:
                continue
            step = function.operations[k]
            if step.op is Op.CONST:
                if k in index:
                    columns[joint, :, index[k]] = s
            elif step.op is not Op.INPUT:
                for argument, part in zip(step.args, shares(step.op, s, [values[a] for a in step.args]), strict=True):
                    change[argument] = change[argument] + part if argument in change else part
    return errors.reshape(-1), columns.reshape(n * count, len(index))


def shares(op: Op, s: Any, arguments: Steps) -> list[Any]:
    """Partial derivatives of an operation by its arguments; angles are inputs, so sines and cosines have none."""
    if op is Op.ADD:
        return [s, s]
    if op is Op.SUB:
        return [s, -s]
    if op is Op.NEG:
        return [-s]
    if op is Op.MUL:
        return [s * arguments[1], s * arguments[0]]
    return [0.0] * len(arguments)


@dataclass(frozen=True)
class Foreseen:
    """A replacement with its predicted errors: each joint's largest, after a fit (n,), in tolerances."""

    replacement: Replacement
    errors: RealArray

    @property
    def largest(self) -> float:
        """The largest error of all joints."""
        return float(self.errors.max())


def foresee(
    program: Function, states: Array, torques: Array, tolerance: Array, constants: Sequence[int] | None = None
) -> tuple[RealArray, list[Foreseen]]:
    """Predicted errors (4)-(6): present largest errors (n,), and each replacement that saves operations with its own.

    `states` (N, 3, n) are the motions, `torques` (N, n) the exact torques there; `constants` the steps that may be
    fitted, all by default.
    """
    count = len(torques)
    values = np.stack([np.broadcast_to(np.asarray(v, np.float32), count) for v in values_at(program, states)])
    changes = _changes(program, values, tolerance)
    errors = (values[list(program.results[0])] - torques.T.astype(np.float32)) / tolerance[:, None].astype(np.float32)
    largest = np.abs(errors).max(axis=1)
    weight = (
        TUNING.weight_without_error + np.abs(errors) / max(float(largest.max()), TUNING.least_large_error)
    ).reshape(-1)
    constants = fitted_constants(program) if constants is None else constants
    paths = _paths(program, values, constants)
    sizes = np.array([program.operations[k].value for k in constants], np.float32)
    columns = changes[:, constants].transpose(1, 0, 2) * sizes[:, None, None]  # (constants, n, N), (5) relative
    found: list[Foreseen] = []
    every = sorted(replacements(program, values, changes), key=lambda one: one.step)
    for k, group in groupby(every, key=lambda one: one.step):
        ways = [way for way in group if way.saved > 0]
        if not ways:
            continue
        moved = np.stack([way.of(values) for way in ways]) - values[k]
        after = errors + changes[:, k] * moved[:, None]  # (ways, n, N), (4)
        path = paths[k]
        left = columns if path is None else columns - path[:, None] * changes[:, k]
        fitted = _fitted(after.reshape(len(ways), -1), left.reshape(len(constants), weight.size), weight)
        both = np.abs(np.stack([after, fitted.reshape(after.shape)])).max(axis=3)  # (2, ways, n)
        better = both.max(axis=2).argmin(axis=0)
        found += [Foreseen(way, both[side, row]) for row, (way, side) in enumerate(zip(ways, better, strict=True))]
    return largest, found


def _fitted(errors: RealArray, columns: RealArray, weight: RealArray) -> RealArray:
    """Residuals of errors (ways, N n) after least squares on the columns (constants, N n) (6)."""
    if not len(columns):
        return errors
    weighted = columns * weight
    gram = (weighted @ weighted.T).astype(np.float64)
    gram[np.diag_indices_from(gram)] += TUNING.ridge * np.trace(gram) / len(gram) + 1e-9
    step = np.linalg.solve(gram, (weighted @ (errors * weight).T).astype(np.float64))
    left: RealArray = errors - np.clip(step, -TUNING.linear_change, TUNING.linear_change).T.astype(np.float32) @ columns
    return left


def _changes(program: Function, values: RealArray, tolerance: Array) -> RealArray:
    """Derivatives of the torques by each step, in tolerances, (n, steps, N): reverse mode."""
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
    """Derivatives of each step by relative changes of the constants, (constants, N), or None: forward mode."""
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
