"""`LogTable`: the numbers of a log's file as columns with names, in blocks of rows, whatever the kind of file.

A table is read as often as it is asked for, one block at a time: no more than a block is ever in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array
from torquec.trajectory.log import LogFinding


class LogTable(Protocol):
    """Named columns; `first_line` is the line of row 0 where the file is text, `findings` what opening it met."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        ...

    @property
    def first_line(self) -> int | None:
        """Line of the file that holds row 0."""
        ...

    @property
    def findings(self) -> tuple[LogFinding, ...]:
        """What was met on opening."""
        ...

    def blocks(self, found: list[LogFinding]) -> Iterator[Array]:
        """Rows (m, columns) in order, from the first; what is met on the way is added to `found`."""
        ...


class ArrayTable:
    """A table that is in memory already: columns (N,) by name."""

    first_line = None

    def __init__(self, columns: Mapping[str, Array], findings: tuple[LogFinding, ...] = ()) -> None:
        self.names = tuple(columns)
        self.findings = findings
        self._values = np.column_stack(list(columns.values()))

    def blocks(self, found: list[LogFinding]) -> Iterator[Array]:  # noqa: ARG002 - the protocol of all tables
        """All rows at once."""
        yield self._values


def npz_table(source: Path) -> ArrayTable:
    """The arrays t (N,), q, tau, perhaps qd or dq (N, n), of an npz file, or one array per column.

    Raises `ArgumentError` for anything else.
    """
    try:
        with np.load(source, allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name], dtype=np.float64) for name in archive.files}
    except (OSError, ValueError, TypeError, EOFError) as error:
        raise ArgumentError(
            f"cannot be read: {error}", where=str(source), remedy="give an npz file of floats"
        ) from None
    columns: dict[str, Array] = {}
    for name, values in arrays.items():
        if values.ndim == 1:
            columns[name] = values
        elif values.ndim == 2:
            columns |= {f"{name}{k + 1}": values[:, k] for k in range(values.shape[1])}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) != 1:
        raise ArgumentError(
            f"the arrays have {sorted(lengths)} rows", where=str(source), remedy="give all arrays the same length"
        )
    return ArrayTable(columns)
