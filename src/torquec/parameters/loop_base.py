"""Base parameters of robots with closed loops: numeric rank of the projected regressor.

Theorems and exact arithmetic do not apply where dependent joints are roots of loop equations. The rows of W are samples
of the regressor Y (n, p) of the independent joints over the range of the loops:

(1)  columns are kept in the order of `elimination_order` where they are independent of those kept before
(2)  K from  W_kept K = W  by least squares,   E picks the columns kept
(3)  the rank must agree with the ranks by singular values and by pivoted QR, else it is ambiguous
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.errors import CheckError
from torquec.foundation.arrays import Array
from torquec.parameters.energy_rows import natural_sizes
from torquec.parameters.numeric_basis import (
    THRESHOLD,
    Basis,
    independent_columns,
    pivoted_qr,
    selection,
    singular_values,
)
from torquec.parameters.standard_parameters import StandardParameters, standard_regressor
from torquec.robot.configuration import joint_slices, neutral, random_position
from torquec.robot.loops.closure import closed, independent_rates, loop_closure
from torquec.robot.robot import Robot

_SAMPLED_RANGE = 0.9
"""Fraction of the range of the independent joints that is sampled: its ends may be singular."""

_CLOSED_GAP = 1e-10
"""Largest loop closure error [m, rad] of an accepted sample."""

_ZERO_COEFFICIENT = 1e-9
"""Coefficients of K below this are rounding error."""


def loop_rows(robot: Robot, parameters: StandardParameters) -> Array:
    """W (N, p): rows of the regressor at random states with closed loops."""
    rng = np.random.default_rng(0)
    count = 3 * (2 * len(parameters) // robot.n + 20)
    spans = {rate: (center, half) for rate, center, half in closed(robot).ranges}
    start, q = neutral(robot), np.array([random_position(robot, rng) for _ in range(count)])
    rates = independent_rates(robot)
    for joint, at, own in joint_slices(robot):
        if joint.kind.nv == 1:
            center, half = spans.get(rates[own.start], (start[at.start], 1.0))
            q[:, at.start] = rng.uniform(center - _SAMPLED_RANGE * half, center + _SAMPLED_RANGE * half, count)
    gaps = np.broadcast_to(np.asarray(loop_closure(robot, list(q.T)).gap, dtype=np.float64), count)
    q = q[gaps < _CLOSED_GAP]
    qd, qdd = rng.normal(size=(2, len(q), robot.n))
    return standard_regressor(robot, parameters, q, qd, qdd).reshape(-1, len(parameters))


def loop_basis(robot: Robot, parameters: StandardParameters, order: Sequence[int]) -> Basis:
    """The base (1), (2); raises `CheckError` where (3) does not hold."""
    w = loop_rows(robot, parameters)
    natural = natural_sizes(w, parameters)
    kept = independent_columns(w, natural, order)
    found = {
        "elimination": len(kept),
        "singular values": int(np.sum(singular_values(w, natural) > THRESHOLD)),
        "pivoted QR": pivoted_qr(w, natural, [list(range(len(parameters)))]).rank,
    }
    if len(set(found.values())) > 1:
        raise CheckError(
            f"ambiguous number of base parameters: {', '.join(f'{way} {count}' for way, count in found.items())}",
            where=f"base_parameters of '{robot.name}'",
            remedy="choose the method qr or svd, which count pivots or singular values above a threshold",
        )
    projection: Array = np.asarray(np.linalg.lstsq(w[:, list(kept)], w, rcond=None)[0], dtype=np.float64)
    projection[np.abs(projection) < _ZERO_COEFFICIENT] = 0.0
    projection[:, list(kept)] = np.eye(len(kept))
    return Basis(projection, selection(len(parameters), kept), kept)
