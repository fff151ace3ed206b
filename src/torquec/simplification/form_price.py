"""Estimated operation count of a program with one of its steps in another form, without building the program.

(1)  value numbering: each operation with its arguments has a number. Evaluating a form on `Weighed` values instead of
     nodes adds only its new operations
(2)  the price is that of all operations that the results need when the form replaces the step

Signs are not counted: sums around them nearly always absorb them. The estimate may be one or two too low. It is too
high where the new sums share a factor, which shows only when they are built. Forms with a low estimate are built, and
counted exactly.
"""

from __future__ import annotations

from typing import Any

from torquec.expr import Function, Op
from torquec.expr.function import SINCOS_COST

_Key = tuple[object, ...]


class FormPrices:
    """The numbered operations of a program, and `values`: the steps as `Weighed` values while a form is evaluated."""

    def __init__(self, program: Function) -> None:
        self._number: dict[_Key, int] = {}
        self._arguments: list[tuple[int, ...]] = []
        self._operations: list[Op] = []
        self.values: list[Any] = []
        for k, step in enumerate(program.operations):
            arguments = [self.values[a] for a in step.args]
            if step.op is Op.CONST:
                value: Any = step.value
            elif step.op is Op.NEG:
                value = -arguments[0]
            elif step.op is Op.ADD:
                value = arguments[0] + arguments[1]
            elif step.op is Op.SUB:
                value = arguments[0] - arguments[1]
            elif step.op is Op.MUL:
                value = arguments[0] * arguments[1]
            else:
                needed = tuple(a.number for a in arguments if isinstance(a, Weighed))
                value = self.weighed(step.op, (k,), needed)
            self.values.append(value)
        self._own = len(self._operations)
        self._results = [self.values[k] for result in program.results for k in result]

    def weighed(self, op: Op, key: _Key, arguments: tuple[int, ...], sign: int = 1) -> Weighed:
        """The value of an operation, with a new number where there is no equal one (1)."""
        number = self._number.setdefault((op, *key), len(self._operations))
        if number == len(self._operations):
            self._arguments.append(arguments)
            self._operations.append(op)
        return Weighed(self, number, sign)

    def with_form(self, step: int, form: Weighed | float, *, same: float) -> float:
        """The price of the program with a form for the step (2), `same` where the step has that form already.

        Operations added by the form are removed afterwards.
        """
        old, new = self.values[step], form
        if isinstance(new, Weighed) and new.number == old.number:
            self._forget()
            return same
        seen: set[int] = set()
        turned: set[tuple[int, ...]] = set()
        waiting = [value.number for value in self._results if isinstance(value, Weighed)]
        price = 0
        while waiting:
            number = waiting.pop()
            if number == old.number:
                if not isinstance(new, Weighed):
                    continue
                number = new.number
            if number in seen:
                continue
            seen.add(number)
            op = self._operations[number]
            price += op in (Op.ADD, Op.MUL)
            if op in (Op.SIN, Op.COS):
                turned.add(self._arguments[number])
            waiting += self._arguments[number]
        self._forget()
        return price + SINCOS_COST * len(turned)

    def _forget(self) -> None:
        while len(self._operations) > self._own:
            self._number.popitem()
            self._operations.pop()
            self._arguments.pop()


class Weighed:
    """The value of a numbered operation, or its opposite; sums and products of such values are numbered, too."""

    __slots__ = ("number", "prices", "sign")

    def __init__(self, prices: FormPrices, number: int, sign: int) -> None:
        self.prices, self.number, self.sign = prices, number, sign

    def __neg__(self) -> Weighed:
        return Weighed(self.prices, self.number, -self.sign)

    def __mul__(self, other: Weighed | float) -> Weighed | float:
        if isinstance(other, Weighed):
            pair = (self.number, other.number) if self.number < other.number else (other.number, self.number)
            return self.prices.weighed(Op.MUL, pair, pair, self.sign * other.sign)
        if other == 0.0:
            return 0.0
        sign = self.sign if other > 0.0 else -self.sign
        size = abs(other)
        if size == 1.0:
            return Weighed(self.prices, self.number, sign)
        return self.prices.weighed(Op.MUL, (size, "times", self.number), (self.number,), sign)

    __rmul__ = __mul__

    def __add__(self, other: Weighed | float) -> Weighed | float:
        if not isinstance(other, Weighed):
            if other == 0.0:
                return self
            return self.prices.weighed(Op.ADD, (self.sign * other, "and", self.number), (self.number,), self.sign)
        if self.number == other.number:
            if self.sign != other.sign:
                return 0.0
            return self.prices.weighed(Op.ADD, (self.number, self.number, 1), (self.number,), self.sign)
        first, second = (self, other) if self.number < other.number else (other, self)
        pair = (first.number, second.number)
        return self.prices.weighed(Op.ADD, (*pair, first.sign * second.sign), pair, first.sign)

    __radd__ = __add__

    def __sub__(self, other: Weighed | float) -> Weighed | float:
        return self + -other

    def __rsub__(self, other: float) -> Weighed | float:
        return -self + other
