"""Equations as source code: every matrix, or every chosen entry, becomes a function in one Python or one C file.

The functions are factored (:mod:`torquec.closedform.closed_dynamics`) and share their sines and cosines. Their inputs,
where needed, are in this order: q, symbols (components of gravity vectors and quaternions), qd, qdd, and the parameters
where coefficients are linear in them. Joints are those of all moving bodies. Python needs NumPy, C needs <math.h>.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torquec.closedform.closed_dynamics import Letters, lowered
from torquec.closedform.equations import Equations
from torquec.closedform.fourier import FourierSeries, Value
from torquec.closedform.layouts import TITLES, Entry, Matrix, indices
from torquec.closedform.polynomial import Coefficient, Linear, TrigPolynomial
from torquec.closedform.text import balance_text, coupling_text, omissions, treatment
from torquec.codegen.c.names import package_names
from torquec.codegen.c.source import source_text
from torquec.codegen.numpy import numpy_module
from torquec.expr import Function, trace
from torquec.expr.math import sincos
from torquec.spatial import Scalar


def python_source(equations: Equations) -> str:
    """A Python module that needs nothing but NumPy; functions take one state or a batch."""
    functions = equation_functions(equations)
    notes = {function.name: _note(equations, function.name) for function in functions}
    return numpy_module(functions, prefix=_prefix(equations), description=_description(equations), notes=notes)


def c_source(equations: Equations) -> str:
    """One C99 file that needs nothing but <math.h>; matrices row by row."""
    functions = equation_functions(equations)
    names = package_names(functions, _prefix(equations))
    listed = "\n".join(f"{function.name}: {_note(equations, function.name)}" for function in functions)
    heading = f"{_prefix(equations)}: written by torquec.\n{_description(equations)}\n\n{listed}"
    return source_text(functions, names, heading, self_contained=True)


def equation_functions(equations: Equations) -> list[Function]:
    """A `Function` for each matrix, named by its letter, or for each chosen entry, named like 'M_1_2'."""
    functions = []
    for matrix, found in equations.entries.items():
        if matrix is Matrix.V:
            functions.append(_friction_function(equations))
        elif equations.whole:
            functions.append(_matrix_function(equations, matrix, found))
        else:
            functions += [_entry_function(equations, entry) for entry in found]
    return functions


def parameter_order(equations: Equations) -> list[str]:
    """The parameters that coefficients are linear in, in the order of the functions' input `parameters`."""
    found: set[str] = set()
    for kept in equations.entries.values():
        for entry in kept:
            for part in entry.parts:
                for coefficient in part.value.terms.values():
                    found.update(coefficient.parts if isinstance(coefficient, Linear) else ())
    from torquec.dynamics import parameter_names

    standard = [name for name in parameter_names(equations.form.robot) if name in found]
    return standard + sorted(found - set(standard))


class _State:
    """Scalars of a trace: letters of the positions, speeds, accelerations, and parameters by name."""

    def __init__(self, equations: Equations, given: Mapping[str, Sequence[Scalar]]) -> None:
        self._q = (*given.get("q", ()), *given.get("symbols", ()))
        self._letters = Letters(self._q)
        self._given = given
        self._harmonics: dict[Any, tuple[Scalar, Scalar]] = {}
        self._parameters = dict(zip(parameter_order(equations), given.get("parameters", ()), strict=False))

    def value(self, entry: Entry) -> Scalar:
        """The value of an entry."""
        total: Scalar = 0.0
        for part in entry.parts:
            term = self._position_value(part.value)
            for joint in part.speeds:
                term = term * self._given["qd"][joint]
            for joint in part.accelerations:
                term = term * self._given["qdd"][joint]
            total = total + term
        return total

    def _position_value(self, value: Value) -> Scalar:
        if isinstance(value, FourierSeries):
            return self._series_value(value)
        terms = {monomial: self._number(coefficient) for monomial, coefficient in value}
        return lowered(TrigPolynomial(terms), self._letters)

    def _series_value(self, series: FourierSeries) -> Scalar:
        total: Scalar = 0.0
        for harmonic, coefficient in series.terms.items():
            term: Scalar = self._number(coefficient)
            for joint, power in harmonic.powers:
                for _ in range(power):
                    term = term * self._q[joint]
            if harmonic.multiples:
                sine, cosine = self._harmonic(harmonic.multiples)
                term = term * (sine if harmonic.sine else cosine)
            total = total + term
        return total

    def _harmonic(self, multiples: tuple[tuple[int, int], ...]) -> tuple[Scalar, Scalar]:
        if multiples not in self._harmonics:
            angle: Scalar = 0.0
            for joint, multiple in multiples:
                angle = angle + float(multiple) * self._q[joint]
            self._harmonics[multiples] = sincos(angle)
        return self._harmonics[multiples]

    def _number(self, coefficient: Coefficient) -> Scalar:
        if not isinstance(coefficient, Linear):
            return coefficient
        total: Scalar = 0.0
        for name, number in coefficient.parts.items():
            total = total + number * self._parameters[name]
        return total


