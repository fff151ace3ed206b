"""Taylor models: enclosure of a `Function` whose inputs are polynomials in time over a cell.

Every value of the program is enclosed for all theta in [-1, 1], the cell's own time,

(1)  value(theta)  within  c0 + c1 theta + c2 theta^2  -+  r

(2)  sums add coefficients and radii; a product keeps the terms up to theta^2 and adds the others' sizes to r
(3)  f(value) = f(c0) + f'(c0) e + f''(c0) e^2/2 -+ max |f'''| rho^3/6,  e = value - c0,  |e| <= rho = |c1| + |c2| + r
(4)  select, |x|, min and max: the branch that is taken where the sign is certain, else the hull of both
(5)  every operation adds its rounding error to r, so that the enclosure is one of real numbers

Unlike in interval arithmetic, the first two orders in time cancel as in the function itself: over a cell of length h
the overestimation shrinks with h^3. Many cells at once, as (3, N) arrays.

Makino and Berz, Taylor models and other validated functional inclusion methods, IJPAM 4 (2003).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.errors import ArgumentError
from torquec.expr.function import Function
from torquec.expr.ops import Op
from torquec.foundation.arrays import Array, Mask

_EPSILON = 2.0**-52
_LIBRARY = 1e-15
"""Absolute error bound of sine and cosine in double precision; the exponential's relative one is four times this."""

_HALF_PI = 0.5 * np.pi


@dataclass(frozen=True, eq=False)
class TaylorModel:
    """(1): coefficients (3, N) and radius (N,)."""

    c: Array
    r: Array

    def size(self) -> Array:
        """Upper bound of |value|."""
        found: Array = np.abs(self.c).sum(axis=0) + self.r
        return found

    def spread(self) -> Array:
        """rho of (3)."""
        found: Array = np.abs(self.c[1]) + np.abs(self.c[2]) + self.r
        return found

    def range(self) -> tuple[Array, Array]:
        """Least and largest value: extrema of the parabola, at an end or its vertex, widened by the radius."""
        c0, c1, c2 = self.c
        with np.errstate(all="ignore"):
            turn = np.clip(-c1 / (2.0 * c2), -1.0, 1.0)
        turn = np.where(np.isfinite(turn), turn, 0.0)
        values = np.array([c0 - c1 + c2, c0 + c1 + c2, c0 + turn * (c1 + turn * c2)])
        slack = self.r + 8.0 * _EPSILON * self.size()
        return values.min(axis=0) - slack, values.max(axis=0) + slack


_Value = float | TaylorModel


def taylor_enclosure(function: Function, inputs: Mapping[str, Array]) -> dict[str, tuple[Array, Array]]:
    """Lower and upper ends (N, *shape) of every output over N cells.

    `inputs` are polynomials in theta, (degree + 1, N, *shape) each, of any degree. Raises `ArgumentError` where one is
    missing, of another shape or not finite. Ends are infinite where a value leaves the domain of an operation.

    >>> from torquec.expr.trace import trace
    >>> f = trace("f", lambda x: {"y": [x[0] * x[0]]}, {"x": (1,)})
    >>> low, high = taylor_enclosure(f, {"x": np.array([[[2.0]], [[1.0]]])})["y"]  # (2 + theta)^2
    >>> low.round(9).tolist(), high.round(9).tolist()
    ([[1.0]], [[9.0]])
    """
    given = {port.name: _polynomials(port.name, port.shape, inputs) for port in function.inputs}
    counts = {values.shape[1] for values in given.values()}
    if len(counts) > 1:
        raise ArgumentError("the inputs have different numbers of cells", remedy="give each (degree + 1, N, *shape)")
    count = counts.pop() if counts else 1
    values: list[_Value] = []
    with np.errstate(all="ignore"):
        for step in function.operations:
            if step.op is Op.CONST:
                values.append(step.value)
            elif step.op is Op.INPUT:
                values.append(_truncated(given[step.port][:, :, step.element]))
            else:
                values.append(_RULES[step.op](*(values[a] for a in step.args)))
        outputs = {}
        for port, result in zip(function.outputs, function.results, strict=True):
            ends = np.array([_ends(values[index], count) for index in result]).reshape(-1, 2, count)
            found = np.nan_to_num(ends, nan=np.inf, posinf=np.inf, neginf=-np.inf)
            found[:, 0] = np.where(np.isnan(ends[:, 0]), -np.inf, found[:, 0])
            low, high = (found[:, k].T.reshape(count, *port.shape) for k in (0, 1))
            outputs[port.name] = (low, high)
    return outputs


