"""Elementary functions over any scalar: floats, NumPy batches and expression nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torquec.expr.graph import Node
from torquec.expr.ops import SEMANTICS, Op


def _apply(op: Op, *args: Any) -> Any:
    for arg in args:
        if isinstance(arg, Node):
            return arg.graph.make(op, *args)
    if any(isinstance(arg, np.ndarray) for arg in args):
        return SEMANTICS[op].on_arrays(*args)
    if any(isinstance(arg, complex) for arg in args):
        return _on_complex(op, *args)
    return SEMANTICS[op].on_floats(*args)


def _on_complex(op: Op, *args: Any) -> Any:
    """Complex-step differentiation runs the algorithms on complex numbers; comparisons look at the real part."""
    if op is Op.SELECT:
        return args[1] if complex(args[0]).real >= 0.0 else args[2]
    return complex(SEMANTICS[op].on_arrays(*(np.complex128(arg) for arg in args)))


def sincos(angle: Any) -> tuple[Any, Any]:
    """(sin, cos) of an angle; exactly 0 and +-1 at multiples of pi/2 when the angle is a plain number."""
    if isinstance(angle, float):
        quarter = angle / (math.pi / 2)
        if quarter == round(quarter):
            k = round(quarter) % 4
            return ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[k]
    return _apply(Op.SIN, angle), _apply(Op.COS, angle)


def sqrt(value: Any) -> Any:
    """Square root."""
    return _apply(Op.SQRT, value)


def atan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y)."""
    return _apply(Op.ATAN2, y, x)


def absolute(value: Any) -> Any:
    """Magnitude."""
    return _apply(Op.ABS, value)


def minimum(a: Any, b: Any) -> Any:
    """The smaller one."""
    return _apply(Op.MIN, a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger one."""
    return _apply(Op.MAX, a, b)


def select(condition: Any, positive: Any, negative: Any) -> Any:
    """`positive` where condition >= 0, else `negative`."""
    return _apply(Op.SELECT, condition, positive, negative)
