"""Peaks of an approximation error over a box, by sampling and Newton's method.

(1)  absolute error  e = f - p,  relative error  e = (f - p) / f;  f the exact coefficient, p its approximation
(2)  grad e = (grad r - e grad f) / f,   hess e = (hess r - e hess f - grad e grad f' - grad f grad e') / f,  r = f - p
(3)  from every start: x <- clip(x + |H|^-1 g) on the coordinates that are not at the limits of the box, |H| the Hessian
     with its eigenvalues made positive; a step that does not ascend is cut to a quarter

The result is a lower bound of the worst case, and usually equal to it; upper bounds are proven by certificates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torquec.closedform.compiled_terms import CompiledTerms, compile_terms, numbers
from torquec.closedform.polynomial import TrigPolynomial
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.proof.torque.coefficient_certificate import ErrorKind
from torquec.trajectory.motion_box import MotionBox

_ASCENT_STEPS = 30  # Newton's method needs a handful from a good start; the rest is for starts on a ridge


@dataclass(frozen=True)
class ErrorSurface:
    """An error as a function of the position: a combination of monomials, divided by another one when relative."""

    terms: CompiledTerms
    residual: Array
    reference: Array | None = None

    def values(self, q: Array) -> Array:
        """The error at each position, (N, n) -> (N,)."""
        r = self.terms.combination(self.residual, q)
        return r if self.reference is None else r / self.terms.combination(self.reference, q)

    def expansion(self, q: Array) -> tuple[Array, Array, Array]:
        """Error (N,), gradient (N, d) and Hessian (N, d, d) with respect to the d joints of the terms (2)."""
        r, dr, ddr = self.terms.expansion(self.residual, q)
        if self.reference is None:
            return r, dr, ddr
        f, df, ddf = self.terms.expansion(self.reference, q)
        e = r / f
        de = (dr - e[:, None] * df) / f[:, None]
        cross = de[:, :, None] * df[:, None, :]
        dde = (ddr - e[:, None, None] * ddf - cross - cross.swapaxes(1, 2)) / f[:, None, None]
        return e, de, dde


@dataclass(frozen=True)
class Peaks:
    """Local extrema of an error: positions (K, n) and signed values (K,), the largest magnitude first."""

    points: Array
    values: Array

    @property
    def level(self) -> float:
        """The largest magnitude found."""
        return float(abs(self.values[0])) if len(self.values) else 0.0


def error_peaks(
    surface: ErrorSurface,
    box: MotionBox,
    *,
    samples: int = 4000,
    climbs: int = 32,
    seeds: Array | None = None,
    start: int = 0,
) -> Peaks:
    """The extrema of an error over a box: ascents (3) from the best of `samples` positions and all `seeds` (S, n).

    At most `climbs` of the samples are starts of ascents; `start` shifts the samples.
    """
    joints = surface.terms.joints
    if not joints:
        q = np.array([box.centre])
        return Peaks(q, surface.values(q))
    q = box.samples(joints, samples, start=start)
    values = surface.values(q)
    order = np.argsort(-np.abs(values))[:climbs]
    begin = q[order] if seeds is None else np.concatenate([q[order], seeds])
    points, found = _climbed(surface, box, begin)
    return _distinct(points, found)


def largest_magnitude(polynomial: TrigPolynomial, box: MotionBox) -> float:
    """The largest |polynomial| found over a box; a constant is found exactly.

    >>> from torquec.closedform.polynomial import constant
    >>> largest_magnitude(constant(-2.5), MotionBox((), ()))
    2.5
    """
    if not polynomial:
        return 0.0
    surface = ErrorSurface(compile_terms(list(polynomial.terms)), numbers(polynomial))
    return error_peaks(surface, box).level


def largest_error(target: TrigPolynomial, simplified: TrigPolynomial, box: MotionBox, *, kind: ErrorKind) -> Peaks:
    """The peaks of the error of a simplified coefficient, from many samples.

    Raises `ArgumentError` for a relative error of a coefficient that changes its sign within the box.
    """
    monomials = list(dict.fromkeys([*target.terms, *simplified.terms]))
    exact = np.array([float(target.terms.get(m, 0.0)) for m in monomials])
    stand_in = np.array([float(simplified.terms.get(m, 0.0)) for m in monomials])
    terms = compile_terms(monomials)
    surface = ErrorSurface(terms, exact - stand_in, checked_reference(terms, exact, box, kind))
    return error_peaks(surface, box, samples=20000, climbs=128)


def checked_reference(terms: CompiledTerms, exact: Array, box: MotionBox, kind: ErrorKind) -> Array | None:
    """Denominator of relative errors, None for absolute ones; raises `ArgumentError` where it would be zero."""
    if kind is ErrorKind.ABSOLUTE:
        return None
    values = terms.combination(exact, box.samples(terms.joints, 2000))
    if not (np.all(values > 0.0) or np.all(values < 0.0)):
        raise ArgumentError(
            "the relative error of a coefficient that has zeros is unbounded", remedy="state an absolute tolerance"
        )
    return exact


def _climbed(surface: ErrorSurface, box: MotionBox, begin: Array) -> tuple[Array, Array]:
    """(3) from all starts at once; those that have converged are not changed."""
    joints = list(surface.terms.joints)
    low, high = np.array(box.lower)[joints], np.array(box.upper)[joints]
    x = begin.copy()
    value, slope, curve = surface.expansion(x)
    sign = np.where(value < 0.0, -1.0, 1.0)
    reach = np.full(len(x), 0.5)
    moving = np.arange(len(x))
    for _ in range(_ASCENT_STEPS):
        g = sign[moving, None] * slope[moving]
        here = x[moving][:, joints]
        held = ((here <= low) & (g < 0.0)) | ((here >= high) & (g > 0.0))
        step = _newton_step(np.where(held, 0.0, g), -sign[moving, None, None] * curve[moving], held)
        # Limit each step to `reach` [rad or m].
        longest = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, reach[moving] / np.maximum(longest, 1e-300))[:, None]
        trial = x[moving]
        trial[:, joints] = np.clip(here + step, low, high)
        tried, tried_slope, tried_curve = surface.expansion(trial)
        # Near the peak the value converges before the position: fits need accurate positions.
        settles = (longest < 1e-3) & (np.abs(tried - value[moving]) <= 1e-15 * np.abs(value[moving]))
        better = (sign[moving] * tried > sign[moving] * value[moving]) | settles
        to = moving[better]
        x[to], value[to], slope[to], curve[to] = (
            part[better] for part in (trial, tried, tried_slope, tried_curve)
        )  # fmt: skip
        reach[moving] = np.where(better, np.maximum(reach[moving], 0.1), 0.25 * np.minimum(reach[moving], longest))
        moving = moving[(longest >= 1e-10) & (reach[moving] >= 1e-9)]
        if not len(moving):
            break
    return x, value


def _newton_step(g: Array, curve: Array, held: Mask) -> Array:
    """|H|^-1 g on the coordinates that are free; the others stay."""
    free = ~held[:, :, None] & ~held[:, None, :]
    identity = np.eye(g.shape[1])
    bent = np.where(free, curve, 0.0) + identity * held[:, :, None]
    eigenvalues, vectors = np.linalg.eigh(bent)
    scale = np.abs(eigenvalues).max(axis=1, keepdims=True)
    damped = np.maximum(np.abs(eigenvalues), 1e-6 * scale + 1e-300)
    along = np.einsum("pij,pi->pj", vectors, g) / damped
    step = np.einsum("pij,pj->pi", vectors, along)
    return np.where(held, 0.0, step)


def _distinct(points: Array, values: Array) -> Peaks:
    """Peaks that are not the same point, the largest first."""
    order = np.argsort(-np.abs(values))
    points, values = points[order], values[order]
    _, first = np.unique(np.round(points, 5), axis=0, return_index=True)
    keep = np.sort(first)
    return Peaks(points[keep], values[keep])
