"""Interval enclosures of functions over boxes, and of the solutions of interval linear systems.

A `Function` is enclosed over boxes of its inputs by interval arithmetic:

(1)  [a] + [b] = [a- + b-, a+ + b+],   [a][b] between the least and largest of the four products of ends, ..
(2)  sin over [a]: its values at the ends, and 1 or -1 where a crest or a trough lies inside
(3)  select(a, b, c): b where a is never negative, c where it always is, else the hull of both
(4)  every end is moved outwards by the rounding of its operation, so that the enclosure is one of real numbers

Many boxes at once, as (N, size) arrays of lower and upper ends. Repeated occurrences of an input count as independent
(dependency problem): the enclosure overestimates the range, less so for smaller boxes.

Solutions of interval linear systems M x = d are bounded with an approximate inverse R (that of the midpoint), for every
M and d in their enclosures:

(5)  x = R d + (1 - R M) x,  so that  |x| <= c + D |x|,   c >= |R d|,   D >= |1 - R M|
(6)  a vector y > 0 with  c + D y <= y  and  D y < y  proves that every M is nonsingular (the spectral radius of D is
     below one) and that |x| <= y, since |x| - y <= D (|x| - y) <= D^2 (|x| - y) <= ...
(7)  a scalar product of n numbers has a rounding error of at most 2 (n + 2) eps times the product of magnitudes;
     c and D include it

Rump, Verification methods: rigorous results using floating-point arithmetic, Acta Numerica (2010), sections 10.1, 10.5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.expr.function import Function
from torquec.expr.ops import Op
from torquec.foundation.arrays import Array, Mask

Interval = tuple[Any, Any]
"""Lower and upper ends: floats, or (N,) arrays."""

_TRIGONOMETRIC = 1e-15
"""Error bound of sine and cosine: twice the four units in the last place that vectorized libraries allow."""

_EPSILON = float(np.finfo(np.float64).eps)
_LEAST = 1e-150
"""Keeps y positive where c is zero; far above underflow."""

_ROUNDS = 6  # enough where each iteration contracts by more than half; the inflation covers the remainder
_INFLATION = 1.01  # factor on the last iterate to get y: the iteration converges from below


def _outwards(low: Any, high: Any) -> Interval:
    return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)


def _times(a: Interval, b: Interval) -> Interval:
    for scalar, other in ((a, b), (b, a)):
        if isinstance(scalar[0], float) and scalar[0] == scalar[1]:
            one, two = scalar[0] * other[0], scalar[0] * other[1]
            return _outwards(np.minimum(one, two), np.maximum(one, two))
    products = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    low = np.minimum(np.minimum(products[0], products[1]), np.minimum(products[2], products[3]))
    high = np.maximum(np.maximum(products[0], products[1]), np.maximum(products[2], products[3]))
    return _outwards(low, high)


def _over(a: Interval, b: Interval) -> Interval:
    inverse = _outwards(1.0 / np.asarray(b[1]), 1.0 / np.asarray(b[0]))
    low, high = _times(a, inverse)
    through_zero = (np.asarray(b[0]) <= 0.0) & (np.asarray(b[1]) >= 0.0)
    return np.where(through_zero, -np.inf, low), np.where(through_zero, np.inf, high)


def _wave(a: Interval, ends: Interval, crest: float) -> Interval:
    """(2): the range of a wave with these values at the ends and crests at `crest` + 2 pi k."""
    turn = 2.0 * np.pi
    slack = 1e-15 * (1.0 + np.abs(a[0]) + np.abs(a[1]))

    def holds(place: float) -> Any:
        first = np.ceil((np.asarray(a[0]) - slack - place) / turn)
        return place + turn * first <= a[1] + slack

    low = np.where(holds(crest + np.pi), -1.0, np.minimum(*ends) - _TRIGONOMETRIC)
    high = np.where(holds(crest), 1.0, np.maximum(*ends) + _TRIGONOMETRIC)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def _root(a: Interval) -> Interval:
    low, high = np.sqrt(np.maximum(a[0], 0.0)), np.sqrt(np.maximum(a[1], 0.0))
    return np.maximum(np.nextafter(low, -np.inf), 0.0), np.nextafter(high, np.inf)


def _exponential(a: Interval) -> Interval:
    # NumPy's exponential is accurate to one unit in the last place: one unit for that, one for outward rounding.
    low, high = _outwards(*_outwards(np.exp(a[0]), np.exp(a[1])))
    return np.maximum(low, 0.0), high


def _size(a: Interval) -> Interval:
    inside = (np.asarray(a[0]) <= 0.0) & (np.asarray(a[1]) >= 0.0)
    ends = np.abs(a[0]), np.abs(a[1])
    return np.where(inside, 0.0, np.minimum(*ends)), np.maximum(*ends)


def _select(a: Interval, b: Interval, c: Interval) -> Interval:
    never, always = np.asarray(a[0]) >= 0.0, np.asarray(a[1]) < 0.0
    low = np.where(never, b[0], np.where(always, c[0], np.minimum(b[0], c[0])))
    high = np.where(never, b[1], np.where(always, c[1], np.maximum(b[1], c[1])))
    return low, high


_RULES: dict[Op, Callable[..., Interval]] = {
    Op.ADD: lambda a, b: _outwards(a[0] + b[0], a[1] + b[1]),
    Op.SUB: lambda a, b: _outwards(a[0] - b[1], a[1] - b[0]),
    Op.NEG: lambda a: (-a[1], -a[0]),
    Op.MUL: _times,
    Op.DIV: _over,
    Op.SIN: lambda a: _wave(a, (np.sin(a[0]), np.sin(a[1])), 0.5 * np.pi),
    Op.COS: lambda a: _wave(a, (np.cos(a[0]), np.cos(a[1])), 0.0),
    Op.SQRT: _root,
    Op.EXP: _exponential,
    Op.ATAN2: lambda _y, _x: (-np.pi - 1e-15, np.pi + 1e-15),
    Op.ABS: _size,
    Op.MIN: lambda a, b: (np.minimum(a[0], b[0]), np.minimum(a[1], b[1])),
    Op.MAX: lambda a, b: (np.maximum(a[0], b[0]), np.maximum(a[1], b[1])),
    Op.SELECT: _select,
}


def enclose(
    function: Function, lower: Mapping[str, npt.ArrayLike], upper: Mapping[str, npt.ArrayLike], *, squares: bool = False
) -> dict[str, tuple[Array, Array]]:
    """Lower and upper ends (N, *shape) of every output, for inputs between `lower` and `upper` (N, *shape): (1)-(4).

    With `squares`, the product of a value with itself is never negative. Raises `ArgumentError` where an input is
    missing, of another shape, not finite or its ends are exchanged.

    >>> from torquec.expr.trace import trace
    >>> f = trace("f", lambda x: {"y": [x[0] * x[0]]}, {"x": (1,)})
    >>> [end.round(6).tolist() for end in enclose(f, {"x": [[1.0]]}, {"x": [[2.0]]})["y"]]
    [[[1.0]], [[4.0]]]
    """
    ends = {port.name: _ends(port.name, port.shape, lower, upper) for port in function.inputs}
    counts = {len(low) for low, _ in ends.values()}
    if len(counts) > 1:
        raise ArgumentError("the inputs have different numbers of boxes", remedy="give each N rows")
    count = counts.pop() if counts else 1
    values: list[Interval] = []
    with np.errstate(all="ignore"):
        for step in function.operations:
            if step.op is Op.CONST:
                values.append((step.value, step.value))
            elif step.op is Op.INPUT:
                low, high = ends[step.port]
                values.append((low[:, step.element], high[:, step.element]))
            else:
                found_ends = _RULES[step.op](*(values[a] for a in step.args))
                if squares and step.op is Op.MUL and step.args[0] == step.args[1]:
                    least = _size(values[step.args[0]])[0]
                    found_ends = np.maximum(np.nextafter(least * least, -np.inf), 0.0), found_ends[1]
                values.append(found_ends)
    outputs = {}
    for port, result in zip(function.outputs, function.results, strict=True):
        found = np.empty((2, count, port.size))
        for k, index in enumerate(result):
            found[:, :, k] = np.broadcast_to(values[index][0], count), np.broadcast_to(values[index][1], count)
        outputs[port.name] = (found[0].reshape(count, *port.shape), found[1].reshape(count, *port.shape))
    return outputs


def _ends(
    name: str, shape: tuple[int, ...], lower: Mapping[str, npt.ArrayLike], upper: Mapping[str, npt.ArrayLike]
) -> tuple[Array, Array]:
    if name not in lower or name not in upper:
        raise ArgumentError(f"input '{name}' is missing", remedy="give lower and upper ends of every input")
    low, high = (np.asarray(values[name], dtype=np.float64) for values in (lower, upper))
    if low.shape != high.shape or low.shape[1:] != shape or low.ndim != len(shape) + 1:
        raise ArgumentError(f"ends {low.shape} and {high.shape} of '{name}'", remedy=f"give (N, *{shape}) twice")
    if not (np.isfinite(low).all() and np.isfinite(high).all() and np.all(low <= high)):
        raise ArgumentError(f"ends of '{name}' are not finite or exchanged", remedy="let lower <= upper")
    return low.reshape(len(low), -1), high.reshape(len(high), -1)


def solution_bound(lower: Array, upper: Array, right_lower: Array, right_upper: Array) -> Array:
    """Bounds (N, n) of |x| for M between `lower` and `upper` (N, n, n), d between `right_lower`, `right_upper` (N, n).

    Infinite where no proof was found: the enclosures are too wide, or hold a singular matrix.

    >>> one = np.eye(1)[None]
    >>> solution_bound(2.0 * one, 4.0 * one, -one[0], one[0]).round(6).tolist()  # x = d/M with |d| <= 1, 2 <= M <= 4
    [[0.50159]]
    >>> solution_bound(-1.0 * one, 4.0 * one, -one[0], one[0]).tolist()
    [[inf]]
    """
    n = lower.shape[-1]
    found = np.full(right_lower.shape, np.inf)
    middle, radius = _centred(lower, upper)
    right, spread = _centred(right_lower, right_upper)
    finite = np.isfinite(middle) & np.isfinite(radius) & np.isfinite(right + spread)[..., None]
    usable: Mask = np.all(finite, axis=(1, 2))
    middle = np.where(usable[:, None, None], middle, np.eye(n))
    right, spread = np.where(usable[:, None], right, 0.0), np.where(usable[:, None], spread, 0.0)
    with np.errstate(all="ignore"):
        R, regular = approximate_inverses(middle)
        usable &= regular
        D = defect(R, middle) + (1.0 + rounding(n)) * (np.abs(R) @ radius)
        c = magnitudes(R, right[..., None], spread[..., None])[..., 0]
    found[usable] = verified_bound(D, c)[usable]
    return found


def rounding(n: int) -> float:
    """(7): relative rounding error bound of a scalar product of n numbers, as a part of the product of magnitudes."""
    return 2.0 * (n + 2) * _EPSILON


def defect(R: Array, M: Array) -> Array:
    """At least |1 - R M|, (N, n, n)."""
    n = M.shape[-1]
    found: Array = np.abs(np.eye(n) - R @ M) + rounding(n) * (np.abs(R) @ np.abs(M) + np.eye(n))
    return found


def magnitudes(R: Array, middle: Array, radius: Array) -> Array:
    """At least |R A| for all A with these middles and radii, (N, n, m)."""
    step = rounding(R.shape[-1])
    size = np.abs(R)
    found: Array = np.abs(R @ middle) + (1.0 + step) * (size @ radius) + step * (size @ np.abs(middle))
    return found


def verified_bound(D: Array, c: Array, *, rounds: int = _ROUNDS) -> Array:
    """(6): bounds (N, n) of |x| from D (N, n, n) and c (N, n), y by `rounds` iterations; infinite if none is found."""
    step = rounding(c.shape[-1])
    with np.errstate(all="ignore"):
        c = (1.0 + step) * c + _LEAST
        y = c
        for _ in range(rounds):
            y = c + _product(D, y)
        y = _INFLATION * y
        # Once more from above: where y bounds |x|, so does c + D y, which is smaller.
        better = (c + _product(D, y)) * (1.0 + step)
        proven = np.all(better <= y, axis=1) & np.all(_product(D, y) * (1.0 + step) < y, axis=1)
    return np.where(proven[:, None], better, np.inf)


def _centred(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Middles and radii whose intervals hold the enclosures."""
    with np.errstate(invalid="ignore"):  # of infinite ends, which give no bound
        middle = 0.5 * (lower + upper)
        radius = np.maximum(upper - middle, middle - lower) * (1.0 + 2.0 * _EPSILON) + _LEAST
    return middle, radius


def approximate_inverses(matrices: Array) -> tuple[Array, Mask]:
    """Approximate inverses, and where there are any."""
    try:
        inverse = np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(matrices)
    regular: Mask = np.all(np.isfinite(inverse), axis=(1, 2))
    return np.where(regular[:, None, None], inverse, 0.0), regular


def _product(matrices: Array, vectors: Array) -> Array:
    product: Array = (matrices @ vectors[..., None])[..., 0]
    return product
