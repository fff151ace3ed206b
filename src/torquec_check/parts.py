"""Programs of M, c, C and g are the parts of a certified torque program, at every position of its box.

With the rows of the certified program, tau_i = sum_j M_ij qdd_j + sum_{j <= k} c_ijk qd_j qd_k + g_i:

(1)  gravity_torque: g_i      mass_matrix: M_ij      velocity_torque: sum c_ijk qd_j qd_k
(2)  coriolis_matrix: C_ij = c_ijj qd_j + 1/2 sum_{k != j} c_ijk qd_k

Every coefficient of both is compared on a grid of their degrees. What they differ by at most, the rounding of the part
in doubles and at unit speeds included, is the result, a bound for each output. Such programs are made of the same
numbers in another order: refused is a coefficient that differs by more than `EXACT` of itself and by more than a
multiple of the noise, and noise or rounding of more than `EXACT` of the largest coefficient of its joint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from torquec_check.boxes import amplitude, waves_of
from torquec_check.document import RefusedError
from torquec_check.program import Program
from torquec_check.robot import Box
from torquec_check.rounding import DOUBLE, unit_errors
from torquec_check.rows import UP, Grid, Rows, as_ball, grid_of, program_degrees, program_torques

EXACT, ROUNDING = 1e-9, 100.0
"""Part of a coefficient, and multiple of its noise, that a part may be off by."""

_PORTS = {"inverse_dynamics": "q qd qdd tau", "gravity_torque": "q tau", "velocity_torque": "q qd tau"}
_PORTS |= {"mass_matrix": "q M", "coriolis_matrix": "q qd C"}


def check_parts(
    program: Program, parts: Mapping[str, Program], turns: tuple[bool, ...], box: Box
) -> dict[str, list[float]]:
    """How far the outputs of each part are from the program's at most; raises `RefusedError` where one is no part."""
    found = {}
    for name, part in parts.items():
        try:
            found[name] = _largest_errors(program, name, part, turns, box)
        except RefusedError as error:
            raise RefusedError(f"quantity '{name}' is not that part of the certified program: {error.found}") from None
    return found


def check_same(program: Program, other: Program, turns: tuple[bool, ...], box: Box) -> None:
    """Raise `RefusedError` unless two programs compute the same torques over the positions of a box."""
    _largest_errors(program, "inverse_dynamics", other, turns, box)


def _largest_errors(program: Program, name: str, part: Program, turns: tuple[bool, ...], box: Box) -> list[float]:
    n, found = len(turns), []
    if name not in _PORTS:
        raise RefusedError("it is no part of a torque")
    ports = [(port.name, port.shape) for port in (*part.inputs, *part.outputs)]
    if len(part.outputs) != 1 or ports != [(x, (n, n) if x in "MC" else (n,)) for x in _PORTS[name].split()]:
        raise RefusedError(f"its ports are not those of the documented function: {_PORTS[name]}")
    degrees = list(map(max, program_degrees(program, turns), program_degrees(part, turns)))
    grid = grid_of(turns, degrees, box.lower, box.upper)
    own, others, rounded = program_torques(program, grid), program_torques(part, grid), unit_errors(part, box, DOUBLE)
    wanted = _expected(name, own)
    for output, (a, b, rounding) in enumerate(zip(wanted, others, rounded, strict=True)):
        joint = own[output * n // len(wanted)]
        most = EXACT * max((float(np.abs(ball.mid).max()) for ball in joint.values()), default=0.0)
        if not rounding <= most + 1e-300:
            raise RefusedError(f"rounding may change output {output + 1} by {rounding:.6g}")
        found.append(rounding + _compare(a, b, grid, output, most))
    return found


def _compare(wanted: Rows, found: Rows, grid: Grid, output: int, most: float) -> float:
    """The sum of the largest differences of all coefficients of an output."""
    total = 0.0
    for key, ball in (wanted - found).items():
        waves, noise = waves_of(ball, grid)
        off = amplitude(waves) + noise
        size = float(np.abs(wanted.get(key, as_ball(0.0)).mid).max())
        if not off <= max(EXACT * size, ROUNDING * noise) or not noise <= most + 1e-100 < np.inf:
            raise RefusedError(f"output {output + 1} differs by up to {off:.6g}")
        total += off * UP
    return total


def _expected(name: str, own: Sequence[Rows]) -> list[Rows]:
    """(1), (2) as the outputs of the quantity, row by row."""
    n = len(own)
    if name == "inverse_dynamics":
        return list(own)
    if name in ("gravity_torque", "velocity_torque"):
        rates = 0 if name == "gravity_torque" else 2
        return [Rows({key: ball for key, ball in rows.items() if len(key) == rates}) for rows in own]
    if name == "mass_matrix":
        return [Rows({(): rows[(~j,)]} if (~j,) in rows else {}) for rows in own for j in range(n)]
    return [_column(rows, j) for rows in own for j in range(n)]


def _column(rows: Rows, j: int) -> Rows:
    """(2)."""
    pairs = [(sum(key) - j, ball) for key, ball in rows.items() if len(key) == 2 and j in key]
    return Rows({(k,): ball * (1.0 if k == j else 0.5) for k, ball in pairs})
