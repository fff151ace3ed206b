"""Log formats: one row per format with its suffixes, its reader, and whether it is read in pieces.

To add a format, write its reader in `tables/` and one row in `LOG_FORMATS`: `read_log`, `check-log`, `identify`,
messages and help then support it, and a test requires its row in `docs/logs.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from torquec.errors import ArgumentError
from torquec.foundation.reading import is_folder
from torquec.trajectory.tables.bag_table import bag_table
from torquec.trajectory.tables.csv_table import CsvTable
from torquec.trajectory.tables.hdf5_table import hdf5_table, mat_table
from torquec.trajectory.tables.log_table import LogTable, npz_table
from torquec.trajectory.tables.parquet_table import ParquetTable

_FOLDER = "a folder"  # name of a folder log in messages and help


class TableReader(Protocol):
    """A function that opens a log file; raises `ArgumentError` where it cannot be read."""

    def __call__(self, source: Path, joints: Sequence[str], topic: str | None) -> LogTable:
        """The table; `joints` are the robot's, `topic` is the map's (None: it names none)."""
        ...


@dataclass(frozen=True)
class LogFormat:
    """One log format: title, suffixes ("" is a file without one), reader, and a line about its contents for the docs.

    `in_pieces`: the table gives blocks of rows in constant memory, so that files larger than memory can be read.
    `extra`: the extra of this package that the reader needs; empty for none. `folders`: a folder is a log, too.
    """

    title: str
    suffixes: tuple[str, ...]
    read: TableReader
    contents: str
    in_pieces: bool = False
    extra: str = ""
    folders: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Suffixes as messages and help list them."""
        return (*filter(None, self.suffixes), *([_FOLDER] if self.folders else []))


def log_format(source: Path) -> LogFormat:
    """The format of a file or a folder, by its suffix; raises `ArgumentError` for an unsupported one."""
    folder, suffix = is_folder(source), source.suffix.lower()
    for form in LOG_FORMATS:
        if form.folders if folder else suffix in form.suffixes:
            return form
    what = "a folder" if folder else f"'{suffix}'"
    raise ArgumentError(
        f"unsupported log format {what}", where=str(source), remedy=f"convert the log to one of {log_files()}"
    )


def is_readable_in_pieces(source: Path) -> bool:
    """Whether a log file exists and its format can be read in blocks of rows, in constant memory."""
    return source.is_file() and any(form.in_pieces and source.suffix.lower() in form.suffixes for form in LOG_FORMATS)


def log_files() -> str:
    """The formats as messages and help list them.

    >>> log_files().split("; ")[:2]
    ['CSV (.csv, .txt, .tsv, .log)', 'npz (.npz)']
    """
    return "; ".join(f"{form.title} ({', '.join(form.names)})" for form in LOG_FORMATS)


def _csv(source: Path, joints: Sequence[str], topic: str | None) -> LogTable:  # noqa: ARG001 - the protocol of readers
    """Text; without a header, its columns are t, q, tau or t, q, dq, tau of all joints or of the first few."""
    assumed: dict[int, tuple[str, ...]] = {}
    for count in range(len(joints), 0, -1):  # a log of all joints before one of the first few
        for kinds in (("q", "tau"), ("q", "dq", "tau")):
            names = ("t", *(f"{word}{k + 1}" for word in kinds for k in range(count)))
            assumed.setdefault(len(names), names)
    return CsvTable(source, assumed)


def _npz(source: Path, joints: Sequence[str], topic: str | None) -> LogTable:  # noqa: ARG001 - the protocol of readers
    return npz_table(source)


def _parquet(source: Path, joints: Sequence[str], topic: str | None) -> LogTable:  # noqa: ARG001 - protocol of readers
    return ParquetTable(source)


def _hdf5(source: Path, joints: Sequence[str], topic: str | None) -> LogTable:  # noqa: ARG001 - protocol of readers
    return hdf5_table(source)


def _mat(source: Path, joints: Sequence[str], topic: str | None) -> LogTable:  # noqa: ARG001 - protocol of readers
    return mat_table(source)


def _bag(source: Path, joints: Sequence[str], topic: str | None) -> LogTable:
    return bag_table(source, topic=topic, wanted=joints)


LOG_FORMATS = [
    LogFormat(
        "CSV",
        (".csv", ".txt", ".tsv", ".log", ""),
        _csv,
        "commas, semicolons (with decimal commas too), tabs or blanks; empty values are missing",
        in_pieces=True,
    ),
    LogFormat("npz", (".npz",), _npz, "`t` (N,), `q`, `tau`, perhaps `dq` (N, n), or one array per column"),
    LogFormat(
        "Parquet",
        (".parquet", ".pq"),
        _parquet,
        "columns of numbers, or of lists; stamps",
        in_pieces=True,
        extra="parquet",
    ),
    LogFormat(
        "HDF5",
        (".h5", ".hdf5"),
        _hdf5,
        "datasets by name, in any group: arrays (N,), (N, n) or (n, N), or tables with fields",
        in_pieces=True,
        extra="hdf5",
    ),
    LogFormat(
        "MATLAB",
        (".mat",),
        _mat,
        "variables and fields of structs, as for HDF5; versions 4 to 7.2 by SciPy (extra `identify`), 7.3 as HDF5",
        extra="hdf5",
    ),
    LogFormat(
        "rosbag2",
        (".db3", ".mcap"),
        _bag,
        "`sensor_msgs/JointState`: joints in any order, messages that hold a part of them",
        extra="rosbags",
        folders=True,
    ),
]
"""All log formats, in the order in which they are listed."""
