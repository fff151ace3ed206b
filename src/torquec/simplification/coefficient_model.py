"""Coefficient model: M_ij, c_ijk and g_i in closed form, exact, fitted or abbreviated, and its programs.

(1)  tau_i = sum_j M_ij qdd_j + sum_{j<=k} (2 -) c_ijk qd_j qd_k + g_i
(2)  C_ij = sum_k c_ijk qd_k,   so that C qd is the velocity torque
(3)  the torque as one sum of products of sines, cosines, speeds and accelerations, in which the most frequent factors
     are factored out; or coefficient by coefficient, each factored: whichever takes fewer operations
(4)  coefficients in multiple angles share sums instead (:mod:`torquec.closedform.shared_sums`)

With fitted coefficients dM/dt - 2 C is skew-symmetric only up to the errors of the fits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torquec.closedform.closed_dynamics import Letter, Letters, lowered, lowered_terms, word_of
from torquec.closedform.closed_form import ClosedForm
from torquec.closedform.fourier import FourierSeries, Rule, Value
from torquec.closedform.layouts import Entry, Matrix, Part, entries
from torquec.closedform.polynomial import TrigPolynomial, Variable
from torquec.closedform.shared_sums import SharedSums
from torquec.expr import Function, operation_cost, trace
from torquec.proof.torque.coefficient_certificate import CoefficientTolerance, Family
from torquec.simplification.fitting.minimal_basis import MinimalBasis
from torquec.simplification.specification import CoefficientThreshold
from torquec.simplification.tolerance import coefficient
from torquec.spatial import Scalar, product, total

Index = tuple[int, ...]
Vector = Sequence[Scalar]


@dataclass(frozen=True)
class CoefficientModel:
    """Coefficients that are not zero, by family and index: M (upper triangle), H = c (j <= k) and g, of n joints."""

    n: int
    coefficients: Mapping[tuple[Family, Index], Value]

    @property
    def terms(self) -> int:
        """Number of terms of all coefficients."""
        return sum(len(value) for value in self.coefficients.values())

    def programs(self) -> dict[str, Function]:
        """Programs of inverse dynamics, mass matrix, gravity torque, velocity torque and Coriolis matrix."""
        return {"inverse_dynamics": self.torque(), **self.parts()}

    def parts(self) -> dict[str, Function]:
        """Programs of mass matrix, gravity torque, velocity torque and Coriolis matrix: the parts of `torque`."""
        return {name: self._program(name) for name in _QUANTITIES}

    def torque(self) -> Function:
        """The program of inverse dynamics (1) with the fewest operations."""
        shapes = {"q": (self.n,), "qd": (self.n,), "qdd": (self.n,)}
        if self._in_multiple_angles:
            return trace("inverse_dynamics", lambda q, qd, qdd: {"tau": self._shared_torque(q, qd, qdd)}, shapes)
        ways = (self._torque_by_coefficient, self._torque_in_one_sum)
        programs = [
            trace("inverse_dynamics", lambda q, qd, qdd, way=way: {"tau": way(q, qd, qdd)}, shapes) for way in ways
        ]
        return min(programs, key=operation_cost)

    @property
    def _in_multiple_angles(self) -> bool:
        return any(isinstance(value, FourierSeries) for value in self.coefficients.values())

    def _program(self, quantity: str) -> Function:
        parts, shape, inputs = _QUANTITIES[quantity]
        cells = list(shape(self.n))

        def algorithm(q: Vector, qd: Vector | None = None) -> dict[str, Any]:
            rows = {cell: list(parts(self, cell)) for cell in cells}
            values = self._values(rows, q, () if qd is None else qd, ())
            if len(cells[0]) == 1:
                return {"tau": [values[cell] for cell in cells]}
            matrix = [[values[i, j] for j in range(self.n)] for i in range(self.n)]
            return {_MATRIX_NAMES[quantity]: matrix}

        return trace(quantity, algorithm, dict.fromkeys(inputs, (self.n,)))

    # --- parts of each quantity: a coefficient with its factor, the speeds and accelerations that multiply it -------

    def _part(
        self, family: Family, index: Index, factor: float, speeds: Index = (), pushes: Index = ()
    ) -> Iterator[Part]:
        value = self.coefficients.get((family, index))
        if value:
            yield Part(value if factor == 1.0 else value * factor, speeds, pushes)

    def _inertia(self, cell: Index) -> Iterator[Part]:
        yield from self._part(Family.M, (min(cell), max(cell)), 1.0)

    def _gravity(self, cell: Index) -> Iterator[Part]:
        yield from self._part(Family.G, cell, 1.0)

    def _velocity(self, cell: Index) -> Iterator[Part]:
        for j in range(self.n):
            for k in range(j, self.n):
                yield from self._part(Family.H, (*cell, j, k), 1.0 if j == k else 2.0, (j, k))

    def _coriolis(self, cell: Index) -> Iterator[Part]:
        """(2)."""
        i, j = cell
        for k in range(self.n):
            yield from self._part(Family.H, (i, min(j, k), max(j, k)), 1.0, (k,))

    def bias(self, cell: Index) -> Iterator[Part]:
        """Bias torque of the joint (i,): gravity and velocity terms of (1)."""
        yield from self._gravity(cell)
        yield from self._velocity(cell)

    def _torque(self, cell: Index) -> Iterator[Part]:
        """(1)."""
        yield from self.bias(cell)
        for j in range(self.n):
            i = cell[0]
            yield from self._part(Family.M, (min(i, j), max(i, j)), 1.0, (), (j,))

    # --- values -----------------------------------------------------------------------------------------------------

    def _values(self, rows: Mapping[Index, Sequence[Part]], q: Vector, qd: Vector, qdd: Vector) -> dict[Index, Scalar]:
        """Each sum of parts; common subexpressions are computed once."""
        if self._in_multiple_angles:
            return _shared(rows, q, qd, qdd)
        letters = Letters(q)
        found: dict[Index, Scalar] = {}
        for cell, parts in rows.items():
            value: Scalar = 0.0
            for part in parts:
                assert isinstance(part.value, TrigPolynomial)
                rate: Scalar = 1.0
                for k in part.speeds:
                    rate = product(rate, qd[k])
                for k in part.accelerations:
                    rate = product(rate, qdd[k])
                value = total(value, product(lowered(part.value, letters), rate))
            found[cell] = value
        return found

    def _torque_by_coefficient(self, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
        values = self._values({(i,): list(self._torque((i,))) for i in range(self.n)}, q, qd, qdd)
        return [values[i,] for i in range(self.n)]

    def _shared_torque(self, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
        """(4)."""
        values = _shared({(i,): list(self._torque((i,))) for i in range(self.n)}, q, qd, qdd)
        return [values[i,] for i in range(self.n)]

    def _torque_in_one_sum(self, q: Vector, qd: Vector, qdd: Vector) -> list[Scalar]:
        """(3)."""
        letters = _LettersAndRates(q, qd, qdd)
        torques = []
        for i in range(self.n):
            terms = []
            for part in self._torque((i,)):
                rates = tuple((_joint(k), "qd") for k in part.speeds)
                rates += tuple((_joint(k), "qdd") for k in part.accelerations)
                assert isinstance(part.value, TrigPolynomial)
                terms += [(word_of(monomial) + rates, number) for monomial, number in part.value]
            torques.append(lowered_terms(terms, letters))
        return torques


class _LettersAndRates(Letters):
    """Speeds and accelerations as further letters."""

    def __init__(self, q: Vector, qd: Vector, qdd: Vector) -> None:
        super().__init__(q)
        self._rates = {"qd": qd, "qdd": qdd}

    def __getitem__(self, letter: Letter) -> Scalar:
        variable, kind = letter
        return self._rates[kind][variable.joints[0][0]] if kind in self._rates else super().__getitem__(letter)


def _joint(k: int) -> Variable:
    return Variable(((k, 1),))


def _shared(rows: Mapping[Index, Sequence[Part]], q: Vector, qd: Vector, qdd: Vector) -> dict[Index, Scalar]:
    """(4); cells without parts are zero."""
    sums: dict[Hashable, Entry] = {cell: Entry(Matrix.M, cell, tuple(parts)) for cell, parts in rows.items() if parts}
    values = SharedSums(sums).values(q, qd, qdd) if sums else {}
    return {cell: values.get(cell, 0.0) for cell in rows}


def _vector(n: int) -> Iterator[Index]:
    return ((i,) for i in range(n))


def _matrix(n: int) -> Iterator[Index]:
    return ((i, j) for i in range(n) for j in range(n))


_MATRIX_NAMES = {"mass_matrix": "M", "coriolis_matrix": "C"}
_Parts = Callable[[CoefficientModel, Index], Iterator[Part]]
_QUANTITIES: Mapping[str, tuple[_Parts, Callable[[int], Iterator[Index]], tuple[str, ...]]] = {
    "mass_matrix": (CoefficientModel._inertia, _matrix, ("q",)),
    "gravity_torque": (CoefficientModel._gravity, _vector, ("q",)),
    "velocity_torque": (CoefficientModel._velocity, _vector, ("q", "qd")),
    "coriolis_matrix": (CoefficientModel._coriolis, _matrix, ("q", "qd")),
}


def exact_coefficients(form: ClosedForm) -> CoefficientModel:
    """The exact coefficients of a closed form."""
    pairs = [(j, k) for j in range(form.n) for k in range(j, form.n)]
    every: list[tuple[Family, Index]] = [(Family.M, pair) for pair in pairs]
    every += [(Family.H, (i, *pair)) for i in range(form.n) for pair in pairs]
    every += [(Family.G, (i,)) for i in range(form.n)]
    found = {key: coefficient(form, *key) for key in every}
    return CoefficientModel(form.n, {key: value for key, value in found.items() if value})


def fitted_coefficients(
    form: ClosedForm, tolerances: Sequence[CoefficientTolerance], fits: Sequence[MinimalBasis | None]
) -> CoefficientModel:
    """Fitted coefficients where they have a tolerance and a fit; all others exact."""
    found: dict[tuple[Family, Index], Value] = dict(exact_coefficients(form).coefficients)
    fitted = [t for t in tolerances if t.family is not Family.V]
    for tolerance, fit in zip(fitted, fits, strict=True):
        if fit is not None:
            found[tolerance.family, tolerance.index] = fit.polynomial
    return CoefficientModel(form.n, {key: value for key, value in found.items() if value})


def abbreviated_coefficients(form: ClosedForm, threshold: CoefficientThreshold | Rule) -> CoefficientModel:
    """Clover's rule: coefficients of M, B, D and g in multiple angles, small ones dropped, the others rounded.

    As in Clover, B_i,jk = 2 c_ijk is compared with the threshold; motor inertias are kept exactly.
    """
    rule = Rule(multiple_angles=True, threshold=threshold.threshold, digits=threshold.digits)
    found: dict[tuple[Family, Index], Value] = {}
    for matrix in (Matrix.M, Matrix.B, Matrix.D, Matrix.G_TORQUE):
        for each in entries(form, matrix, rule):
            (part,) = each.parts
            if matrix is Matrix.M:
                found[Family.M, each.index] = part.value
            elif matrix is Matrix.G_TORQUE:
                found[Family.G, each.index] = part.value
            elif matrix is Matrix.B:
                found[Family.H, each.index] = part.value * 0.5
            else:
                i, j = each.index
                found[Family.H, (i, j, j)] = part.value
    return CoefficientModel(form.n, found)
