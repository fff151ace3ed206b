"""The slow, forgiving entry point of a native function: any call that the trampoline does not serve.

Inputs may be lists, other real dtypes, non-contiguous, named by keyword, or one state among batches (it is then the
same for every row). What cannot be meant is refused with the port's name and the shape that was expected. Where there
is no trampoline, this serves every call.

A function compiled for single precision computes in floats where every input is an array of native floats, and gives
floats then; any other input is converted to doubles, and so are all others of the call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torquec.codegen.llvm.rows import BatchKernels, Rows, is_plain, run_rows
from torquec.errors import ArgumentError
from torquec.expr import Port
from torquec.foundation.arrays import AnyArray

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
            raise self._error(f"argument '{port.name}' has shape {array.shape}", _expected(port))
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
