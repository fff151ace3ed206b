"""Logs as Parquet files, one batch of rows at a time (extra `parquet`: pyarrow).

Columns of numbers are read, and columns of lists of equal length as q1 .. qn; a missing value is NaN.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from torquec.errors import ArgumentError, MissingExtraError
from torquec.foundation.arrays import Array
from torquec.trajectory.log import LogFinding, Pathology, Severity

_ROWS = 65536  # of a batch: some megabytes
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "D": 86400.0}
_REMEDY = "give a Parquet file with columns of numbers"


class ParquetTable:
    """A Parquet file. Raises `ArgumentError` for other files, `MissingExtraError` without pyarrow."""

    first_line = None
    holds = ""

    def __init__(self, source: Path) -> None:
        try:
            self._parquet = importlib.import_module("pyarrow.parquet")
            arrow = importlib.import_module("pyarrow")
            self._length = importlib.import_module("pyarrow.compute").list_value_length
        except ImportError:
            raise MissingExtraError("pyarrow", "parquet", "reading a Parquet log") from None
        self._source = source
        self._kept: list[str] = []
        self._widths: dict[str, int] = {}
        texts: list[str] = []
        try:
            with self._parquet.ParquetFile(source) as file:
                schema = file.schema_arrow
                for field in schema:
                    kind = field.type.value_type if _is_list(arrow, field.type) else field.type
                    plain = arrow.types.is_integer(kind) or arrow.types.is_floating(kind)
                    (self._kept if plain or arrow.types.is_temporal(kind) else texts).append(field.name)
                first = next(file.iter_batches(batch_size=1, columns=self._kept), None)
        except (OSError, ValueError, TypeError) as error:
            raise ArgumentError(f"cannot be read: {error}", where=str(source), remedy=_REMEDY) from None
        if first is None or not self._kept:
            raise ArgumentError("there are no numbers", where=str(source), remedy=_REMEDY)
        self.names = tuple(name for name, _ in self._columns(first))
        text = f"columns that hold no numbers are left out: {', '.join(texts)}"
        self.findings = (LogFinding(Pathology.LEFT_OUT, Severity.NOTE, text),) if texts else ()

    def blocks(self, found: list[LogFinding]) -> Iterator[Array]:  # noqa: ARG002 - the protocol of all tables
        """Rows (m, columns)."""
        try:
            with self._parquet.ParquetFile(self._source) as file:
                for batch in file.iter_batches(batch_size=_ROWS, columns=self._kept):
                    if batch.num_rows == 0:
                        continue
                    yield np.column_stack([values for _, values in self._columns(batch)])
        except (OSError, ValueError) as error:
            raise ArgumentError(f"cannot be read: {error}", where=str(self._source), remedy=_REMEDY) from None

    def _columns(self, batch: Any) -> list[tuple[str, Array]]:
        """Names and values (m,) of a batch; lists are one column per entry; stamps are in seconds."""
        columns: list[tuple[str, Array]] = []
        for field, values in zip(batch.schema, batch.columns, strict=True):
            if hasattr(values, "flatten") and hasattr(field.type, "value_type"):
                lengths = _floats(self._length(values))
                width = self._widths.setdefault(field.name, int(np.nan_to_num(lengths[0])))
                if np.any(lengths != width):
                    raise ArgumentError(
                        f"column '{field.name}' holds lists of several lengths",
                        where=str(self._source),
                        remedy="record the same joints in every row",
                    )
                table = _floats(values.flatten()).reshape(len(values), width)
                columns += [(f"{field.name}{k + 1}", table[:, k]) for k in range(width)]
            else:
                columns.append((field.name, _floats(values)))
        return columns


def _is_list(arrow: Any, kind: Any) -> bool:
    return bool(arrow.types.is_list(kind) or arrow.types.is_large_list(kind) or arrow.types.is_fixed_size_list(kind))


def _floats(values: Any) -> Array:
    """An Arrow array as doubles, missing values and infinities as NaN; stamps as seconds."""
    array = values.to_numpy(zero_copy_only=False)
    if array.dtype.kind in "mM":
        seconds = array.view(np.int64) * _SECONDS[np.datetime_data(array.dtype)[0]]
        return np.where(np.isnat(array), np.nan, seconds)
    floats = array.astype(np.float64)
    return np.where(np.isfinite(floats), floats, np.nan)
