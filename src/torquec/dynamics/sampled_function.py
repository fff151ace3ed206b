"""`SampledFunction`: a `Function` with state, called once per sampling interval.

Control laws, observers, recursive estimators and friction with memory have the same form:

    inputs    any measurements and references
              state (m,)          only for functions with memory; `slots` name its parts and initial values
    outputs   any results
              next_state (m,)     `state` of the next call

One loop, one C signature and one file format therefore serve all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from torquec.errors import ArgumentError
from torquec.expr import Function, OperationCount, count_operations, evaluate
from torquec.foundation.arrays import Array

if TYPE_CHECKING:
    from torquec.codegen.llvm import NativeFunction

STATE, NEXT_STATE = "state", "next_state"
"""Names of the ports that carry the state."""


@dataclass(frozen=True)
class StateSlot:
    """A named part of the state, one number per joint unless `size` is given, and its initial value."""

    name: str
    initial: tuple[float, ...]

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self.initial)


@dataclass(frozen=True, repr=False)
class SampledFunction:
    """A function called once per sample: `slots` are the parts of its state, in order.

    `period` [s] is the sampling interval for which it was made, None where it does not matter. Raises `ArgumentError`
    where the size of the ports `state` and `next_state` is not that of the slots.
    """

    name: str
    joints: tuple[str, ...]
    function: Function
    slots: tuple[StateSlot, ...] = ()
    period: float | None = None

    def __post_init__(self) -> None:
        size = sum(slot.size for slot in self.slots)
        for ports, name in ((self.function.inputs, STATE), (self.function.outputs, NEXT_STATE)):
            found = sum(math.prod(port.shape) for port in ports if port.name == name)
            if found != size:
                raise ArgumentError(
                    f"'{self.name}' has {found} numbers in '{name}', its slots have {size}",
                    remedy=f"give one slot for each part of the state, and '{STATE}' and '{NEXT_STATE}' of that size",
                )

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def initial_state(self) -> Array:
        """The `state` (m,) of the first call; empty for a function without memory."""
        return np.array([value for slot in self.slots for value in slot.initial], dtype=np.float64)

    @property
    def operations(self) -> OperationCount:
        """Multiplications, additions and so on of one call."""
        return count_operations(self.function)

    @cached_property
    def native(self) -> NativeFunction:
        """The function compiled for this machine: call it with its inputs in order, as in `native.call(...)`."""
        from torquec.codegen.llvm import compile_function

        return compile_function(self.function)

    def __repr__(self) -> str:
        every = "" if self.period is None else f", every {self.period:g} s"
        return f"{type(self).__name__}({self.name!r}, {self.n} joints{every}, {self.operations})"

    def slot(self, name: str) -> slice:
        """Slice of a part of the state; raises `ArgumentError` for an unknown name."""
        start = 0
        for slot in self.slots:
            if slot.name == name:
                return slice(start, start + slot.size)
            start += slot.size
        raise ArgumentError(
            f"'{self.name}' has no state '{name}'",
            remedy=f"its states are {', '.join(slot.name for slot in self.slots) or 'none'}",
        )

    def step(self, state: Array, *inputs: npt.ArrayLike) -> dict[str, Array]:
        """Outputs of one call by name, `next_state` included; `inputs` are the other inputs, in order. For inspection.

        Raises `ArgumentError` for another number of inputs.
        """
        names = [port.name for port in self.function.inputs if port.name != STATE]
        if len(inputs) != len(names):
            raise ArgumentError(f"{len(inputs)} inputs", remedy=f"give {', '.join(names)}")
        given: dict[str, npt.ArrayLike] = dict(zip(names, inputs, strict=True))
        return evaluate(self.function, given | {STATE: state} if self.slots else given)
