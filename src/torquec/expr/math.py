"""Elementary functions over any scalar: floats, NumPy batches and expression nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torquec.expr.graph import Node
from torquec.expr.ops import SEMANTICS, Op


def apply(op: Op, *args: Any) -> Any:
    """The operation on its arguments, whichever scalars they are."""
    for arg in args:
        if arg.__class__ is not float:
            break
    else:  # fast path: checking a model file takes tens of thousands of these steps
        return SEMANTICS[op].on_floats(*args)
    for arg in args:
        if isinstance(arg, Node):
            return arg.graph.make(op, *args)
    if any(np.iscomplexobj(arg) for arg in args):
        return _on_complex(op, *args)
    if any(isinstance(arg, np.ndarray) for arg in args):
        return SEMANTICS[op].on_arrays(*args)
    return SEMANTICS[op].on_floats(*args)


def _on_complex(op: Op, *args: Any) -> Any:
    """The operation on complex numbers, for complex-step differentiation; comparisons look at the real parts."""
    if op is Op.SELECT:
        return np.where(np.real(args[0]) >= 0.0, args[1], args[2])[()]
    if op is Op.ABS:
        return _on_complex(Op.SELECT, args[0], args[0], -args[0])
    if op is Op.MIN:
        return _on_complex(Op.SELECT, args[1] - args[0], *args)
    if op is Op.MAX:
        return _on_complex(Op.SELECT, args[0] - args[1], *args)
    if op is Op.ATAN2:
        return _complex_angle(*args)
    return SEMANTICS[op].on_arrays(*args)


def _complex_angle(y: Any, x: Any) -> Any:
    """atan2 of complex numbers: the angle of the real parts plus the small complex angle from there to (x, y)."""
    angle = np.arctan2(np.real(y), np.real(x))
    s, c = np.sin(angle), np.cos(angle)
    return angle + np.arctan((c * y - s * x) / (c * x + s * y))


def sincos(angle: Any) -> tuple[Any, Any]:
    """(sin, cos) of an angle; exactly 0 and +-1 where a float is a multiple of pi/2 within one turn.

    >>> sincos(math.pi)
    (0.0, -1.0)
    """
    if isinstance(angle, float) and abs(angle) <= 2.0 * math.pi:  # large floats are all multiples of the double pi/2
        quarters = angle / (math.pi / 2)
        if quarters.is_integer():
            return ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[int(quarters) % 4]
    return apply(Op.SIN, angle), apply(Op.COS, angle)


def sqrt(value: Any) -> Any:
    """Square root."""
    return apply(Op.SQRT, value)


def exp(value: Any) -> Any:
    """Exponential function; infinite where it overflows."""
    return apply(Op.EXP, value)


def tanh(value: Any) -> Any:
    """Hyperbolic tangent, made of an exponential that never overflows: e = exp(-2|x|), sign(x) (1 - e)/(1 + e)."""
    decay = exp(-2.0 * absolute(value))
    size = (1.0 - decay) / (1.0 + decay)
    return select(value, size, -size)


def atan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y)."""
    return apply(Op.ATAN2, y, x)


def absolute(value: Any) -> Any:
    """Magnitude."""
    return apply(Op.ABS, value)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two values."""
    return apply(Op.MIN, a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two values."""
    return apply(Op.MAX, a, b)


def select(condition: Any, positive: Any, negative: Any) -> Any:
    """`positive` where condition >= 0, else `negative`."""
    return apply(Op.SELECT, condition, positive, negative)
