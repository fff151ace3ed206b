"""Values of a torque program in doubles, each with a bound of what rounding has done to it.

(1)  |fl(a + b) - (a + b)| <= u |fl(a + b)|,   |fl(a b) - a b| <= u |fl(a b)| + underflow,   u = 2^-53
(2)  sum: r = r_a + r_b + u |v|,   product: r = |a| r_b + |b| r_a + r_a r_b + u |v|
(3)  sine, cosine: r = r_a + 8 u; the library's are right to a unit in the last place where arguments are a few turns
The bounds are sums and products of positive doubles; each step enlarges its own by 8 u for their rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
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

    @property
    def is_exact(self) -> bool:
        """True for a number that is known not to be off."""
        return self.radius.ndim == 0 and self.radius == 0.0

    @property
    def is_zero(self) -> bool:
        """True for a number that is exactly zero."""
        return self.value.ndim == 0 and self.value == 0.0 and self.is_exact

    def __sub__(self, other: RoundedArray) -> RoundedArray:
        return _sum(self.value - other.value, self, other)


_ZERO = RoundedArray(np.zeros(()), np.zeros(()))


def evaluate_rounded(program: Function, inputs: Mapping[str, RoundedArray]) -> RoundedArray:
    """The program's torques (N, n) at states: inputs (N, n) by name, or (n,) where all states have the same.

    The program has passed `check_program`.
    """
    return PlacedProgram(program, inputs["q"]).torques(inputs["qd"], inputs["qdd"])


class PlacedProgram:
    """A program at positions (N, n), for any speeds and accelerations: what depends on the positions alone, most of a
    closed form, is evaluated once.
    """

    def __init__(self, program: Function, positions: RoundedArray) -> None:
        self._program, self._count = program, len(positions.value)
        self._values: list[RoundedArray | None] = []
        for step in program.operations:
            if step.op is Op.CONST:
                self._values.append(RoundedArray(np.asarray(step.value), np.zeros(())))
            elif step.op is Op.INPUT:
                self._values.append(_element(positions, step.element) if step.port == "q" else None)
            else:
                arguments = [self._values[k] for k in step.args]
                known = [each for each in arguments if each is not None]
                self._values.append(_step(step.op, known) if len(known) == len(arguments) else None)
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
                values[k] = _element(rates[step.port], step.element)
            else:
                values[k] = _step(step.op, [values[a] for a in step.args])
                # Memory that is free again is still in the processor's caches.
                for a in self._last_used.get(k, ()):
                    values[a] = None
        chosen = [values[k] for k in self._program.results[0]]
        return RoundedArray(
            np.stack([np.broadcast_to(each.value, (self._count,)) for each in chosen], axis=1),
            np.stack([np.broadcast_to(each.radius, (self._count,)) for each in chosen], axis=1),
        )


def _element(port: RoundedArray, element: int) -> RoundedArray:
    # Copies whose numbers lie side by side are read many times.
    return RoundedArray(np.array(port.value[..., element]), np.array(port.radius[..., element]))


def _step(op: Op, arguments: list[RoundedArray]) -> RoundedArray:
    a = arguments[0]
    if op is Op.NEG:
        return RoundedArray(-a.value, a.radius)
    if op is Op.SIN:
        return RoundedArray(np.sin(a.value), (a.radius + SINE_ERROR) * RADIUS_MARGIN)
    if op is Op.COS:
        return RoundedArray(np.cos(a.value), (a.radius + SINE_ERROR) * RADIUS_MARGIN)
    b = arguments[1]
    # Most of a recursion is zero at rest and at unit speeds: what is exactly zero is not carried through arrays.
    if op is Op.MUL and (a.is_zero or b.is_zero):
        return _ZERO
    if op is Op.ADD and (a.is_zero or b.is_zero):
        return b if a.is_zero else a
    if op is Op.SUB and b.is_zero:
        return a
    if op is Op.MUL:
        return _product(a, b)
    return _sum(a.value + b.value if op is Op.ADD else a.value - b.value, a, b)


def _sum(value: Array, a: RoundedArray, b: RoundedArray) -> RoundedArray:
    """(2) of a sum or difference, in as few arrays as that takes."""
    radius = np.abs(value)
    radius *= UNIT
    for each in (a, b):
        if not each.is_exact:
            radius += each.radius
    radius *= RADIUS_MARGIN
    return RoundedArray(value, np.asarray(radius))


def _product(a: RoundedArray, b: RoundedArray) -> RoundedArray:
    """(2) of a product: |a| r_b + (|b| + r_b) r_a + u |v|; what has no radius adds nothing."""
    value = np.asarray(a.value * b.value)
    radius = np.abs(value)
    radius *= UNIT
    if not b.is_exact:
        radius += np.abs(a.value) * b.radius
    if not a.is_exact:
        radius += (np.abs(b.value) if b.is_exact else np.abs(b.value) + b.radius) * a.radius
    radius *= RADIUS_MARGIN
    radius += UNDERFLOW
    return RoundedArray(value, np.asarray(radius))
