"""Kang's printed numbers beside ours: operation counts, power arrays and their properties, static loads."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from torquec.dynamics import gravity_torque, inverse_dynamics, mass_matrix
from torquec.dynamics.external_wrench import Axes, ExternalWrench
from torquec.dynamics.frame_pose import frame_pose
from torquec.foundation.arrays import Array
from torquec.papers.augmented_body import augmented_body, link_sum
from torquec.papers.comparisons import DifferenceKind, PrintedRow, PrintedRows, array_row, printed_row
from torquec.papers.inertial_power import mass_point_sum
from torquec.papers.influence_counts import (
    ADDITION_STEPS,
    Polynomial,
    count_method,
    generic_arm,
    step_count,
    sum_of_steps,
)
from torquec.papers.influence_loads import PointSpring, gravity_load, spring_load, wrench_load
from torquec.papers.power_properties import AS_PRINTED, CORRECTED, MISPRINTED, power_array_elements
from torquec.robot import classics
from torquec.robot.robot import Drives, Robot

_MULTIPLICATIONS: Polynomial = (Fraction(3), Fraction(11), Fraction(129), Fraction(-171))
_ADDITIONS: Polynomial = (Fraction(23, 6), Fraction(13, 2), Fraction(691, 6), Fraction(-138))
"""Section 4.2: the printed sums for n joints."""

_PRINTED_ADDITIONS = 1715  # section 4.2 and conclusion, n = 6
_PRINTED_TOTAL = 3363  # conclusion, n = 6; the introduction has 3362
_EARLIER_TOTAL = 5995  # introduction and conclusion, n = 6: the best earlier algorithm, O(n^4), reference [10]

_JOINTS = (2, 4, 6, 8)  # even: the printed sum of additions is no whole number for odd n
_STATES = 20  # random states of a comparison
_SEED = 1994  # of the states
_STEP = 1e-6  # [rad], of a central difference of a spring's energy
_ADDITION_ERRATUM = "erratum: the printed formula gives 1615, the printed steps add up to 1621"


def kang_counts() -> PrintedRows:
    """Multiplications and additions of I* and P* for a serial arm with general geometry (section 4.2)."""
    rows: list[PrintedRow] = []
    for n in _JOINTS:
        count = count_method(augmented_body, n)
        printed_sum = float(step_count(_ADDITIONS, n))
        additions = _PRINTED_ADDITIONS if n == 6 else printed_sum
        note = _ADDITION_ERRATUM if n == 6 else "erratum: 691/6 n is printed, the steps give 697/6 n"
        rows += [
            printed_row(
                f"augmented bodies, n = {n}: multiplications",
                count.mul,
                float(step_count(_MULTIPLICATIONS, n)),
                "section 4.2",
            ),
            printed_row(f"augmented bodies, n = {n}: additions", count.add, additions, "section 4.2", note=note),
        ]
    links, points = count_method(link_sum, 6), count_method(mass_point_sum, 6)
    return (
        *rows,
        printed_row(
            "steps of the paper, n = 6: additions",
            float(sum_of_steps(ADDITION_STEPS, 6)),
            _PRINTED_ADDITIONS,
            "section 4.2",
            note=_ADDITION_ERRATUM,
        ),
        printed_row("sum over links, n = 6: multiplications", links.mul, None, "(9), (10)"),
        printed_row("sum over links, n = 6: additions", links.add, None, "(9), (10)"),
        printed_row(
            "sum over links, n = 6: operations",
            links.mul + links.add,
            _EARLIER_TOTAL,
            "section 1",
            note="printed: the best earlier O(n^4) algorithm",
        ),
        printed_row("mass points, n = 6: multiplications", points.mul, None, "P1 alone"),
        printed_row("mass points, n = 6: additions", points.add, None, "P1 alone"),
        printed_row(
            "mass points, n = 6: operations",
            points.mul + points.add,
            _PRINTED_TOTAL,
            "section 5",
            note="printed: augmented bodies, for the same arrays; section 1 prints 3362",
        ),
    )


def kang_power_arrays() -> PrintedRows:
    """I*, and I* qdd + qd' P* qd, by each method against the recursion; violations of the printed properties."""
    robot = replace(classics.puma560(gravity=(0.0, 0.0, 0.0)), drives=Drives())
    q, qd, qdd = np.random.default_rng(_SEED).uniform(-2.0, 2.0, (3, _STATES, robot.n))
    inertia = [mass_matrix(robot, state) for state in q.tolist()]
    torque = [inverse_dynamics(robot, *state) for state in zip(q.tolist(), qd.tolist(), qdd.tolist(), strict=True)]
    rows: list[PrintedRow] = []
    sources = ((link_sum, "sum over links", "(9), (10)"), (augmented_body, "augmented bodies", "section 4.1"))
    for method, name, source in (*sources, (mass_point_sum, "mass points", "P1 alone")):
        models = [method(robot, state) for state in q.tolist()]
        torques = [m.torque(*state) for m, state in zip(models, zip(qd, qdd, strict=True), strict=True)]
        rows += [
            array_row(f"PUMA 560, I* by {name} [kg m^2]", inertia, [m.inertia for m in models], source),
            array_row(f"PUMA 560, torques by {name} [N m]", torque, torques, source),
        ]
    return (*rows, *_property_rows(power_array_elements(generic_arm(5), [0.3, -0.7, 1.1, 0.4, -0.9])))


