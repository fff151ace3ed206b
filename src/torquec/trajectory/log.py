"""`Log`: recorded times, positions, torques and speeds of a robot, in joint coordinates and SI units.

The data is raw: times may jitter and values may be missing (NaN). `identification/logs/check_log.py` reports problems,
`identification/logs/prepare.py` makes evenly spaced, filtered samples of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from torquec.errors import ArgumentError
from torquec.foundation.arrays import Array, Mask
from torquec.trajectory.trajectory import joint_labels

_SHOWN_SPANS = 3  # so that a finding stays one line


class Severity(StrEnum):
    """How much a finding matters."""

    NOTE = "note"
    """Found in good logs too: jitter, parts at rest."""
    WARNING = "warning"
    """Part of the log is not used, or something was guessed."""
    ERROR = "error"
    """The log cannot be used until this is fixed."""


class Pathology(StrEnum):
    """Kinds of problems in a log."""

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
    OFFSET = "joint offset"
    GRAVITY = "gravity direction"
    DELAY = "delay"
    GAIN = "torque gain"
    STANDSTILL = "standstill"
    LIMITS = "beyond limits"
    SATURATION = "saturation"
    SPIKES = "spikes"
    FROZEN = "frozen column"
    NO_TORQUE = "no torque"
    MATCHED_BY_ORDER = "matched by order"
    LOCKED = "locked joints"
    MERGED = "merged messages"
    LEFT_OUT = "columns left out"


@dataclass(frozen=True)
class LogFinding:
    """One finding in a log: its column, its rows and the remedy.

    `spans` are the first and last row of every affected part (counted from 0, both inclusive). `first_line` is the line
    of the file that holds row 0; None where the log is not text.
    """

    kind: Pathology
    severity: Severity
    text: str
    column: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    remedy: str = ""
    first_line: int | None = None

    @property
    def rows(self) -> tuple[int, int] | None:
        """The first and the last affected row; None for a finding without particular rows."""
        return (self.spans[0][0], max(last for _, last in self.spans)) if self.spans else None

    @property
    def lines(self) -> tuple[int, int] | None:
        """The first and the last affected line of the file; None where the log is not text."""
        if self.rows is None or self.first_line is None:
            return None
        return self.rows[0] + self.first_line, self.rows[1] + self.first_line

    def __str__(self) -> str:
        place = f" [{self.column}]" if self.column else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.severity}: {self.kind}{place}: {self.text}{self._place()}{remedy}"

    def _place(self) -> str:
        if not self.spans:
            return ""
        word, shift = ("row", 0) if self.first_line is None else ("line", self.first_line)
        parts = [f"{a + shift}" if a == b else f"{a + shift}-{b + shift}" for a, b in self.spans[:_SHOWN_SPANS]]
        more = len(self.spans) - _SHOWN_SPANS
        single = len(self.spans) == 1 and self.spans[0][0] == self.spans[0][1]
        return f" ({word}{'' if single else 's'} {', '.join(parts)}{f' and {more} more' if more > 0 else ''})"


@dataclass(frozen=True, eq=False)
class Log:
    """Times t (N,) [s], positions q (N, n), torques tau (N, n) and, where they were recorded, speeds qd (N, n).

    `joints` names the columns; `others` holds further recorded columns (N,) by name; `findings` are those of the
    reader. `columns` are the names that t, q, qd and tau have in the file, `first_line` is the line of its first sample
    and `first_row` the number of its first sample when it is a piece of a longer log. Raises `ArgumentError` for
    shapes that do not agree.

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
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_line: int | None = None
    first_row: int = 0

    def __repr__(self) -> str:
        name = f"'{self.source}', " if self.source else ""
        return f"Log({name}{len(self.joints)} joints, {len(self.t)} samples, {self.duration:g} s)"

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
        if self.t.ndim != 1 or len(self.t) < (1 if self.first_row else 2):
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

    def column(self, kind: str, joint: int = 0) -> str:
        """The column name in the file of t, or of q, qd or tau of a joint.

        >>> Log(("elbow",), [0.0, 0.1], [[0.0], [0.1]], [[1.0], [1.0]]).column("tau")
        'tau of elbow'
        """
        if kind == "t":
            return self.columns.get("t", ("t",))[0]
        plain = f"{kind} of {self.joints[joint]}"
        names = self.columns.get(kind)
        return plain if names is None or self.joints[joint] in names[joint] else f"{names[joint]}, {plain}"


def spans_of(mask: Mask) -> tuple[tuple[int, int], ...]:
    """First and last index of every run of true values.

    >>> spans_of(np.array([True, False, True, True]))
    ((0, 0), (2, 3))
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return tuple((int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True))
