"""Dynamics evaluated from the closed form: the same quantities as in `torquec.dynamics`, by another route.

(1)  M, g as factored polynomials (:mod:`torquec.closedform.lower`), mimic joints coupled:  M -> T' M T,  g -> T' g
(2)  c_i = sum_j c_ijj qd_j^2 + 2 sum_{j<k} c_ijk qd_j qd_k
(3)  tau = M qdd + c + g

For few joints, or many parallel ones, this takes fewer operations than the recursion; sines and cosines of sums of
angles are shared.
"""

from __future__ import annotations

from collections.abc import Sequence

from torquec.closedform.closed_form import assembled, closed_form, gravity_polynomials, mass_polynomials
from torquec.closedform.lower import Letters, lowered
from torquec.closedform.polynomial import TrigPolynomial
from torquec.dynamics.mechanism import Coordinate, coordinates
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, product, total


def closed_mass_matrix(robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """M(q), (n, n), by (1)."""
    upper = mass_polynomials(robot)
    return _mass_matrix(robot, upper, _letters(robot, q))


def closed_gravity_torque(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """g(q), (n,), by (1)."""
    letters = _letters(robot, q)
    return _collected(robot, [lowered(entry, letters) for entry in gravity_polynomials(robot)])


def closed_velocity_torque(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """c(q, qd), (n,), by (2)."""
    form = assembled(robot, mass_polynomials(robot), TrigPolynomial())
    letters = _letters(robot, q)
    speeds = [coordinate.rate(qd) for coordinate in coordinates(robot)]
    values = []
    for i in range(form.n):
        value: Scalar = 0.0
        for j in range(form.n):
            for k in range(j, form.n):
                symbol = form.christoffel(i, j, k)
                if symbol:
                    weight = lowered(symbol * (1.0 if j == k else 2.0), letters)
                    value = total(value, product(weight, product(speeds[j], speeds[k])))
        values.append(value)
    return _collected(robot, values)


def closed_inverse_dynamics(
    robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Scalar]:
    """Torques (n,) by (3)."""
    form = closed_form(robot)
    mass = _mass_matrix(robot, [list(row) for row in form.mass], _letters(robot, q))
    parts = zip(closed_velocity_torque(robot, q, qd), closed_gravity_torque(robot, q), strict=True)
    torques = []
    for row, (velocity, gravity) in zip(mass, parts, strict=True):
        inertial: Scalar = 0.0
        for entry, acceleration in zip(row, qdd, strict=True):
            inertial = total(inertial, product(entry, acceleration))
        torques.append(total(inertial, total(velocity, gravity)))
    return torques


def _letters(robot: Robot, q: Sequence[Scalar]) -> Letters:
    """Sines and cosines at the positions of all bodies' joints."""
    return Letters([coordinate.position(q) for coordinate in coordinates(robot)])


def _mass_matrix(robot: Robot, upper: list[list[TrigPolynomial]], letters: Letters) -> list[list[Scalar]]:
    """M with mimic joints coupled (1)."""
    state = coordinates(robot)
    matrix: list[list[Scalar]] = [[0.0] * robot.n for _ in range(robot.n)]
    for i, a in enumerate(state):
        for j in range(i, len(state)):
            if upper[i][j]:
                value = lowered(upper[i][j], letters)
                _couple(matrix, a, state[j], value)
                if i != j:
                    _couple(matrix, state[j], a, value)
    return matrix


def _couple(matrix: list[list[Scalar]], a: Coordinate, b: Coordinate, value: Scalar) -> None:
    weighted = product(a.multiplier * b.multiplier, value)
    matrix[a.index][b.index] = total(matrix[a.index][b.index], weighted)


def _collected(robot: Robot, values: Sequence[Scalar]) -> list[Scalar]:
    """Torques of all bodies' joints as those of the independent ones (1)."""
    torques: list[Scalar] = [0.0] * robot.n
    for coordinate, value in zip(coordinates(robot), values, strict=True):
        torques[coordinate.index] = total(torques[coordinate.index], product(coordinate.multiplier, value))
    return torques
