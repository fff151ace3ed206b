"""What `check-log` says of a log: its size, every finding in order, and one verdict."""

from __future__ import annotations

import pytest

from torquec.report.log_text import log_text, log_verdict

LOG = {"file": "run.csv", "samples": 1200, "duration": 11.99, "rate": 100.0, "usable": True, "clean": True}


@pytest.mark.parametrize(
    ("severities", "verdict"),
    [
        (["note"], ""),
        (["note", "warning"], "run.csv: usable with care (1 warning)"),
        (
            ["warning", "error", "warning"],
            "run.csv: not usable before its errors are corrected (1 error and 2 warnings)",
        ),
    ],
)
def test_one_verdict_for_each_log(severities, verdict):
    findings = [{"severity": severity} for severity in severities]
    usable, clean = "error" not in severities, {*severities} == {"note"}
    document = {**LOG, "usable": usable, "clean": clean, "findings": findings}
    assert log_verdict(document) == verdict
    lines = log_text(document, ["first finding", "second finding"]).splitlines()
    assert lines[:3] == ["run.csv: 1200 samples, 12 s at 100 Hz", "  first finding", "  second finding"]
    assert lines[3:] == (["  no problem found"] if clean else [])
