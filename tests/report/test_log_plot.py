"""A picture of a log is a picture, whatever is wrong with the log."""

from __future__ import annotations

import numpy as np
import pytest

from torquec.errors import ArgumentError
from torquec.report.log_plot import plot_log
from torquec.trajectory.log import Log, LogFinding, Pathology, Severity

pytest.importorskip("matplotlib")

T = 0.001 * np.arange(9000)
Q = np.stack([np.sin(T), np.cos(T)], axis=1)


def findings():
    return [
        LogFinding(Pathology.GAP, Severity.WARNING, "", "t", ((100, 400),)),
        LogFinding(Pathology.NAN_ROWS, Severity.WARNING, "", "q of b", ((1000, 1500),)),
        LogFinding(Pathology.NEGATED, Severity.ERROR, "", "tau of a"),
        LogFinding(Pathology.STANDSTILL, Severity.NOTE, "", "q of a", ((8000, 8999),)),
    ]


@pytest.mark.parametrize("speeds", [True, False])
@pytest.mark.parametrize("count", [500, 9000])
def test_a_picture_is_written(tmp_path, speeds, count):
    q = Q[:count].copy()
    q[100:300, 1] = np.nan
    log = Log(("a", "b"), T[:count], q, Q[:count], Q[:count] if speeds else None)
    target = plot_log(
        log, [f for f in findings() if count > 500 or f.kind is not Pathology.STANDSTILL], tmp_path / "log.png"
    )
    assert target.read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["log.png"]


def test_stamps_that_go_back_are_drawn_by_rows(tmp_path):
    t = T.copy()
    t[50] = -1.0
    t[60] = np.nan
    assert plot_log(Log(("a", "b"), t, Q, Q), findings(), tmp_path / "log.svg").read_text().count("row") > 0


def test_what_cannot_be_written_is_told(tmp_path):
    log = Log(("a", "b"), T, Q, Q)
    for path in (tmp_path / "none" / "log.png", tmp_path / "log.xyz"):
        with pytest.raises(ArgumentError, match=r"cannot draw there|there is no such folder"):
            plot_log(log, [], path)
    assert list(tmp_path.iterdir()) == []
