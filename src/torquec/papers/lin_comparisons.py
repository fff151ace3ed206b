"""Lin's printed formulas beside ours: Renaud's matrices against the recursion, Theorem 5 against the exact rank.

The paper prints no counts: a printed number is the value of its formula or theorem; ours is computed another way.
"""

from __future__ import annotations

import numpy as np

from torquec.dynamics import gravity_torque, mass_matrix
from torquec.papers.comparisons import PrintedRow, PrintedRows, array_row, printed_row
from torquec.papers.renaud_formulation import renaud_gravity_torque, renaud_mass_matrix
from torquec.parameters.base_parameters import BasisMethod, base_parameters
from torquec.parameters.minimal_combinations import minimal_combinations
from torquec.robot import classics
from torquec.robot.robot import Robot

_TITLES = {"puma560": "PUMA 560", "stanford": "Stanford arm", "scara": "SCARA", "planar2r": "planar 2R"}
_STATES = 20  # random positions of a comparison
_SEED = 1994  # of the positions
_VERTICAL = (0.0, 0.0, -9.81)  # [m/s^2], along the first axis of every arm here
_TILTED = (2.0, 1.3, -9.0)  # [m/s^2], along no axis
_WITHOUT_GRAVITY = 38  # elements of Theorem 5's set for the PUMA 560 when zero gravity counts as not parallel


def lin_renaud() -> PrintedRows:
    """M(q) by Lin (16) and g(q) by Lin (18) for the classics against the composite-body algorithm and the recursion."""
    rows: list[PrintedRow] = []
    for name, title in _TITLES.items():
        robot = classics.load_classic(name)
        states = np.random.default_rng(_SEED).uniform(-2.0, 2.0, (_STATES, robot.n)).tolist()
        ours, printed = ([f(robot, q) for q in states] for f in (mass_matrix, renaud_mass_matrix))
        rows.append(array_row(f"{title}, inertia matrix [SI]", ours, printed, "(16)"))
        ours, printed = ([f(robot, q) for q in states] for f in (gravity_torque, renaud_gravity_torque))
        rows.append(array_row(f"{title}, gravity torques [SI]", ours, printed, "(18)"))
    return tuple(rows)


def lin_counts() -> PrintedRows:
    """Number of identifiable combinations of the links' parameters: exact elimination, and Theorem 5."""
    rows = []
    for name, title in _TITLES.items():
        for gravity, where in ((_VERTICAL, "gravity along the first axis"), (_TILTED, "tilted gravity")):
            robot = classics.load_classic(name, gravity=gravity)
            rows.append(
                printed_row(
                    f"{title}, {where}: parameters", _exact_count(robot), len(minimal_combinations(robot)), "Theorem 5"
                )
            )
    without = classics.puma560(gravity=(0.0, 0.0, 0.0))
    rows.append(
        printed_row(
            "PUMA 560, no gravity: parameters",
            _exact_count(without),
            _WITHOUT_GRAVITY,
            "Theorem 5",
            note="zero gravity lies outside of the theorem",
        )
    )
    return tuple(rows)


def _exact_count(robot: Robot) -> int:
    return base_parameters(robot, method=BasisMethod.ELIMINATION, motors=False).count
