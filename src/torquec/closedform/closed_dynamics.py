"""Inverse dynamics evaluated from the closed form: polynomials as factored programs (Horner).

Polynomials become programs that share sines, cosines and products between entries:

(1)  p = x * (terms that contain x, divided by x) + rest,   x the factor that occurs in most terms;  repeated for
     both parts
(2)  equal parts of different entries become one node of the graph

From these follow the quantities of `torquec.dynamics`:

(3)  M, g as factored polynomials, mimic joints coupled:  M -> T' M T,  g -> T' g
(4)  c_i = sum_j c_ijj qd_j^2 + 2 sum_{j<k} c_ijk qd_j qd_k
(5)  tau = M qdd + c + g

For few joints, or many parallel ones, this takes fewer operations than the recursion; sines and cosines of sums of
angles are shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from torquec.closedform.closed_form import assembled, closed_form, gravity_polynomials, mass_polynomials
from torquec.closedform.polynomial import Coefficient, TrigPolynomial, Variable
from torquec.dynamics.mechanism import Coordinate, coordinates
from torquec.expr.math import sincos
from torquec.robot.robot import Robot
from torquec.spatial import Scalar, product, total

Letter: TypeAlias = tuple[Variable, str]
"""('C' or 'S' or 'q') of a variable: one factor of a product."""

Word: TypeAlias = tuple[Letter, ...]


class Letters:
    """Values of sines, cosines and displacements at a position, each computed once.

    A sum of angles whose parts are known takes four products (addition theorem) instead of another sine and cosine.
    """

    def __init__(self, q: Sequence[Scalar]) -> None:
        self._q = q
        self._values: dict[Letter, Scalar] = {}

    def __getitem__(self, letter: Letter) -> Scalar:
        if letter not in self._values:
            variable = letter[0]
            if variable.is_angle:
                self._values[variable, "S"], self._values[variable, "C"] = self._sine_cosine(variable)
            else:
                self._values[variable, "q"] = variable.value(self._q)
        return self._values[letter]

    def _sine_cosine(self, variable: Variable) -> tuple[Scalar, Scalar]:
        known = [v for v, kind in self._values if kind == "S"]
        for x in known:
            for y in known:
                if x < y and _joined(x, y, 1) == variable.joints:
                    return self._combined(x, y, 1.0)
                if x != y and _joined(x, y, -1) == variable.joints:
                    return self._combined(x, y, -1.0)
        return sincos(variable.value(self._q))

    def _combined(self, x: Variable, y: Variable, sign: float) -> tuple[Scalar, Scalar]:
        """Sine and cosine of x + y or x - y."""
        sx, cx, sy, cy = self[x, "S"], self[x, "C"], self[y, "S"], self[y, "C"]
        if sign > 0:
            return sx * cy + cx * sy, cx * cy - sx * sy
        return sx * cy - cx * sy, cx * cy + sx * sy


def _joined(x: Variable, y: Variable, sign: int) -> tuple[tuple[int, int], ...]:
    """The joints of x + sign y."""
    total = dict(x.joints)
    for index, s in y.joints:
        total[index] = total.get(index, 0) + sign * s
    return tuple(sorted((index, s) for index, s in total.items() if s))


def lowered(polynomial: TrigPolynomial, letters: Letters) -> Scalar:
    """The value of a polynomial as a factored expression over any scalar (1)."""
    return lowered_terms([(word_of(monomial), coefficient) for monomial, coefficient in polynomial], letters)


def word_of(monomial: Any) -> Word:
    """The letters of a monomial, repeated as often as they occur."""
    word: list[Letter] = []
    for variable, a, b in monomial:
        word += [(variable, "C")] * a + [(variable, "S" if variable.is_angle else "q")] * b
    return tuple(word)


def lowered_terms(terms: Sequence[tuple[Word, Coefficient]], letters: Letters) -> Scalar:
    """The value of a sum of coefficient * word as a factored expression (1); words may hold any letters known."""
    counts = Counter(letter for word, _ in terms for letter in set(word))
    if not counts:
        return sum((coefficient for _, coefficient in terms), 0.0)
    most = max(counts.values())
    if most == 1:
        total: Scalar = 0.0
        for word, coefficient in sorted(terms, key=lambda term: term[0]):
            total = total + _product(word, coefficient, letters)
        return total
    letter = min(letter for letter, count in counts.items() if count == most)
    inside, outside = [], []
    for word, coefficient in terms:
        if letter in word:
            k = word.index(letter)
            inside.append((word[:k] + word[k + 1 :], coefficient))
        else:
            outside.append((word, coefficient))
    value = letters[letter] * lowered_terms(inside, letters)
    return value + lowered_terms(outside, letters) if outside else value


def _product(word: Word, coefficient: Coefficient, letters: Letters) -> Scalar:
    """The letters are multiplied first, so that entries with other coefficients share their product."""
    product: Scalar = None
    for letter in word:
        product = letters[letter] if product is None else product * letters[letter]
    return coefficient if product is None else coefficient * product


def closed_mass_matrix(robot: Robot, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """Mass matrix M(q), (n, n), by (3)."""
    upper = mass_polynomials(robot)
    return _mass_matrix(robot, upper, _letters(robot, q))


def closed_gravity_torque(robot: Robot, q: Sequence[Scalar]) -> list[Scalar]:
    """Gravity torque g(q), (n,), by (3)."""
    letters = _letters(robot, q)
    return _collected(robot, [lowered(entry, letters) for entry in gravity_polynomials(robot)])


def closed_velocity_torque(robot: Robot, q: Sequence[Scalar], qd: Sequence[Scalar]) -> list[Scalar]:
    """Velocity torque c(q, qd), (n,), by (4)."""
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
    """Inverse dynamics: torques (n,), by (5)."""
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
    """M with mimic joints coupled (3)."""
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
    """Torques of all bodies' joints as those of the independent ones (3)."""
    torques: list[Scalar] = [0.0] * robot.n
    for coordinate, value in zip(coordinates(robot), values, strict=True):
        torques[coordinate.index] = total(torques[coordinate.index], product(coordinate.multiplier, value))
    return torques
