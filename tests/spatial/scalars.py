"""Every kind of scalar that the spatial algebra runs on, with exact values to fill in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import settings

from torquec.expr import evaluate, trace

LAW = settings(max_examples=50, deadline=None, derandomize=True, database=None)

TURN = (
    (Fraction(2, 3), Fraction(-1, 3), Fraction(2, 3)),
    (Fraction(2, 3), Fraction(2, 3), Fraction(-1, 3)),
    (Fraction(-1, 3), Fraction(2, 3), Fraction(2, 3)),
)
"""A rational rotation by 60 degrees about (1, 1, 1)."""
OTHER_TURN = (
    (Fraction(3, 5), Fraction(-4, 5), Fraction(0)),
    (Fraction(4, 5), Fraction(3, 5), Fraction(0)),
    (Fraction(0), Fraction(0), Fraction(1)),
)


def flat(value: Any) -> list[Any]:
    """The scalars of nested tuples, in order."""
    return [scalar for part in value for scalar in flat(part)] if isinstance(value, tuple) else [value]


def fill(shape: Any, scalars: Any) -> Any:
    """Nested tuples like `shape`, filled from an iterator."""
    return tuple(fill(part, scalars) for part in shape) if isinstance(shape, tuple) else next(scalars)


@dataclass(frozen=True)
class Kind:
    """Runs an algorithm from tuples of fractions to nested tuples with another scalar; floats come back, flat."""

    name: str
    run: Callable[[Callable[..., Any], tuple[Any, ...]], list[float]]


def _with(convert: Callable[[Fraction], Any]) -> Callable[[Callable[..., Any], tuple[Any, ...]], list[float]]:
    def run(algorithm: Callable[..., Any], args: tuple[Any, ...]) -> list[float]:
        return [complex(v).real for v in flat(algorithm(*fill(args, (convert(v) for v in flat(args)))))]

    return run


def _on_batch(algorithm: Callable[..., Any], args: tuple[Any, ...]) -> list[float]:
    """The values stand in the middle row; the other rows hold something else."""
    batch = fill(args, (np.array([7.0, float(v), -3.0]) for v in flat(args)))
    return [float(np.broadcast_to(v, 3)[1]) for v in flat(algorithm(*batch))]


def _on_nodes(algorithm: Callable[..., Any], args: tuple[Any, ...]) -> list[float]:
    values = [float(v) for v in flat(args)]
    function = trace("f", lambda x: {"y": flat(algorithm(*fill(args, iter(x))))}, {"x": (len(values),)})
    return [float(v) for v in evaluate(function, {"x": values})["y"]]


KINDS = (
    Kind("floats", _with(float)),
    Kind("complex numbers", _with(complex)),
    Kind("batches", _on_batch),
    Kind("nodes", _on_nodes),
)
