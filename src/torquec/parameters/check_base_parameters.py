"""The independent check of base parameters: recursive Newton-Euler on random states, in doubles.

The construction works on energies in exact fractions; this check works on torques and does not use the construction.
With W the regressor stacked over random states (q, qd, qdd), and K, E of the record:

(1)  W E K = W                 the base determines every torque, coefficient by coefficient
(2)  rank(W E) = b             no base parameter is redundant
(3)  K E = 1, and E uses no parameter that has no effect
(4)  beta = K phi              the recorded values are the robot's own

(1) must hold column by column to `TOLERANCE` times the magnitude of the summands; (2) is decided by the singular values
of W E with unit columns, of which the smallest must be above `INDEPENDENT`. A base that is almost redundant (a robot
whose axes are parallel to 1e-7) therefore passes (2), and one that is redundant up to rounding does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torquec.dynamics.friction_regressor import FrictionColumns
from torquec.errors import CheckError
from torquec.foundation.arrays import Array
from torquec.parameters.base_parameters import BaseParameters
from torquec.parameters.standard_parameters import (
    ParameterFrames,
    StandardParameterKind,
    StandardParameters,
    standard_parameters,
    standard_regressor,
    standard_values,
)
from torquec.records import BaseParametersRecord, SparseRow
from torquec.robot.configuration import random_position
from torquec.robot.robot import Robot

TOLERANCE = 1e-12
"""Largest relative error of a column of W."""

VALUES = 1e-10
"""Largest relative error of a recorded value."""

INVERSE = 1e-12
"""Largest error of K E = 1, relative to the magnitude of the summands; a smaller coefficient has no effect."""

INDEPENDENT = 1e-12
"""Smallest relative singular value of an independent set."""


@dataclass(frozen=True)
class BaseCheck:
    """Result of the check: number of base parameters, largest error of (1), smallest singular value of (2)."""

    rank: int
    error: float
    smallest_singular_value: float


def check_base_parameters(robot: Robot, base: BaseParameters | BaseParametersRecord) -> BaseCheck:
    """Raise `CheckError` unless the base, or the record of one, is a minimal set for this robot.

    >>> from torquec.parameters.base_parameters import base_parameters
    >>> from torquec.robot import classics
    >>> arm = classics.planar2r()
    >>> check_base_parameters(arm, base_parameters(arm)).rank
    6
    """
    record = base if isinstance(base, BaseParametersRecord) else base.record
    parameters = standard_parameters(
        robot, motors=record.motors, friction=FrictionColumns(record.friction), frames=ParameterFrames(record.frames)
    )
    if parameters.names != record.parameters:
        _refuse(record, "its standard parameters are not those of this robot")
    p, b = len(parameters), len(record.names)
    projection = _dense(record, record.projection, (b, p))
    expansion = _dense(record, record.expansion, (p, b))
    w = _stacked(robot, parameters, size=2 * p + 8)
    error = _check_torques(record, parameters, w, projection, expansion)
    _check_inverse(record, projection, expansion)
    smallest = _check_independence(record, w @ expansion)
    _check_values(record, projection, standard_values(robot, parameters))
    return BaseCheck(b, error, smallest)


def _stacked(robot: Robot, parameters: StandardParameters, size: int) -> Array:
    """W (size, p): one random combination of the n torques per state, so that every joint takes part in every row."""
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.uniform(-3.0, 3.0, (3, size, robot.n))
    if any(joint.kind.nv > 1 for joint in robot.joints):
        q = np.array([random_position(robot, rng) for _ in range(size)])
    mixture = rng.normal(size=(size, 1, robot.n))
    stacked: Array = (mixture @ standard_regressor(robot, parameters, q, qd, qdd))[:, 0]
    return stacked


def _check_torques(
    record: BaseParametersRecord, parameters: StandardParameters, w: Array, projection: Array, expansion: Array
) -> float:
    """(1), relative to the magnitude of the summands.

    The size of a column is its largest entry. Inertial columns share the largest of all: small ones are small by
    cancellation.
    """
    own = np.abs(w).max(axis=0, initial=0.0)
    inertial = [kind is StandardParameterKind.INERTIAL for kind in parameters.kinds]
    own[inertial] = own[inertial].max(initial=0.0)
    size = own + (own @ np.abs(expansion)) @ np.abs(projection)
    errors = np.abs(w - w @ expansion @ projection).max(axis=0, initial=0.0) / np.maximum(size, 1e-300)
    worst = int(np.argmax(errors)) if errors.size else 0
    if errors.size and not errors[worst] <= TOLERANCE:
        _refuse(
            record,
            f"it does not give the torques: '{record.parameters[worst]}' is off by {errors[worst]:.1e} of its effect",
        )
    return float(errors.max(initial=0.0))


def _check_inverse(record: BaseParametersRecord, projection: Array, expansion: Array) -> None:
    """Check (3)."""
    without_effect = np.abs(projection).max(axis=0, initial=0.0) <= INVERSE * np.abs(projection).max(initial=0.0)
    if np.abs(expansion[without_effect]).max(initial=0.0) > INVERSE * np.abs(expansion).max(initial=0.0):
        _refuse(record, "its expansion uses parameters that have no effect")
    product = projection @ expansion
    size = np.maximum(np.abs(projection) @ np.abs(expansion), 1.0)
    if not np.all(np.abs(product - np.eye(len(product))) <= INVERSE * size):
        _refuse(record, "its projection and its expansion do not belong together")


def _check_independence(record: BaseParametersRecord, inner: Array) -> float:
    """Check (2); gives the smallest singular value."""
    if not inner.shape[1]:
        return 1.0
    sizes = np.linalg.norm(inner, axis=0)
    if not np.all(sizes > INDEPENDENT * sizes.max()):
        _refuse(record, f"'{record.names[int(np.argmin(sizes))]}' has no effect")
    values = np.linalg.svd(inner / sizes, compute_uv=False)
    smallest = float(values[-1] / values[0])
    if not smallest > INDEPENDENT:
        _refuse(record, f"its {inner.shape[1]} parameters are not independent: at least one is redundant")
    return smallest


def _check_values(record: BaseParametersRecord, projection: Array, values: Array | None) -> None:
    """Check (4)."""
    if values is None and record.values is None:
        return
    if values is None or record.values is None or len(record.values) != len(projection):
        _refuse(record, "its values are not those of this robot: one of them has none")
        return
    expected = projection @ values
    size = np.abs(projection) @ np.abs(values)
    if not np.all(np.abs(expected - np.array(record.values)) <= VALUES * size):
        _refuse(record, "its values are not those of this robot")


def _dense(record: BaseParametersRecord, rows: Sequence[SparseRow], shape: tuple[int, int]) -> Array:
    """A matrix of the record, if it has that shape and is finite."""
    matrix = np.zeros(shape)
    if len(rows) != shape[0]:
        _refuse(record, f"a matrix has {len(rows)} rows in place of {shape[0]}")
    for i, row in enumerate(rows):
        for k, value in row:
            if not (0 <= k < shape[1] and np.isfinite(value)):
                _refuse(record, f"row {i} of a matrix holds {value} in column {k}")
            matrix[i, k] += value
    return matrix


def _refuse(record: BaseParametersRecord, reason: str) -> None:
    raise CheckError(
        f"these are not base parameters of robot '{record.robot}': {reason}",
        remedy="make them again with torquec.base_parameters for this robot",
    )
