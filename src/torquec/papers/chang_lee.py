"""Chang and Lee's Table 1: simplified coefficients of the Stanford arm as printed, with the exact ones.

Conventions of the table: J_ij is the inertia matrix, J_ii with motors except J33; H_ijk are Christoffel symbols; G has
the opposite sign of a holding torque; C2 = cos theta2. The box is the robot's joint range: theta5 within 110 degrees,
q3 from 0.15 to 0.9 m. Errors of J_ii are relative, all others absolute in SI units. Labels of the H rows were restored
from the printed errors. Six rows that fit no coefficient are left out.

The comparison covers the errors of the printed expressions, the smallest errors of their terms, and MIN_BASIS_GEN.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from torquec.closedform.closed_form import ClosedForm, closed_form
from torquec.closedform.polynomial import TrigPolynomial, Variable, constant, single
from torquec.papers.comparisons import DifferenceKind, PrintedRow, PrintedRows, printed_row
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.proof.torque.error_peaks import largest_error
from torquec.robot import classics
from torquec.robot.joints import PositionBasis
from torquec.simplification.fitting.fit_problem import minimax_fit
from torquec.simplification.fitting.survivor_search import min_basis_gen
from torquec.trajectory.motion_box import MotionBox, joint_box

_MOTOR_3 = 0.782  # [kg], the third motor's reflected inertia, which J33 of the table leaves out

_TABLE = """
    J11   0.0545   0.1     1.455+2.594*S2^2-5.754*S2^2*q3+6.627*S2^2*q3^2
    J22   0.0412   0.1     4.667-5.332*q3+6.361*q3^2
    J33   0        0.1     6.48
    J44   0.0663   0.1     0.1148
    J55   0        0.1     0.114
    J66   0        0.1     0.0203
    J12   0.1071   0.128   0.543*C2-1.144*q3*C2
    J13   0.1126   0.151   -1.0453*S2
    J14   0.0328   0.041   0.1316*S2*q3*S4*S5
    J15   0.0359   0.046   -0.1138*S2*q3*C4*C5
    J23   0.0063   0.015   -0.1150*S4*S5
    J24   0.0091   0.021   0.1164*q3*C4*C5
    J25   0.0165   0.022   0.1162*q3*S4*C5
    J35   0.0007   0.015   -0.115*S5
    G2    0.06     0.31    -27.346*S2+63.381*S2*q3+1.093*S2*C5+1.118*C2*S4*S5
    G3    4.1e-5   0.276   -63.406*C2
    G4    6.1e-5   0.038   1.127*S2*C4*S5+0.0554*S2*S4
    G5    0.007    0.038   1.126*S2*S4*C5+1.1266*C2*S4
    H112  0.108    0.314   2.289*C2*S2-4.267*C2*S2*q3+5.46*C2*S2*q3^2+0.299*C2*S2*q3^2*C5
    H113  0.090    0.61    -2.723*S2^2+6.467*S2^2*q3
    H115  0.065    0.076   -0.0733*S2^2*S5+0.0128*C2*S2*S5+0.02*C2*S2*S4*S5
    H122  0.099    0.106   -0.462*S2+1.069*S2*q3
    H123  0.006    0.068   -1.047*C2+0.114*C2*C4*S5
    H211  0.1255   0.572   -2.791*C2*S2+6.468*C2*S2*q3-7.167*C2*S2*q3^2
    H214  0.0153   0.028   -0.115*C2*q3*S4*S5
    H223  0.0769   0.1124  -2.712+6.47*q3
    H225  0.0071   0.032   -0.1186*q3*C5
    H244  0.0088   0.0318  -0.1166*q3*S4*S5
    H255  0.0006   0.0318  -0.1148*q3*S4*S5
    H311  0.0923   0.725   2.726*S2^2-6.467*S2^2*q3
    H314  0.006    0.018   -0.1161*S2*S4*S5
    H322  0.0769   0.748   2.712-6.47*q3
    H324  0.0063   0.0186  -0.115*C4*S5
    H325  7e-4     0.032   -0.115*S4*C5
    H355  0.0075   0.0186  -0.1075*C5
    H411  0.0233   0.0359  -0.1125*C2*S2*q3*C4*S5
    H412  0.0154   0.07    0.1168*C2*q3*S4*S5
    H413  0.0637   0.07    0.05*S2*S4*S5
    H511  0.06     0.08    0.1365*S2^2*q3*S5-0.0184*S2^2*q3*S4*S5+0.0142*C2*S2*q3*S5
    H512  0.016    0.062   -0.1135*C2*q3*C4*C5
    H513  6.8e-4   0.059   -0.1149*S2*C4*C5
    H522  0.007    0.059   0.11865*q3*S5
    H523  7e-4     0.058   0.115*S4*C5
