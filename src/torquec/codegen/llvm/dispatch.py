"""The general entry point of a native function: any call that the trampoline does not serve, and batches in threads.

Inputs may be lists, other real dtypes, non-contiguous, named by keyword, or one state among batches (it is then the
same for every row). Anything else raises an error with the port's name and the expected shape. Where there is no
trampoline, this serves every call.

A function compiled for single precision computes in floats, and returns floats, where every input is an array of native
floats. Otherwise all inputs of the call are converted to doubles.

Arrays that are C-contiguous, aligned and of native doubles (floats where the kernel computes in these) are used in
place. All others pass through a small buffer, a few thousand rows at a time, so that a batch costs little memory
besides its outputs. The result of a row does not depend on its position, so batches may be split anywhere. For arrays
in place, native code distributes the rows to threads: in Python, each chunk would cost two handovers of the GIL, which
take longer than a thousand rows.
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

from torquec.errors import ArgumentError
from torquec.expr import Port
from torquec.foundation.arrays import AnyArray

_BUFFER_BYTES = 1 << 20  # stays in the second-level cache
_FEWEST_ROWS = 4096  # below it, waking a thread takes longer than the rows
_SPANS_PER_THREAD = 8  # chunks per thread, for load balancing: a delayed thread leaves the rest to the others
_FEWEST_SHARED, _MOST_SHARED = 512, 4096  # chunk size [rows] in place: with fewer, prefetching comes too late
_MOST_THREADS = 64  # more than the cores that one robot keeps busy

BATCH_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
SHARED_PROTOTYPE = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64), ctypes.c_int64
)


@dataclass(frozen=True)
class BatchKernels:
    """Addresses of two batch kernels: for one thread, and for several threads that share the rows."""

    alone: int
    shared: int
    code: tuple[object, ...] = ()
    """The machine code of both kernels, kept in memory by this object."""


@dataclass(frozen=True)
class Rows:
    """The arrays of one batch: (N, *shape) each, or (*shape) for an input that is the same in every row (`repeats`)."""

    inputs: Sequence[AnyArray]
    repeats: Sequence[bool]
    outputs: Sequence[AnyArray]
    count: int
    dtype: type[np.float64] | type[np.float32] = np.float64
    """Number type that the kernel reads and writes."""


def is_plain(array: AnyArray, dtype: type[np.float64] | type[np.float32] = np.float64) -> bool:
    """Whether native code that computes in `dtype` can use the array in place."""
    return array.dtype == dtype and array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned


def run_rows(kernels: BatchKernels, rows: Rows, *, threads: int) -> None:
    """Run a batch kernel over all rows, in `threads` threads.

    Dynamic load balancing: an idle thread takes the next chunk of rows, so that a delayed thread delays no other.
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
        for first, last in spans:  # threads share one list iterator, which gives every item once
            _run_span(BATCH_PROTOTYPE(kernels.alone), rows, first, last)

    return work


def _run_together(work: Callable[[], None], threads: int) -> None:
    """Do the work in this thread and in others."""
    others = [_pool(os.getpid()).submit(work) for _ in range(threads - 1)]
    try:
        work()
    finally:
        # Tasks that have not begun have nothing left to do and are cancelled. The others may still be writing, and the
        # caller must not get the arrays back before they are done.
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


PACKED_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)

_REAL_KINDS = "fiub"