def _polynomials(name: str, shape: tuple[int, ...], inputs: Mapping[str, Array]) -> Array:
    if name not in inputs:
        raise ArgumentError(f"input '{name}' is missing", remedy="give a polynomial for every input")
    values = np.asarray(inputs[name], dtype=np.float64)
    if values.ndim != len(shape) + 2 or values.shape[2:] != shape or not np.isfinite(values).all():
        raise ArgumentError(f"'{name}' has shape {values.shape}", remedy=f"give finite (degree + 1, N, *{shape})")
    return values.reshape(*values.shape[:2], -1)


def _truncated(coefficients: Array) -> TaylorModel:
    """Polynomials (degree + 1, N) in the form (1)."""
    c = np.zeros((3, coefficients.shape[1]))
    kept = coefficients[:3]
    c[: len(kept)] = kept
    r = np.abs(coefficients[3:]).sum(axis=0) * (1.0 + len(coefficients) * _EPSILON)
    return TaylorModel(c, r)


def _ends(value: _Value, count: int) -> tuple[Array, Array]:
    if isinstance(value, float):
        return np.full(count, value), np.full(count, value)
    return value.range()


def _rounded(c: Array, r: Array, factor: float = _EPSILON) -> TaylorModel:
    """(5): the result of an operation, with its rounding error as a part of its coefficients and of its radius."""
    return TaylorModel(c, r * (1.0 + 4.0 * _EPSILON) + factor * np.abs(c).sum(axis=0))


def _sum(a: _Value, b: _Value) -> _Value:
    if isinstance(a, float):
        if isinstance(b, float):
            return _point(a + b)
        a, b = b, a
    if isinstance(b, float):
        c = a.c.copy()
        c[0] += b
        return _rounded(c, a.r)
    return _rounded(a.c + b.c, a.r + b.r)


def _point(value: float) -> _Value:
    """A constant computed from constants, with its rounding error: an enclosure of one cell that broadcasts."""
    return TaylorModel(np.array([[value], [0.0], [0.0]]), np.array([_EPSILON * abs(value)]))


def _negative(a: _Value) -> _Value:
    return -a if isinstance(a, float) else TaylorModel(-a.c, a.r)


def _product(a: _Value, b: _Value) -> _Value:
    if isinstance(a, float):
        if isinstance(b, float):
            return _point(a * b)
        a, b = b, a
    if isinstance(b, float):
        return _rounded(a.c * b, a.r * abs(b))
    (a0, a1, a2), (b0, b1, b2) = a.c, b.c
    c = np.array([a0 * b0, a0 * b1 + a1 * b0, a0 * b2 + a1 * b1 + a2 * b0])
    A, B = np.abs(a.c), np.abs(b.c)
    left, right = A.sum(axis=0), B.sum(axis=0)
    r = A[1] * B[2] + A[2] * B[1] + A[2] * B[2] + a.r * (right + b.r) + left * b.r
    # Rounding of up to three products and two sums in a coefficient, as a part of the product of sizes.
    return TaylorModel(c, r * (1.0 + 8.0 * _EPSILON) + (4.0 * _EPSILON) * (left * right))


def _composed(a: TaylorModel, f0: Array, f1: Array, f2: Array, f3: Array, slack: Array | float) -> TaylorModel:
    """(3) from f(c0), f'(c0), f''(c0)/2, a bound of |f'''|/6 over the value's range, and the rounding of these."""
    c1, c2 = a.c[1], a.c[2]
    c = np.array([f0, f1 * c1, f1 * c2 + f2 * (c1 * c1)])
    rest = np.abs(c2) + a.r
    rho = np.abs(c1) + rest
    r = np.abs(f1) * a.r + np.abs(f2) * (rest * (2.0 * np.abs(c1) + rest)) + f3 * rho**3
    rounding = 8.0 * _EPSILON * (np.abs(f0) + np.abs(f1) * rho + np.abs(f2) * rho * rho)
    return TaylorModel(c, r * (1.0 + 16.0 * _EPSILON) + rounding + slack)


def _wave(a: _Value, phase: float) -> _Value:
    """sin(a + phase), phase a multiple of a right angle."""
    model = _model(a)
    sine, cosine = np.sin(model.c[0]), np.cos(model.c[0])
    f0, f1 = (sine, cosine) if phase == 0.0 else (cosine, -sine)
    return _composed(model, f0, f1, -0.5 * f0, np.full_like(f0, 1.0 / 6.0), _LIBRARY)


