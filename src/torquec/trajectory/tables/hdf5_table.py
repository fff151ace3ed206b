"""HDF5 and MATLAB logs: arrays by name, from any group or struct.

(1)  an array of numbers with one dimension is a column, one with two dimensions the columns `name1` .. `namen`;
     compound datasets (tables) have a column per field. An array inside a group or a struct has its own name, without
     the path. Arrays with equal names are named by their whole paths, joined by `_`
(2)  the number of rows is that of the time array, else the most common length; an array whose second dimension has that
     length, but not its first, is transposed. Arrays of other lengths are left out and reported
(3)  MATLAB 7.3 files are HDF5 with every array transposed; SciPy reads older ones (4 to 7.2) as a whole

HDF5 files are read in blocks of rows (extra `hdf5`: h5py), so that they may be larger than memory.
"""

from __future__ import annotations

import importlib
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind, open_file
from torquec.trajectory.log import LogFinding, Pathology, Severity
from torquec.trajectory.log_quantity import TIME_WORDS
from torquec.trajectory.tables.log_table import MOST_COLUMNS, LogTable

_ROWS = 65536  # of a block: some megabytes
_NEWER_MATLAB = b"MATLAB 7.3"
_CLAIMED, _UNFOLDED = 1_000_000, 1000  # bytes accepted of any dataset; largest compression ratio of larger ones
_DAMAGED = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError)
"""Exceptions of SciPy for a damaged file, besides its own error types."""
_REMEDY = "give arrays of numbers with a row per sample: time, positions, torques"


@dataclass(frozen=True, eq=False)
class _Array:
    """An array of the file: its path, shape, whether it is transposed, and its rows (m, columns) from `start` on."""

    path: tuple[str, ...]
    shape: tuple[int, ...]
    turned: bool
    rows: Callable[[slice, bool], Array]
    fields: tuple[str, ...] = ()

    @property
    def oriented(self) -> tuple[int, ...]:
        """The shape (rows, columns), transposed where the file stores it so."""
        return self.shape[::-1] if self.turned else self.shape


class NamedArrays:
    """A table of arrays by name; raises `ArgumentError` where no rows can be made of them."""

    first_line = None
    holds = ""

    def __init__(self, source: Path, arrays: list[_Array], others: list[str]) -> None:
        where = str(source)
        own = [one for one in arrays if 1 <= len(one.shape) <= 2 and max(one.shape, default=0) > 1]
        if not own:
            raise ArgumentError("there are no arrays of numbers", where=where, remedy=_REMEDY)
        self._count = _row_count(own)
        short = Counter(one.path[-1] for one in own)
        self._kept: list[tuple[_Array, bool]] = []
        names: list[str] = []
        for one in own:
            name = one.path[-1] if short[one.path[-1]] == 1 else "_".join(one.path)
            shape = one.oriented
            if shape[0] != self._count and self._count not in shape:
                others.append(f"{name} {shape}")
                continue
            turned = one.turned != (shape[0] != self._count)
            self._kept.append((one, turned))
            width = 1 if len(shape) == 1 else shape[1] if shape[0] == self._count else shape[0]
            plain = len(shape) == 1 or width == 1
            names += one.fields or ([name] if plain else [f"{name}{k + 1}" for k in range(width)])
        if len(names) > MOST_COLUMNS:
            raise ArgumentError(f"{len(names)} columns", where=where, remedy=f"keep at most {MOST_COLUMNS} of them")
        self.names = tuple(names)
        text = f"left out, as they are not columns of {self._count} rows: {', '.join(others)}"
        self.findings = (LogFinding(Pathology.LEFT_OUT, Severity.NOTE, text),) if others else ()
        self._where = where

    def blocks(self, found: list[LogFinding]) -> Iterator[Array]:  # noqa: ARG002 - the protocol of all tables
        """Rows (m, columns)."""
        for start in range(0, self._count, _ROWS):
            part = slice(start, min(start + _ROWS, self._count))
            try:
                yield np.concatenate([one.rows(part, turned) for one, turned in self._kept], axis=1)
            except (OSError, ValueError, RuntimeError, KeyError) as error:
                raise ArgumentError(f"cannot be read: {error}", where=self._where, remedy=_REMEDY) from None


def _row_count(arrays: list[_Array]) -> int:
    """(2)."""
    for one in arrays:
        if one.path[-1].lower() in TIME_WORDS:
            return max(one.shape)
    return Counter(one.oriented[0] for one in arrays).most_common(1)[0][0]