class Dispatcher:
    """Checks and converts arguments, runs the kernels, shapes the results."""

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        *,
        packed_address: int,
        batch_kernels: Callable[[], BatchKernels],
        single_kernels: Callable[[], BatchKernels] | None,
        threads: int,
    ) -> None:
        self._name, self._inputs, self._outputs = name, inputs, outputs
        self._kernel = PACKED_PROTOTYPE(packed_address)
        self._batch_kernels, self._single_kernels = batch_kernels, single_kernels
        self._threads = check_threads(threads, name)

    def __call__(self, /, *args: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """One state or a batch; see `NativeFunction.call`."""
        threads = self._threads if threads is None else check_threads(threads, self._name)
        values = self._bind(args, named)
        arrays = [self._input(port, value) for port, value in zip(self._inputs, values, strict=True)]
        count = self._rows(arrays)
        single = self._single_kernels if arrays and all(array.dtype == np.float32 for array in arrays) else None
        results = self._results(out, count, np.float32 if single else np.float64)
        arrays = [_apart(array, results) for array in arrays]
        repeats = [array.ndim == len(port.shape) for port, array in zip(self._inputs, arrays, strict=True)]
        if single and count is None:
            rows = Rows(arrays, repeats, [array[None] for array in results], 1, np.float32)
            run_rows(single(), rows, threads=1)
        elif single:
            run_rows(single(), Rows(arrays, repeats, results, count or 0, np.float32), threads=threads)
        elif count is None:
            self._run_one(arrays, results)
        else:
            run_rows(self._batch_kernels(), Rows(arrays, repeats, results, count), threads=threads)
        if len(self._outputs) == 1:
            return results[0]
        return tuple(results) if out is None else out

    def _bind(self, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """The arguments in the order of the ports."""
        names = [port.name for port in self._inputs]
        if len(args) > len(names):
            raise self._error(f"{len(args)} arguments were given", f"it takes {len(names)}: {', '.join(names)}")
        values = dict(zip(names, args, strict=False))
        for key, value in named.items():
            if key not in names:
                raise self._error(f"unknown argument '{key}'", f"it takes {', '.join([*names, 'out', 'threads'])}")
            if key in values:
                raise self._error(f"argument '{key}' was given twice", "give it once, by position or by name")
            values[key] = value
        missing = [name for name in names if name not in values]
        if missing:
            raise self._error(f"missing arguments: {', '.join(missing)}", f"it takes {', '.join(names)}")
        return [values[name] for name in names]

    def _input(self, port: Port, value: Any) -> AnyArray:
        """The value as an array of one state or of a batch, not yet converted."""
        try:
            array = np.asarray(value)
        except (ValueError, TypeError) as error:
            raise self._error(f"argument '{port.name}' is not an array: {error}", _expected(port)) from error
        if array.dtype.kind not in _REAL_KINDS:
            raise self._error(f"argument '{port.name}' has dtype {array.dtype}", f"{_expected(port)} of real numbers")
        axes = len(port.shape)
        if array.shape != port.shape and (array.ndim != axes + 1 or array.shape[1:] != port.shape):
            raise self._error(f"argument '{port.name}' has shape {array.shape}", _expected(port) + self._lengths())
        return array

    def _rows(self, arrays: Sequence[AnyArray]) -> int | None:
        """The number of rows of a batch, None for one state."""
        counts = {
            port.name: len(array)
            for port, array in zip(self._inputs, arrays, strict=True)
            if array.ndim > len(port.shape)
        }
        if len(set(counts.values())) > 1:
            lengths = ", ".join(f"{name} has {count} rows" for name, count in counts.items())
            raise self._error(f"batches differ in length: {lengths}", "give every batch the same number of rows")
        return next(iter(counts.values()), None)

    def _results(self, out: Any, count: int | None, dtype: type[np.floating[Any]]) -> list[AnyArray]:
        """The arrays to fill: new ones, or those that were given."""
        lead = () if count is None else (count,)
        if out is None:
            return [np.empty((*lead, *port.shape), dtype) for port in self._outputs]
        items = [out] if len(self._outputs) == 1 else out
        if not isinstance(items, (tuple, list)) or len(items) != len(self._outputs):
            names = ", ".join(port.name for port in self._outputs)
            raise self._error(f"out is {type(out).__name__}", f"give a tuple of {len(self._outputs)} arrays: {names}")
        for port, item in zip(self._outputs, items, strict=True):
            self._check_result(port, item, (*lead, *port.shape), np.dtype(dtype))
        for i, item in enumerate(items):
            if any(np.may_share_memory(item, other) for other in items[:i]):
                raise self._error("arrays in out overlap", "give arrays that do not share memory")
        return list(items)

    def _check_result(self, port: Port, item: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        why = " (every input is of float32)" if dtype == np.float32 else ""
        expected = f"give a writeable {dtype} array of shape {shape} for '{port.name}'{why}"
        if not isinstance(item, np.ndarray):
            raise self._error(f"out is {type(item).__name__}, not an array", expected)
        if item.dtype != dtype or not item.dtype.isnative:
            raise self._error(f"out has dtype {item.dtype}", expected)
        if item.shape != shape:
            raise self._error(f"out has shape {item.shape}", expected)
        if not item.flags.writeable:
            raise self._error("out is read-only", expected)

    def _run_one(self, arrays: Sequence[AnyArray], results: Sequence[AnyArray]) -> None:
        inputs = [np.require(array, np.float64, ("C", "A")) for array in arrays]
        outputs = [array if is_plain(array) else np.empty(array.shape) for array in results]
        pointers = [
            (ctypes.c_void_p * max(1, len(group)))(*(array.ctypes.data for array in group))
            for group in (inputs, outputs)
        ]
        self._kernel(*pointers)
        for target, made in zip(results, outputs, strict=True):
            if target is not made:
                target[...] = made

    def _lengths(self) -> str:
        """The lengths of all vectors where they differ: positions with quaternions have more numbers than rates."""
        vectors = [port for port in self._inputs if len(port.shape) == 1]
        if len({port.size for port in vectors}) < 2:
            return ""
        return ": " + ", ".join(f"{port.name} has {port.size} numbers" for port in vectors)

    def _error(self, found: str, remedy: str) -> ArgumentError:
        return ArgumentError(found, where=self._name, remedy=remedy)


def check_threads(threads: object, where: str) -> int:
    """The number of threads. Raises `ArgumentError` unless it is a positive integer."""
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ArgumentError(f"threads is {threads!r}", where=where, remedy="give a positive integer")
    return threads


def _expected(port: Port) -> str:
    batch = f"({', '.join(['N', *map(str, port.shape)])})" if port.shape else "(N,)"
    return f"'{port.name}' takes an array of shape {port.shape}, or {batch} for a batch"


def _apart(array: AnyArray, results: Sequence[AnyArray]) -> AnyArray:
    """The array, copied if a result would be written over it."""
    return array.copy() if any(np.may_share_memory(array, result) for result in results) else array