def _model(a: _Value) -> TaylorModel:
    return TaylorModel(np.array([[a], [0.0], [0.0]]), np.zeros(1)) if isinstance(a, float) else a


def _quotient(a: _Value, b: _Value) -> _Value:
    if isinstance(b, float) and isinstance(a, float):
        return _point(a / b) if b else _everything(_model(a))
    return _product(a, _inverse(_model(b)))


def _inverse(b: TaylorModel) -> TaylorModel:
    c0 = b.c[0]
    least = np.abs(c0) - b.spread()
    f0 = 1.0 / c0
    found = _composed(b, f0, -f0 * f0, f0 * f0 * f0, 1.0 / (np.abs(c0) ** 3 * least), 4.0 * _EPSILON * np.abs(f0))
    return _where(least > 0.0, found, _everything(b))


def _root(a: _Value) -> _Value:
    model = _model(a)
    c0 = model.c[0]
    least = c0 - model.spread()
    f0 = np.sqrt(c0)
    f1 = 0.5 / f0
    found = _composed(model, f0, f1, -0.25 * f1 / c0, 0.0625 * least**-2.5, 4.0 * _EPSILON * np.abs(f0))
    high = np.sqrt(np.maximum(c0 + model.spread(), 0.0)) * (1.0 + 4.0 * _EPSILON)
    return _where(least > 0.0, found, _interval(np.zeros_like(high), high))


def _exponential(a: _Value) -> _Value:
    model = _model(a)
    f0 = np.exp(model.c[0])
    most = np.exp(model.c[0] + model.spread()) * (1.0 + 4.0 * _LIBRARY) / 6.0
    return _composed(model, f0, f0, 0.5 * f0, most, 4.0 * _LIBRARY * f0)


def _everything(a: TaylorModel) -> TaylorModel:
    return TaylorModel(np.zeros_like(a.c), np.full(a.c.shape[1], np.inf))


def _interval(low: Array, high: Array) -> TaylorModel:
    c = np.zeros((3, len(low)))
    c[0] = 0.5 * (low + high)
    return _rounded(c, 0.5 * (high - low), 2.0 * _EPSILON)


def _where(chosen: Mask, a: TaylorModel, b: TaylorModel) -> TaylorModel:
    return TaylorModel(np.where(chosen, a.c, b.c), np.where(chosen, a.r, b.r))


def _hull(a: TaylorModel, b: TaylorModel) -> TaylorModel:
    apart = 0.5 * np.abs(a.c - b.c).sum(axis=0)
    return _rounded(0.5 * (a.c + b.c), np.maximum(a.r, b.r) + apart, 4.0 * _EPSILON)


def _select(a: _Value, b: _Value, c: _Value) -> _Value:
    if isinstance(a, float):
        return b if a >= 0.0 else c
    low, high = a.range()
    first, second = _model(b), _model(c)
    return _where(low >= 0.0, first, _where(high < 0.0, second, _hull(first, second)))


def _absolute(a: _Value) -> _Value:
    if isinstance(a, float):
        return abs(a)
    low, high = a.range()
    turned = _interval(np.zeros_like(low), np.maximum(-low, high))
    return _where(low >= 0.0, a, _where(high <= 0.0, TaylorModel(-a.c, a.r), turned))


def _larger(a: _Value, b: _Value) -> _Value:
    return max(a, b) if isinstance(a, float) and isinstance(b, float) else _select(_sum(a, _negative(b)), a, b)


def _smaller(a: _Value, b: _Value) -> _Value:
    return min(a, b) if isinstance(a, float) and isinstance(b, float) else _select(_sum(a, _negative(b)), b, a)


def _angle(y: _Value, x: _Value) -> _Value:
    """atan2, enclosed by all angles: torque programs have none."""
    count = max(_model(y).c.shape[1], _model(x).c.shape[1])
    return TaylorModel(np.zeros((3, count)), np.full(count, np.pi * (1.0 + 4.0 * _EPSILON)))


_RULES: dict[Op, Callable[..., Any]] = {
    Op.ADD: _sum,
    Op.SUB: lambda a, b: _sum(a, _negative(b)),
    Op.NEG: _negative,
    Op.MUL: _product,
    Op.DIV: _quotient,
    Op.SIN: lambda a: _wave(a, 0.0),
    Op.COS: lambda a: _wave(a, _HALF_PI),
    Op.SQRT: _root,
    Op.EXP: _exponential,
    Op.ATAN2: _angle,
    Op.ABS: _absolute,
    Op.MIN: _smaller,
    Op.MAX: _larger,
    Op.SELECT: _select,
}