def hdf5_table(source: Path, *, matlab: bool = False) -> LogTable:
    """The arrays of an HDF5 file, with `matlab` of a MATLAB 7.3 file (3).

    Raises `ArgumentError` where it cannot be read, `MissingExtraError` without h5py.
    """
    try:
        h5py = importlib.import_module("h5py")
    except ImportError:
        raise MissingExtraError("h5py", "hdf5", "reading an HDF5 log") from None
    with open_file(source, FileKind.LOG, limited=False):
        pass  # raises for a path that is no readable file
    arrays: list[_Array] = []
    others: list[str] = []

    def visit(name: str, item: Any) -> None:
        path = tuple(name.split("/"))
        if not isinstance(item, h5py.Dataset) or path[0].startswith("#"):
            return
        if item.size * item.dtype.itemsize > max(_CLAIMED, _UNFOLDED * item.id.get_storage_size()):
            raise ValueError(f"{name} claims {item.shape} numbers, which are not there")
        text = matlab and item.attrs.get("MATLAB_class", b"") in (b"char", b"cell")
        if item.dtype.names and all(item.dtype[field].kind in "fiub" for field in item.dtype.names):
            fields = tuple(item.dtype.names)
            arrays.append(_Array(path, (*item.shape, len(fields)), False, _Reader(h5py, source, name, fields), fields))
        elif item.dtype.kind in "fiub" and not text:
            arrays.append(_Array(path, tuple(item.shape), matlab, _Reader(h5py, source, name)))
        else:
            others.append("_".join(path))

    try:
        with h5py.File(source, "r") as file:
            file.visititems(visit)
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        raise ArgumentError(f"cannot be read: {error}", where=str(source), remedy=_REMEDY) from None
    return NamedArrays(source, arrays, others)


@dataclass(frozen=True, eq=False)
class _Reader:
    """Rows of one dataset; the file is opened for every block."""

    h5py: Any
    source: Path
    name: str
    fields: tuple[str, ...] = ()

    def __call__(self, part: slice, turned: bool) -> Array:
        with self.h5py.File(self.source, "r") as file:
            data = file[self.name]
            if self.fields:
                rows = data[part]
                return np.column_stack([np.asarray(rows[field], dtype=np.float64) for field in self.fields])
            return _rows_of(data, part, turned=turned)


def mat_table(source: Path) -> LogTable:
    """The arrays of a MATLAB file of any version (3); raises as `hdf5_table`, `MissingExtraError` without SciPy."""
    with open_file(source, FileKind.LOG) as stream:
        if stream.read(len(_NEWER_MATLAB)) == _NEWER_MATLAB:
            return hdf5_table(source, matlab=True)
    try:
        matlab = importlib.import_module("scipy.io")
    except ImportError:
        raise MissingExtraError("scipy", "identify", "reading a MATLAB log") from None
    try:
        with open_file(source, FileKind.LOG) as stream:
            content = matlab.loadmat(stream, simplify_cells=True)
    except (matlab.matlab.MatReadError, struct.error, zlib.error, *_DAMAGED) as error:
        text = str(error) or type(error).__name__
        raise ArgumentError(f"cannot be read: {text}", where=str(source), remedy=_REMEDY) from None
    arrays: list[_Array] = []
    others: list[str] = []
    _collect(content, (), arrays, others)
    return NamedArrays(source, arrays, others)


def _collect(content: Mapping[str, Any], above: tuple[str, ...], arrays: list[_Array], others: list[str]) -> None:
    """The arrays of nested structs."""
    for name, value in content.items():
        path = (*above, str(name))
        if name.startswith("__"):
            continue
        if isinstance(value, Mapping):
            _collect(value, path, arrays, others)
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            arrays.append(_Array(path, value.shape, False, _Kept(value)))
        elif not isinstance(value, int | float):  # a setting such as the rate
            others.append("_".join(path))


@dataclass(frozen=True, eq=False)
class _Kept:
    """Rows of an array in memory."""

    data: Array

    def __call__(self, part: slice, turned: bool) -> Array:
        return _rows_of(self.data, part, turned=turned)


def _rows_of(data: Any, part: slice, *, turned: bool) -> Array:
    """Rows (m, columns) of an array with one or two dimensions."""
    if len(data.shape) == 1:
        return np.asarray(data[part], dtype=np.float64)[:, None]
    rows: Array = np.asarray(data[:, part].T if turned else data[part], dtype=np.float64)
    return rows
