"""Values of a torque program in doubles, each with a bound of what rounding has done to it.

(1)  |fl(a + b) - (a + b)| <= u |fl(a + b)|,   |fl(a b) - a b| <= u |fl(a b)| + underflow,   u = 2^-53
(2)  sum: r = r_a + r_b + u |v|,   product: r = |a| r_b + |b| r_a + r_a r_b + u |v|
(3)  sine, cosine: r = r_a + 8 u; the library's are right to a unit in the last place where arguments are a few turns
The bounds are sums and products of positive doubles; each step enlarges its own by 8 u for their rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from torquec.expr import Function, Op
from torquec.foundation.arrays import Array
from torquec.proof.checker.allowances import RADIUS_MARGIN, SINE_ERROR, UNDERFLOW, UNIT


@dataclass(frozen=True)
class RoundedArray:
    """Values, and how far the exact ones may be from them; arrays of one shape, or numbers."""

    value: Array
    radius: Array

    def __sub__(self, other: RoundedArray) -> RoundedArray:
        value = self.value - other.value
        return RoundedArray(value, (self.radius + other.radius + UNIT * np.abs(value)) * RADIUS_MARGIN)


def evaluate_rounded(program: Function, inputs: Mapping[str, RoundedArray]) -> RoundedArray:
    """The program's torques (N, n) at states: inputs (N, n) by name, or (n,) where all states have the same.

    The program has passed `check_program`.
    """
    return PlacedProgram(program, inputs["q"]).torques(inputs["qd"], inputs["qdd"])


class PlacedProgram:
    """A program at positions (N, n), for any speeds and accelerations: what depends on the positions alone, most of a
    closed form, is evaluated once.

    With `one_radius`, one of each step stands for all states, as (2) and (3) hold for each with the largest |a|, |b|
    and |v| among them: that takes a third of the time, and radii are up to ten times as large.
    """

    def __init__(self, program: Function, positions: RoundedArray, *, one_radius: bool = False) -> None:
        self._program, self._count = program, len(positions.value)
        self._size: _Size = _largest if one_radius else np.abs
        self._values: list[_Step | None] = []
        for step in program.operations:
            if step.op is Op.CONST:
                self._values.append(_Step(np.asarray(step.value), _NOTHING, np.abs(step.value)))
            elif step.op is Op.INPUT:
                self._values.append(self._element(positions, step.element) if step.port == "q" else None)
            else:
                arguments = [self._values[k] for k in step.args]
                known = [each for each in arguments if each is not None]
                self._values.append(_step(step.op, known, self._size) if len(known) == len(arguments) else None)
        self._left = [k for k, value in enumerate(self._values) if value is None]
        last = {a: k for k in self._left for a in program.operations[k].args}
        kept = {*program.results[0], *(k for k, value in enumerate(self._values) if value is not None)}
        self._last_used: dict[int, list[int]] = {}
        for a, k in last.items():
            if a not in kept:
                self._last_used.setdefault(k, []).append(a)

    def torques(self, speed: RoundedArray, acceleration: RoundedArray) -> RoundedArray:
        """The torques (N, n) with speeds and accelerations (N, n), or (n,)."""
        rates = {"qd": speed, "qdd": acceleration}
        values: list[Any] = list(self._values)
        for k in self._left:
            step = self._program.operations[k]
            if step.op is Op.INPUT:
                values[k] = self._element(rates[step.port], step.element)
            else:
                values[k] = _step(step.op, [values[a] for a in step.args], self._size)
                # Memory that is free again is still in the processor's caches.
                for a in self._last_used.get(k, ()):
                    values[a] = None
        chosen = [values[k] for k in self._program.results[0]]
        return RoundedArray(
            np.stack([np.broadcast_to(each.value, (self._count,)) for each in chosen], axis=1),
            np.stack([np.broadcast_to(each.radius, (self._count,)) for each in chosen], axis=1),
        )

    def _element(self, port: RoundedArray, element: int) -> _Step:
        # Copies whose numbers lie side by side are read many times.
        value, radius = np.array(port.value[..., element]), np.array(port.radius[..., element])
        return _Step(value, radius if self._size is np.abs else np.asarray(radius.max()), self._size(value))


_Size = Callable[[Array], Array]
"""From values to their magnitudes: of each, or the largest."""

_NOTHING: Array = np.zeros(())


def _largest(value: Array) -> Array:
    """The largest magnitude; not a number where one of the values is none, as both of these are then."""
    found: Array = np.maximum(value.max(), -value.min())
    return found


@dataclass(frozen=True, slots=True)
class _Step:
    """Values of a step, how far they may be off, and their magnitudes: of each, or one that stands for all."""

    value: Array
    radius: Array
    size: Array

    @property
    def is_exact(self) -> bool:
        """True for a number that is known not to be off."""
        return self.radius.ndim == 0 and self.radius == 0.0

    @property
    def is_zero(self) -> bool:
        """True for a number that is exactly zero."""
        return self.value.ndim == 0 and self.value == 0.0 and self.is_exact


_ZERO = _Step(_NOTHING, _NOTHING, _NOTHING)


def _step(op: Op, arguments: list[_Step], size_of: _Size) -> _Step:
    a = arguments[0]
    if op is Op.NEG:
        return _Step(-a.value, a.radius, a.size)
    if op in (Op.SIN, Op.COS):
        value = np.asarray(np.sin(a.value) if op is Op.SIN else np.cos(a.value))
        return _Step(value, np.asarray((a.radius + SINE_ERROR) * RADIUS_MARGIN), size_of(value))
    b = arguments[1]
    # Most of a recursion is zero at rest and at unit speeds: what is exactly zero is not carried through arrays.
    if op is Op.MUL and (a.is_zero or b.is_zero):
        return _ZERO
    if op is Op.ADD and (a.is_zero or b.is_zero):
        return b if a.is_zero else a
    if op is Op.SUB and b.is_zero:
        return a
    if op is Op.MUL:
        return _product(a, b, size_of)
    value = np.asarray(a.value + b.value if op is Op.ADD else a.value - b.value)
    size = size_of(value)
    radius = size * UNIT
    for each in (a, b):
        if not each.is_exact:
            radius += each.radius
    radius *= RADIUS_MARGIN
    return _Step(value, np.asarray(radius), size)


def _product(a: _Step, b: _Step, size_of: _Size) -> _Step:
    """(2) of a product: |a| r_b + (|b| + r_b) r_a + u |v|; what has no radius adds nothing."""
    value = np.asarray(a.value * b.value)
    size = size_of(value)
    radius = size * UNIT
    if not b.is_exact:
        radius += a.size * b.radius
    if not a.is_exact:
        radius += (b.size if b.is_exact else b.size + b.radius) * a.radius
    radius *= RADIUS_MARGIN
    radius += UNDERFLOW
    return _Step(value, np.asarray(radius), size)
