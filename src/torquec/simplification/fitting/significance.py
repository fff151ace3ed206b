"""Significance rules: insignificant terms and parameters by three published criteria.

(1)  Clover, uniform: in the multiple-angle form, coefficients below a threshold (0.01) are zero, in whatever unit
     (`torquec.closedform.fourier.written` with the rule CLOVER)
(2)  Armstrong: a term is dropped when it is below 1 % of the largest term of its equation, or below 0.1 % of the
     largest constant of its joint: |c| < 0.01 max |c| of the entry, or |c| < 0.001 max |constant| of row i (and j) of
     M; gravity has no such constants, there the first half decides
(3)  Izaguirre: parameter k is significant where, along the trajectories, its contribution |Y_k phi_k| reaches 1 % of
     the largest torque of some joint; those that are not are dropped and the others fitted again, by least squares
     weighted with each joint's largest torque

None of them bounds the resulting error: tolerances and certificates do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from torquec.closedform import ClosedForm
from torquec.closedform.polynomial import TrigPolynomial
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array


@dataclass(frozen=True)
class SignificantTerms:
    """A closed form without insignificant terms: M (upper triangle), Christoffel symbols (j <= k) and g by indices."""

    mass: Mapping[tuple[int, int], TrigPolynomial]
    velocity: Mapping[tuple[int, int, int], TrigPolynomial]
    gravity: Mapping[int, TrigPolynomial]

    @property
    def terms(self) -> int:
        """Number of remaining terms."""
        return sum(len(p) for part in (self.mass, self.velocity, self.gravity) for p in part.values())


def armstrong_terms(form: ClosedForm, *, of_equation: float = 0.01, of_constant: float = 0.001) -> SignificantTerms:
    """Armstrong's rule (2) on a closed form with numbers as coefficients; entries that vanish are left out."""
    n = form.n
    constants = [max((abs(form.M[i, j].terms.get((), 0.0)) for j in range(n)), default=0.0) for i in range(n)]

    def short(polynomial: TrigPolynomial, *rows: int) -> TrigPolynomial:
        largest = max((abs(c) for _, c in polynomial), default=0.0)
        # A term is kept if it is significant for any of the joints that the entry acts on.
        least = max(of_equation * largest, of_constant * min((constants[i] for i in rows), default=0.0))
        return polynomial.filtered(lambda _, c: abs(c) >= least)

    mass = {(i, j): short(form.M[i, j], i, j) for i in range(n) for j in range(i, n)}
    velocity = {(i, j, k): short(form.christoffel(i, j, k), i) for i in range(n) for j in range(n) for k in range(j, n)}
    gravity = {i: short(form.g[i]) for i in range(n)}
    return SignificantTerms(
        {key: p for key, p in mass.items() if p},
        {key: p for key, p in velocity.items() if p},
        {key: p for key, p in gravity.items() if p},
    )


@dataclass(frozen=True)
class SignificantParameters:
    """Which parameters matter along trajectories, and their values fitted again without the others.

    `contributions` (p, n) are parts of each joint's largest torque; `kept` are indices, `values` (kept,) the new fit;
    condition numbers are of the weighted regressor before and after; `residual` (n,) is the root mean square residual.
    """

    kept: tuple[int, ...]
    values: Array
    contributions: Array
    condition_before: float
    condition_after: float
    residual: Array


def significant_parameters(
    regressor: Array, parameters: Array, *, torque: Array | None = None, part: float = 0.01
) -> SignificantParameters:
    """Izaguirre's rule (3): `regressor` (N, n, p) along trajectories, `parameters` (p,), measured `torque` (N, n).

    Without measured torques those of all parameters are fitted. Raises `ArgumentError` for shapes that do not agree,
    for values that are not finite, and where nothing is significant.
    """
    Y, phi = np.asarray(regressor, dtype=float), np.asarray(parameters, dtype=float)
    if Y.ndim != 3 or phi.shape != Y.shape[2:]:
        raise ArgumentError(f"a regressor {Y.shape} with parameters {phi.shape}", remedy="give (N, n, p) and (p,)")
    tau = Y @ phi if torque is None else np.asarray(torque, dtype=float)
    if tau.shape != Y.shape[:2]:
        raise ArgumentError(f"torques {tau.shape} for a regressor {Y.shape}", remedy="give torques (N, n)")
    if not all(np.all(np.isfinite(x)) for x in (Y, phi, tau)):
        raise ArgumentError("a regressor, parameter or torque is not finite", remedy="clean the log first")
    largest = np.abs(tau).max(axis=0)
    if not np.all(largest > 0.0):
        raise ArgumentError("a joint has no torque along the trajectories", remedy="give trajectories that excite all")
    contributions = (np.abs(Y).max(axis=0) * np.abs(phi) / largest[:, None]).T
    kept = np.flatnonzero(contributions.max(axis=1) >= part)
    if not len(kept):
        raise ArgumentError(f"no parameter reaches {part:g} of a joint's largest torque", remedy="lower the part")
    weighted = (Y / largest[:, None]).reshape(-1, len(phi))
    short = weighted[:, kept]
    values = np.linalg.lstsq(short, (tau / largest).reshape(-1), rcond=None)[0]
    residual = np.sqrt(np.mean((tau - Y[:, :, kept] @ values) ** 2, axis=0))
    return SignificantParameters(
        tuple(int(k) for k in kept),
        values,
        contributions,
        float(np.linalg.cond(weighted)),
        float(np.linalg.cond(short)),
        residual,
    )
