"""The native loop: a sampled system stepped many times without Python in between.

A system is two compiled functions over one state of s numbers per run:

    outer (state, drive 1, drive 2, ..) -> (state, log)      once per step, with the rows of that step
    inner (state) -> (state)                                 several times per step

(1)  x := outer(x_k, drives_k);   repeat   x := inner(x)   at most `most` times;   x_k+1 := x
(2)  With `until`, the repetition of step k ends as soon as x[until] <= 0 in every run.
(3)  Where x_k+1 is not finite, the loop stops and says so: nothing is computed from it.

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

MOST_DRIVES = 6


class LoopEnd(IntEnum):
    """Why the loop ended."""

    DONE = 0
    NOT_FINITE = 1
    """The state after the last step is not finite (3)."""
    UNFINISHED = 2
    """`most` repetitions did not bring x[until] to zero (2)."""


@dataclass(frozen=True)
class LoopResult:
    """How many steps were taken, and why there were no more."""

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
        _loop()  # made now, so that the first run is not the slow one

    def make_ready(self, runs: int) -> None:
        """Compile and load now what that many runs need, so that `run` only runs."""
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


_END, _FIRST_DRIVE = 11, 12  # places in the plan: eleven numbers that every loop has come first
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


@cache
def _loop() -> LoadedObject:
    cpu = host_cpu()
    return LoadedObject(object_code(_text(), cpu), cpu, {})


_POINTERS = ("outer", "inner", "states", "log", "scratch")
_WORDS = ("steps", "runs", "size", "outer", "inner", "most", "until", "states", "log", "log_stride", "scratch")
"""The plan, in order; then the end, then address and stride of every drive."""


def _text() -> str:
    """The loop as LLVM text; see the module for what it does."""
    loads = []
    for k, name in enumerate(_WORDS):
        loads.append(f"%{name}_at = getelementptr i64, ptr %plan, i64 {k}")
        loads.append(f"%{name} = load {'ptr' if name in _POINTERS else 'i64'}, ptr %{name}_at")
    drives = []
    for k in range(MOST_DRIVES):
        drives += [
            f"%d{k}_at = getelementptr i64, ptr %plan, i64 {_FIRST_DRIVE + 2 * k}",
            f"%d{k} = load ptr, ptr %d{k}_at",
            f"%ds{k}_at = getelementptr i64, ptr %plan, i64 {_FIRST_DRIVE + 2 * k + 1}",
            f"%ds{k} = load i64, ptr %ds{k}_at",
            f"%do{k} = mul i64 %ds{k}, %k",
            f"%dp{k} = getelementptr i8, ptr %d{k}, i64 %do{k}",
            f"%slot{k} = getelementptr ptr, ptr %inputs, i64 {k + 1}",
            f"store ptr %dp{k}, ptr %slot{k}",
        ]
    head, tail = _TEMPLATE.split("; DRIVES\n")
    return "\n".join([head.replace("; LOADS", "\n  ".join(loads)), *(f"  {line}" for line in drives), tail])


_TEMPLATE = f"""
define i64 @repeat(ptr %plan) nounwind {{
entry:
  %inputs = alloca [{MOST_DRIVES + 1} x ptr], align 16
  %outputs = alloca [2 x ptr], align 16
  %from_slot = alloca ptr, align 16
  %to_slot = alloca ptr, align 16
  ; LOADS
  %end_at = getelementptr i64, ptr %plan, i64 {_END}
  %elements = mul i64 %runs, %size
  %row_bytes = shl i64 %size, 3
  %state_bytes = shl i64 %elements, 3
  %other = getelementptr i8, ptr %scratch, i64 %state_bytes
  %single = icmp eq i64 %runs, 1
  %counted = icmp slt i64 %until, 0
  %log_slot = getelementptr ptr, ptr %outputs, i64 1
  br label %step

step:
  %k = phi i64 [ 0, %entry ], [ %k_next, %maybe_more ]
  %offset = mul i64 %k, %state_bytes
  %x = getelementptr i8, ptr %states, i64 %offset
  %x_next = getelementptr i8, ptr %x, i64 %state_bytes
  store ptr %x, ptr %inputs
; DRIVES
  store ptr %scratch, ptr %outputs
  %log_offset = mul i64 %k, %log_stride
  %log_row = getelementptr i8, ptr %log, i64 %log_offset
  store ptr %log_row, ptr %log_slot
  br i1 %single, label %outer_one, label %outer_many
outer_one:
  call void %outer(ptr %inputs, ptr %outputs)
  br label %repeat
outer_many:
  call void %outer(i64 %runs, ptr %inputs, ptr %outputs)
  br label %repeat

repeat:
  %i = phi i64 [ 0, %outer_one ], [ 0, %outer_many ], [ %i_next, %again ]
  %from = phi ptr [ %scratch, %outer_one ], [ %scratch, %outer_many ], [ %to, %again ]
  %to = phi ptr [ %other, %outer_one ], [ %other, %outer_many ], [ %from, %again ]
  store ptr %from, ptr %from_slot
  store ptr %to, ptr %to_slot
  br i1 %single, label %inner_one, label %inner_many
inner_one:
  call void %inner(ptr %from_slot, ptr %to_slot)
  br label %repeated
inner_many:
  call void %inner(i64 %runs, ptr %from_slot, ptr %to_slot)
  br label %repeated
repeated:
  %i_next = add i64 %i, 1
  %enough = icmp sge i64 %i_next, %most
  br i1 %counted, label %by_count, label %by_state
by_count:
  br i1 %enough, label %copy, label %again
by_state:
  %r = phi i64 [ 0, %repeated ], [ %r_next, %row_done ]
  %r_bytes = mul i64 %r, %row_bytes
  %row = getelementptr i8, ptr %to, i64 %r_bytes
  %left_at = getelementptr double, ptr %row, i64 %until
  %left = load double, ptr %left_at
  %going = fcmp ogt double %left, 0.0
  br i1 %going, label %unfinished, label %row_done
row_done:
  %r_next = add i64 %r, 1
  %rows_done = icmp eq i64 %r_next, %runs
  br i1 %rows_done, label %copy, label %by_state
unfinished:
  br i1 %enough, label %gave_up, label %again
again:
  br label %repeat

copy:
  %e = phi i64 [ 0, %by_count ], [ 0, %row_done ], [ %e_next, %copy ]
  %bad = phi i1 [ false, %by_count ], [ false, %row_done ], [ %bad_next, %copy ]
  %source = getelementptr i64, ptr %to, i64 %e
  %target = getelementptr i64, ptr %x_next, i64 %e
  %bits = load i64, ptr %source
  store i64 %bits, ptr %target
  %size_bits = and i64 %bits, 9223372036854775807
  %not_finite = icmp uge i64 %size_bits, 9218868437227405312
  %bad_next = or i1 %bad, %not_finite
  %e_next = add i64 %e, 1
  %copied = icmp eq i64 %e_next, %elements
  br i1 %copied, label %stepped, label %copy
stepped:
  %k_next = add i64 %k, 1
  br i1 %bad_next, label %diverged, label %maybe_more
maybe_more:
  %over = icmp eq i64 %k_next, %steps
  br i1 %over, label %finish, label %step
diverged:
  store i64 {LoopEnd.NOT_FINITE:d}, ptr %end_at
  ret i64 %k_next
gave_up:
  store i64 {LoopEnd.UNFINISHED:d}, ptr %end_at
  ret i64 %k
finish:
  ret i64 %k_next
}}
"""
