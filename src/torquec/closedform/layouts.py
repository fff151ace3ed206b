"""The coefficients of the equations of motion in the layouts of the papers.

(1)  tau = M qdd + B [qd_j qd_k] + D [qd_j^2] + g + V          Clover: the columns of B are the pairs 12, 13, .., 23, ..
(2)  B_i,jk = 2 c_ijk  (j < k),      D_ij = c_ijj
(3)  tau_i = sum_j J_ij qdd_j + sum_jk H_ijk qd_j qd_k - G_i,   H_ijk = c_ijk     Chang & Lee: both orders of j, k count
(4)  C_ij = sum_k c_ijk qd_k                                    the Coriolis matrix of `Model.coriolis_matrix`
(5)  dtau_i/dqd_j = sum_k 2 c_ijk qd_k
     (of joints whose rates are a twist, C and the derivative by q_j are (4) and D_j of `quasi_velocities`)
(6)  dtau_i/dq_j = sum_k dM_ik/dq_j qdd_k + sum_{k <= l} d(B or D)_i,kl/dq_j qd_k qd_l + dg_i/dq_j

Entries are written by a rule (:mod:`torquec.closedform.fourier`), which is applied after any differentiation.
Friction V is not part of (5); see :mod:`torquec.closedform.equations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from torquec.closedform.closed_form import ClosedForm
from torquec.closedform.fourier import EXACT, Rule, Value, written
from torquec.closedform.polynomial import Linear, TrigPolynomial
from torquec.errors import ArgumentError


class Matrix(StrEnum):
    """Matrices and arrays that can be printed, by letter."""

    M = "M"
    B = "B"
    D = "D"
    G_TORQUE = "g"
    V = "V"
    C = "C"
    J = "J"
    H = "H"
    G = "G"
    DTAU_DQD = "dtau_dqd"
    DTAU_DQ = "dtau_dq"
    PHI = "Phi"


WHOLE = (Matrix.M, Matrix.B, Matrix.D, Matrix.G_TORQUE, Matrix.V)
"""The whole model (1)."""

CHRISTOFFEL = (Matrix.M, Matrix.C, Matrix.G_TORQUE, Matrix.V)
"""The whole model with the velocity torque as in (4)."""

CHANG_LEE = (Matrix.J, Matrix.H, Matrix.G, Matrix.V)
"""The whole model (3)."""

TITLES: Mapping[Matrix, str] = MappingProxyType(
    {
        Matrix.M: "Mass matrix M(q), symmetric",
        Matrix.B: "Coriolis matrix B(q), columns are pairs of joints",
        Matrix.D: "Centrifugal matrix D(q)",
        Matrix.G_TORQUE: "Gravity torque g(q)",
        Matrix.V: "Friction V(qd)",
        Matrix.C: "Coriolis matrix C(q, qd) in Christoffel form",
        Matrix.J: "Inertia coefficients J(q), symmetric (Chang & Lee)",
        Matrix.H: "Velocity coefficients H(q), symmetric in the last two indices (Chang & Lee)",
        Matrix.G: "Gravity coefficients G(q) = -g(q) (Chang & Lee)",
        Matrix.DTAU_DQD: "Velocity sensitivity dtau/dqd, without friction (Clover's C)",
        Matrix.DTAU_DQ: "Position sensitivity dtau/dq (Clover's K)",
        Matrix.PHI: "Loop equations Phi(q) = 0",
    }
)


@dataclass(frozen=True)
class Part:
    """A function of the positions, times the speeds and accelerations of the joints listed."""

    value: Value
    speeds: tuple[int, ...] = ()
    accelerations: tuple[int, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One entry: the sum of its parts; indices count from zero, and an entry of B has a row and a pair."""

    matrix: Matrix
    index: tuple[int, ...]
    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return sum(len(part.value) for part in self.parts)

    @property
    def key(self) -> str:
        """Its name, counted from one: 'M[1,2]', 'B[1,23]' (a comma within the pair where a joint has two digits)."""
        row, *rest = (str(i + 1) for i in self.index)
        if self.matrix is Matrix.B:
            rest = [("," if max(self.index[1:]) > 8 else "").join(rest)]
        return f"{self.matrix}[{','.join([row, *rest])}]"

    @property
    def depends_on(self) -> tuple[int, ...]:
        """Joints on whose position it depends."""
        return tuple(sorted({joint for part in self.parts for joint in _positions(part.value)}))

    def at(self, q: Any, qd: Any = (), qdd: Any = ()) -> Any:
        """Its value at positions, speeds and accelerations (n,), or at each row of (N, n)."""
        total: Any = 0.0
        for part in self.parts:
            term = part.value(q)
            for joint in part.speeds:
                term = term * qd[..., joint]
            for joint in part.accelerations:
                term = term * qdd[..., joint]
            total = total + term
        return total


