"""Chang and Lee's Table 1 beside ours: errors of the printed expressions, the best of their terms, MIN_BASIS_GEN."""

from __future__ import annotations

from torquec.papers.chang_lee.printed_coefficients import (
    PrintedCoefficient,
    exact_coefficient,
    printed_coefficients,
    stanford_form,
)
from torquec.papers.printed_row import DifferenceKind, PrintedRow, PrintedRows, printed_row
from torquec.proof.torque.coefficient_tolerance import ErrorKind
from torquec.proof.torque.error_peaks import largest_error
from torquec.simplification.fitting.fit_problem import minimax_fit
from torquec.simplification.fitting.survivor_search import min_basis_gen

_SOURCE = "Table 1"
_SEARCHED = ("J22", "J12", "J13", "J24", "H123", "H223", "G4")
"""Coefficients whose layered search ends within seconds: it is exponential in the number of candidates."""


def chang_lee_table_1() -> PrintedRows:
    """Largest error of each printed expression over the joint ranges, and the smallest that its terms can reach."""
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
        degree = 1 if row.name[0] == "G" else 2  # (24b) for gravity, (24a) for all others
        fit = min_basis_gen(exact_coefficient(row.name), box, row.tolerance, kind=row.kind, degree=degree)
        terms = len(row.polynomial.terms)
        rows += [
            printed_row(f"{row.name} within {row.tolerance:g}: terms", len(fit.basis), terms, _SOURCE),
            _error_row(row, f"error within {row.tolerance:g}", fit.level),
        ]
    return tuple(rows)
