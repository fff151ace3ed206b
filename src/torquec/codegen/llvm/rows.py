"""Running a batch kernel over many rows: arrays that cannot be used in place, and threads.

What is C-contiguous, aligned and of native doubles (floats where the kernel computes in these) is used in place.
Anything else passes through a small buffer, a few thousand rows at a time, so that a batch costs little memory besides
its outputs. Where a row stands does not change its result, so rows may be cut anywhere.

Threads share out the rows of arrays in place among themselves, in native code: in Python, each share would cost two
changes of the interpreter's lock from one thread to another, which take longer than a thousand rows.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from torquec.foundation.arrays import AnyArray

_BUFFER_BYTES = 1 << 20  # stays in the second-level cache
_FEWEST_ROWS = 4096  # below it, waking a thread takes longer than the rows
_SPANS_PER_THREAD = 8  # shares of each: a thread that is held up leaves the rest to the others
_FEWEST_SHARED, _MOST_SHARED = 512, 4096  # rows of a share in place: with fewer, memory is not read ahead in time
_MOST_THREADS = 64  # more than the cores that one robot keeps busy

BATCH_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
SHARED_PROTOTYPE = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64), ctypes.c_int64
)


@dataclass(frozen=True)
class BatchKernels:
    """Addresses of the batch kernel for one thread and of the one for threads that share the rows."""

    alone: int
    shared: int
    code: tuple[object, ...] = ()
    """The machine code behind both addresses, in memory as long as this object."""


@dataclass(frozen=True)
class Rows:
    """The arrays of one batch: (N, *shape) each, or (*shape) for an input that is the same in every row (`repeats`)."""

    inputs: Sequence[AnyArray]
    repeats: Sequence[bool]
    outputs: Sequence[AnyArray]
    count: int
    dtype: type[np.float64] | type[np.float32] = np.float64
    """What the kernel reads and writes."""


def is_plain(array: AnyArray, dtype: type[np.float64] | type[np.float32] = np.float64) -> bool:
    """Whether native code that computes in `dtype` can use the array in place."""
    return array.dtype == dtype and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned


def run_rows(kernels: BatchKernels, rows: Rows, *, threads: int) -> None:
    """Run a batch kernel over all rows, in as many threads.

    Each thread takes the next rows when it has done some, so that a thread that is held up holds up nobody.
    """
    if threads == 1 or rows.count < 2 * _FEWEST_ROWS:
        _run_span(BATCH_PROTOTYPE(kernels.alone), rows, 0, rows.count)
    elif _is_in_place(rows):
        _run_together(_share_in_place(kernels, rows, threads), threads)
    else:
        _run_together(_share_spans(kernels, rows, threads), threads)


def _share_in_place(kernels: BatchKernels, rows: Rows, threads: int) -> Callable[[], None]:
    """The work of each thread on arrays that are used in place."""
    share = min(max(rows.count // (_SPANS_PER_THREAD * threads), _FEWEST_SHARED), _MOST_SHARED)
    taken = ctypes.c_int64(0)
    inputs, outputs = _pointers(rows.inputs), _pointers(rows.outputs)

    def work() -> None:  # it holds `kernels` and `rows`: after Ctrl-C a thread may go on when the call has ended
        SHARED_PROTOTYPE(kernels.shared)(rows.count, inputs, outputs, ctypes.byref(taken), share)

    return work


def _share_spans(kernels: BatchKernels, rows: Rows, threads: int) -> Callable[[], None]:
    """The work of each thread on arrays that pass through buffers."""
    step = max(_FEWEST_ROWS, rows.count // (_SPANS_PER_THREAD * threads) + 1)
    spans = iter([(first, min(first + step, rows.count)) for first in range(0, rows.count, step)])

    def work() -> None:
        for first, last in spans:  # a list's iterator hands out every item once, whichever thread asks
            _run_span(BATCH_PROTOTYPE(kernels.alone), rows, first, last)

    return work


def _run_together(work: Callable[[], None], threads: int) -> None:
    """Do the work in this thread and in others."""
    others = [_pool(os.getpid()).submit(work) for _ in range(threads - 1)]
    try:
        work()
    finally:
        # One that has not begun would find nothing to do: nobody waits until its thread comes to run. The others may
        # still be writing, and the caller must not have the arrays back before they are done.
        begun = [other for other in others if not other.cancel()]
        wait(begun)
    for other in begun:
        other.result()


@cache
def _pool(_process: int) -> ThreadPoolExecutor:
    """The threads of a process (a forked process has its own); they start when they are first needed."""
    return ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="torquec")


def _run_span(kernel: Any, rows: Rows, start: int, stop: int) -> None:
    step = max(1, stop - start)
    if not _is_in_place(rows):
        widest = max((a.size // (1 if same else max(1, rows.count)) for a, same in _arrays(rows)), default=1)
        step = max(64, _BUFFER_BYTES // (np.dtype(rows.dtype).itemsize * max(1, widest)))
    for first in range(start, stop, step):
        last = min(first + step, stop)
        inputs = [
            _readable(a, same, first, last, rows.dtype) for a, same in zip(rows.inputs, rows.repeats, strict=True)
        ]
        outputs = [
            a[first:last] if is_plain(a, rows.dtype) else np.empty((last - first, *a.shape[1:]), rows.dtype)
            for a in rows.outputs
        ]
        kernel(last - first, _pointers(inputs), _pointers(outputs))
        for target, made in zip(rows.outputs, outputs, strict=True):
            if not is_plain(target, rows.dtype):
                target[first:last] = made


def _is_in_place(rows: Rows) -> bool:
    return not any(rows.repeats) and all(is_plain(a, rows.dtype) for a in (*rows.inputs, *rows.outputs))


def _arrays(rows: Rows) -> list[tuple[AnyArray, bool]]:
    return [*zip(rows.inputs, rows.repeats, strict=True), *((a, False) for a in rows.outputs)]


def _readable(array: AnyArray, repeats: bool, first: int, last: int, dtype: type[np.floating[Any]]) -> AnyArray:
    """Rows first to last as an array that native code can read."""
    part = np.broadcast_to(array, (last - first, *array.shape)) if repeats else array[first:last]
    return np.require(part, dtype, ("C", "A"))


def _pointers(arrays: Sequence[AnyArray]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))