"""
"""Coefficient, printed error, tolerance, printed expression."""

_CORRECTIONS = {
    "J24": ("0.1164*q3*C4*S5", "C4 S5, where C4 C5 is printed"),
    "G2": (
        "-26.946*S2+63.381*S2*q3+1.093*S2*C5+1.118*C2*S4*S5",
        "27.346 is printed, 26.946 reproduces the error, 26.949 is exact",
    ),
    "G5": ("1.126*S2*S4*C5+1.1266*C2*S5", "C2 S5, where C2 S4 is printed"),
    "H225": ("-0.1186*q3*S5", "S5, where C5 is printed"),
}
"""Misprinted expressions: the correction that reproduces the printed error, and the misprint."""


@dataclass(frozen=True)
class PrintedCoefficient:
    """A row of Table 1: `expression` is corrected if the printed one is wrong; `erratum` then states the error."""

    name: str
    error: float
    tolerance: float
    expression: str
    erratum: str = ""

    @property
    def kind(self) -> ErrorKind:
        """Relative for the diagonal of the inertia matrix."""
        diagonal = self.name[0] == "J" and self.name[1] == self.name[2]
        return ErrorKind.RELATIVE if diagonal else ErrorKind.ABSOLUTE

    @property
    def polynomial(self) -> TrigPolynomial:
        """The expression."""
        return printed_polynomial(self.expression)


def printed_coefficients() -> tuple[PrintedCoefficient, ...]:
    """The rows of Table 1 that belong to a coefficient.

    >>> next(row.expression for row in printed_coefficients() if row.name == "J13")
    '-1.0453*S2'
    """
    rows = []
    for line in _TABLE.strip().splitlines():
        name, error, tolerance, expression = line.split()
        expression, erratum = _CORRECTIONS.get(name, (expression, ""))
        rows.append(PrintedCoefficient(name, float(error), float(tolerance), expression, erratum))
    return tuple(rows)


@cache
def stanford_form() -> tuple[ClosedForm, MotionBox]:
    """The exact closed form of the Stanford arm and the box of its joint ranges."""
    robot = classics.stanford()
    return closed_form(robot), joint_box(robot)


def exact_coefficient(name: str) -> TrigPolynomial:
    """The exact coefficient of a name as in the table: J11, H112, G2."""
    form, _ = stanford_form()
    index = [int(digit) - 1 for digit in name[1:]]
    if name[0] == "J":
        return form.M[index[0], index[1]] - (constant(_MOTOR_3) if name == "J33" else TrigPolynomial())
    return -form.g[index[0]] if name[0] == "G" else form.christoffel(index[0], index[1], index[2])


def printed_polynomial(expression: str) -> TrigPolynomial:
    """An expression of the table as a polynomial of the closed form.

    >>> len(printed_polynomial("1.455+2.594*S2^2*q3").terms)
    2
    """
    letters = {"one": constant(1.0), "q3": single(Variable(((2, 1),), PositionBasis.POLYNOMIAL), 0, 1)}
    for joint in (2, 4, 5):
        angle = Variable(((joint - 1, 1),))
        letters |= {f"C{joint}": single(angle, 1, 0), f"S{joint}": single(angle, 0, 1)}
    total = TrigPolynomial()
    for text in re.findall(r"[+-]?[^+-]+", expression):
        term = constant(-1.0 if text[0] == "-" else 1.0)
        for factor in text.lstrip("+-").split("*"):
            name, _, power = factor.partition("^")
            for _ in range(int(power or 1)):
                term = term * (letters[name] if name in letters else float(name))
        total = total + term
    return total


_SOURCE = "Table 1"
_SEARCHED = ("J22", "J12", "J13", "J24", "H123", "H223", "G4")
"""Coefficients whose layered search ends within seconds: the search is exponential in the number of candidates."""


def chang_lee_table_1() -> PrintedRows:
    """Largest error of each printed expression over the joint ranges, and the smallest error with its terms."""
    _, box = stanford_form()
    rows = []
    for row in printed_coefficients():
        exact, printed = exact_coefficient(row.name), row.polynomial
        error = largest_error(exact, printed, box, kind=row.kind).level
        best = minimax_fit(exact, [term for term, _ in printed], box, kind=row.kind).level
        rows += [_error_row(row, "error of the printed expression", error), _error_row(row, "best error", best)]
    return tuple(rows)


def _error_row(row: PrintedCoefficient, what: str, error: float) -> PrintedRow:
    note = f"erratum, corrected here: {row.erratum}" if row.erratum else ""
    if row.name == "J55" and what.startswith("error"):
        note = "erratum: 0.113 is exact, 0.114 is printed"
    kind = DifferenceKind.RELATIVE if row.error else DifferenceKind.ABSOLUTE
    unit = "relative" if row.kind is ErrorKind.RELATIVE else "SI"
    return printed_row(f"{row.name}: {what} [{unit}]", error, row.error, _SOURCE, kind=kind, note=note)


def chang_lee_min_basis_gen() -> PrintedRows:
    """Terms and error of the basis that MIN_BASIS_GEN, as printed, finds at the table's tolerance."""
    _, box = stanford_form()
    rows = []
    for row in printed_coefficients():
        if row.name not in _SEARCHED:
            continue
        degree = 1 if row.name[0] == "G" else 2  # (24b) of the paper for gravity, (24a) for all others
        fit = min_basis_gen(exact_coefficient(row.name), box, row.tolerance, kind=row.kind, degree=degree)
        terms = len(row.polynomial.terms)
        rows += [
            printed_row(f"{row.name} within {row.tolerance:g}: terms", len(fit.basis), terms, _SOURCE),
            _error_row(row, f"error within {row.tolerance:g}", fit.level),
        ]
    return tuple(rows)
