"""`LogTable`: the numbers of a log file of any format as named columns, in blocks of rows.

A table can be read any number of times, one block at a time. Text files are never in memory as a whole; an `ArrayTable`
is.
"""

from __future__ import annotations

import math
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, BinaryIO, Protocol

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.foundation.reading import FileKind, open_file
from torquec.trajectory.log import LogFinding

MOST_COLUMNS = 10_000
"""Largest number of columns of a log; robots with many sensors record some hundred."""


class LogTable(Protocol):
    """Named columns in blocks of rows, with what was found when the file was opened."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        ...

    @property
    def first_line(self) -> int | None:
        """Line number of row 0 in a text file; None for other formats."""
        ...

    @property
    def findings(self) -> tuple[LogFinding, ...]:
        """Problems found on opening, such as a missing header."""
        ...

    @property
    def holds(self) -> str:
        """Other contents of the file (topics of a bag), for messages; else empty."""
        ...

    def blocks(self, found: list[LogFinding]) -> Iterator[Array]:
        """Rows (m, columns) in order, from the first; new findings are added to `found`."""
        ...


class ArrayTable:
    """A table that is in memory already: columns (N,) by name."""

    first_line = None

    def __init__(self, columns: Mapping[str, Array], findings: tuple[LogFinding, ...] = (), *, holds: str = "") -> None:
        self.names = tuple(columns)
        self.findings = findings
        self.holds = holds
        self._values = np.column_stack(list(columns.values()))

    def blocks(self, found: list[LogFinding]) -> Iterator[Array]:  # noqa: ARG002 - the protocol of all tables
        """All rows at once."""
        yield self._values


def npz_table(source: Path) -> ArrayTable:
    """The arrays t (N,), q, tau, perhaps qd or dq (N, n), of an npz file, or one array per column.

    Raises `ArgumentError` for anything else.
    """
    try:
        with open_file(source, FileKind.LOG) as stream:
            _check_sizes(stream, str(source))
            stream.seek(0)
            with np.load(stream, allow_pickle=False) as archive:
                arrays = {name: _real(archive[name], name) for name in archive.files}
    except ArgumentError:
        raise
    except (OSError, ValueError, TypeError, EOFError, MemoryError, NotImplementedError, RuntimeError) as error:
        raise _unreadable(str(error) or type(error).__name__, source) from None
    except (zipfile.BadZipFile, zlib.error, struct.error, SyntaxError, TokenError, KeyError) as error:
        raise _unreadable(str(error), source) from None
    columns: dict[str, Array] = {}
    for name, values in arrays.items():
        if values.ndim == 1:
            columns[name] = values
        elif values.ndim == 2:
            columns |= {f"{name}{k + 1}": values[:, k] for k in range(values.shape[1])}
    if len(columns) > MOST_COLUMNS:
        raise ArgumentError(f"{len(columns)} columns", where=str(source), remedy=f"keep at most {MOST_COLUMNS} of them")
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise ArgumentError(
            f"the arrays have {sorted(lengths)} rows", where=str(source), remedy="give all arrays the same length"
        )
    return ArrayTable(columns)


def _check_sizes(stream: BinaryIO, where: str) -> None:
    """Refuse an archive that decompresses to too much, or whose arrays claim more data than there is."""
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        total = sum(member.file_size for member in members)
        if total > FileKind.LOG.most_bytes:
            raise FileKind.LOG.too_large(f"the archive decompresses to {total / 1e6:.0f} MB", where)
        for member in members:
            with archive.open(member) as content:
                version = np.lib.format.read_magic(content)
                header = np.lib.format.read_array_header_1_0 if version == (1, 0) else _header_2_0
                shape, _, kind = header(content)
                if math.prod(shape) * kind.itemsize > member.file_size:
                    raise ValueError(f"{member.filename} claims {shape} numbers, which are not there")


def _header_2_0(content: IO[bytes]) -> Any:
    return np.lib.format.read_array_header_2_0(content)


def _real(values: Any, name: str) -> Array:
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{name} holds {values.dtype}, which are not real numbers")
    return np.asarray(values, dtype=np.float64)


def _unreadable(reason: str, source: Path) -> ArgumentError:
    return ArgumentError(f"cannot be read: {reason}", where=str(source), remedy="give an npz file of floats")
