"""Whether a mass matrix is so near to the robot's own that x' M(q) x > 0 for all x: shown without dividing any box.

M may be unsymmetric, as that of a simplified program is; only its symmetric part counts.

(1)  M = robot's + E, with |E_ij| <= e_ij at all positions: the amplitudes of its waves
     (:mod:`torquec.proof.enclosure.wave_amplitudes`)
(2)  for any v > 0 a symmetric e is below diag(e v / v): both leave v, which is positive, the same
(3)  where the robot's own M exceeds that diagonal everywhere (`articulated_inertia_lower_bound`), M is positive
     definite, and so are all its trailing blocks: elimination from the tips meets no zero

v is chosen so that every joint moves with the energy of the others. It takes seconds for seven joints, where boxes
(:mod:`torquec.proof.inertia.positive_mass_matrix`) take minutes and more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torquec.dynamics.mass_matrix import mass_matrix as own_mass_matrix
from torquec.expr import Function, trace
from torquec.foundation.arrays import Array
from torquec.proof.enclosure.wave_amplitudes import amplitudes_within
from torquec.proof.inertia.articulated_inertia_lower_bound import articulated_inertia_lower_bound, exceeds_diagonal
from torquec.proof.inertia.mass_matrix_table import MassMatrixTable, mass_matrix_table, polynomial_degrees
from torquec.robot.robot import Robot

_STRICTLY = 1.0 + 1e-9
"""By this the diagonal of (2) is raised: its own sums round."""


def is_near_enough(robot: Robot, mass_matrix: Function, lower: Sequence[float], upper: Sequence[float]) -> bool:
    """(1)-(3) for a program q -> M (n, n) over the positions between `lower` and `upper` (n,); False if not shown."""
    pivots = articulated_inertia_lower_bound(robot, [0.0] * robot.n)
    own = trace("mass_matrix", lambda q: {"M": own_mass_matrix(robot, q)}, {"q": (robot.n,)})
    both = [polynomial_degrees(robot, program) for program in (mass_matrix, own)] if pivots is not None else []
    if pivots is None or None in both:
        return False
    highest = [max(pair) for pair in zip(*(degrees for degrees in both if degrees is not None), strict=True)]
    error = mass_matrix_table(robot, mass_matrix, highest, less=own)
    if error is None:
        return False
    e = _largest(error, robot.n, [max(abs(low), abs(high)) for low, high in zip(lower, upper, strict=True)])
    v = 1.0 / np.sqrt(pivots)
    return exceeds_diagonal(robot, _STRICTLY * (e @ v) / v)


def _largest(error: MassMatrixTable, n: int, reach: Sequence[float]) -> Array:
    """(1), (n, n), with displacements of at most `reach` (n,)."""
    e = np.zeros((n, n))
    far = [reach[j] for j in error.joints]
    e[np.triu_indices(n)] = [amplitudes_within(entry, error.variables, far) + error.off for entry in error.entries]
    return np.maximum(e, e.T)
