"""Exact closed forms: dynamic coefficients as trigonometric polynomials."""

from torquec.closedform.closed_form import ClosedForm, Coefficients, PolynomialMatrix, closed_form
from torquec.closedform.fourier import FourierSeries, Harmonic, fourier_series
from torquec.closedform.polynomial import Linear, TrigPolynomial, Variable

__all__ = [
    "ClosedForm",
    "Coefficients",
    "FourierSeries",
    "Harmonic",
    "Linear",
    "PolynomialMatrix",
    "TrigPolynomial",
    "Variable",
    "closed_form",
    "fourier_series",
]
