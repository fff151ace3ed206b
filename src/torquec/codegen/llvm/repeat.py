"""The native loop: a sampled system stepped many times without Python in between.

A system is two compiled functions over one state of s numbers per run:

    outer (state, drive 1, drive 2, ..) -> (state, log)      once per step, with the rows of that step
    inner (state) -> (state)                                 several times per step

(1)  x := outer(x_k, drives_k);   repeat   x := inner(x)   at most `most` times;   x_k+1 := x
(2)  With `until`, the repetition of step k ends as soon as x[until] <= 0 in every run.
(3)  Where x_k+1 is not finite, the loop stops with `LoopEnd.NOT_FINITE`: nothing is computed from it.

The loop is machine code of its own, made once per process; it knows functions by their addresses and runs without the
interpreter's lock. Runs are rows of a batch, so that several share the lanes of a vector.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np

from torquec.codegen.llvm.callable import NativeFunction
from torquec.codegen.llvm.cpu import host_cpu
from torquec.codegen.llvm.load import LoadedObject
from torquec.codegen.llvm.module import object_code
from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.template import package_text

MOST_DRIVES = 6
"""Largest number of drives in `repeat.ll`, which also defines the layout of the plan and the numbers of `LoopEnd`."""


class LoopEnd(IntEnum):
    """Why the loop ended."""

    DONE = 0
    NOT_FINITE = 1
    """The state after the last step is not finite (3)."""
    UNFINISHED = 2
    """`most` repetitions did not bring x[until] to zero (2)."""


@dataclass(frozen=True)
class LoopResult:
    """Number of steps taken, and why the loop ended."""

    steps: int
    end: LoopEnd


@dataclass(frozen=True)
class NativeLoop:
    """A system to be stepped (1): `most` repetitions of `inner` per step, or fewer with `until` (2)."""

    outer: NativeFunction
    inner: NativeFunction
    most: int = 1
    until: int | None = None

    def __post_init__(self) -> None:
        size = self.outer.inputs[0].size
        ports = (self.outer.outputs[0], *self.inner.inputs, *self.inner.outputs)
        wanted = "outer(state, drives..) -> (state, log) and inner(state) -> state, of one size"
        if len(self.outer.outputs) != 2 or len(ports) != 3 or any(port.size != size for port in ports):
            raise ArgumentError("these functions make no loop", where=self.outer.name, remedy=f"give {wanted}")
        if len(self.outer.inputs) - 1 > MOST_DRIVES or self.most < 1:
            raise ArgumentError(
                f"{len(self.outer.inputs) - 1} drives, at most {self.most} repetitions",
                where=self.outer.name,
                remedy=f"use up to {MOST_DRIVES} drives and at least one repetition",
            )
        _loop()  # compiled now, so that the first run is not slow

    def make_ready(self, runs: int) -> None:
        """Compile and load the kernels for that many runs, so that `run` compiles nothing."""
        for function in (self.outer, self.inner):
            _ = function.packed_address if runs == 1 else function.batch_address

    def run(self, states: Array, drives: Sequence[Array], log: Array) -> LoopResult:
        """Step from states[0], filling states[1:] and `log`.

        `states` (K + 1, runs, s), `log` (K, runs, size of the log), drives (K, runs, size) each; a drive may be
        broadcast along K (stride 0). Raises `ArgumentError` for other shapes and for arrays that are not contiguous
        within a step.
        """
        steps, runs = states.shape[0] - 1, states.shape[1]
        self._check(steps, runs, (states[1:], *drives, log))
        if not states.flags.c_contiguous:
            raise ArgumentError("the states are not contiguous", remedy="give a C-contiguous array")
        if steps <= 0 or runs == 0:
            return LoopResult(0, LoopEnd.DONE)
        scratch = np.empty((2, *states.shape[1:]))
        one = runs == 1
        words = [
            steps,
            runs,
            states.shape[2],
            self.outer.packed_address if one else self.outer.batch_address,
            self.inner.packed_address if one else self.inner.batch_address,
            self.most,
            -1 if self.until is None else self.until,
            states.ctypes.data,
            log.ctypes.data,
            log.strides[0],
            scratch.ctypes.data,
            LoopEnd.DONE,
        ]
        for drive in drives:
            words += [drive.ctypes.data, drive.strides[0]]
        plan = (ctypes.c_int64 * (_FIRST_DRIVE + 2 * MOST_DRIVES))(*words)
        done = int(_PROTOTYPE(_loop().address("repeat"))(plan))
        return LoopResult(done, LoopEnd(plan[_END]))

    def _check(self, steps: int, runs: int, arrays: Sequence[Array]) -> None:
        ports = (self.outer.outputs[0], *self.outer.inputs[1:], self.outer.outputs[1])
        if len(ports) != len(arrays):
            raise ArgumentError(f"{len(arrays) - 2} drives were given", remedy=f"it takes {len(ports) - 2}")
        for port, array in zip(ports, arrays, strict=True):
            shape = (steps, runs, port.size)
            contiguous = all(row.flags.c_contiguous for row in array[:1])
            if array.dtype != np.float64 or array.shape != shape or not contiguous:
                raise ArgumentError(
                    f"'{port.name}' has shape {array.shape}", remedy=f"give doubles, {shape}, contiguous in each step"
                )


_END, _FIRST_DRIVE = 11, 12  # indices in the plan, after the eleven numbers that every loop has
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


@cache
def _loop() -> LoadedObject:
    cpu = host_cpu()
    return LoadedObject(object_code(package_text("codegen/llvm", "repeat.ll"), cpu), cpu, {})