def _matrix_function(equations: Equations, matrix: Matrix, found: Sequence[Entry]) -> Function:
    n = equations.form.n
    places = {entry.index: entry for entry in found}
    symmetric = matrix in (Matrix.M, Matrix.J)

    def algorithm(**given: Any) -> dict[str, Any]:
        state = _State(equations, given)
        values = {index: state.value(entry) for index, entry in places.items()}

        def at(*index: int) -> Scalar:
            if symmetric:
                index = tuple(sorted(index))
            if matrix is Matrix.H:
                index = (index[0], *sorted(index[1:]))
            return values.get(index, 0.0)

        if matrix is Matrix.PHI:
            return {str(matrix): [at(i) for i in range(len(found))]}
        if matrix in (Matrix.G_TORQUE, Matrix.G):
            return {str(matrix): [at(i) for i in range(n)]}
        if matrix is Matrix.B:
            pairs = [index[1:] for index in indices(n, matrix) if index[0] == 0]
            return {str(matrix): [[at(i, *pair) for pair in pairs] for i in range(n)]}
        if matrix is Matrix.H:
            return {str(matrix): [[[at(i, j, k) for k in range(n)] for j in range(n)] for i in range(n)]}
        return {str(matrix): [[at(i, j) for j in range(n)] for i in range(n)]}

    shape: dict[Matrix, tuple[int, ...]] = {
        Matrix.G_TORQUE: (n,),
        Matrix.G: (n,),
        Matrix.PHI: (len(found),),
        Matrix.B: (n, n * (n - 1) // 2),
        Matrix.H: (n, n, n),
    }
    inputs = _inputs(equations, matrix)
    return trace(str(matrix), algorithm, inputs, shapes={str(matrix): shape.get(matrix, (n, n))})


def _entry_function(equations: Equations, entry: Entry) -> Function:
    def algorithm(**given: Any) -> dict[str, Any]:
        return {"value": _State(equations, given).value(entry)}

    name = "_".join([str(entry.matrix), *(str(i + 1) for i in entry.index)])
    return trace(name, algorithm, _inputs(equations, entry.matrix), shapes={"value": ()})


def _friction_function(equations: Equations) -> Function:
    n = equations.form.n

    def algorithm(qd: Sequence[Scalar]) -> dict[str, Any]:
        torque: list[Scalar] = [0.0] * n
        for law in equations.friction:
            torque[law.joint] = law.torque(qd)
        return {"V": torque}

    return trace("V", algorithm, {"qd": (n,)})


def _inputs(equations: Equations, matrix: Matrix) -> dict[str, tuple[int, ...]]:
    n = equations.form.n
    inputs: dict[str, tuple[int, ...]] = {"q": (n,)}
    if equations.form.symbols:
        inputs["symbols"] = (len(equations.form.symbols),)
    if matrix in (Matrix.C, Matrix.DTAU_DQD, Matrix.DTAU_DQ):
        inputs["qd"] = (n,)
    if matrix is Matrix.DTAU_DQ:
        inputs["qdd"] = (n,)
    parameters = parameter_order(equations)
    return inputs | ({"parameters": (len(parameters),)} if parameters else {})


def _prefix(equations: Equations) -> str:
    return f"{equations.form.robot.name}_equations"


def _description(equations: Equations) -> str:
    form = equations.form
    lines = [f"{form.robot.name}: {balance_text(equations)}", *omissions(equations), *treatment(equations)]
    lines += [f"q{i + 1} is {name}" for i, name in enumerate(form.names)]
    if form.symbols:
        lines.append(f"symbols: {', '.join(variable.symbol for variable in form.symbols)}")
    lines += [coupling for i in range(form.n) if (coupling := coupling_text(equations, i))]
    parameters = parameter_order(equations)
    return "\n".join(lines + ([f"parameters: {', '.join(parameters)}"] if parameters else []))


def _note(equations: Equations, name: str) -> str:
    for matrix, found in equations.entries.items():
        if name == str(matrix):
            return TITLES[matrix]
        for entry in found:
            if name == "_".join([str(matrix), *(str(i + 1) for i in entry.index)]):
                return f"{entry.key} [{equations.unit(entry)}]"
    return ""