def entries(form: ClosedForm, matrix: Matrix, rule: Rule = EXACT) -> list[Entry]:
    """The entries of a matrix that are not zero, row by row; of M and J the upper triangle, of H those with j <= k.

    Raises `ArgumentError` for V, which is no polynomial, for Phi of a robot without closed loops, and for a rule that
    drops or rounds coefficients in parameters.
    """
    if matrix is Matrix.PHI:
        if form.closure is None:
            raise ArgumentError(f"robot '{form.robot.name}' has no closed loops", remedy="leave out Phi")
        return [Entry(matrix, (k,), (Part(gap),)) for k, gap in enumerate(form.closure.gaps)]
    found = (entry(form, matrix, index, rule) for index in indices(form.n, matrix))
    return [each for each in found if each.parts]


def entry(form: ClosedForm, matrix: Matrix, index: Sequence[int], rule: Rule = EXACT) -> Entry:
    """One entry, by its indices from zero; an entry that is zero has no parts."""
    index = tuple(index)
    check_index(form.n, matrix, index)
    if rule.multiple_angles and form.symbols:
        raise ArgumentError(
            "multiple angles are for robots whose joints have one coordinate each",
            remedy="leave out --multiple-angles: products of sines and cosines",
        )
    if matrix is Matrix.V:
        raise ArgumentError("friction depends on speeds; it is not a polynomial", remedy="use friction_laws(robot)")
    motors = _motor_inertia(form, index) if matrix in (Matrix.M, Matrix.J) else 0.0
    parts = []
    for part in _PARTS[matrix](form, index):
        assert isinstance(part.value, TrigPolynomial)
        value = written(part.value, rule, added=motors)
        if value.terms:
            parts.append(Part(value, part.speeds, part.accelerations))
    return Entry(matrix, index, tuple(parts))


def indices(n: int, matrix: Matrix) -> list[tuple[int, ...]]:
    """The indices of a matrix in reading order, without those that symmetry gives."""
    if matrix in (Matrix.G_TORQUE, Matrix.G, Matrix.V):
        return [(i,) for i in range(n)]
    if matrix in (Matrix.M, Matrix.J):
        return [(i, j) for i in range(n) for j in range(i, n)]
    if matrix is Matrix.B:
        return [(i, j, k) for i in range(n) for j in range(n) for k in range(j + 1, n)]
    if matrix is Matrix.H:
        return [(i, j, k) for i in range(n) for j in range(n) for k in range(j, n)]
    return [(i, j) for i in range(n) for j in range(n)]


def check_index(n: int, matrix: Matrix, index: tuple[int, ...]) -> None:
    """Raise `ArgumentError` unless the matrix has such an entry."""
    wanted = len(indices(2, matrix)[0])
    ascending = matrix is not Matrix.B or len(index) < 3 or index[1] < index[2]
    if len(index) != wanted or not all(0 <= i < n for i in index) or not ascending:
        example = {1: "2", 2: "1,2", 3: "1,2,3" if matrix is Matrix.H else "1,23"}[wanted]
        raise ArgumentError(
            f"{matrix}[{','.join(str(i + 1) for i in index)}] is not an entry of a robot with {n} joints",
            remedy=f"joints count from 1 to {n}, as in {matrix}[{example}]",
        )


