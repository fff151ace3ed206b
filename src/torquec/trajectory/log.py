"""`Log`: what was recorded of a moving robot, in joint coordinates and SI units.

A log is as it was recorded: times may jitter and values may be missing (NaN). `torquec.identification.check_log` says
what is wrong with it, `torquec.identification.prepare` makes evenly spaced, filtered samples of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.trajectory.trajectory import Array, joint_labels


class Severity(StrEnum):
    """How much a finding matters."""

    NOTE = "note"
    """True of good logs too: jitter, parts at rest."""
    WARNING = "warning"
    """Part of the log is not used."""
    ERROR = "error"
    """The log cannot serve before this is mended."""


class Pathology(StrEnum):
    """What can be wrong with a log."""

    MISSING_HEADER = "missing header"
    CUT_LINE = "cut line"
    NAN_ROWS = "rows without numbers"
    DUPLICATE_STAMPS = "duplicated stamps"
    BACKWARD_STAMPS = "stamps that go back"
    GAP = "gap"
    JITTER = "jitter"
    WRAP = "encoder wrap"
    PERMUTED = "permuted joints"
    NEGATED = "negated joint"
    UNITS = "units"
    GRAVITY = "gravity direction"
    STANDSTILL = "standstill"
    SATURATION = "saturation"
    MATCHED_BY_ORDER = "matched by order"
    LOCKED = "locked joints"


@dataclass(frozen=True)
class LogFinding:
    """One thing that was found: in which column, in which rows (of samples, from 0; last included)."""

    kind: Pathology
    severity: Severity
    text: str
    column: str = ""
    rows: tuple[int, int] | None = None

    def __str__(self) -> str:
        place = f" [{self.column}]" if self.column else ""
        rows = "" if self.rows is None else f" (rows {self.rows[0]} to {self.rows[1]})"
        return f"{self.severity}: {self.kind}{place}: {self.text}{rows}"


@dataclass(frozen=True, eq=False)
class Log:
    """Times t (N,) [s], positions q (N, n), torques tau (N, n) and, where they were recorded, speeds qd (N, n).

    `joints` names the columns; `others` holds further recorded columns (N,) by name; `findings` is what its reader
    met. Raises `ArgumentError` for shapes that do not agree.

    >>> Log(("a",), [0.0, 0.1], [[0.0], [0.1]], [[1.0], [1.0]]).duration
    0.1
    """

    joints: tuple[str, ...]
    t: Array
    q: Array
    tau: Array
    qd: Array | None = None
    others: dict[str, Array] = field(default_factory=dict)
    source: str = ""
    findings: tuple[LogFinding, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", joint_labels(tuple(self.joints), len(self.joints)))
        object.__setattr__(self, "t", np.asarray(self.t, dtype=np.float64))
        size = (len(self.t), len(self.joints))
        for name in ("q", "tau", "qd"):
            given = getattr(self, name)
            if given is None:
                continue
            values = np.asarray(given, dtype=np.float64)
            if values.shape != size:
                raise ArgumentError(
                    f"'{name}' of the log has shape {values.shape}", where=self.source, remedy=f"give {size}"
                )
            object.__setattr__(self, name, values)
        if self.t.ndim != 1 or len(self.t) < 2:
            raise ArgumentError("a log has at least two samples", where=self.source, remedy="record a motion")

    def __len__(self) -> int:
        return len(self.t)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def duration(self) -> float:
        """From the first sample to the last [s]."""
        return float(self.t[-1] - self.t[0])

    @property
    def period(self) -> float:
        """The median of the sampling intervals [s]."""
        return float(np.median(np.diff(self.t)))