def _property_rows(parts: Array) -> list[PrintedRow]:
    """Violations of the properties P3 to P10 by P1, P2, P3 (3, n, n, n): as they hold here, and as printed."""
    found = {name: (rule.violation(parts),) * 2 for name, rule in AS_PRINTED.items()}
    found |= {name: (rule.violation(parts), MISPRINTED[name].violation(parts)) for name, rule in CORRECTED.items()}
    return [
        printed_row(
            f"{name}, largest violation",
            *found[name],
            f"section 3, {name}",
            kind=DifferenceKind.ABSOLUTE,
            note="erratum: ours is the corrected property" if name in CORRECTED else "",
        )
        for name in sorted(found, key=lambda name: int(name[1:]))
    ]


def kang_loads() -> PrintedRows:
    """Static loads of the PUMA 560 by first-order influence coefficients against the recursion and spring energy."""
    robot = classics.puma560()
    states = np.random.default_rng(_SEED).uniform(-2.0, 2.0, (_STATES, robot.n)).tolist()
    rest = [0.0] * robot.n
    wrench = ExternalWrench("link6", (10.0, -20.0, 5.0), (3.0, 1.0, -2.0), Axes.FRAME, point=(0.1, 0.2, -0.3))
    spring = PointSpring("link2", "link6", stiffness=300.0, rest=0.1, end_point=(0.1, 0.2, 0.3))
    gravity = [gravity_torque(robot, q) for q in states]
    pushed = [inverse_dynamics(robot, q, rest, rest, wrenches=[wrench]) for q in states]
    return (
        array_row("gravity [N m]", gravity, [gravity_load(robot, q) for q in states], "section 2"),
        array_row(
            "external wrench at the hand [N m]",
            np.subtract(pushed, gravity),
            [wrench_load(robot, q, wrench) for q in states],
            "section 2",
        ),
        array_row(
            "spring between two links [N m]",
            [_energy_slopes(robot, spring, q) for q in states],
            [spring_load(robot, q, spring) for q in states],
            "section 2",
            note="ours: central differences of the spring's energy",
        ),
    )


def _energy_slopes(robot: Robot, spring: PointSpring, q: list[float]) -> list[float]:
    """dU/dq (n,) of a spring, by central differences."""

    def energy(j: int, change: float) -> float:
        moved = [value + change * (k == j) for k, value in enumerate(q)]
        start = frame_pose(robot, spring.start, moved).apply(spring.start_point)
        end = frame_pose(robot, spring.end, moved).apply(spring.end_point)
        length = float(np.linalg.norm(np.subtract(end, start)))
        return 0.5 * spring.stiffness * (length - spring.rest) ** 2

    return [(energy(j, _STEP) - energy(j, -_STEP)) / (2.0 * _STEP) for j in range(robot.n)]
