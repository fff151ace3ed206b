"""Findings say where they are; logs check their shapes."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity, spans_of


def test_a_finding_names_column_lines_and_remedy():
    finding = LogFinding(
        Pathology.GAP, Severity.WARNING, "gaps: 5", "t", tuple((10 * k, 10 * k + 1) for k in range(5)), "mend it", 2
    )
    assert finding.rows == (0, 41)
    assert finding.lines == (2, 43)
    assert str(finding) == "warning: gap [t]: gaps: 5 (lines 2-3, 12-13, 22-23 and 2 more); mend it"


def test_a_finding_of_a_file_without_lines_names_rows():
    assert str(LogFinding(Pathology.WRAP, Severity.ERROR, "jumps", "q1", ((3, 3),))).endswith("jumps (row 3)")
    assert LogFinding(Pathology.WRAP, Severity.ERROR, "jumps").lines is None


def test_spans_are_runs():
    assert spans_of(np.array([False, True, True, False, True])) == ((1, 2), (4, 4))
    assert spans_of(np.zeros(3, dtype=bool)) == ()


def test_columns_have_the_names_of_the_file():
    log = Log(("a", "b"), [0.0, 0.1], np.zeros((2, 2)), np.zeros((2, 2)), columns={"t": ("time",), "q": ("x", "q_b")})
    assert log.column("t") == "time"
    assert log.column("q", 0) == "x, q of a"
    assert log.column("q", 1) == "q of b"
    assert log.column("tau", 1) == "tau of b"


def test_shapes_are_checked():
    with pytest.raises(ArgumentError, match="tau"):
        Log(("a",), [0.0, 1.0], np.zeros((2, 1)), np.zeros((2, 2)))
    with pytest.raises(ArgumentError, match="two samples"):
        Log(("a",), [0.0], np.zeros((1, 1)), np.zeros((1, 1)))