def _motor_inertia(form: ClosedForm, index: tuple[int, ...]) -> float:
    """Reflected motor inertia in an entry of M, where coefficients are numbers."""
    robot = form.robot
    place = {each.name: i for i, each in enumerate(form.coordinates)}
    state = {place[name]: k for k, name in enumerate(robot.coordinate_names)}
    if not all(i in state for i in index) or _is_parametric(form.M[index[0], index[1]]):
        return 0.0
    return robot.drives.reflected_inertia(robot.n)[state[index[0]]][state[index[1]]]


def _is_parametric(polynomial: TrigPolynomial) -> bool:
    return any(isinstance(coefficient, Linear) for coefficient in polynomial.terms.values())


def _positions(value: Value) -> set[int]:
    if isinstance(value, TrigPolynomial):
        return set(value.depends_on)
    return {joint for harmonic in value.terms for joint, _ in (*harmonic.multiples, *harmonic.powers)}


# --- the parts of each matrix ---------------------------------------------------------------------------------------


def _mass(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    yield Part(form.M[index[0], index[1]])


def _gravity(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    yield Part(form.g[index[0]])


def _opposite_gravity(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    yield Part(-form.g[index[0]])


def _coriolis_pair(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    i, j, k = index
    yield Part(_velocity_product(form, i, j, k))


def _centrifugal(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    i, j = index
    yield Part(form.christoffel(i, j, j))


def _christoffel(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    i, j, k = index
    yield Part(form.christoffel(i, j, k))


def _coriolis_matrix(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    """An entry of the Coriolis matrix (4)."""
    i, j = index
    for k in range(form.n):
        symbol = form.christoffel(i, j, k)
        yield Part(symbol if form.layout is None else symbol + form.layout.skew_part(form.mass, i, j, k), speeds=(k,))


def _velocity_sensitivity(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    """An entry of dtau/dqd (5)."""
    i, j = index
    for k in range(form.n):
        yield Part(form.christoffel(i, j, k) * 2.0, speeds=(k,))


def _position_sensitivity(form: ClosedForm, index: tuple[int, ...]) -> Iterator[Part]:
    """An entry of dtau/dq (6)."""
    i, j = index
    yield Part(form.derivative(form.g[i], j))
    for k in range(form.n):
        yield Part(form.derivative(form.M[i, k], j), accelerations=(k,))
    for k in range(form.n):
        for m in range(k, form.n):
            yield Part(form.derivative(_velocity_product(form, i, k, m), j), speeds=(k, m))


def _velocity_product(form: ClosedForm, i: int, j: int, k: int) -> TrigPolynomial:
    """The coefficient of qd_j qd_k (2)."""
    found = form.christoffel(i, j, k)
    return found if j == k else found * 2.0


_PARTS: Mapping[Matrix, Callable[[ClosedForm, tuple[int, ...]], Iterator[Part]]] = MappingProxyType(
    {
        Matrix.M: _mass,
        Matrix.B: _coriolis_pair,
        Matrix.D: _centrifugal,
        Matrix.G_TORQUE: _gravity,
        Matrix.C: _coriolis_matrix,
        Matrix.J: _mass,
        Matrix.H: _christoffel,
        Matrix.G: _opposite_gravity,
        Matrix.DTAU_DQD: _velocity_sensitivity,
        Matrix.DTAU_DQ: _position_sensitivity,
    }
)


def unit(form: ClosedForm, matrix: Matrix, index: tuple[int, ...]) -> str:
    """The SI unit of an entry; each index of a prismatic joint removes one metre."""
    if matrix is Matrix.PHI:
        return "" if form.closure is None else form.closure.units[index[0]]
    slides = sum(not form.coordinates[i].of_joint.turns for i in index)
    if matrix in (Matrix.G_TORQUE, Matrix.G, Matrix.V):
        return ("N m", "N")[slides]
    if matrix in (Matrix.C, Matrix.DTAU_DQD):
        return ("N m s", "N s", "N s/m")[slides]
    if matrix is Matrix.DTAU_DQ:
        return ("N m", "N", "N/m")[slides]
    return ("kg m^2", "kg m", "kg", "kg/m")[slides]
