"""Records of reductions and estimates as plain values: enough to undo and to recheck them.

A record does not depend on the code that made it. It can be written as JSON and read back, and the `check_*` function
of its kind takes it together with the robot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from torquec.foundation.documents import DocumentFormat

SparseRow = tuple[tuple[int, float], ...]
"""A row of a matrix: (column, value) of the entries that are not zero, by column."""


@dataclass(frozen=True)
class Record:
    """Base of every record; `robot` is the name of the robot that it is about."""

    KIND: ClassVar[str] = ""

    robot: str

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON values, its kind under "kind"."""
        values: dict[str, Any] = DocumentFormat("record").to_values(self)
        return values

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """The record that `to_dict` wrote; raises `ArgumentError` for anything else."""
        remedy = "give the dictionary that to_dict() of such a record returned"
        return DocumentFormat(f"record of kind '{cls.KIND}'", remedy=remedy).from_values(cls, document)


@dataclass(frozen=True)
class BaseParametersRecord(Record):
    """Base parameters as combinations of the standard parameters: beta = K phi, with regressor Y E.

    `parameters` (p) are the names of the standard parameters, `names` (b) those of the base parameters. `projection`
    holds the rows of K (b, p), `expansion` those of E (p, b). `motors`, `friction` and `frames` define the standard
    parameters. `values` (b) is null for a robot without inertias.
    """

    KIND: ClassVar[str] = "base_parameters"

    method: str
    motors: bool
    friction: str
    frames: str
    parameters: tuple[str, ...]
    names: tuple[str, ...]
    projection: tuple[SparseRow, ...]
    expansion: tuple[SparseRow, ...]
    values: tuple[float, ...] | None


def sparse_rows(matrix: Sequence[Sequence[float]]) -> tuple[SparseRow, ...]:
    """The rows of a matrix, without its zeros.

    >>> sparse_rows([[0.0, 2.0], [0.0, 0.0]])
    (((1, 2.0),), ())
    """
    return tuple(tuple((k, float(value)) for k, value in enumerate(row) if value != 0.0) for row in matrix)
